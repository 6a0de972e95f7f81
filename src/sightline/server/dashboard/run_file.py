"""How `sightline dashboard` finds a running service: a file that only its owner can read, gone with the service.

It holds the address and a secret with which one-time links are asked for. Used by both sides; imports no web library.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import stat
import sys
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

LINKS_PATH = "/dashboard/links"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class RunningService:
    """A service that runs, or ran until it was killed."""

    url: str
    root: str
    pid: int
    started_at: float
    secret: str = field(repr=False)


def run_folder(data: Path) -> Path:
    return data / "run"


@contextlib.contextmanager
def told_to_owner(service: RunningService, data: Path) -> Generator[None]:
    """Keep the file until the end of the block; a folder that cannot be written to is no reason not to serve."""
    path = run_folder(data) / f"http-{service.pid}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(path, json.dumps(asdict(service)))
    except OSError as error:
        log.warning("`sightline dashboard` cannot find this service", extra={"reason": error.strerror})
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def write_private(path: Path, text: str) -> None:
    """A new file that only its owner can read, in place of what was there."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def running_services(data: Path) -> list[RunningService]:
    """The services whose processes live, newest first; what is left of dead ones is removed."""
    return sorted(_found(run_folder(data)), key=lambda service: service.started_at, reverse=True)


def _found(folder: Path) -> Iterator[RunningService]:
    for path in folder.glob("http-*.json"):
        service = _read(path)
        if service is not None and _is_alive(service):
            yield service
        elif service is not None:
            with contextlib.suppress(OSError):  # it says nothing; who may remove it will
                path.unlink(missing_ok=True)


def _read(path: Path) -> RunningService | None:
    """The file's content; None if it is not ours alone, or no such file."""
    try:
        # Not `path.open`: a pipe of that name is no reason to wait.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            if sys.platform != "win32" and stat.S_IMODE(mode) & _OTHERS:
                return None
            known: dict[str, Any] = json.loads(file.read(10_000))
        return RunningService(**known)
    except (OSError, ValueError, TypeError):
        return None


def _is_alive(service: RunningService) -> bool:
    import psutil

    return psutil.pid_exists(service.pid)
