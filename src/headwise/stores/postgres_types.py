"""How text and vectors stand in PostgreSQL, so that they come out as they went in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Dialect, LargeBinary, Text, func
from sqlalchemy.types import TypeDecorator, UserDefinedType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MARK = "\ufdd0"
"""A code point that Unicode promises never to make a character: it stands before what is escaped."""
_UNFIT = re.compile(f"[\0\ud800-\udfff{_MARK}]")
_ESCAPED = re.compile(f"{_MARK}([0-9a-f]{{4}})")


def escape(text: str) -> str:
    """*text* as PostgreSQL can hold it: U+0000, lone surrogates and the mark itself as the mark and their number."""
    return _UNFIT.sub(lambda found: f"{_MARK}{ord(found[0]):04x}", text)


def unescape(text: str) -> str:
    """What `escape` made *text* from."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if _MARK in text else text


class AnyText(TypeDecorator[str]):
    """Any Python string, compared and sorted by code point whatever the language of the database."""

    impl = Text
    cache_ok = True

    def __init__(self) -> None:
        super().__init__(collation="C")

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - the base's
        """Text on its way in."""
        return None if value is None else escape(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - the base's
        """Text on its way out."""
        return None if value is None else unescape(value)


class HalfVector(UserDefinedType[bytes]):
    """pgvector's `halfvec` of any length; in Python little-endian half floats, as `headwise.stores.vectors.pack` has.

    They travel as what `halfvec_send` gives: the number of dimensions, an unused number, big-endian half floats.
    """

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """The type's name in a statement that makes a table."""
        return "halfvec"

    def column_expression(self, colexpr: ColumnElement[Any]) -> ColumnElement[Any]:
        """How a column of this type is read."""
        return func.halfvec_send(colexpr, type_=_Sent())

    def bind_processor(self, dialect: Dialect) -> Any:  # noqa: ARG002 - the base's
        """How a value of this type is written: in pgvector's text form, which half floats survive."""

        def written(value: bytes | None) -> str | None:
            return None if value is None else as_literal(value)

        return written


class _Sent(TypeDecorator[bytes]):
    """The bytes of `halfvec_send` as those of `pack`."""

    impl = LargeBinary
    cache_ok = True

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002 - the base's
        """Vectors on their way out."""
        return None if value is None else from_sent(value)


def as_literal(packed: bytes) -> str:
    """A vector in pgvector's text form: `[0.1,0.2]`."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    values: NDArray[np.float16] = np.frombuffer(packed, dtype="<f2")
    return f"[{','.join(map(str, values.tolist()))}]"


def from_sent(sent: bytes) -> bytes:
    """What `halfvec_send` gives, as `headwise.stores.vectors.pack` has it."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    return np.frombuffer(sent, dtype=">f2", offset=4).astype("<f2").tobytes()
