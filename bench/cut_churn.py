"""How much of a document an edit cuts anew, by the rules in use and by others.

    python bench/cut_churn.py [FOLDER | HISTORY.jsonl.gz …] [--pieces 60] [--commits 100] [--limit 400]
        [--strategy headings]

From folders of Markdown a sample of sections is taken, as documents of their own with their breadcrumb, and edited in
eight ways at random places: a sentence more or less, another word, a paragraph, an item, a row, a line of code more.
By the strategy `paragraphs`, whole documents take the place of sections.
Histories (line 0 is a folder, each further line `{"changed": {path: text or null}}`) are replayed commit by commit.

Counted are the chunks and passages that were not there before (by what an embedder is given) of all there are
afterwards, and the characters of such passages: for an edit in its section, for a commit in the sections whose own text
it changed. In brackets, 95 % intervals by bootstrap over sections or commits; differences are to the rule in use, in
pairs. For rules that divide sections, only sections that are cut are looked at.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple
from unittest.mock import patch

from _cut_rules import RULES, Rule
from _edits import EDITS, sentences, source
from _passage_rules import GROUPS, Group

from headwise import Settings, analyse
from headwise.chunking import drafts
from headwise.chunking import passages as packing
from headwise.chunking.passages import passages
from headwise.chunking.split import Analysis
from headwise.model import Chunk, Passage

WEAK = 0.15
"""Weakness of a cut from which on it counts as weak: between sentences, or before what a paragraph introduces."""

SAMPLES = 1000
"""Samples of a bootstrap."""

MOST_OF_A_FILE = 3
"""Sections taken from one file."""

MOST_FILES = 20
"""Commits that change more files are left out: they are moves and reformatting."""

Inside = tuple[tuple[Passage, ...], ...]


class Piece(NamedTuple):
    """A section's own text and the title it is cut with."""

    text: str
    title: str


class Edit(NamedTuple):
    """A section before and after one edit; *place* is its number."""

    kind: str
    place: int
    piece: Piece
    edited: str


class Change(NamedTuple):
    """What one edit or commit changed, and of how much."""

    kind: str
    place: int
    chunks: int
    of_chunks: int
    passages: int
    of_passages: int
    characters: int


# what is edited


def read(folder: Path) -> list[str]:
    return [p.read_bytes().decode("utf-8", "replace") for p in sorted(folder.rglob("*.md")) if p.is_file()]


def pieces(texts: list[str], settings: Settings, pick: random.Random, wanted: int) -> tuple[list[Piece], list[Piece]]:
    """So many sections that are cut, and so many that are one chunk of about two passages or more."""
    cut: list[Piece] = []
    whole: list[Piece] = []
    for text in pick.sample(texts, len(texts)):
        if len(cut) >= wanted and len(whole) >= wanted:
            break
        made = analyse(text, settings=settings)
        here: tuple[list[Piece], list[Piece]] = ([], [])
        sections = settings.strategy == "headings"
        for group in by_anchor(made.chunks).values() if sections else [made.chunks] if made.chunks else ():
            crumbs = (made.title, *group[0].headings[:-1]) if sections else (made.title,)
            piece = Piece(text[group[0].start : group[-1].end], " > ".join(crumbs))
            if len(group) > 1 or group[0].tokens > 0.4 * settings.max_tokens:
                here[len(group) == 1].append(piece)
        for kind, found in zip((cut, whole), here, strict=True):
            kind.extend(pick.sample(found, min(MOST_OF_A_FILE, len(found))))
    return cut[:wanted], whole[:wanted]


def edits(found: list[Piece], settings: Settings, pick: random.Random, first: int) -> Iterator[Edit]:
    """Every kind of edit once for each section that allows it, with words of the section before it."""
    before = [analyse(piece.text, settings=settings, title=piece.title) for piece in found]
    for place, (piece, made) in enumerate(zip(found, before, strict=True)):
        given = source(made, 0, len(piece.text), sentences(before[place - 1]), pick)
        for edit in EDITS:
            edited = edit(given)
            if edited not in (None, piece.text):
                yield Edit(edit.__name__.replace("_", " "), first + place, piece, edited)


