"""Reading a source file, and refusing what is not one: binary, huge or unreadable."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params

if TYPE_CHECKING:
    from pathlib import Path

MAX_SOURCE_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a source file, decoded the way the engines do it; `is_marked` if a byte order mark was dropped."""

    text: str
    is_utf8: bool
    is_marked: bool = False


def read_source(path: Path, shown: str) -> SourceText:
    """The file's text; raises `ToolFailure` where a person would not call it a source file."""
    try:
        size = path.stat().st_size
        if size > MAX_SOURCE_BYTES:
            raise _too_large(shown, size)
        content = path.read_bytes()
    except PermissionError:
        step = NextStep("command", "a person can change the permissions of the file")
        raise ToolFailure(ErrorKind.PERMISSION_DENIED, f"`{shown}` cannot be read", step) from None
    except (FileNotFoundError, NotADirectoryError):
        step = NextStep("doc", "it was there a moment ago: ask again")
        raise ToolFailure(ErrorKind.FILE_NOT_FOUND, f"`{shown}` does not exist", step, retryable=True) from None
    if b"\0" in content:
        raise invalid_params(f"`{shown}` is a binary file", "name a source file")
    try:
        return SourceText(content.decode("utf-8-sig"), True, content.startswith(codecs.BOM_UTF8))
    except UnicodeDecodeError:
        text = content.decode("utf-8-sig", errors="replace")
        return SourceText(text, False, content.startswith(codecs.BOM_UTF8))


def _too_large(shown: str, size: int) -> ToolFailure:
    return ToolFailure(
        ErrorKind.TOO_LARGE,
        f"`{shown}` has {size:,} bytes; the limit for a source file is {MAX_SOURCE_BYTES:,}",
        NextStep("doc", "name a smaller file, or the folder that holds it"),
    )
