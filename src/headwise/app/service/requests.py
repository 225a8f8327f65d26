"""What requests may say: parameters and bodies, checked before anything is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import Path, Query, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from headwise.app.service.problems import Problem, ProblemError

NO_NUL = "^[^\\x00]*$"

MOST_HITS = 100
MOST_BUDGET = 100_000
MOST_LISTED = 1000

Words = Annotated[
    str,
    Query(
        max_length=2000,
        pattern=NO_NUL,
        description='Words or a question; `"several words"`, `-word`, `title:word`, `tag:name` and `path:glob` as in '
        "`headwise search`. Nothing in it is an error.",
        examples=["how many pins does the motor driver need"],
    ),
]
Limit = Annotated[int, Query(ge=1, le=MOST_HITS, description="At most so many hits.")]
Budget = Annotated[
    int | None,
    Query(ge=1, le=MOST_BUDGET, description="As many hits as fit in so many cl100k_base tokens."),
]
Glob = Annotated[
    str | None,
    Query(
        max_length=500,
        pattern=NO_NUL,
        description="Only documents with such a path: `docs/*.md`; without `/` a file's or folder's name.",
        examples=["Robots"],
    ),
]
_Text = Annotated[str, Field(max_length=500, pattern=NO_NUL)]
Tags = Annotated[
    Sequence[_Text],
    Query(max_length=20, description="Only documents with this tag or one nested in it; may be given several times."),
]
Wheres = Annotated[
    Sequence[_Text],
    Query(
        max_length=20,
        description="Only documents whose property is like this: `status = done`, `date >= 2024-01`, `!due`.",
    ),
]
Explain = Annotated[bool, Query(description="Say how each hit came by its score.")]
After = Annotated[str, Query(max_length=4000, pattern=NO_NUL, description="What the page before named `next`.")]
PageSize = Annotated[int, Query(ge=1, le=MOST_LISTED, description="At most so many documents.")]
DocumentPath = Annotated[
    str,
    Path(
        max_length=4000,
        pattern=NO_NUL,
        description="The document's path, as search gives it.",
        examples=["Robots/SMARS.md"],
    ),
]
ChunkId = Annotated[
    str,
    Query(
        alias="id",
        min_length=1,
        max_length=4000,
        pattern=NO_NUL,
        description="The chunk's id, as search gives it.",
        examples=["Robots/SMARS.md#motor-wiring::0"],
    ),
]
Name = Annotated[
    str,
    Query(
        min_length=1,
        max_length=4000,
        pattern=NO_NUL,
        description="A document's path, name or alias; with `#heading` or `#anchor` for a section of it.",
        examples=["Robots/SMARS.md"],
    ),
]
JobId = Annotated[
    str, Path(max_length=64, pattern="^[0-9a-f]+$", description="A job's id.", examples=["5f0c7d9e1b2a3c4d"])
]


def json_only(request: Request) -> None:
    """Refuses bodies of any other kind: forms of other sites' pages cannot send JSON unasked.

    Raises:
        ProblemError: if the request does not say that its body is JSON.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ProblemError(Problem(415, "send JSON: Content-Type: application/json", "media-type"))


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


def _whole(value: object) -> object:
    """JSON knows one kind of number: 1.0 is a whole one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Whole = Annotated[int, BeforeValidator(_whole)]


class CutRequest(_Body):
    """A text to be cut; what is left out is as the settings of the folder say."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {"text": "# Motor\n\nIt takes four pins.\n\n## Wiring\n\nRed goes to plus.\n", "max_tokens": 200}
            ]
        },
    )

    text: Annotated[str, Field(max_length=4_000_000, description="The document.")]
    path: Annotated[
        str,
        Field(max_length=1000, pattern=NO_NUL, description="Names it in ids, and by its ending its format."),
    ] = "-"
    title: Annotated[str | None, Field(max_length=1000, description="Its title; read from the text if not given.")] = (
        None
    )
    max_tokens: Annotated[_Whole | None, Field(ge=1, le=1_000_000, description="No chunk is larger.")] = None
    min_tokens: Annotated[_Whole | None, Field(ge=0, le=1_000_000, description="Smaller pieces join a neighbour.")] = (
        None
    )
    overlap: Annotated[
        str | _Whole | None,
        Field(description="How much of the chunk before is repeated: `40`, `15%`, or `1s` for a sentence."),
    ] = None
    tokenizer: Annotated[
        Literal["cl100k_base", "o200k_base", "chars", "words", "minilm", "wordllama"] | None,
        Field(description="What sizes count."),
    ] = None
    strategy: Annotated[
        Literal["headings", "paragraphs", "sentences", "fixed"] | None, Field(description="Where boundaries are.")
    ] = None
    passages: Annotated[
        _Whole | None, Field(ge=0, le=1_000_000, description="Largest part of a chunk to embed; 0: all.")
    ] = None
    html: Annotated[bool, Field(description="Whether chunks are rendered as well.")] = False


class SyncRequest(_Body):
    """A sync of the folder that is served."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{}]})

    allow_mass_deletion: Annotated[
        bool, Field(description="Whether more than half of 20 or more documents may be deleted.")
    ] = False
