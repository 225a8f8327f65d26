"""What the tools are asked and what they answer, as the schemas that models and programs see."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

NAME = (
    "A document's path, file name or alias as other answers show it; `path#heading` or `path#anchor` for a "
    "section; an id (`path#anchor::0`) for one passage."
)


class Asked(BaseModel):
    """Arguments of a tool: no others are taken."""

    model_config = ConfigDict(extra="forbid")


class SearchAsked(Asked):
    """Arguments of `search`."""

    query: Annotated[
        str,
        Field(
            max_length=10_000,
            description='Words or a whole question, as a person would ask. "several words" stand together, -word is '
            "not there. Without any, what path and tag let through is listed.",
        ),
    ] = ""
    limit: Annotated[int, Field(ge=1, le=50, description="At most so many passages.")] = 5
    budget: Annotated[
        int,
        Field(ge=50, le=20_000, description="At most so many tokens in all. Raise it only if an answer is cut short."),
    ] = 1500
    path: Annotated[
        str,
        Field(
            max_length=1000,
            description="Only documents here: a folder (`Robots`), a file, or a pattern (`docs/**/*.md`).",
        ),
    ] = ""
    tag: Annotated[
        list[Annotated[str, Field(max_length=200)]],
        BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
        Field(max_length=20, description="Only documents with all of these tags, without `#`."),
    ] = []


class ReadAsked(Asked):
    """Arguments of `read`."""

    name: Annotated[str, Field(min_length=1, max_length=2000, description=NAME)]
    offset: Annotated[
        int, Field(ge=0, description="Where to go on: next_offset of the answer before. 0 is the beginning.")
    ] = 0
    max_tokens: Annotated[int, Field(ge=50, le=20_000, description="Size of a slice in tokens.")] = 2000


class OutlineAsked(Asked):
    """Arguments of `outline`."""

    name: Annotated[str, Field(min_length=1, max_length=2000, description="A document's path, file name or alias.")]
    offset: Annotated[int, Field(ge=0, description="How many sections to pass over; for long outlines.")] = 0


class RelatedAsked(Asked):
    """Arguments of `related`."""

    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2000,
            description="A document's path, file name or alias; with `#heading` for a section.",
        ),
    ]


class Passage(BaseModel):
    """A found passage."""

    rank: int
    path: str
    start_line: int
    end_line: int
    breadcrumb: str = Field(description="Title and headings, from the outside in, between ` > `.")
    id: str = Field(description="For `read` and `related`.")
    score: float = Field(description="Compares passages of one search only.")
    text: str = Field(description="As it stands in the document.")
    open: str | None = Field(None, description="A link that opens the place for the user.")


class SearchAnswer(BaseModel):
    """The answer of `search`."""

    passages: list[Passage] = Field(description="Best first.")
    notes: list[str] = Field(description="What the search had to do without.")


class ReadAnswer(BaseModel):
    """The answer of `read`."""

    path: str
    start_line: int
    end_line: int
    breadcrumb: str
    text: str = Field(description="As it stands in the document.")
    next_offset: int | None = Field(description="Pass it as offset to go on; null at the end.")


class SectionAnswer(BaseModel):
    """A section of an outline."""

    level: int
    title: str
    name: str = Field(description="For `read` and `related`.")
    start_line: int
    end_line: int
    tokens: int = Field(description="What reading it takes, the sections inside it included.")


class OutlineAnswer(BaseModel):
    """The answer of `outline`."""

    path: str
    title: str
    end_line: int
    sections: list[SectionAnswer]
    next_offset: int | None = Field(description="Pass it as offset for more sections; null at the end.")


class LinkAnswer(BaseModel):
    """A document at the other end of a link."""

    path: str
    title: str
    part: str = Field(description="The section that the link names; empty for all of it.")


class NearAnswer(BaseModel):
    """A document that is near by meaning."""

    path: str
    title: str
    id: str = Field(description="Of its nearest passage.")
    score: float


class RelatedAnswer(BaseModel):
    """The answer of `related`."""

    path: str
    anchor: str = Field(description="Of the section; empty for the whole document.")
    links: list[LinkAnswer] = Field(description="Where its links lead.")
    backlinks: list[LinkAnswer] = Field(description="What links to it.")
    near: list[NearAnswer] = Field(description="Other documents, the nearest in meaning first.")
    left_out: int = Field(description="Links and backlinks that are more than an answer shows.")
    notes: list[str]


def schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of *model*, without the names of its classes and fields said twice."""
    return _plain(model.model_json_schema(mode="serialization" if not issubclass(model, Asked) else "validation"))


def _plain(value: Any, *, is_names: bool = False) -> Any:
    """*value* without titles, and without what docstrings say about classes; *is_names* where keys are names."""
    if isinstance(value, list):
        return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    if not isinstance(value, dict):
        return value
    return {
        key: _plain(item, is_names=key in {"properties", "$defs"} and not is_names)
        for key, item in value.items()  # pyright: ignore[reportUnknownVariableType] - JSON
        if is_names or not (key == "title" or (key == "description" and "properties" in value))
    }
