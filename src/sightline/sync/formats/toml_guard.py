"""The proof, made after every edit of a TOML file, that nothing foreign changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sightline.sync.formats.failures import Malformed, WouldDamage
from sightline.sync.formats.toml_scanner import Kind, TomlDocument, scan
from sightline.sync.formats.values import (
    KeyPath,
    Missing,
    Value,
    is_mapping,
    is_within,
    leaves,
    same_value,
    value_at,
)


def check_edit(
    old: TomlDocument, after: str, edits: Mapping[KeyPath, Value | Missing], made: Collection[KeyPath]
) -> None:
    """Raise `WouldDamage` unless all that changed are the values at these paths.

    The headers of tables that are made for their sake may come and go with them.
    """
    try:
        new = scan(after)
    except Malformed as error:
        raise WouldDamage(f"the text could not be read after the edit: {error}") from None
    if not all(same_value(value_at(new.value, path), value) for path, value in edits.items()):
        raise WouldDamage("the text would not say what it should at the edited place")
    above = {path[:length] for path in edits for length in range(len(path))}
    if not _same_leaves(_foreign_leaves(old, edits, above), _foreign_leaves(new, edits, above)):
        raise WouldDamage("a foreign value would change")
    if _foreign_statements(old, edits, above, made) != _foreign_statements(new, edits, above, made):
        raise WouldDamage("a foreign line would change")
    if _comments(old) != _comments(new):
        raise WouldDamage("a comment would change")


def _foreign_leaves(
    document: TomlDocument, edits: Collection[KeyPath], above: Collection[KeyPath]
) -> dict[KeyPath, Value]:
    """An empty table on the way to an edit may come and go with the last thing in it."""
    return {
        at: leaf
        for at, leaf in leaves(document.value)
        if not is_within(at, edits) and not (is_mapping(leaf) and at in above)
    }


def _same_leaves(one: dict[KeyPath, Value], other: dict[KeyPath, Value]) -> bool:
    return one.keys() == other.keys() and all(same_value(leaf, other[at]) for at, leaf in one.items())


def _foreign_statements(
    document: TomlDocument, edits: Collection[KeyPath], above: Collection[KeyPath], made: Collection[KeyPath]
) -> list[str]:
    return [
        document.text[each.start : each.end]
        for each in document.statements
        if not is_within(each.path, edits)
        and not (each.path in above and (each.kind is Kind.PAIR or each.path in made))
    ]


def _comments(document: TomlDocument) -> list[str]:
    return [document.text[comment.start : comment.end] for comment in document.comments]
