"""How many examples a property is tried on: `SIGHTLINE_ORACLE=full` makes the long run."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"

thorough = settings(
    max_examples=1000 if IS_FULL else 60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
