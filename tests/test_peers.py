"""Other libraries as candidates: what they cut is found again in the document, and nothing is fetched for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise.chunking.measure import find_measure
from headwise.errors import SettingsError
from headwise.evaluating.peers import located, peer_candidates
from headwise.indexing.documents import read_document
from headwise.indexing.files import FileOptions, find_files
from headwise.model import Document

VAULT = Path(__file__).resolve().parent.parent / "examples" / "vault"
MODULES = ("langchain_text_splitters", "llama_index", "semantic_text_splitter")
INSTALLED = all(map(find_spec, MODULES))
needs_peers = pytest.mark.skipif(not INSTALLED, reason="needs other libraries: pip install 'headwise[peers]'")
# whoever asks for a name or a connection ends the process
OFFLINE = """
import sys

def stop(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "urllib.Request"}:
        sys.stderr.write(f"asked for {arguments}\\n")
        sys.stderr.flush()
        import os
        os._exit(3)

sys.addaudithook(stop)
from headwise.app.cli import main
main()
"""


def documents() -> list[Document]:
    return [read_document(file) for file in find_files(VAULT, FileOptions()).files]


def visible(text: str) -> set[int]:
    return {at for at, character in enumerate(text) if character.isprintable() and not character.isspace()}


@needs_peers
@pytest.mark.parametrize("number", range(3))
def test_all_that_a_peer_cuts_is_found_again_where_it_stood(number: int) -> None:
    candidate = peer_candidates([200])[number]
    count = find_measure("cl100k_base").count
    assert candidate.is_peer
    assert candidate.name == f"{candidate.family} 200"
    whole, over = 0, 0
    for document in documents():
        covered: set[int] = set()
        for record in candidate.cut(document).records:
            chunk = record.chunk
            assert chunk.text == document.text[chunk.start : chunk.end]
            assert chunk.tokens == count(record.passages[0].embed_text)
            covered.update(range(chunk.start, chunk.end))
            whole, over = whole + 1, over + (chunk.tokens > 200)
        assert visible(document.text) <= covered
    assert over < 0.05 * whole, "LangChain puts its headers on top of the size"


@needs_peers
def test_peers_are_compared_without_a_network_and_never_advised(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for name in ("SMARS", "Line follower Pip"):
        text = (VAULT / "Robots" / f"{name}.md").read_text("utf-8")
        (tmp_path / "notes" / f"{name}.md").write_text(text, "utf-8")
    arguments = ["eval", str(tmp_path / "notes"), "--max-tokens", "40,200", "--strategy", "headings", "--peers"]
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", OFFLINE, *arguments, "--json", "--cache", str(tmp_path / "cache")],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    families = ("headings", "LangChain", "LlamaIndex", "semantic-text-splitter")
    assert [one["name"] for one in found["settings"]] == [f"{name} {size}" for name in families for size in (40, 200)]
    assert [one["peer"] for one in found["settings"]] == [False] * 2 + [True] * 6
    assert all(one["overall"]["within"][3]["mean"] > 0.9 for one in found["settings"]), (
        "there is little to look through"
    )
    assert found["advice"]["name"].startswith("headings ")


@pytest.mark.skipif(INSTALLED, reason="the other libraries are installed")
def test_a_peer_that_is_missing_is_named() -> None:
    with pytest.raises(SettingsError, match=r"is not installed; pip install 'headwise\[peers\]'"):
        peer_candidates([200])


@given(st.lists(st.text(st.sampled_from("ab \n\t\u200b"), max_size=9), max_size=9), st.data())
def test_a_piece_is_located_whatever_was_done_to_what_cannot_be_seen(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    pieces = [data.draw(st.sampled_from([part, part.strip(), " ".join(part)])) for part in parts]
    found = list(located(text, [(piece, f"A > B\n\n{piece}") for piece in pieces]))

    def seen(part: str) -> str:
        return "".join(part[at] for at in sorted(visible(part)))

    assert [seen(text[start:end]) for start, end, _ in found] == [seen(part) for part in parts if seen(part)]
    assert all(visible(text[at]) for start, end, _ in found for at in (start, end - 1))
    assert all(before == "A > B\n\n" for *_, before in found)
    assert [start for start, *_ in found] == sorted({start for start, *_ in found}), "each after the one before"
