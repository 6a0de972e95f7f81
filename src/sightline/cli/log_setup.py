"""From the logging settings to the log: the only caller of `logging_to`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from sightline.config.schema import LoggingSettings
from sightline.logs import LogPlan, logging_to
from sightline.places import standard_places


def logging_by(settings: LoggingSettings, *, level: str | None = None) -> AbstractContextManager[None]:
    folder = Path(settings.dir).expanduser() if settings.dir else standard_places().logs
    return logging_to(LogPlan(level or settings.level, settings.mode, settings.format, folder))
