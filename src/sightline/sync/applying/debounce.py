"""Many triggers in a row make one run: due when there was quiet for a while, or when it was put off for too long."""

from __future__ import annotations

from collections.abc import Callable


class Debounce:
    """Counts triggers by a clock that is handed in; owns no thread and no timer."""

    def __init__(self, quiet_s: float, clock: Callable[[], float], *, longest_s: float | None = None) -> None:
        self._quiet_s = quiet_s
        self._longest_s = quiet_s * 10 if longest_s is None else longest_s
        self._clock = clock
        self._first: float | None = None
        self._last = 0.0

    def trigger(self) -> None:
        self._last = self._clock()
        self._first = self._last if self._first is None else self._first

    def wait_s(self) -> float | None:
        """How long to wait until a run is due; none if nothing was triggered."""
        if self._first is None:
            return None
        due = min(self._last + self._quiet_s, self._first + self._longest_s)
        return max(0.0, due - self._clock())

    def take(self) -> bool:
        """Whether a run is due now; if so, all triggers up to here count as served."""
        if self.wait_s() != 0.0:
            return False
        self._first = None
        return True
