"""Values as TOML text: keys, strings of any text, inline values, and tables with their headers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time

from sightline.sync.formats.failures import Unrenderable
from sightline.sync.formats.values import Value, is_list, is_mapping

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_TO_ESCAPE = re.compile(r'["\\\x00-\x08\x0a-\x1f\x7f]')
_TO_ESCAPE_IN_LONG = re.compile(r'"""|"$|\\|[\x00-\x08\x0b-\x1f\x7f]')
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_WIDEST_INLINE = 100


def toml_key(*steps: str) -> str:
    """A dotted key, quoted where it has to be."""
    return ".".join(step if _BARE_KEY.fullmatch(step) else toml_string(step) for step in steps)


def toml_string(text: str) -> str:
    """Any text in one line; tabs and all that can be printed stay as they are."""
    _refuse_halves(text)
    return f'"{_TO_ESCAPE.sub(_escape, text)}"'


def toml_long_string(text: str) -> str:
    """Text over several lines, for files whose line ends are `\\n`."""
    _refuse_halves(text)
    return f'"""\n{_TO_ESCAPE_IN_LONG.sub(_escape, text)}"""'


def _escape(found: re.Match[str]) -> str:
    if (text := found.group()) == '"""':
        return '""\\"'
    return _SHORT_ESCAPES.get(text) or f"\\u{ord(text):04x}"


def _refuse_halves(text: str) -> None:
    if _SURROGATE.search(text):
        raise Unrenderable("TOML cannot hold half of a surrogate pair")


def toml_value(value: Value) -> str:
    """The value in one line."""
    if is_mapping(value):
        pairs = ", ".join(f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if is_list(value):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    return toml_scalar(value)


def toml_scalar(value: Value) -> str:
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not _SMALLEST <= value <= _LARGEST:
            raise Unrenderable("TOML has no whole numbers beyond 64 bits")
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    raise Unrenderable("TOML has no null" if value is None else f"TOML has no {type(value).__name__}")


def table_lines(path: tuple[str, ...], value: Mapping[str, Value], *, long_strings: bool = False) -> Iterator[str]:
    """The lines of a table and, after an empty line each, of the tables in it that are better not inline."""
    # A table that holds nothing but tables is a list of named things: each gets a header.
    is_record = bool(path) and not all(is_mapping(item) for item in value.values())
    inner = {
        key: item for key, item in value.items() if is_mapping(item) and not (is_record and _fits_inline(key, item))
    }
    pairs = {key: item for key, item in value.items() if key not in inner}
    if path and (pairs or not inner):
        yield f"[{toml_key(*path)}]"
    for key, item in pairs.items():
        is_long = long_strings and isinstance(item, str) and "\n" in item
        yield f"{toml_key(key)} = {toml_long_string(item) if is_long and isinstance(item, str) else toml_value(item)}"
    for number, (key, item) in enumerate(inner.items()):
        if is_mapping(item):
            if number or pairs:
                yield ""
            yield from table_lines((*path, key), item, long_strings=long_strings)


def _fits_inline(key: str, value: Mapping[str, Value]) -> bool:
    if any(is_mapping(item) for item in value.values()):
        return False
    return len(toml_key(key)) + len(toml_value(value)) <= _WIDEST_INLINE
