"""Where the shared cases and data lie: beside the project, read in place."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def shared(*parts: str) -> Path:
    """The path below the shared folder; skips the test if it is not there."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(('../shared', *parts))}, which is not here")
    return path
