"""The page of settings: every key, by section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import groupby
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from reference.markdown import code, code_json, page, table
from sightline.config.keys import Key, all_keys
from sightline.config.layers import ENV_PREFIX
from sightline.config.schema import LanguageServerSettings

_OPENING = """
Where settings come from, and what trust means, is told in [settings and trust](../guides/settings-and-trust.md).
"Untrusted project" says what a project file may do with a key before a person trusts it.
"""

_HEADS = ("Key", "Type", "Default", "Meaning", "Untrusted project", "Environment variable")

_PERMISSIONS = {
    "lower": "may lower it",
    "true": "may set it to `true`",
    "subset": "may name a subset",
    "choice": "may name a part of it; empty means all",
    "extend": "may add to it",
    "inside": "may name folders inside the allowed ones",
    "any": "may set it",
}

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", Any: "any value"}

_LIMITS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def settings_page() -> str:
    return page("Settings", _OPENING, *_sections())


def _sections() -> Iterator[str]:
    for section, keys in groupby(all_keys().values(), key=lambda key: key.name.partition(".")[0]):
        yield f"## `[{section}]`"
        yield table(_HEADS, [_row(key) for key in keys])
    yield "## `[code.servers.<id>]`"
    yield table(["Key", "Type"], _server_rows())


def _row(key: Key) -> tuple[str, ...]:
    return (
        code(key.name),
        ", ".join([_type_name(key.type), *_limits(key)]),
        _default(key.default),
        str(key.rules.get("description", "")),
        _permission(key),
        "none" if key.rules.get("user_only") else code(_variable(key)),
    )


def _server_rows() -> list[tuple[str, str]]:
    hints = get_type_hints(LanguageServerSettings)
    return [(code(each.name), _type_name(hints[each.name])) for each in fields(LanguageServerSettings)]


def _variable(key: Key) -> str:
    return ENV_PREFIX + key.name.upper().replace(".", "__")


def _permission(key: Key) -> str:
    if key.rules.get("user_only"):
        return "never: user file only"
    if key.rules.get("not_in_project"):
        return "never"
    return _PERMISSIONS[key.rules["project"]] if "project" in key.rules else "needs trust"


def _limits(key: Key) -> list[str]:
    return [f"{_LIMITS[name]} {limit:,}" for name, limit in key.limits.items()]


def _default(value: Any) -> str:
    return "unset" if value is None else code_json(value)


def _type_name(annotation: Any) -> str:
    """A type in words: `str | None` is a string, because what is unset is told by the default."""
    arguments = [each for each in get_args(annotation) if each not in (NoneType, Ellipsis)]
    origin = get_origin(annotation)
    if origin is Literal:
        return " or ".join(code(each) for each in arguments)
    if origin is tuple:
        return f"list of {_type_name(arguments[0])}"
    if origin is dict:
        return f"table of {_type_name(arguments[1])}"
    if origin is not None:
        return " or ".join(_type_name(each) for each in arguments)
    return _NAMES.get(annotation, "language server")
