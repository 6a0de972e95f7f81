"""New whole files, JSON and TOML: the same value gives the same bytes, in the given or in sorted order of keys."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.sync.formats.failures import WouldDamage
from sightline.sync.formats.json_text import JsonStyle, json_text
from sightline.sync.formats.splices import encode
from sightline.sync.formats.toml_scanner import parse
from sightline.sync.formats.toml_text import table_lines
from sightline.sync.formats.values import Value, is_list, is_mapping, same_value


def render_json(value: Value, *, sort_keys: bool = False) -> bytes:
    """The value over several lines, indented by two blanks; raises `Unrenderable`."""
    return encode(json_text(_in_order(value, sort_keys), JsonStyle(), "") + "\n")


def render_toml(value: Mapping[str, Value], *, sort_keys: bool = False) -> bytes:
    """Pairs, then tables; text with line ends is written over several lines. Raises `Unrenderable`."""
    ordered = _in_order(value, sort_keys)
    lines = table_lines((), ordered, long_strings=True) if is_mapping(ordered) else ()
    text = "".join(f"{line}\n" for line in lines)
    if not same_value(parse(text), value):
        raise WouldDamage("the rendered text does not say what it should")
    return encode(text)


def _in_order(value: Value, sort_keys: bool) -> Value:
    if is_mapping(value):
        keys = sorted(value) if sort_keys else list(value)
        return {key: _in_order(value[key], sort_keys) for key in keys}
    return [_in_order(item, sort_keys) for item in value] if is_list(value) else value
