"""No cut inside a grapheme, in scripts and signs of many kinds; and no mark that is not white space is lost."""

from __future__ import annotations

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from laws import laws

from headwise import Settings
from headwise.chunking.passages import passages
from headwise.chunking.split import Analysis

CLUSTER = regex.compile(r"\X")

SAMPLES = {
    "hindi": "क्षत्रिय विद्यार्थियों ने ज्ञानप्राप्ति के लिए श्रृंखला लिखी। स्त्री ऋषि द्व्यर्थ र्‍य",
    "bengali": "ক্ষুদ্র প্রতিষ্ঠানের স্বাস্থ্যকর্মী। জ্ঞান",
    "tamil": "க்ஷ தமிழ்நாட்டின் ஸ்ரீ கொண்டாட்டம்",
    "thai": "นักวิทยาศาสตร์ค้นพบดาวเคราะห์ดวงใหม่ที่อาจมีน้ำอยู่ใต้พื้นผิวเก่าแก่กว่าเปี๊ยะ",
    "khmer": "លោកស្រីហ្វូគូសាវ៉ានិងលោកសុខលីដាបានធ្វើការប្រមូលភស្តុតាងបន្ថែមដើម្បីដាក់ជូនស្ត្រី",
    "lao": "ລັດຖະບານປະກາດມາດຕະການຊ່ວຍເຫຼືອຊາວນາທີ່ໄດ້ຮັບຜົນກະທົບຈາກນໍ້າຖ້ວມ",
    "burmese": "တောင်ကြီးမြို့သည်နယ်လှည့်ခရီးသည်များအကြားလူသိများကျော်ကြားသည့်သင်္ဘောဖြစ်သည်။",
    "tibetan": "བོད་ཡིག་ནི་ཧ་ཅང་ཡག་པོ་རྒྱལ་པོ་འདུག །སྐྱེས་བུ།",
    "hangul jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af \u1112\u1161\u11ab\u1100\u116e\u11a8 도서관은월요일에쉽니다",
    "chinese": "数据库将根据统计信息自动选择最合适的执行计划来提高查询性能，使用Kubernetes部署𠮷野家。",
    "japanese": "図書館は休みです。か\u3099き\u3099く\u3099と\uff76\uff9e\uff97\uff7d\uff8a\uff9fﾝを「使う。」と言う。",
    "emoji": "👨‍👩‍👧‍👦👩🏽‍🚀🏳️‍🌈🇩🇪🇯🇵🇫🇷1️⃣#️⃣❤️☎︎👍🏿🧑🏻‍🤝‍🧑🏿🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "combining": "e\u0301a\u0308\u0323o\u0302\u0301 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞",
    "arabic": "\u200fكَتَبَ الطَّالِبُ الدَّرْسَ. كـــــتاب\u200f،\u061c ثُمَّ نَامَ؟ \u202bنعم\u202c \u2067لا\u2069.",
    "hebrew": "\u200fבְּרֵאשִׁית בָּרָא אֱלֹהִים\u200f: \u2068אֵת\u2069 הַשָּׁמַיִם.",
    "persian": "می\u200cروم به کتاب\u200cخانه. نمی\u200cدانم؟",
    "odd": "a\ufeffb \ufffd\ufffdc\ud800d \udfffe\u2060f\u00adg\u200b\u180eh \u0600\u0661 \u00a0\u0301x",
}
MARKS = regex.compile(r"[\p{Cf}\ufffd]")

PIECE = st.sampled_from([*SAMPLES.values(), *(word for text in SAMPLES.values() for word in text.split())])
GLUE = st.sampled_from(
    ["", "", " ", "\n", "\r\n", ". ", "。", ", ", "\u200f", "\u2067", "\u2069", "\u200b", "\ufeff", "\u0301"]
)
TEXT = st.lists(st.tuples(PIECE, GLUE).map("".join), min_size=1, max_size=12).map("".join)


def inner_places(text: str, settings: Settings, limit: int) -> set[int]:
    """The places inside graphemes of at most *limit*: larger ones have to be cut."""
    count = settings.measure().count
    places: set[int] = set()
    for match in CLUSTER.finditer(text):
        if match.end() - match.start() > 1 and count(match[0]) <= limit:
            # white space that carries a mark is white space still, and stays outside
            carrier = match.start() + len(match[0]) - len(match[0].lstrip())
            places.update(at for at in range(match.start() + 1, match.end()) if at != carrier)
    return places


def edges_keep_graphemes(text: str, made: Analysis, settings: Settings) -> None:
    """Every edge of a chunk or passage lies between two graphemes, unless that grapheme alone is too large for one."""
    inside = inner_places(text, settings, settings.max_tokens)
    for chunk in made.chunks:
        assert not {chunk.start, chunk.own_start, chunk.end} & inside, chunk.text
    for size in (8, 128):
        inside = inner_places(text, settings, min(size, settings.max_tokens))
        for of_chunk in passages(made, settings, size):
            for passage in of_chunk:
                assert not {passage.start, passage.end} & inside, passage.text


@given(
    TEXT, st.integers(30, 90), st.sampled_from([0, "20%", "1s"]), st.sampled_from(["headings", "sentences", "fixed"])
)
@example("\u1112\u1161\u11ab" * 200, 30, 0, "headings")
@example("🇩🇪" * 200, 30, "20%", "fixed")
@example(SAMPLES["combining"] * 3, 90, 0, "headings")
def test_no_edge_lies_inside_a_grapheme(text: str, limit: int, overlap: int | str, strategy) -> None:
    settings = Settings(limit, overlap=overlap, strategy=strategy)
    edges_keep_graphemes(text, laws(text, settings), settings)


@pytest.mark.parametrize("script", SAMPLES)
@pytest.mark.parametrize("overlap", [0, "30%"])
def test_no_edge_lies_inside_a_grapheme_of_a_script(script: str, overlap: int | str) -> None:
    once = SAMPLES[script]
    for text in (once * 8, " ".join([once] * 8), f"# {once}\n\n- " + once * 8):
        for limit in (10, 24, 50, 90):
            for tokenizer in ("cl100k_base", "chars"):
                settings = Settings(limit, overlap=overlap, tokenizer=tokenizer)
                edges_keep_graphemes(text, laws(text, settings), settings)


@given(TEXT, st.integers(4, 60))
def test_no_mark_is_lost_and_none_is_made(text: str, limit: int) -> None:
    made = laws(text, Settings(limit))
    kept = "".join(text[part.start : part.end] for part in (*made.chunks, *made.dropped))

    assert sorted(MARKS.findall(kept)) == sorted(MARKS.findall(text))


@pytest.mark.parametrize(
    "mark", ["\u200e", "\u200f", "\u061c", "\u202b", "\u202c", "\u2067", "\u2069", "\ufeff", "\u2060"]
)
def test_a_mark_at_the_edge_of_a_paragraph_stays_with_it(mark: str) -> None:
    text = f"# A\n\n{mark}Some words here.{mark}\n\n{mark}أخرى{mark}\n"
    made = laws(text, Settings(60, 0))

    assert "".join(chunk.text for chunk in made.chunks).count(mark) == 4


def test_an_isolate_opened_in_one_chunk_and_closed_in_another_stays_as_it_is() -> None:
    text = "\u2067" + "كلمة أخرى هنا. " * 40 + "\u2069 end."
    made = laws(text, Settings(60, 0))

    assert len(made.chunks) > 2
    assert made.chunks[0].text.startswith("\u2067")
    assert "\u2069" in made.chunks[-1].text
