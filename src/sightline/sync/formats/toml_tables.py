"""Owned keys in a TOML file: get, set, remove; every byte outside the touched places is unchanged.

By spans, not by tomlkit, which loses comments, moves values or writes no TOML at all for some files with dotted keys or
tables out of order. A path that leads into an array of tables is refused. Each edit passes a guard before it is
returned: what the file says elsewhere, its other statements and its comments must be the same, in the same order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sightline.sync.formats.failures import NotEditable, WouldDamage
from sightline.sync.formats.splices import decode, encode, position, splice
from sightline.sync.formats.toml_guard import check_edit
from sightline.sync.formats.toml_inline import remove_inline, set_inline
from sightline.sync.formats.toml_lines import with_first_line, with_line_after, with_table, without
from sightline.sync.formats.toml_scanner import Kind, Statement, TomlDocument, parse, scan
from sightline.sync.formats.toml_text import table_lines, toml_key, toml_value
from sightline.sync.formats.values import (
    MISSING,
    Edited,
    KeyPath,
    Missing,
    Value,
    is_mapping,
    nested,
    overlapping,
    same_value,
    starts_with,
    value_at,
)


def read_value(content: bytes) -> Value:
    """What the whole file says; raises `Malformed`."""
    return parse(decode(content))


def get_value(content: bytes, path: KeyPath) -> Value | Missing:
    """The value at the path; raises `Malformed`."""
    return value_at(read_value(content), path)


def locate(content: bytes, path: KeyPath) -> tuple[int, int] | None:
    """Line and column of the statement that first says something at the path."""
    document = scan(decode(content))
    found = [each for each in document.statements if starts_with(each.path, path) or _holds(each, path)]
    is_there = not isinstance(value_at(document.value, path), Missing)
    return position(document.text, found[0].start) if found and is_there else None


def parents_to_make(content: bytes, path: KeyPath, value: Value | Missing = MISSING) -> tuple[KeyPath, ...]:
    """The tables around the value that `set_value` will have to write for it.

    A table that exists only because of the tables in it counts, if a pair has to go into it and needs its header.
    """
    return _parents_to_make(scan(decode(content)), path, value)


def _parents_to_make(document: TomlDocument, path: KeyPath, value: Value | Missing) -> tuple[KeyPath, ...]:
    is_table = not isinstance(value_at(document.value, path), Missing) and _owner(document, path) is None
    if is_table and not isinstance(value, Missing) and not is_mapping(value):
        # A table with a header makes way for a pair, which may need another header.
        document = scan(_remove(document, path))
    if not isinstance(value_at(document.value, path), Missing):
        return ()
    parents = [path[:length] for length in range(1, len(path))]
    made = [parent for parent in parents if isinstance(value_at(document.value, parent), Missing)]
    if not made and not is_mapping(value) and _is_implicit(document, path[:-1]):
        made = [path[:-1]]
    return tuple(made)


def set_value(content: bytes, path: KeyPath, value: Value) -> bytes:
    """Write the value, with the tables that it needs around it; unchanged if the file says so already.

    Raises `Malformed`, `NotEditable`, `Unrenderable`, `WouldDamage`.
    """
    return set_values(content, {path: value}).content


def set_values(content: bytes, values: Mapping[KeyPath, Value]) -> Edited:
    """`set_value` for many, in their order; new tables are written in one go and the guard looks once."""
    if (path := overlapping(values)) is not None:
        raise NotEditable(path, "two edits at once would overlap")
    original = document = scan(decode(content))
    made: dict[KeyPath, None] = {}
    waiting: dict[KeyPath, Mapping[str, Value]] = {}
    for path, value in values.items():
        if not path or any(isinstance(step, int) for step in path):
            raise NotEditable(path, "a key is named by keys alone")
        if is_mapping(value) and _is_new_table(document, path):
            waiting[path] = value
            made.update(dict.fromkeys(_parents_to_make(document, path, value)))
            continue
        document, waiting = scan(_with_tables(document, waiting)), {}
        made.update(dict.fromkeys(_parents_to_make(document, path, value)))
        document = scan(_set(document, path, value))
    after = _with_tables(document, waiting)
    if after == original.text:
        return Edited(content, ())
    check_edit(original, after, values, made)
    return Edited(encode(after), tuple(made))


def _with_tables(document: TomlDocument, tables: Mapping[KeyPath, Mapping[str, Value]]) -> str:
    lines: list[str] = []
    for path, table in tables.items():
        lines += ["", *table_lines(_names(path), table)] if lines else table_lines(_names(path), table)
    return splice(document.text, with_table(document, lines)) if lines else document.text


def _is_new_table(document: TomlDocument, path: KeyPath) -> bool:
    """Whether a table goes to the end of the file, whatever else went there since the document was read."""
    if not isinstance(value_at(document.value, path), Missing):
        return False
    _refuse_arrays(document, path)
    parents = [path[:length] for length in range(1, len(path))]
    return not any(_owner(document, each) or _last_dotted(document, each) for each in parents)


def remove_value(content: bytes, path: KeyPath, made: Collection[KeyPath] = ()) -> bytes:
    """Take out what the path leads to, a whole table with all its tables too; unchanged if it is not there.

    `made` are tables that are there for our sake (see `parents_to_make`): those that are left empty go as well.
    """
    document = scan(decode(content))
    after = _remove(document, path)
    for length in range(len(path) - 1, 0, -1):
        if path[:length] in made:
            after = _remove_if_empty(scan(after), path[:length])
    if after == document.text:
        return content
    check_edit(document, after, {path: MISSING}, made)
    return encode(after)


def _set(document: TomlDocument, path: KeyPath, value: Value) -> str:
    present = value_at(document.value, path)
    if same_value(present, value):
        return document.text
    if isinstance(present, Missing):
        return _add(document, path, value)
    if (owner := _owner(document, path)) is not None:
        return _set_in_pair(document, owner, path, value)
    if is_mapping(present) and is_mapping(value):
        for key, item in value.items():
            document = scan(_set(document, (*path, key), item))
        for key in present:
            document = document if key in value else scan(_remove(document, (*path, key)))
        # A table of dotted keys, or of tables, is gone with the last of them.
        is_gone = isinstance(value_at(document.value, path), Missing)
        return _add(document, path, value) if is_gone else document.text
    return _set(scan(_remove(document, path)), path, value)


def _owner(document: TomlDocument, path: KeyPath) -> Statement | None:
    """The pair that says what is at the path, alone or as part of its value."""
    return next((each for each in document.statements if _holds(each, path)), None)


def _holds(statement: Statement, path: KeyPath) -> bool:
    return statement.kind is Kind.PAIR and starts_with(path, statement.path)


def _set_in_pair(document: TomlDocument, owner: Statement, path: KeyPath, value: Value) -> str:
    if owner.node is None:
        raise WouldDamage("a pair without a value")
    splices = set_inline(document.text, owner.node, path[len(owner.path) :], value, path)
    return splice(document.text, splices)


def _add(document: TomlDocument, path: KeyPath, value: Value) -> str:
    if (owner := _owner(document, path)) is not None:
        return _set_in_pair(document, owner, path, value)
    length = max(n for n in range(len(path)) if is_mapping(value_at(document.value, path[:n])))
    _refuse_arrays(document, path)
    parent, rest = path[:length], path[length:]
    if (sibling := _last_dotted(document, parent)) is not None:
        keys = path[len(sibling.section) : length + 1]
        line = f"{_key(keys)} = {toml_value(nested(rest[1:], value))}"
        return splice(document.text, with_line_after(document, sibling, line))
    if is_mapping(value):
        return _with_tables(document, {path: value})
    line = f"{_key(path[-1:])} = {toml_value(value)}"
    if len(rest) == 1 and not parent and not _last_in(document, ()):
        return splice(document.text, with_first_line(document, line))
    if len(rest) == 1 and (last := _last_in(document, parent)) is not None:
        return splice(document.text, with_line_after(document, last, line))
    return splice(document.text, with_table(document, [f"[{_key(path[:-1])}]", line]))


def _refuse_arrays(document: TomlDocument, path: KeyPath) -> None:
    for length in range(1, len(path)):
        if not isinstance(found := value_at(document.value, path[:length]), Missing) and not is_mapping(found):
            raise NotEditable(path, f"`{_key(path[:length])}` is no table, or an array of them")


def _last_dotted(document: TomlDocument, table: KeyPath) -> Statement | None:
    """The last pair whose dotted key reaches through the table, if that is how the table is written."""
    found = [
        each
        for each in document.statements
        if each.kind is Kind.PAIR and len(each.section) < len(table) < len(each.path) and starts_with(each.path, table)
    ]
    return found[-1] if found else None


def _last_in(document: TomlDocument, table: KeyPath) -> Statement | None:
    """The last pair below the table's own header, or the header; None if it has none."""
    found = [each for each in document.statements if each.section == table]
    return found[-1] if found else None


