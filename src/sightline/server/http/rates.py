"""How often one address may ask: a bucket each that fills steadily, in bounded memory."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.types import Scope

from sightline.server.http.refusals import Refusal

_MOST_ADDRESSES = 4096
_IPV6_NETWORK = 64


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


@dataclass(slots=True)
class Rate:
    """At most `per_second` on average, and `burst` at once, for each address."""

    per_second: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    _buckets: OrderedDict[str, _Bucket] = field(default_factory=OrderedDict[str, _Bucket])

    def refusal(self, scope: Scope) -> Refusal | None:
        """Count a request; a refusal if it is one too many."""
        wait_s = self._take(_asker(scope))
        if wait_s is None:
            return None
        headers = {"retry-after": str(max(1, math.ceil(wait_s)))}
        return Refusal(429, "too_many_requests", "too many requests; ask again after `Retry-After` seconds", headers)

    def _take(self, asker: str) -> float | None:
        now = self.clock()
        bucket = self._buckets.pop(asker, None) or _Bucket(self.burst, now)
        left = min(self.burst, bucket.left + (now - bucket.at) * self.per_second)
        self._buckets[asker] = _Bucket(max(0.0, left - 1) if left >= 1 else left, now)
        if len(self._buckets) > _MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        return None if left >= 1 else (1 - left) / self.per_second


def _asker(scope: Scope) -> str:
    """The address; of IPv6 the network, because one machine has all its addresses."""
    address: str = (scope.get("client") or ("",))[0]
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, _IPV6_NETWORK), strict=False))
    return address
