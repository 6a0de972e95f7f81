"""Between paths and file URIs. Keys are paths, never URI strings: two spellings of a URI can be one file."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit


def uri_of(path: str | Path) -> str:
    return Path(path).as_uri()


def path_of(uri: str) -> Path:
    """The path of a file URI, however the server escapes it."""
    local = unquote(urlsplit(uri).path)
    if os.name == "nt" and local[2:3] == ":":
        local = local[1:]
    return Path(local)