def _is_implicit(document: TomlDocument, table: KeyPath) -> bool:
    if not table or _last_in(document, table) or _last_dotted(document, table):
        return False
    return is_mapping(value_at(document.value, table)) and _owner(document, table) is None


def _remove(document: TomlDocument, path: KeyPath) -> str:
    if not path or isinstance(value_at(document.value, path), Missing):
        return document.text
    owner = _owner(document, path)
    if owner is None or owner.path == path:
        gone = [each for each in document.statements if starts_with(each.path, path)]
        if not gone:
            raise NotEditable(path, "it leads into an array of tables")
        return without(document, gone)
    if owner.node is None:
        raise WouldDamage("a pair without a value")
    splices = remove_inline(document.text, owner.node, path[len(owner.path) :])
    if not splices:
        raise NotEditable(path, "it leads into an array")
    # Dotted keys of an inline table can spread what is at the path over several members.
    return _remove(scan(splice(document.text, splices)), path)


def _remove_if_empty(document: TomlDocument, table: KeyPath) -> str:
    present = value_at(document.value, table)
    if is_mapping(present) and not present:
        return _remove(document, table)
    headers = [each for each in document.statements if each.kind is Kind.TABLE and each.path == table]
    is_needed = any(each.kind is Kind.PAIR and each.section == table for each in document.statements)
    return without(document, headers) if headers and not is_needed else document.text


def _names(path: KeyPath) -> tuple[str, ...]:
    return tuple(str(step) for step in path)


def _key(path: KeyPath) -> str:
    return toml_key(*_names(path))
