"""When to ask for a newer registry again: daily, sooner after a failure that may pass, and never in step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Outcome = Literal["success", "transient_failure", "semantic_failure"]

DAY_S = 24 * 3600.0
FIRST_RETRY_S = 60.0
LONGEST_RETRY_S = 3600.0
MOST_RETRIES = 8
LEAST_JITTER, MOST_JITTER = 0.8, 1.2


class UpdateSchedule:
    """Counts the transient failures in a row; `random` gives a number from 0 to 1."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._failures = 0

    def wait_after(self, outcome: Outcome) -> float:
        """Seconds until the next check."""
        if outcome != "transient_failure":
            self._failures = 0
            return DAY_S
        self._failures += 1
        if self._failures == MOST_RETRIES:
            self._failures = 0
            return DAY_S
        wait = min(FIRST_RETRY_S * 2 ** (self._failures - 1), LONGEST_RETRY_S)
        return wait * (LEAST_JITTER + (MOST_JITTER - LEAST_JITTER) * self._random())