def commits(history: Path, wanted: int, pick: random.Random) -> list[list[tuple[str, str, str]]]:
    """Path, text before and text after of what each of so many commits edited."""
    now: dict[str, str] = {}
    found: list[list[tuple[str, str, str]]] = []
    with gzip.open(history, "rt", encoding="utf-8") as lines:
        for line in lines:
            changed: dict[str, str | None] = json.loads(line)["changed"]
            found.append([(p, now[p], t) for p, t in changed.items() if t is not None and now.get(p, t) != t])
            now.update((p, t) for p, t in changed.items() if t is not None)
            for path in [p for p, t in changed.items() if t is None]:
                now.pop(path, None)
    found = [pairs for pairs in found if 0 < len(pairs) <= MOST_FILES]
    return pick.sample(found, min(wanted, len(found)))


# what became of it


def by_anchor(chunks: Iterable[Chunk]) -> dict[str, list[Chunk]]:
    groups: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        groups[chunk.anchor].append(chunk)
    return groups


def cut(text: str, settings: Settings, title: str | None = None, path: str = "") -> tuple[Analysis, Inside]:
    made = analyse(text, settings=settings, title=title, path=path)
    return made, passages(made, settings)


def difference(old: tuple[Iterable[Chunk], Inside], new: tuple[Iterable[Chunk], Inside]) -> tuple[int, ...]:
    """Figures of a change, from chunks and passages before and after."""
    had, has = (Counter(chunk.content_hash for chunk in chunks) for chunks, _ in (old, new))
    held, holds = (Counter(p.embed_text for group in inside for p in group) for _, inside in (old, new))
    fresh = holds - held
    characters = sum(len(text) * times for text, times in fresh.items())
    return (has - had).total(), has.total(), fresh.total(), holds.total(), characters


def change(edit: Edit, settings: Settings) -> Change:
    (old, old_inside), (new, new_inside) = (cut(t, settings, edit.piece.title) for t in (edit.piece.text, edit.edited))
    return Change(edit.kind, edit.place, *difference((old.chunks, old_inside), (new.chunks, new_inside)))


def commit_change(place: int, pairs: list[tuple[str, str, str]], settings: Settings, only_cut: bool) -> Change:
    """What a commit changed in the sections whose own text it changed, of files that were there before."""
    counts = [0] * 5
    for path, before, after in pairs:
        (old, old_inside), (new, new_inside) = (cut(text, settings, path=path) for text in (before, after))
        was, now = ({s.anchor: made.tree.text[s.start : s.own_end] for s in made.sections} for made in (old, new))
        groups = by_anchor(new.chunks)
        edited = {a for a in now if was.get(a, now[a]) != now[a] and len(groups[a]) > only_cut}
        kept = [pair for pair in zip(new.chunks, new_inside, strict=True) if pair[0].anchor in edited]
        figures = difference((old.chunks, old_inside), ([c for c, _ in kept], tuple(i for _, i in kept)))
        counts = [a + b for a, b in zip(counts, figures, strict=True)]
    return Change("commit", place, *counts)


@contextmanager
def using(rule: Rule, group: Group) -> Iterator[list[float]]:
    """Sections are divided by *rule* and chunks packed by *group*; gives the weaknesses of the cuts made so far."""
    weaknesses: list[float] = []

    def noted(sizes, before, after, weakness, limit) -> list[int]:
        cuts = rule(sizes, before, after, weakness, limit)
        weaknesses.extend(weakness[c] for c in cuts)
        return cuts

    with patch.object(drafts, "partition", noted), patch.object(packing, "_group", group):
        yield weaknesses


# figures


def interval(values: Iterable[tuple[int, float]]) -> str:
    """Mean of the values, with its interval by bootstrap over places."""
    by_place: dict[int, list[float]] = defaultdict(list)
    for place, value in values:
        by_place[place].append(value)
    sums = [(sum(found), len(found)) for found in by_place.values()]
    pick = random.Random(0)
    means = sorted(ratio(pick.choices(sums, k=len(sums))) for _ in range(SAMPLES))
    return f"{ratio(sums):6.2f} [{means[SAMPLES // 40]:5.2f} {means[-SAMPLES // 40]:5.2f}]"


