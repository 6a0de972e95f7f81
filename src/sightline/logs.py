"""Where log records go and what they look like. Set up in `main` only; everything else just logs.

Code logs through the standard library with `extra={...}`; structlog renders it, ours and the SDK's alike.
A contextvar puts the request id of a call on every line that the call causes.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Generator, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

_REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)
_ROTATE_BYTES = 10_000_000
_FILES_KEPT = 5
_QUIET = ("mcp", "anyio", "asyncio", "httpx2", "uvicorn")


@dataclass(frozen=True, slots=True)
class LogPlan:
    """How to log: least level, where to, in which form."""

    level: str
    mode: Literal["stderr", "file", "both"]
    format: Literal["json", "text"]
    folder: Path


@contextlib.contextmanager
def request_scope(request_id: str) -> Generator[None]:
    """Mark everything logged inside as belonging to one request."""
    token = _REQUEST_ID.set(request_id)
    try:
        yield
    finally:
        _REQUEST_ID.reset(token)


def leave_request() -> None:
    """What a task goes on to do belongs to no request, although one started it."""
    _REQUEST_ID.set(None)


@contextlib.contextmanager
def logging_to(plan: LogPlan) -> Generator[None]:
    """Log by the plan until the end of the block."""
    root = logging.getLogger()
    handlers = list(_handlers(plan))
    levels = {logger: logger.level for logger in (root, *map(logging.getLogger, _QUIET))}
    root.setLevel(plan.level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    for handler in handlers:
        handler.addFilter(_add_request_id)
        root.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
        for logger, level in levels.items():
            logger.setLevel(level)


@contextlib.contextmanager
def also_to(handler: logging.Handler) -> Generator[None]:
    """Let one more handler hear what is logged, with the request ids, until the end of the block."""
    root = logging.getLogger()
    handler.addFilter(_add_request_id)
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()


def _handlers(plan: LogPlan) -> Iterator[logging.Handler]:
    stderr = logging.StreamHandler(sys.stderr)
    stderr.setFormatter(_LateFormatter(plan.format, colors=sys.stderr.isatty()))
    if plan.mode == "file":
        stderr.setLevel(logging.ERROR)
    yield stderr
    if plan.mode != "stderr":
        rotating = _rotating_file(plan.folder)
        rotating.setFormatter(_LateFormatter(plan.format, colors=False))
        yield rotating


def _rotating_file(folder: Path) -> logging.Handler:
    """A file of this process, rotated by size, and `current.log` pointing to it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    from logging.handlers import RotatingFileHandler

    path = folder / f"sightline-{os.getpid()}.log"
    handler = RotatingFileHandler(
        path, maxBytes=_ROTATE_BYTES, backupCount=_FILES_KEPT - 1, encoding="utf-8", errors="backslashreplace"
    )
    path.chmod(0o600)
    _point_current_to(path)
    _remove_oldest(folder)
    return handler


def _point_current_to(path: Path) -> None:
    link, draft = path.with_name("current.log"), path.with_suffix(".link")
    with contextlib.suppress(OSError):  # no links on this file system: the dated file is enough
        draft.symlink_to(path.name)
        draft.replace(link)


def _remove_oldest(folder: Path) -> None:
    files = [path for path in folder.glob("sightline-*.log*") if not path.is_symlink()]
    for path in sorted(files, key=_modified, reverse=True)[_FILES_KEPT * 4 :]:
        path.unlink(missing_ok=True)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


class _LateFormatter(logging.Formatter):
    """Loads what it needs with the first record: most commands log nothing, and loading would be most of their time."""

    def __init__(self, form: str, *, colors: bool) -> None:
        super().__init__()
        self._make = partial(_formatter, form, colors=colors)
        self._made: logging.Formatter | None = None

    def format(self, record: logging.LogRecord) -> str:
        self._made = self._made or self._make()
        return self._made.format(record)


def _formatter(form: str, *, colors: bool) -> logging.Formatter:
    import structlog

    renderer: Any = structlog.processors.JSONRenderer(ensure_ascii=False)
    if form == "text":
        renderer = structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=structlog.dev.plain_traceback)
    traceback = [structlog.processors.format_exc_info] if form == "json" else []
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.ExtraAdder(),
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.stdlib.PositionalArgumentsFormatter(),
        ],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *traceback, renderer],
    )


def _add_request_id(record: logging.LogRecord) -> bool:
    if (request_id := _REQUEST_ID.get()) is not None:
        record.request_id = request_id
    return True
