"""What a check finds: how bad it is, what to do, and what `--fix` may do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from sightline.doctor.subject import Subject

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Fix:
    """Something safe that can be done: `label` says what, before and after. `run` returns why it failed, or None."""

    label: str
    run: Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact. `error`: something does not work. `warning`: it works less than it could, or differently."""

    level: Level
    message: str
    remedy: str | None = None
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A group of findings with a name; `run` raises nothing but `SettingsError`."""

    name: str
    run: Callable[[Subject], Awaitable[list[Finding]]]


def ok(message: str) -> Finding:
    return Finding("ok", message)


def warning(message: str, remedy: str, fix: Fix | None = None) -> Finding:
    return Finding("warning", message, remedy, fix)


def error(message: str, remedy: str, fix: Fix | None = None) -> Finding:
    return Finding("error", message, remedy, fix)
