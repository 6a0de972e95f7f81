"""Where a service is entered, and by whom: the socket, the key, and the names it answers to.

Opened before anything else is, so that settings that are not safe end the start with one sentence.
"""

from __future__ import annotations

import socket
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sightline.config.schema import ServerSettings
from sightline.errors import SettingsError
from sightline.server.http.keys import VARIABLE, Key, find_key
from sightline.server.http.origins import OriginPolicy, is_loopback, origin_policy

_BACKLOG = 512
_WAYS = f"set `server.auth_key_file` or {VARIABLE}, or add --generate-key; or listen on 127.0.0.1"


@dataclass(frozen=True, slots=True)
class Entrance:
    """A socket that listens, the key that is asked for, and the hosts and origins that are answered."""

    listening: socket.socket
    key: Key | None
    origins: OriginPolicy

    @property
    def address(self) -> str:
        return self.listening.getsockname()[0]

    @property
    def url(self) -> str:
        port = self.listening.getsockname()[1]
        return f"http://{f'[{self.address}]' if ':' in self.address else self.address}:{port}"


@contextmanager
def open_entrance(
    settings: ServerSettings, environment: Mapping[str, str], data: Path, *, may_generate_key: bool
) -> Generator[Entrance]:
    """Listen until the end of the block; raises `SettingsError`."""
    origins = origin_policy(settings.host, settings.allowed_hosts, settings.allowed_origins)
    key = find_key(environment, settings.auth_key_file, data / "http-key", may_generate=may_generate_key)
    with _listening(settings.host, settings.port, key) as listening:
        yield Entrance(listening, key, origins)


def _listening(host: str, port: int, key: Key | None) -> socket.socket:
    """A socket that others can reach is not opened without a key."""
    family, address = _resolved(host, port)
    if key is None and not is_loopback(address):
        raise SettingsError(f"a key is needed to listen on `{host}`, which other machines can reach", _WAYS)
    try:
        return socket.create_server((address, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise SettingsError(
            f"cannot listen on {host} port {port}: {error.strerror}", "choose another with --port, or 0 for any"
        ) from None


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise SettingsError(f"not an address to listen on: `{host}`", "name an address of this machine") from None
    family, _, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
    return family, str(address[0])
