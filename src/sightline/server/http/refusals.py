"""How a request is refused: a status, one sentence, and the end of its connection.

The connection ends because the body of a refused request is not read: whoever sends it slowly would keep the place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not served; `reason` is a word for the metrics."""

    status: int
    reason: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = {"error": self.reason, "message": self.message}
        headers = {**self.headers, "connection": "close", "cache-control": "no-store"}
        await JSONResponse(body, status_code=self.status, headers=headers)(scope, receive, send)


STOPPING = Refusal(503, "stopping", "the service is ending", {"retry-after": "5"})
