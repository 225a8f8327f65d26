"""Notes of the example vault, cut and written out as a person reads them; `UPDATE_GOLDEN=1` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headwise import Settings, analyse

ROOT = Path(__file__).resolve().parent
VAULT = ROOT.parent / "examples" / "vault"
NOTES = [
    ("Robots/SMARS.md", Settings()),
    ("docs/configuration.md", Settings(120)),
    ("Recipes/味噌汁.md", Settings(200)),
    ("Garden/أعشاب الشرفة.md", Settings(200)),
    ("Server/Backup runbook.md", Settings(160, overlap="15%")),
]


def written(path: str, settings: Settings) -> str:
    """Every chunk under a line that says where it is, its breadcrumb and its size."""
    text = (VAULT / path).read_bytes().decode("utf-8")
    made = analyse(text, settings=settings, path=path, obsidian=True)
    parts = [f"{path}: {made.title}\nat most {settings.max_tokens} tokens, overlap {settings.overlap}\n"]
    for chunk in made.chunks:
        repeated = f", own text from {chunk.own_start - chunk.start} on" if chunk.own_start > chunk.start else ""
        parts.append(
            f"━━━ {chunk.index}: lines {chunk.start_line}-{chunk.end_line}, {chunk.tokens} tokens, "
            f"{' > '.join(chunk.headings) or '-'}{repeated}\n{chunk.embed_text}\n"
        )
    return "\n".join(parts)


@pytest.mark.parametrize(("path", "settings"), NOTES, ids=[path for path, _ in NOTES])
def test_notes_are_cut_as_they_were_found_good(path: str, settings: Settings) -> None:
    file = ROOT / "golden" / f"{Path(path).stem}.txt"
    found = written(path, settings)
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_bytes(found.encode("utf-8"))

    assert found == file.read_bytes().decode("utf-8")
