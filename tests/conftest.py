from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# the same examples in every run, so that a red run means a change; HYPOTHESIS_PROFILE=long looks for new ones
settings.register_profile("default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", deadline=None, max_examples=3_000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(params=["sqlite", "postgres"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Gives URLs of stores that are not there yet, all of one kind; a test that takes it runs for each kind."""
    if request.param == "postgres":
        from support_postgres import postgres_url

        return postgres_url
    numbers = iter(range(1, 1000))
    return lambda: f"sqlite:///{tmp_path}/index-{next(numbers)}.db"


@pytest.fixture
def store_url(new_url: Callable[[], str]) -> str:
    """The URL of a store that is not there yet, of each kind in turn."""
    return new_url()
