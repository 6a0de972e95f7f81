"""Where the bearer key comes from: the environment, a file, or a new one that only its owner can read."""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sightline.errors import SettingsError

VARIABLE = "SIGHTLINE_SERVER_KEY"
_SHORTEST = 16
_USABLE = re.compile(r"[\x21-\x7e]+")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Key:
    """The key, and where it was found: only the latter may be shown."""

    value: str = field(repr=False)
    place: str


def find_key(
    environment: Mapping[str, str], auth_key_file: str | None, generated: Path, *, may_generate: bool
) -> Key | None:
    """The key to serve with, if there is one; raises `SettingsError` for one that is not safe."""
    if (given := environment.get(VARIABLE)) is not None:
        return _checked(given, f"environment variable `{VARIABLE}`")
    if auth_key_file is not None:
        path = Path(auth_key_file).expanduser()
        return _checked(_private_text(path), str(path))
    if may_generate:
        _generate(generated)
        return _checked(_private_text(generated), str(generated))
    return None


def _checked(text: str, place: str) -> Key:
    value = text.strip()
    if len(value) < _SHORTEST or not _USABLE.fullmatch(value):
        raise SettingsError(
            f"the key in {place} is not usable: it needs {_SHORTEST} or more visible ASCII characters on one line",
            "make one with `sightline serve --http --generate-key`",
        )
    return Key(value, place)


def _private_text(path: Path) -> str:
    """The text of a file that nobody but its owner can read."""
    try:
        with path.open(encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            if sys.platform != "win32" and stat.S_IMODE(mode) & _OTHERS:
                raise SettingsError(
                    f"other users can read or change the key file: {path} (mode {stat.S_IMODE(mode):03o})",
                    f"make a new key, and `chmod 600 {path}`",
                )
            return file.read(10_000)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise SettingsError(f"the key file cannot be read: {path}: {reason}", "see `server.auth_key_file`") from None


def _generate(path: Path) -> None:
    """A new key, unless there is one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    except OSError as error:
        raise SettingsError(f"the key file cannot be made: {path}: {error.strerror}") from None
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
