from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise.errors import ReadingError
from headwise.reading.decode import decode

TEXTS = {
    "french": "Le café était fermé à l'été dernier, et la crème brûlée n'a pas été servie. Où êtes-vous allés ?",
    "german": "Der Müller fährt über die Straße und grüßt die Jäger. Größe und Länge müssen geprüft werden.",
    "spanish": "El niño comió piña y después durmió. ¿Cuándo llegará el avión? La reunión será mañana.",
    "portuguese": "A reunião não começou às três horas; a informação está na página. Você já leu a lição?",
    "swedish": "Räksmörgås är gott på våren. Åsa går över ån för att köpa kött och bröd på lördag.",
    "polish": "Proszę wysłać wiadomość do każdego członka zespołu przed środą. Łódź leży w środku kraju.",
    "czech": "Příliš žluťoučký kůň úpěl ďábelské ódy. Děkuji za vaši zprávu, přijdu později večer.",
    "turkish": "Pijamalı hasta yağız şoföre çabucak güvendi. İstanbul'da güneşli bir gün geçirdik.",
    "russian": "Съешь же ещё этих мягких французских булок, да выпей чаю. Завтра мы поедем в город.",
    "ukrainian": "Завтра ми поїдемо до міста і купимо нові книжки. Будь ласка, надішліть звіт усім.",
    "greek": "Αύριο θα πάμε στην πόλη για να αγοράσουμε βιβλία. Παρακαλώ στείλτε την αναφορά σε όλους.",
    "hebrew": "מחר ניסע לעיר ונקנה ספרים חדשים. נא לשלוח את הדוח לכולם, תודה רבה.",
    "arabic": "غدا سنذهب إلى المدينة ونشتري كتبا جديدة. الرجاء إرسال التقرير إلى الجميع، شكرا لكم.",
    "japanese": "私はその人を常に先生と呼んでいた。だからここでもただ先生と書くだけで本名は打ち明けない。",
    "chinese": "我们明天去城里买新的书。天气很好,大家都很高兴。请把会议记录发给所有人,谢谢合作。",
    "taiwanese": "我們明天去城裡買新的書。天氣很好,大家都很高興。請把會議記錄發給所有人,謝謝合作。",
    "korean": "우리는 내일 도시에 가서 새 책을 살 것입니다. 날씨가 좋아서 모두 기뻐합니다. 회의록을 보내 주세요.",
}
NOISE = b"".join(sha256(bytes([n])).digest() for n in range(40))
ENCODED = [
    ("french", "cp1252"),
    ("french", "mac_roman"),
    ("german", "cp1252"),
    ("german", "cp850"),
    ("spanish", "cp1252"),
    ("portuguese", "cp1252"),
    ("swedish", "cp1252"),
    ("polish", "cp1250"),
    ("polish", "iso8859_2"),
    ("czech", "cp1250"),
    ("turkish", "cp1254"),
    ("russian", "cp1251"),
    ("russian", "koi8_r"),
    ("russian", "cp866"),
    ("ukrainian", "cp1251"),
    ("ukrainian", "koi8_u"),
    ("greek", "cp1253"),
    ("hebrew", "cp1255"),
    ("arabic", "cp1256"),
    ("japanese", "shift_jis"),
    ("japanese", "euc_jp"),
    ("chinese", "gb18030"),
    ("chinese", "gbk"),
    ("taiwanese", "big5"),
    ("korean", "euc_kr"),
]


@pytest.mark.parametrize(("language", "encoding"), ENCODED)
@pytest.mark.parametrize("size", ["half a sentence", "a paragraph", "a document"])
def test_a_legacy_encoding_is_found_and_named(language, encoding, size):
    text = TEXTS[language]
    if size == "half a sentence":
        text = text[:40]
    elif size == "a document":
        text = (
            f"# Notes\r\n\r\nSome English, `code()` and https://example.org/a_link.\r\n\r\n{text}\r\n\r\n- item\r\n"
            * 30
        )

    decoded, warnings = decode(text.encode(encoding))

    assert decoded == text
    assert len(warnings) == 1
    assert warnings[0].startswith("not UTF-8; read as ")


