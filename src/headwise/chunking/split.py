"""Text to chunks: the one way in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headwise.chunking.context import headings
from headwise.chunking.drafts import Draft
from headwise.chunking.layout import Layout, is_blank, lay_out
from headwise.chunking.long_lines import OVER, long_lines
from headwise.chunking.measure import Tokenizer
from headwise.chunking.navigation import is_navigation
from headwise.chunking.pieces import cut_pieces
from headwise.chunking.settings import Settings, Strategy, Tiny
from headwise.chunking.units import Job, prepare
from headwise.model import Chunk, Dropped, Format, Section, Tree
from headwise.reading.lines import line_number
from headwise.reading.outline import ALL_LEVELS, find_title, outline
from headwise.reading.parse import parse


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything the cut of one document knows: chunks ∪ dropped hold every visible character of the text."""

    title: str
    chunks: tuple[Chunk, ...]
    dropped: tuple[Dropped, ...]
    sections: tuple[Section, ...]
    tree: Tree
    layout: Layout


def split(
    text: str,
    *,
    max_tokens: int = 400,
    min_tokens: int | None = None,
    overlap: int | str = 0,
    tokenizer: Tokenizer = "cl100k_base",
    strategy: Strategy = "headings",
    tiny: Tiny = "join",
    levels: str = "1-6",
    max_line: int | None = None,
    title: str | None = None,
    flavours: str = "auto",
) -> list[Chunk]:
    r"""Cut Markdown *text* along its own structure.

    >>> chunks = split("# Motor\n\nIt takes four pins.\n\n## Wiring\n\nRed goes to plus.\n", min_tokens=0)
    >>> [(chunk.headings, chunk.text) for chunk in chunks]
    [(('Motor',), '# Motor\n\nIt takes four pins.'), (('Motor', 'Wiring'), '## Wiring\n\nRed goes to plus.')]
    >>> chunks[1].embed_text
    'Motor\n\n## Wiring\n\nRed goes to plus.'

    Args:
        text: the decoded text of one document; any newlines.
        max_tokens: the limit of every chunk's `embed_text`, in the unit of *tokenizer*.
        min_tokens: a section's text under this joins a neighbour; `min(20, max_tokens // 10)` if not given.
        overlap: how much of the chunk before is repeated: a size, a share (`"15%"`), or sentences (`"1s"`).
        tokenizer: `cl100k_base`, `o200k_base`, `chars`, `words`, the path of a Hugging Face `tokenizer.json`, or a
            function from text to its size, such as `len`.
        strategy: `headings`, `paragraphs`, `sentences` or `fixed`.
        tiny: what becomes of a section's text under *min_tokens*: `join`, `keep` or `drop`.
        levels: which headings open a section: `1-6`, `2,3`.
        max_line: lines of more characters are left out; none if not given.
        title: the document's title, for the breadcrumb; read from the text if not given.
        flavours: `auto`, `none`, or names between commas: `math`, `admonitions`, `obsidian`, `mdx`.

    Raises:
        SettingsError: if a setting cannot work; never for the text.
    """
    settings = Settings(max_tokens, min_tokens, overlap, tokenizer, strategy, tiny, levels, max_line)
    return list(analyse(text, settings=settings, title=title, flavours=flavours).chunks)


def analyse(
    text: str,
    *,
    settings: Settings | None = None,
    path: str = "",
    title: str | None = None,
    document_format: Format = "markdown",
    flavours: str = "auto",
    obsidian: bool = False,
) -> Analysis:
    """Cut *text* and say everything about it: chunks, what was dropped and why, outline, tree.

    Args:
        text: the decoded text of one document.
        settings: how to cut; the defaults if not given.
        path: where the document lies; it only serves for a title that the text does not give.
        title: the document's title, instead of the one the text gives.
        document_format: `plain` knows only paragraphs.
        flavours: see `split`.
        obsidian: whether the document lies in an Obsidian vault.

    Raises:
        SettingsError: for an unknown flavour; never for the text.
    """
    tree = parse(text, document_format=document_format, flavours=flavours, obsidian=obsidian)
    settings = settings or Settings()
    every = outline(tree)
    name = find_title(tree, every, path) if title is None else title
    levels = settings.parsed_levels()
    sections = every if levels == ALL_LEVELS else outline(tree, levels)
    layout = lay_out(tree, sections, name, long_lines(tree, settings.max_line))
    job = prepare(layout, settings)
    chunks = tuple(_chunks(layout, cut_pieces(job), job))
    return Analysis(name, chunks, _dropped(layout, chunks), sections, tree, layout)


def _chunks(layout: Layout, drafts: Iterable[Draft], job: Job) -> Iterable[Chunk]:
    numbers: dict[str, int] = {}
    tree, text, title, limit, extra = layout.tree, layout.text, layout.title, job.limit, job.measure.extra
    for index, (start, own_start, end, before, after, size) in enumerate(drafts):
        section = layout.section_at(own_start)
        anchor = layout.sections[section].anchor if section >= 0 else ""
        number = numbers.get(anchor, 0)
        numbers[anchor] = number + 1
        tags = layout.tags_between(start, end) if tree.tags else ()
        links = layout.links_between(start, end) if tree.links else ()
        yield Chunk(
            index=index,
            start=start,
            own_start=own_start,
            end=end,
            start_line=line_number(tree.lines, start),
            end_line=line_number(tree.lines, end - 1),
            title=title,
            headings=headings(layout, start, end),
            anchor=anchor,
            number=number,
            context=before,
            text=text[start:end],
            context_after=after,
            tokens=size + extra,
            kinds=layout.kinds(start, end),
            tags=tuple(dict.fromkeys([tag.name for tag in tags])) if tags else (),
            links=tuple(dict.fromkeys([link.target for link in links])) if links else (),
            omitted=layout.omitted(start, end) if tree.omitted else (),
            navigation=is_navigation(layout, own_start, end),
            oversize=size > limit,
        )


def _dropped(layout: Layout, chunks: Sequence[Chunk]) -> tuple[Dropped, ...]:
    """What no chunk holds although it is not white space.

    Front matter, what prints nothing, and if asked tiny pieces and long lines.
    """
    text = layout.text
    dropped: list[Dropped] = []
    body = layout.tree.front_matter.end
    if body:
        bom = body == 1 and text[0] == "\ufeff"
        dropped.append(Dropped(0, body, "byte order mark" if bom else "front matter"))
    at = body
    for start, end in (*((chunk.start, chunk.end) for chunk in chunks), (len(text), len(text))):
        for line in layout.left_out_between(at, start):
            dropped += (*_gap(text, at, line.start), Dropped(*line, OVER))
            at = line.end
        dropped += _gap(text, at, start)
        at = max(at, end)
    return tuple(dropped)


def _gap(text: str, start: int, end: int) -> Iterable[Dropped]:
    """What stands between two chunks, unless it is white space."""
    if start < end and text[start:end].strip():
        yield Dropped(start, end, "nothing visible" if is_blank(text[start:end]) else "under min_tokens")
