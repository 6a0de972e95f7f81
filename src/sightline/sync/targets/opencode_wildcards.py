"""OpenCode's patterns: `*` for any text, `?` for one character, anchored; ` *` at the end also matches nothing.

With them, what its ordered rules say: the last one that matches both the permission and the pattern decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from sightline.frozen import frozen
from sightline.sync.formats.values import Value, is_mapping


@frozen
class OrderedRule:
    """One rule of the flat list that OpenCode evaluates."""

    permission: str
    pattern: str
    action: str


def matches(text: str, pattern: str) -> bool:
    """Whether OpenCode would say that the pattern covers the text."""
    escaped = re.escape(pattern.replace("\\", "/")).replace(r"\*", ".*").replace(r"\?", ".").replace(r"\ ", " ")
    if escaped.endswith(" .*"):
        escaped = escaped[:-3] + "( .*)?"
    return re.fullmatch(escaped, text.replace("\\", "/"), re.DOTALL) is not None


def flatten(permission: Value, home: str) -> Iterator[OrderedRule]:
    """The rules of a `permission` value, in the order of its keys, with the home for a leading `~`."""
    if isinstance(permission, str):
        yield OrderedRule("*", "*", permission)
    elif is_mapping(permission):
        for key, value in permission.items():
            if is_mapping(value):
                yield from (OrderedRule(key, _at_home(name, home), str(action)) for name, action in value.items())
            else:
                yield OrderedRule(key, "*", str(value))


def _at_home(pattern: str, home: str) -> str:
    return home + pattern[1:] if pattern == "~" or pattern.startswith("~/") else pattern


def decide(rules: Iterable[OrderedRule], permission: str, text: str) -> str:
    """The action of the last rule that matches; OpenCode asks if there is none."""
    found = "ask"
    for rule in rules:
        if matches(permission, rule.permission) and matches(text, rule.pattern):
            found = rule.action
    return found


def merged(lower: Value, upper: Value) -> Value:
    """OpenCode's deep merge of two files: a key that is there already keeps its position."""
    if not is_mapping(lower) or not is_mapping(upper):
        return upper
    joined: dict[str, Value] = dict(lower)
    for key, value in upper.items():
        joined[key] = merged(joined[key], value) if key in joined else value
    return joined


def overlap(one: str, other: str) -> bool:
    """Whether some text is covered by both patterns."""
    return any(_meet(left, right) for left in _spellings(one) for right in _spellings(other))


def _spellings(pattern: str) -> Iterator[str]:
    collapsed = re.sub(r"\*+", "*", pattern)
    yield collapsed
    if pattern.endswith(" *"):
        yield collapsed[:-2]


@cache
def _meet(one: str, other: str) -> bool:
    if not one or not other:
        return not (one + other).strip("*")
    if one[0] == "*":
        return _meet(one[1:], other) or _meet(one, other[1:])
    if other[0] == "*":
        return _meet(one, other[1:]) or _meet(one[1:], other)
    return (one[0] == other[0] or "?" in (one[0], other[0])) and _meet(one[1:], other[1:])
