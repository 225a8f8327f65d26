"""Bytes to text: byte order marks, UTF-8, and a guess for all else."""

from __future__ import annotations

import codecs

from headwise.errors import ReadingError
from headwise.reading.encodings import guess_encoding
from headwise.reading.lines import line_number, line_starts

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"\x1f\x8b", b"\x7fELF")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))
_BINARY = "looks like a binary file, not text"


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text that *data* holds, and one warning if its encoding was guessed or some of it could not be read.

    That is UTF-8 with or without a byte order mark, UTF-16 or UTF-32 with one, else the encoding `guess_encoding`
    finds. The mark stays in the text as U+FEFF, and newlines stay as they are. Faulty bytes become U+FFFD; what
    is UTF-8 but for a few faults is read as UTF-8.

    Raises:
        ReadingError: if *data* is not text; the message does not name the file.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data.decode(encoding, "replace")
            if text.count("\ufffd") > 1 + len(text) // 100:
                raise ReadingError(_BINARY)
            return text, _faults(data, text, encoding, f"not valid {encoding[:6].upper()}")
    if data.startswith(_MAGIC) or b"\0" in data:
        raise ReadingError(_BINARY)
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    if len(text) - len(text.encode("ascii", "ignore")) >= 3 * text.count("\ufffd"):
        return text, _faults(data, text, "utf-8", "not valid UTF-8")
    many_controls = len(data) - len(data.translate(None, _CONTROLS)) > len(data) // 100
    guess = None if many_controls else guess_encoding(data)
    if guess is None:
        raise ReadingError(_BINARY)
    text = data.decode(guess, "replace")
    return text, _faults(data, text, guess, f"not UTF-8; read as {guess}") or (f"not UTF-8; read as {guess}",)


def _faults(data: bytes, text: str, encoding: str, what: str) -> tuple[str, ...]:
    """A warning that begins with *what* if *data* has faults in *encoding*, where *text* holds U+FFFD."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        before = len(data[: error.start].decode(encoding))
        line = line_number(line_starts(text), before)
        return (f"{what}; faulty bytes from line {line} on replaced by U+FFFD ({text.count(chr(0xFFFD))} in all)",)
    return ()
