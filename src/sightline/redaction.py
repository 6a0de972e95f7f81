"""Text and values made fit for an answer or a log: no private path, no secret."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from sightline.paths import is_inside

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PATH_OR_ADDRESS = re.compile(
    r"""(?P<address>https?://[^\s"'`<>]+)"""
    r"""|(?:(?<![\w./\\])|(?<=\s-\w)|(?<=^-\w))(?:/|[A-Za-z]:\\)[^\s"'`<>|:;,()\[\]]+"""
)
_SECRET_NAME = re.compile(
    r"secret|token|passw|passphrase|authorization|(?:api|access|auth|private)[_-]?key$|credential|bearer", re.IGNORECASE
)
_PASSWORD_IN_URL = re.compile(r"(?<=://)([^/@\s:]*):[^/\s]+(?=@)")
_PASSWORD_IN_ANY_WAY = re.compile(r"(?<=://)([^@\s:]*):\S+(?=@)")
_SECRET_IN_QUERY = re.compile(r"(?<=[?&])([^=&\s]*(?:secret|token|passw|key)[^=&\s]*)=[^&\s]+", re.IGNORECASE)

HIDDEN = "<hidden>"


def redacted(text: str, root: Path, readable: Sequence[Path] = ()) -> str:
    """The text with project paths made relative and other absolute paths reduced to their last name."""

    def shown(match: re.Match[str]) -> str:
        if match["address"]:
            return match[0]
        path = Path(os.path.normpath(match[0]))
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
        return match[0] if is_inside(path, readable) else f"<…>/{path.name}"

    return _PATH_OR_ADDRESS.sub(shown, _ANSI.sub("", text))


def without_secrets(value: Any, name: str = "") -> Any:
    """The JSON value with what its name calls a secret, and passwords in addresses, hidden."""
    if value not in ("", None) and not isinstance(value, bool) and _SECRET_NAME.search(name):
        return HIDDEN
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return {key: without_secrets(item, key) for key, item in pairs}
    if isinstance(value, list):
        return [without_secrets(item, name) for item in cast("list[Any]", value)]
    if isinstance(value, str):
        return _SECRET_IN_QUERY.sub(rf"\1={HIDDEN}", _PASSWORD_IN_URL.sub(rf"\1:{HIDDEN}", value))
    return value


def holds_password(text: str) -> bool:
    """Whether a text is an address with a password in it."""
    return bool(_PASSWORD_IN_URL.search(text) or re.search(r"://\S*[?&][^=&\s]*passw[^=&\s]*=", text, re.IGNORECASE))


def without_password(url: str) -> str:
    """The address of a database as it may be shown: also a password that was not written as it should be is hidden."""
    return _SECRET_IN_QUERY.sub(rf"\1={HIDDEN}", _PASSWORD_IN_ANY_WAY.sub(rf"\1:{HIDDEN}", url))
