"""What the fuzzer tries holds for the documents it begins with, and it can tell a broken promise."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from headwise.model import Chunk

FUZZ = Path(__file__).resolve().parent.parent / "fuzz"


@pytest.fixture(scope="module")
def targets() -> ModuleType:
    return loaded("targets")


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FUZZ / f"{name}.py")
    assert spec
    assert spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("target", "every"), [("cutting", 7), ("files", 7), ("growth", 40)])
def test_every_promise_holds_for_the_seeds(targets, tmp_path: Path, target: str, every: int) -> None:
    count = loaded("seeds").write_seeds(target, tmp_path)
    files = sorted(tmp_path.iterdir())

    assert 90 < len(files) <= count
    for file in files[::every]:
        targets.TARGETS[target](file.read_bytes())


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff" * 4, b"\xff" * 40, b"\0\0\0\0# a\xed\xa0\x80", b"\0\0\0\0\0"])
@pytest.mark.parametrize("target", ["cutting", "files", "growth"])
def test_any_bytes_choose_settings(targets, target: str, data: bytes) -> None:
    targets.TARGETS[target](data)


def test_a_broken_promise_is_a_finding(targets, monkeypatch) -> None:
    monkeypatch.setattr(Chunk, "embed_text", property(lambda chunk: chunk.text + "!"))
    with pytest.raises(AssertionError):
        targets.TARGETS["cutting"](b"\x0f\x00\x00\x01# A\n\ntext\n")


def test_every_entry_of_the_dictionary_is_one_the_fuzzer_can_read() -> None:
    lines = (FUZZ / "markdown.dict").read_text("utf-8").splitlines()
    entries = [line for line in lines if line and not line.startswith("#")]

    assert len(entries) > 100
    for entry in entries:
        assert entry.isascii()
        assert entry[0] == entry[-1] == '"'
        assert entry[1:-1].encode().decode("unicode_escape")
