"""A permission rule as text: `Tool` or `Tool(pattern)`, with what Claude Code would say about an odd one."""

from __future__ import annotations

import re

from sightline.sync.model import PermissionKind
from sightline.sync.model_values import JsonValue

_RULE = re.compile(r"([^()]+?)\s*(?:\((.*)\))?", re.DOTALL)
_ESCAPED = re.compile(r"\\([()\\])")
_ALLOWED_GLOB = re.compile(r"mcp__[^*]+?__[^*]*\*.*")
_PATHS_NOT_CONSULTED = frozenset({"Write", "Glob", "NotebookEdit", "MultiEdit", "Grep", "LS"})


class MalformedRule(ValueError):
    """The entry is no permission rule."""


def parse_rule(entry: JsonValue) -> tuple[str, str | None]:
    """Tool and pattern of an entry; raises `MalformedRule`."""
    if not isinstance(entry, str):
        raise MalformedRule("a rule must be a string")
    match = _RULE.fullmatch(entry.strip())
    if match is None:
        raise MalformedRule("a rule is `Tool` or `Tool(pattern)`")
    pattern = None if match[2] is None else _ESCAPED.sub(r"\1", match[2])
    return match[1], pattern or None


def remark_on_rule(effect: PermissionKind, tool: str, pattern: str | None) -> str:
    """Why Claude Code never consults the rule, or nothing."""
    if pattern is not None and tool in _PATHS_NOT_CONSULTED:
        return "paths count only on `Read` and `Edit`, so Claude Code never consults it"
    if effect is PermissionKind.ALLOW and "*" in tool and not _ALLOWED_GLOB.fullmatch(tool):
        return "in an allow rule a star may only follow `mcp__server__`, so Claude Code ignores it"
    return ""
