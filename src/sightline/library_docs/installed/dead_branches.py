"""Branches that are not taken here, by the Python version and the platform: what they define does not exist.

A module that defines a name twice, under `if sys.version_info >= …` and under its `else`, has one of them. Only tests
that can be decided by reading are; all others leave both branches as they are. Lines keep their numbers.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard, cast

Compare = Callable[[Any, Any], bool]

_TELLING = re.compile(r"\b(?:sys\.(?:version_info|platform)|os\.name)\b")
_COMPARISONS: dict[type[ast.cmpop], Compare] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


@dataclass(frozen=True, slots=True)
class Running:
    """What a module would run on: the version as `(3, 11)`, and the platform as `sys.platform` names it."""

    version: tuple[int, int]
    platform: str


def without_dead_branches(text: str, running: Running) -> str:
    """The text with `pass` in place of what is never run; raises what `ast.parse` raises."""
    if not _TELLING.search(text):
        return text
    lines = text.split("\n")
    for statement in _dead(ast.parse(text).body, running):
        first = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])
        for number in range(first, (statement.end_lineno or first) + 1):
            lines[number - 1] = " " * statement.col_offset + "pass" if number == first else ""
    return "\n".join(lines)


def _dead(body: Sequence[ast.stmt], running: Running) -> Iterator[ast.stmt]:
    """Statements that are never run, outside of functions."""
    for statement in body:
        if isinstance(statement, ast.If):
            taken = _truth(statement.test, running)
            for branch, is_dead in ((statement.body, taken is False), (statement.orelse, taken is True)):
                yield from _all_of(branch, statement) if is_dead else _dead(branch, running)
        elif isinstance(statement, ast.Try):
            for inner in (statement.body, statement.orelse, statement.finalbody):
                yield from _dead(inner, running)
            for handler in statement.handlers:
                yield from _dead(handler.body, running)
        elif isinstance(statement, ast.ClassDef):
            yield from _dead(statement.body, running)


def _all_of(branch: Sequence[ast.stmt], holder: ast.If) -> Iterator[ast.stmt]:
    """The statements of a branch; of an `elif`, which is an `if` in the `else`, those in it."""
    for statement in branch:
        is_elif = (
            branch is holder.orelse and isinstance(statement, ast.If) and statement.col_offset == holder.col_offset
        )
        if is_elif and isinstance(statement, ast.If):
            yield from _all_of(statement.body, statement)
            yield from _all_of(statement.orelse, statement)
        elif statement.lineno != holder.lineno:  # `if …: x = 1` in one line stays
            yield statement


def _truth(test: ast.expr, running: Running) -> bool | None:
    """What a test comes to; None if that is not known."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(test.operand, running)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        return _of_several([_truth(each, running) for each in test.values], is_and=isinstance(test.op, ast.And))
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        compare = _COMPARISONS.get(type(test.ops[0]))
        return _compared(ast.unparse(test.left), compare, test.comparators[0], running) if compare else None
    found = re.fullmatch(r"sys\.platform\.startswith\(['\"](\w+)['\"]\)", ast.unparse(test))
    return running.platform.startswith(found[1]) if found else None


def _of_several(truths: list[bool | None], *, is_and: bool) -> bool | None:
    if any(each is (not is_and) for each in truths):
        return not is_and
    return None if None in truths else is_and


def _compared(left: str, compare: Compare, right: ast.expr, running: Running) -> bool | None:
    try:
        value: object = ast.literal_eval(right)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    texts = {"sys.platform": running.platform, "os.name": "nt" if running.platform == "win32" else "posix"}
    if left in texts and isinstance(value, str):
        return compare(texts[left], value)
    if left == "sys.version_info[0]" and isinstance(value, int):
        return compare(running.version[0], value)
    if left == "sys.version_info[:2]" and _is_version(value):
        return compare(running.version, value)
    return _whole_compared(compare, value, running) if left == "sys.version_info" and _is_version(value) else None


def _whole_compared(compare: Compare, value: tuple[int, ...], running: Running) -> bool | None:
    """The version has more numbers than are known: where these would decide, it is not told."""
    return None if len(value) > 2 and value[:2] == running.version else compare((*running.version, 0), value)


def _is_version(value: object) -> TypeGuard[tuple[int, ...]]:
    return isinstance(value, tuple) and all(isinstance(each, int) for each in cast("tuple[object, ...]", value))
