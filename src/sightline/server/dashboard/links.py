"""Links that open the dashboard once: whoever has one proves to be sent by the person who runs the service."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

LINK_LASTS_S = 600.0
_MOST = 64

Verdict = Literal["good", "used", "expired", "unknown"]


@dataclass(slots=True)
class OneTimeLinks:
    """The links that were given out; only their digests are kept."""

    lasts_s: float = LINK_LASTS_S
    clock: Callable[[], float] = time.monotonic
    _until: OrderedDict[bytes, float] = field(default_factory=OrderedDict[bytes, float])
    _used: OrderedDict[bytes, None] = field(default_factory=OrderedDict[bytes, None])

    def make(self) -> str:
        token = secrets.token_urlsafe(32)
        self._until[_digest(token)] = self.clock() + self.lasts_s
        if len(self._until) > _MOST:
            self._until.popitem(last=False)
        return token

    def take(self, token: str) -> Verdict:
        """Use a link up; a second use is told apart from a guess."""
        digest = _digest(token)
        if digest in self._used:
            return "used"
        until = self._until.pop(digest, None)
        if until is None:
            return "unknown"
        if until < self.clock():
            return "expired"
        self._used[digest] = None
        if len(self._used) > _MOST:
            self._used.popitem(last=False)
        return "good"


def _digest(token: str) -> bytes:
    """What is looked up is a digest, so that the time it takes tells nothing of the token."""
    return hashlib.sha256(token.encode("utf-8", errors="replace")).digest()
