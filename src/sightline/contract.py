"""The values that every answer is made of, whichever tool gives it.

Knows nothing of how an answer is written (`answers.py`) or sent (`server/`, `cli/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from typing import Any, Generic, TypeVar

from sightline.frozen import frozen, frozen_by_name

SCHEMA_VERSION = 1

MIN_TOTAL_CHARS = 1_000
MAX_TOTAL_CHARS = 2_000_000

O = TypeVar("O")  # noqa: E741 - the output of a tool, beside `S` and `I` in `tool.py`


@frozen
class Notice:
    """Something the caller should know that does not spoil the answer; an entry of `warnings`."""

    kind: str
    message: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "message": self.message, **to_json(self.data)}


@frozen
class Evidence:
    """How we know: by what means, with which engine, over what scope.

    `details` holds what only some methods have (interpreter, readiness, `cached_at`, …), written flat.
    """

    method: str
    engine: str | None = None
    engine_version: str | None = None
    scope: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def as_json(self) -> dict[str, Any]:
        known = {
            "method": self.method,
            "engine": self.engine,
            "engine_version": self.engine_version,
            "scope": self.scope,
        }
        return {name: value for name, value in (known | to_json(self.details)).items() if value is not None}


@frozen_by_name
class Outcome(Generic[O]):
    """What a tool's function returns: its own fields, and how it knows."""

    output: O
    evidence: Evidence
    warnings: tuple[Notice, ...] = ()
    server_id: str | None = None


def to_json(value: Any) -> Any:
    """Plain JSON values from dataclasses, without padding: a field that is None is left out.

    A field whose null carries meaning ("nothing found") says so with `metadata={"null": True}`.
    """
    if type(value) is str and value.isascii():
        return value
    if value is None or isinstance(value, bool | int | float):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {
            each.name: to_json(item)
            for each in fields(value)
            if (item := getattr(value, each.name)) is not None or each.metadata.get("null")
        }
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - JSON edge
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - JSON edge
    return str(value).encode("utf-8", errors="replace").decode()  # a lone surrogate could not be sent
