"""How much is embedded anew after an edit: documents before and after it, cut and compared."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import NamedTuple

from headwise.errors import ReadingError
from headwise.evaluating.candidates import Candidate
from headwise.evaluating.sources import Source
from headwise.indexing.documents import document_format
from headwise.model import Document
from headwise.reading.decode import decode
from headwise.reading.sentences import sentence_starts

EDITS = 60
_ADDED = "This sentence was not there before, and somebody wrote it today. "


class Edit(NamedTuple):
    """A document before and after."""

    before: Document
    after: Document


@dataclass(frozen=True, slots=True)
class Churn:
    """What edits cost; all 0 if there were none."""

    edits: int = 0
    passages: float = 0.0
    """Passages embedded anew, in the mean."""
    share: float = 0.0
    """Of the text of all passages of the edited document the share in these, in the mean."""


def measure_churn(candidate: Candidate, edits: Sequence[Edit]) -> Churn:
    """What each of *edits* would have embedded anew."""
    passages, shares = 0, 0.0
    for edit in edits:
        known = {p.content_hash for record in candidate.cut(edit.before).records for p in record.passages}
        now = {p.content_hash: len(p.embed_text) for r in candidate.cut(edit.after).records for p in r.passages}
        new = [size for key, size in now.items() if key not in known]
        passages += len(new)
        shares += sum(new) / (sum(now.values()) or 1)
    return Churn(len(edits), passages / len(edits), shares / len(edits)) if edits else Churn()


def simulated_edits(sources: Sequence[Source], *, seed: int, edits: int = EDITS) -> tuple[Edit, ...]:
    """Edits of single sentences in paragraphs of *sources*: one is added, taken out, or begins otherwise, by turns."""
    dice = Random(seed)  # noqa: S311 - a sample, no secret
    found: list[Edit] = []
    editable = [source for source in sources if any(block.kind == "paragraph" for block in source.tree.blocks)]
    for number in range(edits if editable else 0):
        source = dice.choice(editable)
        block = dice.choice([block for block in source.tree.blocks if block.kind == "paragraph"])
        text = source.document.text
        starts = [block.start, *sentence_starts(text, block.start, block.end, source.tree.atoms), block.end]
        at = dice.randrange(len(starts) - 1)
        start, end = starts[at], starts[at + 1]
        end -= len(text[start:end]) - len(text[start:end].rstrip("\r\n"))
        instead = (f"{_ADDED}{text[start:end]}", "", f"Now {text[start:end]}")[number % 3]
        found.append(Edit(source.document, replace(source.document, text=text[:start] + instead + text[end:])))
    return tuple(found)


def git_edits(root: Path, sources: Sequence[Source], *, edits: int = EDITS) -> tuple[Edit, ...]:
    """The last *edits* changes that the history of *root* has of the files of *sources*.

    Raises:
        ReadingError: if *root* is in no repository, or git is not there.
    """
    known = {source.path: source.document for source in sources}
    log = _git(root, "log", "--no-merges", "--diff-filter=M", "--name-only", "--relative", "-z", "--format=%x01%H")
    return tuple(
        edit for _, edit in zip(range(edits), _changes(root, log.decode("utf-8", "replace"), known), strict=False)
    )


def _changes(root: Path, log: str, known: dict[str, Document]) -> Iterator[Edit]:
    for commit in log.split("\x01")[1:]:
        name, *paths = (part.strip("\n") for part in commit.split("\0"))
        for path in paths:
            if path in known:
                before, after = (_git(root, "show", f"{at}:./{path}") for at in (f"{name}^", name))
                yield Edit(_document(known[path], before), _document(known[path], after))


def _document(document: Document, data: bytes) -> Document:
    return replace(document, text=decode(data)[0], format=document_format(document.path))


def _git(root: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=True)  # noqa: S603, S607 - git as the user has it, without a shell
    except FileNotFoundError as error:
        raise ReadingError("git is not installed; take --churn edits") from error
    except subprocess.CalledProcessError as error:
        why = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ReadingError(f"{root}: git cannot tell its history ({why[0] if why else error.returncode})") from error
    return done.stdout
