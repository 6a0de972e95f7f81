"""Sessions of the protocol up to 2025-11-25, and requests of the stateless one: the SDK's, with a count."""

from __future__ import annotations

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from sightline.app import App
from sightline.server.mcp_server import build_server

_LAST_EVENT = b"last-event-id"


class Sessions(StreamableHTTPSessionManager):
    """The SDK's manager of sessions, which keeps their number to itself."""

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request. Our events have no ids, so that a stream asked for by one begins anew.

        The SDK (2.3) without a store of events gives no answer at all to whoever asks to go on after one.
        """
        kept = [(name, value) for name, value in scope["headers"] if name != _LAST_EVENT]
        await super().handle_request({**scope, "headers": kept}, receive, send)

    @property
    def count(self) -> int:
        return len(self._server_instances)


def sessions_of(app: App, max_body: int) -> Sessions:
    """Both eras over one server. `Host` and `Origin` are checked before it, for every endpoint alike."""
    settings = app.settings.values.server
    return Sessions(
        build_server(app),
        session_idle_timeout=settings.session_idle_s,
        max_sessions=settings.max_sessions,
        max_request_body_size=max_body,
    )
