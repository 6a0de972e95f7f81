"""When pages were used, collected in memory, so that reading does not write."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_MOST_PENDING = 200
_GRAIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Use:
    """A page by its number, and when it was used before now."""

    page: int
    before: float


class PendingUses:
    """Uses that are not written down yet; any thread may add to them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._uses: dict[int, float] = {}
        self._lock = threading.Lock()

    def remember(self, uses: Iterable[Use]) -> bool:
        """Note uses; true when it is time to write them down."""
        now = self._clock()
        pages = [use.page for use in uses if now - use.before >= _GRAIN_S]
        with self._lock:
            self._uses.update(dict.fromkeys(pages, now))
            return len(self._uses) >= _MOST_PENDING

    def take(self) -> dict[int, float]:
        """All that is pending, by page; it is the caller's now."""
        with self._lock:
            uses, self._uses = self._uses, {}
        return uses
