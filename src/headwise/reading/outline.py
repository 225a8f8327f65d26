"""The headings of a document, nested into sections, and the document's title."""

from __future__ import annotations

import re
from typing import Final

from headwise.model import Section, Tree

ALL_LEVELS: Final = frozenset(range(1, 7))

# `## Title {#id}`, `{ #id .class }`, `{: #id }`, and the comments `{/* #id */}` and `{/*id*/}` (of which the parser has
# taken the stars for emphasis): the id is the anchor, not part of the title
_EXPLICIT_ID: Final = re.compile(r"(?<!\s)\s*\{(?:/\*?\s*#?([\w.:-]+)\s*\*?/|:?\s*#([^\s{}#*]+)[^{}]*)\}\s*$")
# a closing run of `#` after a tab, which the parser leaves in
_CLOSING_RUN: Final = re.compile(r"\t#+\s*$")
_NOT_IN_ANCHOR: Final = re.compile(r"[^\w\-]")
_FOLDER_NOTES: Final = frozenset({"readme", "index", "_index"})


def outline(tree: Tree, levels: frozenset[int] = ALL_LEVELS) -> tuple[Section, ...]:
    """Sections of *tree* in document order: headings at the top level, each up to the next of its level or above.

    Headings of other levels than *levels* open none.
    """
    starts, own_starts, shapes = tree.blocks.starts, tree.blocks.ends, tree.blocks.shapes
    headings = [at for at, s in enumerate(shapes) if s.level in levels and s.depth == 0 and s.kind == "heading"]
    ends = [len(tree.text)] * len(headings)
    parents: list[int] = []
    open_sections: list[int] = []
    for index, heading in enumerate(headings):
        while open_sections and shapes[headings[open_sections[-1]]].level >= shapes[heading].level:
            ends[open_sections.pop()] = starts[heading]
        parents.append(open_sections[-1] if open_sections else -1)
        open_sections.append(index)
    taken: dict[str, int] = {}
    sections: list[Section] = []
    for index, heading in enumerate(headings):
        level, start, end = shapes[heading].level, starts[heading], ends[index]
        title, anchor = _title_and_anchor(tree.titles.get(start, ""), taken)
        own_end = min(starts[headings[index + 1]], end) if index + 1 < len(headings) else end
        sections.append(Section(level, title, start, end, own_starts[heading], own_end, anchor, parents[index]))
    return tuple(sections)


def find_title(tree: Tree, sections: tuple[Section, ...], path: str) -> str:
    """The document's title.

    The front matter's; else the level-1 heading, if there is just one and nothing stands before it; else the
    file's stem, or the folder's name for a README or index; empty if *path* is, too.
    """
    if tree.front_matter.title:
        return tree.front_matter.title
    tops = [section for section in sections if section.level == 1]
    if len(tops) == 1 and tree.blocks and tops[0].start == tree.blocks.starts[0] and tops[0].title:
        return tops[0].title
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return folder.rpartition("/")[2] if folder and stem.lower() in _FOLDER_NOTES else stem


def slug(title: str) -> str:
    """*title* as GitHub writes it in an anchor: lower case, spaces to hyphens, other punctuation left out."""
    said = title.strip().lower().replace(" ", "-")
    # most titles are words and spaces
    return said if said.replace("-", "").isalnum() else _NOT_IN_ANCHOR.sub("", said)


def _title_and_anchor(raw: str, taken: dict[str, int]) -> tuple[str, str]:
    """Title and unique anchor of a heading; *taken* counts anchors as github-slugger does."""
    explicit = _EXPLICIT_ID.search(raw) if "{" in raw else None
    told = raw[: explicit.start()] if explicit else _CLOSING_RUN.sub("", raw) if "\t" in raw else raw
    title = " ".join(told.split())
    title = raw if title == raw else title  # kept once
    wanted = (explicit[1] or explicit[2]) if explicit else slug(title) or "section"
    anchor = wanted
    while anchor in taken:
        taken[wanted] += 1
        anchor = f"{wanted}-{taken[wanted]}"
    taken[anchor] = 0
    return title, anchor
