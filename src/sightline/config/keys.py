"""The flat view of the settings: `server.port` and its type, default and rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from typing import Any, get_type_hints

from sightline.config.schema import Settings
from sightline.frozen import frozen


@frozen
class Key:
    """One setting: its dotted name and its declaration."""

    name: str
    type: Any
    default: Any
    rules: Mapping[str, Any]

    @property
    def is_table(self) -> bool:
        return isinstance(self.default, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.default, tuple)

    @property
    def limits(self) -> dict[str, Any]:
        return {name: self.rules[name] for name in ("ge", "gt", "le", "lt") if name in self.rules}


@cache
def all_keys() -> Mapping[str, Key]:
    """Every setting by its dotted name, in the order of declaration."""
    return {key.name: key for key in _keys_of(Settings, prefix="")}


def value_of(settings: Settings, name: str) -> Any:
    value: Any = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value


def with_values(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """The settings with some of their keys replaced."""
    for name, value in values.items():
        settings = _with_value(settings, name.split("."), value)
    return settings


def _with_value(record: Any, path: list[str], value: Any) -> Any:
    head, *rest = path
    return replace(record, **{head: _with_value(getattr(record, head), rest, value) if rest else value})


def _keys_of(model: type, prefix: str) -> Iterator[Key]:
    hints = get_type_hints(model, include_extras=True)
    for each in fields(model):
        annotation = hints[each.name]
        if isinstance(annotation, type) and is_dataclass(annotation):
            yield from _keys_of(annotation, f"{prefix}{each.name}.")
        else:
            yield Key(prefix + each.name, annotation, _default(each), each.metadata)


def _default(declared: Field[Any]) -> Any:
    if declared.default_factory is not MISSING:
        return declared.default_factory()
    return declared.default
