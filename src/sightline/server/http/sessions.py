"""Sessions of the protocol up to 2025-11-25, and requests of the stateless one: the SDK's, with a count."""

from __future__ import annotations

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from sightline.app import App
from sightline.server.mcp_server import build_server


class Sessions(StreamableHTTPSessionManager):
    """The SDK's manager of sessions, which keeps their number to itself."""

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
