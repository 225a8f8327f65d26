"""Places where a word begins in scripts that put no space between words, as patterns without any length.

No list of all words is needed. Words that join others are so frequent that one stands within a few characters of
nearly every place: in most of these languages a phrase begins with one, in Burmese, Japanese and partly in Chinese it
ends with one. Where none is near, a syllable's beginning is seen from its letters, or at least what is written as one:
a consonant with its vowels before and after it, and with the consonants stacked under it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

import regex


def _any(words: str) -> str:
    return "(?:" + "|".join(words.split()) + ")"


_LEADING: Final = "\u0e40-\u0e44\u0ec0-\u0ec4"
"""Vowels of Thai and Lao that are written before their consonant."""

_CHINESE_ENDS: Final = "的 了 们 們 着 里 裡 个 個 种 種 ， 、 。 ； ： ！ ？ ） 」 』 ”"
_CHINESE_NOT_HERE: Final = "的(?=[确確士话話时時])|了(?=解)|[个個](?=[人体體])|[种種](?=[类類植])"
_CHINESE_BEGINS: Final = """
    和(?![平谐諧]) 与(?!其) 與(?!其) 将(?![来要]) 將(?![來要]) 把 被 并(?![发行]) 並(?!行) 或(?!许) 但 从(?!而) 從(?!而)
    如果 因为 因為 所以 可以 需要 应该 應該 以及 使用 这 這 那 会(?![议话]) 會(?![議話]) 不 没有 沒有 也 都 还 還
    就 要(?!求) 在(?![线線])
"""
_CHINESE_JOINED: Final = "[现現存所正用](?=在)|[需主重必只](?=要)|[不社机機议議](?=[会會])|[差而](?=不)|[否](?=[则則])"
# signs of two kinds side by side
_LATIN_BESIDE_HAN: Final = r"(?<=\p{Han})(?=[A-Za-z])|(?<=[0-9A-Za-z])(?=\p{Han})"

# hiragana ends what another kind of sign begins, but for the prefixes of courtesy; particles end a phrase
_JAPANESE: Final = (
    r"(?<=[\u3041-\u309f])(?<![おご])(?=[\p{Han}\u30a1-\u30fa0-9A-Za-z])"
    r"|(?<=[、。）」』！？])(?=[\p{Han}\u3041-\u30fa0-9A-Za-z])"
    r"|(?<=[をはがにで])(?=[\u3041-\u3096])(?![すしきあはものとな])"
)

_THAI: Final = """
    ที่ และ ใน(?!ทัน) ให้ เป็น ได้ ไม่ จาก หรือ เพื่อ โดย กับ มี(?!ด) จะ ต้อง ของ ซึ่ง (?<!ตั้ง)แต่(?![งล]) คือ เมื่อ ถ้า(?!ย) เพราะ
    ตั้งแต่ สามารถ ด้วย ความ ก่อน แล้ว ถูก ทุก หลาย อย่าง(?!ไร) คุณ(?!ภ|ส) เขา(?!ย) ยัง ผู้ ระหว่าง ตาม กว่า
"""
# a vowel written before its consonant, or a consonant with a vowel or tone after it
_THAI_SYLLABLE: Final = r"[\u0e40-\u0e44]|[\u0e01-\u0e2e][\u0e30-\u0e3a\u0e47-\u0e4d]"

_LAO: Final = """
    ແລະ ຂອງ ທີ່ ໃນ ໃຫ້ ເປັນ ໄດ້ ບໍ່ (?<!ຫຼັງ)ຈາກ ຫຼື(?!ອ) ເພື່ອ ໂດຍ ກັບ ມີ ນີ້ ແມ່ນ ຈະ ຄວາມ ເຊິ່ງ ຕ້ອງ ພວກ ກ່ອນ ຫຼັງ ດ້ວຍ ແຕ່ ແລ້ວ ເມື່ອ
