"""Questions from the links of a documentation, as `bench/retrieval.py` reads them: the sentence around a link asks.

    python bench/link_set.py OUT FOLDER … [--site ADDRESS=PATH …] [--openings] [--latin | --not-latin]
                             [--without SET …] [--without-text] [--most 400] [--documents 300]

Every link from one document of a FOLDER to a section of another is one question: the sentence around the link asks
(with the link's text, or, with `--without-text`, with `…` for it), and what the section says by itself answers. So
does a link to a whole page that is short (with `--openings` also to a long one, for what it says before its first
section). Sentences that say too little without the link are left out, as in
`headwise eval`, and so are those with several answers. The document that holds the link is `exclude`.

`--site` says what addresses are files of the folders, such as `https://prometheus.io/docs/=docs/`. `--latin` and
`--not-latin` take only questions and answers whose letters are mostly Latin, or mostly not; `--without` leaves out
questions whose answer is in a document of another set. The documents of the set are those that questions come from or
point to, and as many more, drawn by hash, as make `--documents`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from headwise.evaluating import link_questions as links
from headwise.evaluating.metrics import Place
from headwise.evaluating.questions import overlap
from headwise.evaluating.sources import Source, fingerprint, read_sources, says_enough
from headwise.indexing.documents import read_document
from headwise.indexing.files import FileOptions, find_files
from headwise.indexing.models.embedder import latin_share
from headwise.model import Link

PER_ANSWER = 2
"""Questions with the same answer at most."""
_HOLE = "…"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--site", action="append", default=[], help="an address and what path of a folder it is")
    parser.add_argument("--openings", action="store_true", help="the opening of a long page answers a link to it")
    parser.add_argument("--latin", action="store_true")
    parser.add_argument("--not-latin", action="store_true")
    parser.add_argument("--without", type=Path, action="append", default=[], help="a set whose documents do not answer")
    parser.add_argument("--without-text", action="store_true", help="ask without the text of the link")
    parser.add_argument("--most", type=int, default=400, help="questions at most")
    parser.add_argument("--documents", type=int, default=300, help="documents at least, if there are so many")
    given = parser.parse_args()
    sites = dict(one.split("=", 1) for one in given.site)
    texts: dict[str, str] = {}
    found: list[dict[str, Any]] = []
    for folder in given.folders:
        sources = [at_home(one, sites) for one in read(folder)]
        here = rows(sources, kept=not given.without_text, openings=given.openings)
        found += (row | {name: f"{folder.name}/{row[name]}" for name in ("doc", "exclude")} for row in here)
        texts |= {f"{folder.name}/{one.path}": one.document.text for one in sources}
    if given.latin:
        found = [row for row in found if all(latin_share(text) > 0.8 for text in said(row, texts))]
    if given.not_latin:
        found = [row for row in found if all(latin_share(text) < 0.85 for text in said(row, texts))]
    shown = {json.loads(line)["text"] for one in given.without for line in (one / "docs.jsonl").open(encoding="utf-8")}
    found = [row for row in found if texts[row["doc"]] not in shown]
    chosen = list(at_most(sorted(found, key=lambda row: _hash(row["q"])), given.most))
    names = {row[name] for row in chosen for name in ("doc", "exclude")}
    others = sorted((name for name in texts if name not in names and texts[name] not in shown), key=_hash)
    names |= set(others[: max(0, given.documents - len(names))])
    given.out.mkdir(parents=True, exist_ok=True)
    write(given.out / "docs.jsonl", [{"id": name, "text": texts[name]} for name in sorted(names)])
    write(given.out / "questions.jsonl", chosen)
    hard = sum(row["hov"] < 0.5 for row in chosen)
    print(f"{given.out.name}: {len(names)} documents, {len(chosen)} of {len(found)} questions, {hard} under hov .5")


def said(row: Mapping[str, Any], texts: Mapping[str, str]) -> tuple[str, str]:
    """A question with the heading it asks for, and its answer."""
    return f"{row['q']} {row['heading']}", texts[row["doc"]][slice(*row["spans"][0])]


def read(folder: Path) -> tuple[Source, ...]:
    return read_sources([read_document(file) for file in find_files(folder, FileOptions()).files])


def at_home(source: Source, sites: Mapping[str, str]) -> Source:
    """*source* with links to *sites* as links to files from the top of its folder; its text stays."""
    changed = tuple(_at_home(link, sites) for link in source.tree.links)
    return replace(source, tree=replace(source.tree, links=changed))


def _at_home(link: Link, sites: Mapping[str, str]) -> Link:
    for address, path in sites.items():
        if link.target.startswith(address):
            rest, sign, fragment = link.target.removeprefix(address).partition("#")
            return link._replace(target=f"/{path}{rest.rstrip('/')}{sign}{fragment}")
    return link


def rows(sources: Sequence[Source], *, kept: bool, openings: bool) -> Iterator[dict[str, Any]]:
    """The questions that have one answer; the same sentence in several documents is asked once."""
    groups: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for source, link, page, fragment in links._links(sources):  # noqa: SLF001 - as `link_questions` asks, but with the link's text
        section = links.find_section(page.sections, fragment) if fragment else None
        if section is None and fragment and not openings:
            continue
        place = page.own(section) if section else page.body()
        if not section and place.end - place.start > links.LONGEST_PAGE:
            place = opening(page) if openings else Place(page.path, 0, 0)
        text = asked(source, link, kept=kept)
        if text and says_enough(page.text_of(place)):
            heading = section.title if section else page.title
            row = {
                "q": text, "doc": page.path, "spans": [[place.start, place.end]], "exclude": source.path,
                "heading": heading, "hov": round(overlap(text, heading), 3), "kind": "section" if section else "page",
            }  # fmt: skip
            groups[fingerprint(text)].append(row)
    twins = Counter(fingerprint(page.text_of(place)) for page in sources for place in _places(page))
    for group in groups.values():
        answers = {Place(row["doc"], *row["spans"][0]) for row in group}
        text = next(source for source in sources if source.path == group[0]["doc"]).text_of(min(answers))
        if len(answers) == 1 and twins[fingerprint(text)] == 1:
            yield group[0]


def opening(page: Source) -> Place:
    """What *page* says before its first section, or under its title."""
    start, sections = page.tree.front_matter.end, page.sections
    if sections and not page.document.text[start : sections[0].start].strip():
        return page.own(sections[0])
    return page.trimmed(start, sections[0].start if sections else len(page.document.text))


def _places(page: Source) -> set[Place]:
    return {page.body(), *map(page.own, page.sections)}


def asked(source: Source, link: Link, *, kept: bool) -> str:
    """The sentence around *link*; empty if it says too little without the link."""
    if not kept:
        return links.sentence_without(source, link)
    whole = links.sentence_without(source, link._replace(end=link.start))  # cuts out nothing there
    return " ".join(whole.replace(_HOLE, " ", 1).split())


def at_most(found: Sequence[dict[str, Any]], most: int) -> Iterator[dict[str, Any]]:
    """The first *most*, no more than `PER_ANSWER` with one answer."""
    answers: Counter[tuple[str, int]] = Counter()
    taken = 0
    for row in found:
        answer = row["doc"], row["spans"][0][0]
        if answers[answer] < PER_ANSWER and taken < most:
            answers[answer] += 1
            taken += 1
            yield row


def write(file: Path, found: Sequence[dict[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) for row in found)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


if __name__ == "__main__":
    main()
