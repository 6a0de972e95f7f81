"""The socket that clients connect to; any address but loopback needs a key."""

from __future__ import annotations

import socket

from sightline.errors import SettingsError
from sightline.server.http.keys import VARIABLE, Key
from sightline.server.http.origins import is_loopback

_BACKLOG = 512
_WAYS = f"set `server.auth_key_file` or {VARIABLE}, or add --generate-key; or listen on 127.0.0.1"


def listen(host: str, port: int, key: Key | None) -> socket.socket:
    """A socket that listens; raises `SettingsError`, also for an address that others can reach without a key."""
    family, address = _resolved(host, port)
    if key is None and not is_loopback(address):
        raise SettingsError(f"a key is needed to listen on `{host}`, which other machines can reach", _WAYS)
    try:
        return socket.create_server((address, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise SettingsError(
            f"cannot listen on {host} port {port}: {error.strerror}", "choose another with --port, or 0 for any"
        ) from None


def url_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise SettingsError(f"not an address to listen on: `{host}`", "name an address of this machine") from None
    family, _, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
    return family, str(address[0])
