"""Which files are Python."""

from __future__ import annotations

from pathlib import Path

from sightline.errors import ErrorKind, NextStep, ToolFailure

_SUFFIXES = (".py", ".pyi", ".pyw")


def is_python_file(path: Path) -> bool:
    """By its ending, or by its first line if it has no ending."""
    if path.suffix:
        return path.suffix in _SUFFIXES
    try:
        with path.open("rb") as file:
            first = file.readline(200)
    except OSError:
        return False
    return first.startswith(b"#!") and b"python" in first


def require_python_file(path: Path, shown: str) -> None:
    """Raises `ToolFailure(no_server_for_file)` for any other file."""
    if not is_python_file(path):
        raise ToolFailure(
            ErrorKind.NO_SERVER_FOR_FILE,
            f"`{shown}` is not a Python file, and no other checker is set up",
            NextStep("doc", f"name a file that ends in {', '.join(_SUFFIXES)}, or a folder"),
        )
