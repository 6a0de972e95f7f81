"""Values as JSON text: in one line or indented, in any style of line ends, indents and colons."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from sightline.frozen import frozen
from sightline.sync.formats.failures import Unrenderable
from sightline.sync.formats.values import Value, is_list, is_mapping

_SURROGATE = re.compile("[\ud800-\udfff]")
_WIDEST_LIST = 80


@frozen
class JsonStyle:
    """How a file writes JSON."""

    eol: str = "\n"
    unit: str = "  "
    colon: str = ": "
    comma: str = ", "


def json_string(text: str) -> str:
    """A string with every character as it is, but for what JSON or UTF-8 cannot hold."""
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(text, ensure_ascii=False))


def json_text(value: Value, style: JsonStyle, indent: str | None) -> str:
    """The value; `indent` is that of the line it begins on, and None keeps everything in one line."""
    if is_mapping(value) or is_list(value):
        return _container(value, style, indent)
    return json_scalar(value)


def json_scalar(value: Value) -> str:
    if isinstance(value, str):
        return json_string(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise Unrenderable("JSON has no infinite numbers")
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    raise Unrenderable(f"JSON has no {type(value).__name__}")


def _container(value: Value, style: JsonStyle, indent: str | None) -> str:
    opening, closing = "{}" if is_mapping(value) else "[]"
    if indent is not None and is_list(value) and not any(is_mapping(item) or is_list(item) for item in value):
        line = _container(value, style, None)
        indent = None if len(line) <= _WIDEST_LIST else indent
    inner = None if indent is None else indent + style.unit
    parts = list(_parts(value, style, inner))
    if not parts:
        return opening + closing
    if indent is None:
        return opening + style.comma.join(parts) + closing
    lines = ("," + style.eol).join(f"{inner}{part}" for part in parts)
    return opening + style.eol + lines + style.eol + indent + closing


def _parts(value: Value, style: JsonStyle, indent: str | None) -> Iterator[str]:
    if is_mapping(value):
        for key, item in value.items():
            yield json_string(key) + style.colon + json_text(item, style, indent)
    elif is_list(value):
        for item in value:
            yield json_text(item, style, indent)
