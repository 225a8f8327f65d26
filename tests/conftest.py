from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

# the same examples in every run, so that a red run means a change; HYPOTHESIS_PROFILE=long looks for new ones
settings.register_profile("default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", deadline=None, max_examples=3_000, suppress_health_check=[HealthCheck.too_slow])
# for `make mutants`, where every survivor runs all of them
settings.register_profile(
    "few", settings.get_profile("default"), max_examples=20, phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
