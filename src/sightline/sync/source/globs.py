"""Globs as Claude Code's settings and rules use them: `**`, `*`, `?`, classes, and braces with a budget."""

from __future__ import annotations

import re
from itertools import pairwise

MAX_PATTERNS = 1000
_PIECE = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]/]+\]|.", re.DOTALL)


def expand_braces(pattern: str, budget: int = MAX_PATTERNS) -> list[str]:
    """Every alternative of `{a,b}`, nested ones too; a pattern beyond the budget is returned as it is."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        current = waiting.pop()
        spread = _first_group(current)
        if spread is None:
            done.append(current)
            continue
        before, choices, after = spread
        if len(done) + len(waiting) + len(choices) > budget:
            return [pattern]
        waiting.extend(f"{before}{choice}{after}" for choice in reversed(choices))
    return done


def _first_group(pattern: str) -> tuple[str, list[str], str] | None:
    start = pattern.find("{")
    while start >= 0:
        depth, cuts = 0, [start]
        for at in range(start, len(pattern)):
            depth += (pattern[at] == "{") - (pattern[at] == "}")
            if pattern[at] == "," and depth == 1:
                cuts.append(at)
            if depth == 0:
                cuts.append(at)
                break
        if depth == 0 and len(cuts) > 2:
            choices = [pattern[left + 1 : right] for left, right in pairwise(cuts)]
            return pattern[:start], choices, pattern[cuts[-1] + 1 :]
        start = pattern.find("{", start + 1)
    return None


def compile_glob(pattern: str) -> re.Pattern[str]:
    """A pattern for a whole path with forward slashes; braces included."""
    return re.compile("|".join(f"(?:{_regex(each)})" for each in expand_braces(pattern)), re.DOTALL)


def _regex(pattern: str) -> str:
    return "".join(_piece_regex(piece) for piece in _PIECE.findall(pattern))


def _piece_regex(piece: str) -> str:
    match piece:
        case "**/":
            return "(?:[^/]+/|/)*"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case _ if len(piece) > 2 and piece[0] == "[":
            inside = piece[1:-1].replace("\\", r"\\")
            return f"[^{inside[1:]}]" if inside.startswith("!") else f"[{inside}]"
        case _:
            return re.escape(piece)


def matches_any(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path is matched as a whole by one of the globs."""
    return any(compile_glob(pattern).fullmatch(path) for pattern in patterns)
