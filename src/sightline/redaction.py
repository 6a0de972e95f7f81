"""Text and values made fit for an answer or a log: no private path, no secret."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from sightline.paths import is_inside

_ABSOLUTE = re.compile(r"""(?<![\w./\\])(?:/|[A-Za-z]:\\)[^\s"'`<>|:;,()\[\]]+""")
_SECRET_NAME = re.compile(r"secret|token|passw|api_?key|auth_?key$|credential|bearer", re.IGNORECASE)
_PASSWORD_IN_URL = re.compile(r"(?<=://)([^/@\s:]+):[^/@\s]+(?=@)")

HIDDEN = "<hidden>"


def redacted(text: str, root: Path, readable: Sequence[Path] = ()) -> str:
    """The text with project paths made relative and other absolute paths reduced to their last name."""

    def shown(match: re.Match[str]) -> str:
        path = Path(match[0])
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
        return match[0] if is_inside(path, readable) else f"<…>/{path.name}"

    return _ABSOLUTE.sub(shown, text)


def without_secrets(value: Any, name: str = "") -> Any:
    """The JSON value with what its name calls a secret, and passwords in addresses, hidden."""
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return {key: without_secrets(item, key) for key, item in pairs}
    if isinstance(value, list):
        return [without_secrets(item, name) for item in cast("list[Any]", value)]
    if isinstance(value, str):
        return HIDDEN if value and _SECRET_NAME.search(name) else _PASSWORD_IN_URL.sub(rf"\1:{HIDDEN}", value)
    return value