# a few words are little evidence: what is read right today is to stay so
@pytest.mark.parametrize(
    ("language", "encoding", "right"),
    [
        ("french", "cp1252", 26),
        ("french", "mac_roman", 21),
        ("german", "cp1252", 31),
        ("german", "cp850", 25),
        ("spanish", "cp1252", 27),
        ("portuguese", "cp1252", 24),
        ("swedish", "cp1252", 29),
        ("polish", "cp1250", 20),
        ("polish", "iso8859_2", 24),
        ("czech", "cp1250", 23),
        ("czech", "iso8859_2", 20),
        ("turkish", "cp1254", 16),
        ("russian", "cp1251", 21),
        ("russian", "koi8_r", 26),
        ("russian", "cp866", 20),
        ("russian", "iso8859_5", 26),
        ("ukrainian", "cp1251", 25),
        ("ukrainian", "koi8_u", 26),
        ("ukrainian", "iso8859_5", 29),
        ("greek", "cp1253", 30),
        ("hebrew", "cp1255", 15),
        ("arabic", "cp1256", 24),
        ("japanese", "shift_jis", 14),
        ("japanese", "euc_jp", 14),
        ("chinese", "gb18030", 11),
        ("taiwanese", "big5", 12),
        ("korean", "euc_kr", 20),
    ],
)
def test_of_a_few_words_at_least_so_many_are_read_right(language, encoding, right):
    text = TEXTS[language]
    parts = [text[at : at + size] for size in (6, 14, 30) for at in range(0, len(text) - size, max(size // 2, 5))]
    texts = [f"The {part} is." for part in parts if not part.isascii()]

    assert sum(decoded(text.encode(encoding)) == text for text in texts) >= right


def decoded(data):
    try:
        return decode(data)[0]
    except ReadingError:
        return None


@pytest.mark.parametrize(
    "word", ["café", "Müller", "niño", "reunião", "garçon", "Ångström", "“quoted”", "it’s", "25 °C", "£5"]
)
def test_one_western_word_in_english_is_cp1252(word):
    text = f"# Note\n\nThe {word} is here, and some English text follows it.\n"

    assert decode(text.encode("cp1252")) == (text, ("not UTF-8; read as cp1252",))


@pytest.mark.parametrize(("word", "encoding"), [("привет", "cp1251"), ("カフェ", "shift_jis"), ("我们", "gb18030")])
def test_one_word_of_another_script_in_english_is_found_too(word, encoding):
    text = f"# Note\n\nThe {word} is here, and some English text follows it.\n"

    assert decode(text.encode(encoding))[0] == text


@pytest.mark.parametrize("language", ["french", "german", "spanish", "portuguese", "swedish"])
def test_capitals_are_found_too(language):
    text = TEXTS[language].upper()

    assert decode(text.encode("cp1252")) == (text, ("not UTF-8; read as cp1252",))


def test_several_western_languages_in_one_text_are_found():
    text = "\n".join(TEXTS[language] for language in ("french", "german", "spanish", "portuguese", "swedish"))

    assert decode(text.encode("cp1252")) == (text, ("not UTF-8; read as cp1252",))


def test_a_script_without_a_table_of_its_own_is_found_too():
    text = "สวัสดีครับ วันนี้อากาศดีมาก เราจะไปตลาดกัน แล้วกลับบ้านตอนเย็น\n" * 3

    assert decode(text.encode("cp874"))[0] == text


def test_the_first_4_kib_of_what_is_not_ascii_decide():
    french, russian = (f"{TEXTS[language]}\n" for language in ("french", "russian"))

    data = (french * 50).encode("cp1252") + (russian * 200).encode("cp1251")
    assert decode(data)[1] == ("not UTF-8; read as cp1252",)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_utf8_is_read_as_it_stands_with_its_mark_and_newlines(newline, mark):
    text = mark + newline.join(["# Título", "", "日本語 😀 \u2028 \x0c \x1b[1m", ""])

    assert decode(text.encode()) == (text, ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("body", ["", "# Título\r\n\r\n日本語 😀\r\n", "plain ASCII\n" * 100])
def test_utf16_and_utf32_are_known_by_their_mark_which_stays(encoding, body):
    text = "\ufeff" + body

    assert decode(text.encode(encoding)) == (text, ())


def test_nothing_is_text():
    assert decode(b"") == ("", ())


def test_utf8_with_a_few_faults_stays_utf8():
    data = "Erste Zeile mit Umlauten: äöü\n\nZweite: ".encode() + b"\xfc" + " und Größe\n".encode()

    text, warnings = decode(data)

    assert text == "Erste Zeile mit Umlauten: äöü\n\nZweite: \ufffd und Größe\n"
    assert warnings == ("not valid UTF-8; faulty bytes from line 3 on replaced by U+FFFD (1 in all)",)


def test_a_fault_among_few_letters_beyond_ascii_is_utf8_only_if_two_of_three_are_right():
    assert decode("Die Töne: schön. ".encode() + b"\xfc")[0] == "Die Töne: schön. \ufffd"
    assert decode("Die Töne. ".encode() + b"\xfc")[0] != "Die Töne. \ufffd"


def test_a_fault_at_the_start_of_a_line_is_on_that_line():
    assert "from line 2 on" in decode("äöü äöü\n".encode() + b"\xfc")[1][0]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-32-be"])
def test_marked_text_with_faults_in_more_than_a_hundredth_of_it_is_no_text(encoding):
    width = 4 if "32" in encoding else 2
    fault = "\ud800".encode(encoding, "surrogatepass")

    def faulty(count):
        data = "\ufeff" + "a" * (200 - 1 - 2 * count)
        return data.encode(encoding) + (fault + "b".encode(encoding)) * count

    assert len(faulty(3)) == 200 * width
    assert decode(faulty(3))[0].count("\ufffd") == 3
    with pytest.raises(ReadingError, match="binary"):
        decode(faulty(4))


def test_text_in_an_older_encoding_with_control_characters_in_more_than_a_hundredth_of_it_is_no_text():
    text = "Das Müsli für die Größe. Wir prüfen Länge und Höhe. ".ljust(200, "-")

    assert decode((text[:-2] + "\x01\x02").encode("cp1252"))[0].endswith("\x01\x02")
    with pytest.raises(ReadingError, match="binary"):
        decode((text[:-3] + "\x01\x02\x03").encode("cp1252"))


def test_a_utf16_file_cut_in_the_middle_is_read_with_a_warning():
    text, warnings = decode("\ufeffTitle\n\nThe last character is cut".encode("utf-16-le")[:-1])

    assert text == "\ufeffTitle\n\nThe last character is cu\ufffd"
    assert warnings == ("not valid UTF-16; faulty bytes from line 3 on replaced by U+FFFD (1 in all)",)


def test_a_byte_its_encoding_lacks_is_replaced_with_a_warning():
    text, warnings = decode("Das Müsli für die Größe\n".encode("cp1252") * 20 + b"x \x81 y\n")

    assert text.endswith("x \ufffd y\n")
    assert warnings == ("not UTF-8; read as cp1252; faulty bytes from line 21 on replaced by U+FFFD (1 in all)",)


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(1, 200)),
        b"%PDF-1.7\n1 0 obj\n",
        b"PK\x03\x04" + b"abc",
        b"\xff\xd8\xff\xe0JFIF",
        b"text\0text",
        "UTF-16 without a mark".encode("utf-16-le"),
        b"\xff\xfe" + NOISE,
        NOISE,
        NOISE.replace(b"\0", b"\1"),
        bytes(b for b in NOISE if b >= 32),
    ],
    ids=lambda data: repr(data[:8]),
)
def test_what_is_not_text_is_refused(data):
    with pytest.raises(ReadingError, match="looks like a binary file, not text"):
        decode(data)


@given(st.binary(max_size=60))
def test_any_bytes_are_text_or_refused(data):
    try:
        text, warnings = decode(data)
    except ReadingError:
        return
    text.encode()
    assert all("\n" not in warning for warning in warnings)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60))
def test_utf8_round_trips(text):
    if not text.startswith("%PDF-"):
        assert decode(text.encode()) == (text, ())
