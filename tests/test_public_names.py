"""What the package offers, and what it costs to import it."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import headwise

HEAVY = ["sqlalchemy", "numpy", "rich", "click", "pathspec", "Stemmer"]


def test_every_public_name_is_there_and_documented() -> None:
    assert headwise.__all__ == sorted(headwise.__all__)
    for name in headwise.__all__:
        assert getattr(headwise, name).__doc__, name


def test_nothing_of_ours_is_public_by_accident() -> None:
    ours = {
        name
        for name, value in vars(headwise).items()
        if not name.startswith("_")
        and not isinstance(value, ModuleType)
        and getattr(value, "__module__", "").startswith("headwise")
    }

    assert ours | {"Index"} == set(headwise.__all__)  # Index comes when it is asked for


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'chunk_it'"):
        _ = headwise.chunk_it


@pytest.mark.parametrize("use", ["import headwise", "from headwise import split; split('# A\\n\\nText.\\n')"])
def test_importing_and_splitting_load_no_database_numbers_or_terminal(use: str) -> None:
    report = f"import sys; {use}; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