def ratio(sums: list[tuple[float, int]]) -> float:
    return sum(total for total, _ in sums) / sum(count for _, count in sums)


def report(name: str, found: list[Change], base: list[Change]) -> None:
    parts = [
        f"chunks {interval((c.place, c.chunks) for c in found)} of {mean(c.of_chunks for c in found):5.2f}",
        f"passages {interval((c.place, c.passages) for c in found)} of {mean(c.of_passages for c in found):5.2f}",
        f"{mean(c.characters for c in found):5.0f} characters",
    ]
    if found is not base:
        pairs = list(zip(found, base, strict=True))
        parts += (
            f"{name} {interval((c.place, get(c) - get(b)) for c, b in pairs)}"
            for name, get in (("Δ", lambda c: c.chunks), ("", lambda c: c.passages), ("", lambda c: c.characters))
        )
    print(f"  {name:32s} {'  '.join(parts)}", flush=True)


def shape(found: list[Piece], settings: Settings, weaknesses: list[float]) -> str:
    """What the chunks of the sections are like."""
    sizes = [c.tokens for p in found for c in analyse(p.text, settings=settings, title=p.title).chunks]
    small = sum(size < settings.max_tokens / 4 for size in sizes) / len(sizes)
    weak = sum(w >= WEAK for w in weaknesses) / max(len(weaknesses), 1)
    return (
        f"{len(sizes)} chunks, median {median(sizes):.0f} tokens, {small:.1%} under a quarter of the limit, "
        f"{weak:.1%} of cuts weak"
    )


def compare(
    rules: Mapping[str, tuple[Rule, Group]],
    work: Callable[[], list[Change]],
    shaped: Callable[[list[float]], str] | None = None,
) -> None:
    """The figures of each rule; of the first also those of each kind of edit."""
    base: list[Change] = []
    for name, (rule, group) in rules.items():
        with using(rule, group):
            found = work()
        base = base or found
        report(name, found, base)
        for kind in dict.fromkeys(c.kind for c in found) if found is base else ():
            some = [c for c in found if c.kind == kind]
            report(f"   {kind} ({len(some)})", some, some)
        if shaped:
            with using(rule, group) as weaknesses:
                print(f"  {'':32s} {shaped(weaknesses)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", type=Path, default=[Path(__file__).parent.parent / "examples" / "vault"])
    parser.add_argument("--pieces", type=int, default=60)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--limit", type=int, default=400)
    parser.add_argument("--strategy", default="headings", choices=["headings", "paragraphs"])
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    settings = Settings(given.limit, strategy=given.strategy)
    are_cut: list[Piece] = []
    are_whole: list[Piece] = []
    in_cut: list[Edit] = []
    in_whole: list[Edit] = []
    steps: list[list[tuple[str, str, str]]] = []
    for path in given.sources:
        pick = random.Random(given.seed)
        if path.is_dir():
            found, whole = pieces(read(path), settings, pick, given.pieces)
            in_cut += edits(found, settings, pick, len(are_cut))
            in_whole += edits(whole, settings, pick, len(are_whole))
            are_cut += found
            are_whole += whole
        else:
            steps += commits(path, given.commits, pick)
    dividing = {name: (rule, next(iter(GROUPS.values()))) for name, rule in RULES.items()}
    packing_rules = {name: (next(iter(RULES.values())), group) for name, group in GROUPS.items()}
    for what, rules, only_cut in (("division", dividing, True), ("passages", packing_rules, False)):
        if in_cut:
            print(f"\n{what}: {len(in_cut)} edits of {len(are_cut)} sections that are cut")
            compare(rules, lambda: [change(e, settings) for e in in_cut], lambda w: shape(are_cut, settings, w))
        if in_whole and not only_cut:
            print(f"\n{what}: {len(in_whole)} edits of {len(are_whole)} sections that fit")
            compare(rules, lambda: [change(e, settings) for e in in_whole])
        if steps:
            print(f"\n{what}: {len(steps)} commits")
            compare(rules, lambda c=only_cut: [commit_change(n, s, settings, c) for n, s in enumerate(steps)])


if __name__ == "__main__":
    main()
