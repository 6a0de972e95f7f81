"""The page itself: files of this package, the same for everybody, with nothing in them that would need a proof.

What a page may do is told by the headers: nothing from elsewhere, nothing inline, no markup made of strings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sightline.server.http.endpoints import Endpoint

_KINDS: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
SAFE_HEADERS: Mapping[str, str] = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file, under a strong tag of its content: asked for again each time, sent only when it changed."""

    body: bytes
    media_type: str
    tag: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {**SAFE_HEADERS, "etag": self.tag, "cache-control": "no-cache"}
        known = Headers(scope=scope).get("if-none-match", "")
        if self.tag in (each.strip() for each in known.split(",")):
            await Response(status_code=304, headers=headers)(scope, receive, send)
            return
        body = b"" if scope["method"] == "HEAD" else self.body
        headers["content-length"] = str(len(self.body))
        await Response(body, media_type=self.media_type, headers=headers)(scope, receive, send)


def page_endpoints() -> list[Endpoint]:
    """`/`, and what it loads."""
    folder = files("sightline.server.dashboard") / "page"
    assets = {each.name: _asset(each.name, each.read_bytes()) for each in folder.iterdir() if each.is_file()}
    return [
        Endpoint("/" if name == "index.html" else f"/dashboard/{name}", asset, authenticator=None)
        for name, asset in sorted(assets.items())
    ]


def _asset(name: str, body: bytes) -> Asset:
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return Asset(body, _KINDS[PurePosixPath(name).suffix], tag)
