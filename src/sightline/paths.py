"""Which paths a call may touch, and how they are written in answers.

Every path from outside comes through here: relative paths and file URIs are accepted, symlinks are followed
first, and only then is the path held against the allowed roots. Whether a path outside them exists is not told.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params
from sightline.frozen import frozen

_USE_RELATIVE = "give a path relative to the project root"


@frozen
class PathPolicy:
    """The paths of one project: `root` for relative paths, `allowed_roots` for what may be reached.

    `readable` are folders outside the roots that may be looked into but never changed: the environment's
    packages and the standard library.
    """

    root: Path
    allowed_roots: tuple[Path, ...]
    readable: tuple[Path, ...] = ()

    def resolve(self, text: str, *, for_reading_only: bool = False) -> Path:
        """The real path of an existing file or folder; raises `ToolFailure` for all others."""
        path = self._followed(text)
        reachable = (*self.allowed_roots, *self.readable) if for_reading_only else self.allowed_roots
        if not is_inside(path, reachable):
            raise self._not_allowed(text)
        self._require_readable(path, text)
        return path

    def resolve_file(self, text: str, *, for_reading_only: bool = False) -> Path:
        """Like `resolve`, for a regular file."""
        path = self.resolve(text, for_reading_only=for_reading_only)
        if path.is_dir():
            raise invalid_params(f"`{_short(text)}` is a folder; a file is needed", "name a file in it")
        return path

    def display(self, path: Path) -> str:
        """The path as an answer may show it: relative to the root, absolute only where that is public."""
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix()
        if is_inside(path, (*self.allowed_roots, *self.readable)):
            return path.as_posix()
        return f"<outside the project>/{path.name}"

    def _followed(self, text: str) -> Path:
        try:
            return (self.root / _local_path(text)).resolve()
        except RuntimeError:  # a loop of symlinks, which may lie outside
            path = Path(os.path.normpath(self.root / _local_path(text)))
            if not is_inside(path, (*self.allowed_roots, *self.readable)):
                return path
            raise _unusable(text, None) from None
        except (OSError, ValueError) as error:
            raise _unusable(text, error) from None

    def _not_allowed(self, text: str) -> ToolFailure:
        return ToolFailure(
            ErrorKind.PATH_NOT_ALLOWED,
            f"`{_short(text)}` lies outside the allowed roots (symlinks are followed)",
            NextStep("doc", f"{_USE_RELATIVE}, or pass another allowed root as `project`"),
            NextStep("config", "a person can widen `server.allowed_roots` in the user settings"),
        )

    def _require_readable(self, path: Path, text: str) -> None:
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            raise self._not_found(path, text) from None
        except PermissionError as error:
            raise _denied(text, error) from None
        except OSError as error:
            raise _unusable(text, error) from None
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise invalid_params(f"`{_short(text)}` is neither a file nor a folder", "name a regular file")
        if not os.access(path, os.R_OK | (os.X_OK if stat.S_ISDIR(mode) else 0)):
            raise _denied(text, None)

    def _not_found(self, path: Path, text: str) -> ToolFailure:
        guess = _nearest_sibling(path)
        hint = f"did you mean `{self.display(path.parent / guess)}`?" if guess else _USE_RELATIVE
        return ToolFailure(
            ErrorKind.FILE_NOT_FOUND, f"`{_short(text)}` does not exist in the project", NextStep("doc", hint)
        )


def is_inside(path: Path, roots: Sequence[Path]) -> bool:
    return any(path.is_relative_to(root) for root in roots)


def _local_path(text: str) -> str:
    if not text.strip():
        raise invalid_params("the path is empty", f"{_USE_RELATIVE}, `.` for the root itself")
    if "\0" in text:
        raise invalid_params("the path holds a NUL character", _USE_RELATIVE)
    if "://" not in text:
        return text
    parts = urlsplit(text)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        raise invalid_params(f"`{_short(text)}` is not a local file", f"{_USE_RELATIVE}, or a `file:///` URI")
    local = unquote(parts.path)
    if "\0" in local:
        raise invalid_params("the path holds a NUL character", _USE_RELATIVE)
    has_drive = os.name == "nt" and len(local) > 2 and local[2] == ":"
    return local[1:] if has_drive else local


def _nearest_sibling(path: Path) -> str | None:
    import difflib

    try:
        names = [entry.name for entry in os.scandir(path.parent)]
    except OSError:
        return None
    return next(iter(difflib.get_close_matches(path.name, names, n=1, cutoff=0.7)), None)


def _unusable(text: str, error: Exception | None) -> ToolFailure:
    reason = getattr(error, "strerror", None) or "it cannot be followed"
    return invalid_params(f"`{_short(text)}` is not a usable path: {reason}", _USE_RELATIVE)


def _denied(text: str, error: OSError | None) -> ToolFailure:
    reason = f": {error.strerror}" if error and error.strerror else ""
    return ToolFailure(
        ErrorKind.PERMISSION_DENIED,
        f"`{_short(text)}` cannot be read{reason}",
        NextStep("command", "a person can change the permissions of the file or folder"),
    )


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:120] + "…"