"""
# as in Thai; but ຫ stands silent before some consonants
_LAO_SYLLABLE: Final = (
    r"[\u0ec0-\u0ec4]|(?<!ຫ)[\u0e81-\u0eae\u0edc-\u0edf][\u0eb0-\u0ebd\u0ec8-\u0ecd]"
    r"|ຫ[ງຍນມວລຣ][\u0eb0-\u0ebd\u0ec8-\u0ecd]"
)

_KHMER: Final = """
    និង ដែល បាន នៅ ការ(?!ណ៍) (?<!នៅ)ក្នុង របស់ មាន ពី ទៅ ដើម្បី ដោយ (?<!ទាំង)នេះ (?<!ទាំង)នោះ ត្រូវ គឺ ឲ្យ ឱ្យ មិន ហើយ
    ប៉ុន្តែ សម្រាប់ លោក អ្នក ពួក យើង ខ្ញុំ មួយ ទាំង ចំនួន ក្រុម ប្រទេស
"""
# a consonant, those written under it (after U+17D2), and its vowel: one without a vowel mostly ends what is before it
_KHMER_SYLLABLE: Final = (
    r"[\u1780-\u17b3](?:\u17d2[\u1780-\u17a2])*[\u17c9\u17ca]?(?:\u17d2[\u1780-\u17a2])*[\u17b6-\u17c5]"
)

_BURMESE: Final = "သည် သည့် သော ကို များ တွင် မှာ မှ နှင့် ဖြင့် အတွက် တို့ တယ် ခဲ့ ရန် ပြီး ၏ ၍ ကြ ရှိ နဲ့ တဲ့ ခြင်း သို့"
# a consonant that neither ends the syllable before it (U+103A) nor is stacked (U+1039)
_BURMESE_SYLLABLE: Final = r"(?<!\u1039)(?=[\u1000-\u102a\u103f\u104c-\u104f](?![\u1037\u1039\u103a]))"

_TIBETAN_SYLLABLE: Final = r"(?<=[\u0f0b\u0f0d\u0f0e])(?=[\u0f40-\u0f6c])"

_CHINESE: Final = (
    f"(?<={_any(_CHINESE_ENDS)})(?<!{_CHINESE_NOT_HERE})(?=[\\p{{Han}}0-9A-Za-z])"
    f"|(?<=\\p{{Han}})(?={_any(_CHINESE_BEGINS)})(?<!{_CHINESE_JOINED})"
)

LONGEST: Final = 12
"""Characters after a place that its pattern may look at."""


_PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "chinese": (f"{_CHINESE}|{_LATIN_BESIDE_HAN}",),
    "japanese": (f"{_JAPANESE}|{_LATIN_BESIDE_HAN}",),
    "thai": (
        rf"(?<![{_LEADING}])(?={_any(_THAI)})",
        rf"(?<![{_LEADING}])(?={_THAI_SYLLABLE})",
        rf"(?<![{_LEADING}])(?=[\u0e01-\u0e2e\u0e40-\u0e44])",
    ),
    "lao": (
        rf"(?<![{_LEADING}])(?={_any(_LAO)})",
        rf"(?<![{_LEADING}])(?={_LAO_SYLLABLE})",
        rf"(?<![{_LEADING}])(?=[\u0e81-\u0eae\u0ec0-\u0ec4\u0edc-\u0edf])",
    ),
    "khmer": (
        rf"(?<!\u17d2)(?={_any(_KHMER)})",
        rf"(?<!\u17d2)(?={_KHMER_SYLLABLE})",
        r"(?<!\u17d2)(?=[\u1780-\u17b3])",
    ),
    "burmese": (
        rf"(?<={_any(_BURMESE)}){_BURMESE_SYLLABLE}",
        _BURMESE_SYLLABLE,
        r"(?<!\u1039)(?=[\u1000-\u102a\u103f])",
    ),
    "tibetan": (_TIBETAN_SYLLABLE,),
}


@cache  # made when first needed: all of them take a fifteenth of what importing Headwise does
def places(script: str) -> tuple[regex.Pattern[str], ...]:
    """Patterns of good places in *script*, as `words` names it: the best first."""
    return tuple(map(regex.compile, _PLACES[script]))
