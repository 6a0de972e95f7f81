"""Owned keys inside an inline table, by spans. Its other members keep every byte."""

from __future__ import annotations

from sightline.sync.formats.delimited import ListStyle, insertion, removal
from sightline.sync.formats.failures import NotEditable
from sightline.sync.formats.splices import Splice
from sightline.sync.formats.toml_scanner import TomlNode
from sightline.sync.formats.toml_text import toml_key, toml_value
from sightline.sync.formats.values import KeyPath, Value, nested, starts_with

_ONE_LINE = ListStyle(eol="", unit="", breaks_when_empty=False)


def set_inline(text: str, node: TomlNode, rest: KeyPath, value: Value, path: KeyPath) -> list[Splice]:
    """Replace or add what `rest` leads to from this value; `path` is the whole path, for the message."""
    if not rest:
        return [Splice(node.start, node.end, toml_value(value))]
    if node.box is None or node.keys is None:
        raise NotEditable(path, "it leads through a value that is no table")
    for key, item in zip(node.keys, node.items, strict=True):
        if starts_with(rest, key):
            return set_inline(text, item, rest[len(key) :], value, path)
        if starts_with(key, rest):
            raise NotEditable(path, "it is spread over dotted keys of an inline table")
    shared = max((_shared_length(key, rest) for key in node.keys), default=0)
    name = toml_key(*(str(step) for step in rest[: shared + 1]))
    written = f"{name} = {toml_value(nested(rest[shared + 1 :], value))}"
    return insertion(text, node.box, [lambda _indent: written], _ONE_LINE)


def _shared_length(key: KeyPath, rest: KeyPath) -> int:
    """How many dotted steps of the key lead the same way, its last one being a value."""
    shared = 0
    while shared < min(len(key) - 1, len(rest) - 1) and key[shared] == rest[shared]:
        shared += 1
    return shared


def remove_inline(text: str, node: TomlNode, rest: KeyPath) -> list[Splice]:
    """Take out the first member that `rest` leads to; nothing if there is none."""
    if node.box is None or node.keys is None:
        return []
    for index, (key, item) in enumerate(zip(node.keys, node.items, strict=True)):
        if starts_with(key, rest):
            return removal(text, node.box, index)
        if starts_with(rest, key):
            return remove_inline(text, item, rest[len(key) :])
    return []
