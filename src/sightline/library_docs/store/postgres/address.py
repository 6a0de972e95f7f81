"""Where the shared store is, and how that is told without its secrets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from sightline.errors import SettingsError
from sightline.redaction import HIDDEN

_SCHEMES = ("postgresql://", "postgres://")
_SECRETS = ("password", "sslpassword")
_HINT = "write `postgresql://user@host/database`; passwords belong in a `passfile` or in PGPASSFILE"
_ESCAPES = "signs such as `@` and `/` in a password are written as `%40` and `%2F`"


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """An address as libpq takes it. `place` may be shown; the address itself may not."""

    url: str = field(repr=False)
    place: str
    secrets: tuple[str, ...] = field(repr=False)

    @classmethod
    def parse(cls, url: str) -> StoreAddress:
        """The address of a setting; raises `SettingsError`, which does not repeat it."""
        if not url.startswith(_SCHEMES):
            raise SettingsError("`docs.store_url` is no address of a PostgreSQL database", _HINT)
        try:
            parts = {name: str(value) for name, value in conninfo_to_dict(url).items() if value}
        except psycopg.Error:  # its text may hold the whole address
            raise SettingsError("`docs.store_url` cannot be read as an address", _HINT) from None
        if not _is_plain(parts):
            raise SettingsError("`docs.store_url` cannot be read as an address", _ESCAPES)
        secrets = [parts[name] for name in _SECRETS if name in parts]
        return cls(url, _place(parts), tuple(dict.fromkeys([*secrets, *(quote(each, safe="") for each in secrets)])))

    def shown(self, text: str) -> str:
        """A message of the driver on one line, without the secrets of the address."""
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        return " ".join(text.split())


def _is_plain(parts: dict[str, str]) -> bool:
    """Whether host, port and name are what they should be: the rest of a password that was not escaped may be there."""
    names = parts.get("host", "") + parts.get("dbname", "")
    return (
        "@" not in names and "/" not in parts.get("dbname", "") and bool(re.fullmatch(r"[\d,]*", parts.get("port", "")))
    )


def _place(parts: dict[str, str]) -> str:
    user = f"{parts['user']}@" if "user" in parts else ""
    port = f":{parts['port']}" if "port" in parts else ""
    service = f"?service={parts['service']}" if "service" in parts else ""
    return f"postgresql://{user}{parts.get('host', '')}{port}/{parts.get('dbname', '')}{service}"
