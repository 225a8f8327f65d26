"""Inputs from real reports: the laws hold on each, and the facts that a machine can check."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from laws import laws
from shared import SHARED

from headwise import Settings
from headwise.chunking.split import Analysis
from headwise.errors import SettingsError
from headwise.reading.decode import decode
from headwise.reading.lines import line_number

CASES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((SHARED / "cases").glob("*.json"))}


needs_cases = pytest.mark.skipif(not CASES, reason="needs ../shared/cases, which is not here")


def inputs(case: dict[str, Any]) -> dict[str, str]:
    """Name → text of the documents of a case."""
    if "input" in case:
        return {"input": case["input"]}
    if "input_b64" in case:
        return {"input": decode(base64.b64decode(case["input_b64"]))[0]}
    if "input_python" in case:
        return {"input": eval(case["input_python"])}  # noqa: S307 - our own cases, an expression of string literals
    if "inputs_python" in case:
        return {name: eval(source) for name, source in case["inputs_python"].items()}  # noqa: S307 - the same
    texts: dict[str, str] = {}
    for name, content in case.get("files", {}).items():
        data = content.encode() if isinstance(content, str) else base64.b64decode(content["b64"])
        texts[name] = decode(data)[0]
    return texts


def runs(case: dict[str, Any]) -> list[Settings]:
    """The settings of a case, a run for each; those that are refused are left to their own test."""
    given = case.get("settings", {})
    found: list[Settings] = []
    for one in given if isinstance(given, list) else [given]:
        limits = one.get("max_tokens", 400)
        for limit in limits if isinstance(limits, list) else [limits]:
            try:
                found.append(Settings(max_tokens=limit, min_tokens=0, overlap=one.get("overlap", 0)))
            except SettingsError:
                continue
    return found


RUNS = [
    pytest.param(case, settings, text, id=f"{name}-{document}-{settings.max_tokens}-{settings.overlap}")
    for name, case in CASES.items()
    for settings in runs(case)
    for document, text in inputs(case).items()
]


@needs_cases
@pytest.mark.parametrize(("case", "settings", "text"), RUNS)
def test_laws_and_facts_hold_on_every_case(case: dict[str, Any], settings: Settings, text: str) -> None:
    flavours = "math,obsidian" if case["kind"] == "obsidian" else "auto"
    made = laws(text, settings, flavours=flavours)
    facts = case.get("facts", {})
    for fact, check in CHECKS.items():
        if fact in facts:
            check(made, facts[fact])


@needs_cases
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 400])
def test_laws_hold_on_every_case_at_every_size(limit: int) -> None:
    for case in CASES.values():
        for text in inputs(case).values():
            if len(text) < 50_000 or limit > 30:
                laws(text, Settings(max_tokens=limit))


def test_every_kind_of_fact_is_checked() -> None:
    known = {*CHECKS, "commonmark_outline"}
    assert {fact for case in CASES.values() for fact in case.get("facts", {})} <= known


def outline(made: Analysis, expected: list[list[Any]]) -> None:
    assert [[section.level, section.title] for section in made.sections] == expected


def levels(made: Analysis, expected: list[int]) -> None:
    assert [section.level for section in made.sections] == expected


def titles_plain(made: Analysis, expected: list[str]) -> None:
    assert [section.title for section in made.sections] == expected


def title_contains(made: Analysis, expected: list[str]) -> None:
    assert all(part in section.title for part, section in zip(expected, made.sections, strict=True))


def title_starts(made: Analysis, expected: list[str]) -> None:
    assert all(section.title.startswith(part) for part, section in zip(expected, made.sections, strict=True))


def outline_any_of(made: Analysis, expected: list[list[list[Any]]]) -> None:
    assert [[section.level, section.title] for section in made.sections] in expected


def not_headings(made: Analysis, expected: list[str]) -> None:
    titles = {section.title for section in made.sections}
    assert not titles & set(expected)
    assert not {heading for chunk in made.chunks for heading in chunk.headings} & set(expected)


def trails(made: Analysis, expected: dict[str, list[str]]) -> None:
    for text, trail in expected.items():
        for chunk in holding(made, text):
            assert list(chunk.headings) == trail, text


def trail_contains(made: Analysis, expected: dict[str, list[str]]) -> None:
    for text, parts in expected.items():
        for chunk in holding(made, text):
            assert len(chunk.headings) == len(parts)
            assert all(part in heading for part, heading in zip(parts, chunk.headings, strict=True))


def same_chunk(made: Analysis, expected: list[list[str]]) -> None:
    for group in expected:
        assert any(all(text in chunk.text for text in group) for chunk in made.chunks), group


def no_cut_inside(made: Analysis, expected: list[str]) -> None:
    for text in expected:
        start = made.tree.text.index(text)
        inside = range(start + 1, start + len(text))
        assert not [c for c in made.chunks if c.start in inside or c.end in inside], text


def tables(made: Analysis, expected: int) -> None:
    assert sum(block.kind == "table" for block in made.tree.blocks) == expected


def line_of(made: Analysis, expected: dict[str, int]) -> None:
    for text, line in expected.items():
        assert line_number(made.tree.lines, made.tree.text.index(text)) == line


def holding(made: Analysis, text: str) -> list[Any]:
    """Chunks that hold the beginning of *text*."""
    start = made.tree.text.index(text)
    found = [chunk for chunk in made.chunks if chunk.own_start <= start < chunk.end]
    assert found, text
    return found


CHECKS = {
    "outline": outline,
    "outline_flavor": outline,
    "levels": levels,
    "titles_plain": titles_plain,
    "title_contains": title_contains,
    "title_starts": title_starts,
    "outline_any_of": outline_any_of,
    "not_headings": not_headings,
    "trails": trails,
    "trail_contains": trail_contains,
    "same_chunk": same_chunk,
    "no_cut_inside": no_cut_inside,
    "tables": tables,
    "line_of": line_of,
}
