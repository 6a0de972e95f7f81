"""Log records on their way to the dashboard: taken in any thread, handed over in the event loop's."""

from __future__ import annotations

import asyncio
import logging
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sightline.contract import to_json
from sightline.server.dashboard.discretion import Discretion

_OWN_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A record as it was logged."""

    at: float
    level: str
    logger: str
    message: str
    fields: Mapping[str, Any]
    trace: str | None

    def as_json(self, discretion: Discretion) -> dict[str, Any]:
        return {
            "at": self.at,
            "level": self.level,
            "logger": self.logger,
            "message": discretion.text(self.message),
            "fields": discretion.value(to_json(self.fields)),
            **({"trace": discretion.text(self.trace)} if self.trace else {}),
        }


class LogTap(logging.Handler):
    """Hands every record to `tell`, in the thread of the event loop that made the tap."""

    def __init__(self, tell: Callable[[LogEntry], None]) -> None:
        super().__init__()
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        entry = _entry(record)
        if threading.get_ident() == self._thread:
            self._tell(entry)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell, entry)


def _message(record: logging.LogRecord) -> str:
    """A record whose arguments do not fit its text is no reason to end what logged it."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return str(record.msg)


def _entry(record: logging.LogRecord) -> LogEntry:
    error = record.exc_info and record.exc_info[1]
    return LogEntry(
        at=record.created,
        level=record.levelname,
        logger=record.name,
        message=_message(record),
        fields={name: value for name, value in vars(record).items() if name not in _OWN_FIELDS},
        trace="".join(traceback.format_exception(error)[-8:]) if error else None,
    )
