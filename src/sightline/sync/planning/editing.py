"""One way to look at the units of a file and to change them, whatever its format."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from sightline.sync.formats.values import MISSING, Edited, KeyPath, Missing, Value, starts_with, value_at
from sightline.sync.planning.records import PathKind, value_digest
from sightline.sync.planning.wanted import block_digest


class _Editor(Protocol):
    def read_value(self, content: bytes, /) -> Value | Missing: ...
    def set_values(self, content: bytes, values: Mapping[KeyPath, Value], /) -> Edited: ...
    def remove_value(self, content: bytes, path: KeyPath, made: Collection[KeyPath], /) -> bytes: ...


def present_digests(kind: PathKind, content: bytes | None, keys: Collection[KeyPath]) -> dict[KeyPath, str]:
    """The digests of those units that the shared file has; raises `FormatFailed`."""
    if content is None:
        return {}
    if kind == "block":
        from sightline.sync.formats.marked_block import find_blocks

        blocks: dict[KeyPath, str] = {(block.id,): block.content for block in find_blocks(content)}
        return {key: block_digest(blocks[key]) for key in keys if key in blocks}
    whole = _editor(kind).read_value(content)
    values = {key: value_at(whole, key) for key in keys} if not isinstance(whole, Missing) else {}
    is_ordered = kind == "jsonc"
    return {
        key: value_digest(value, ordered=is_ordered) for key, value in values.items() if not isinstance(value, Missing)
    }


def tables_in(kind: PathKind, content: bytes, tables: Collection[KeyPath]) -> set[KeyPath]:
    """Those of the tables that are there; raises `FormatFailed`."""
    whole = _editor(kind).read_value(content) if tables else MISSING
    return set() if isinstance(whole, Missing) else {each for each in tables if value_at(whole, each) is not MISSING}


def edited(
    kind: PathKind,
    content: bytes,
    writes: Mapping[KeyPath, Value],
    removals: Collection[KeyPath],
    made: Collection[KeyPath],
) -> tuple[bytes, tuple[KeyPath, ...]]:
    """The shared file with its units changed, and the tables that were made; raises `FormatFailed`."""
    if kind == "block":
        return _edited_blocks(content, writes, removals), ()
    editor = _editor(kind)
    for key in removals:
        # A table that a new key needs stays: taking it out and putting it in again would move it.
        kept_for_writes = {table for table in made if any(starts_with(write, table) for write in writes)}
        content = editor.remove_value(content, key, tuple(table for table in made if table not in kept_for_writes))
    done = editor.set_values(content, writes)
    return done.content, done.made


def _edited_blocks(content: bytes, writes: Mapping[KeyPath, Value], removals: Collection[KeyPath]) -> bytes:
    from sightline.sync.formats.marked_block import put_block, remove_block

    for key in removals:
        content = remove_block(content, str(key[0]))
    for key, text in writes.items():
        content = put_block(content, str(key[0]), str(text))
    return content


def _editor(kind: PathKind) -> _Editor:
    from sightline.sync.formats import jsonc, toml_tables

    return jsonc if kind == "jsonc" else toml_tables
