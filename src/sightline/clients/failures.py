"""How setting up a client can fail; messages name the file and the remedy."""

from __future__ import annotations

from pathlib import Path

from sightline.regular_files import NotRegular


class ClientFailed(Exception):
    """Nothing was changed, for a reason that a person can mend."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Damaged(ClientFailed):
    """A file of our own that could be read and makes no sense."""


def unreadable(path: Path, error: OSError) -> ClientFailed:
    """A file that is there and cannot be read, with the remedy for its reason."""
    if isinstance(error, NotRegular | NotADirectoryError):
        hint = "move away what has its name, or the name of its folder"
    else:
        hint = "let your user read it" if isinstance(error, PermissionError) else "look at the file"
    return ClientFailed(f"`{path}` cannot be read: {error.strerror}", hint)
