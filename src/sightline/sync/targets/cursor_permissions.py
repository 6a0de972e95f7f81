"""Permission rules as the deny list of Cursor's CLI. It asks about every command and address that nothing allows.

No grant is written: whether an allowed first word covers a whole line of commands is not documented. An ask for files
becomes a denial, since reading and writing are not asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sightline.sync.model import PermissionKind, PermissionRule
from sightline.sync.targets.codex_file_rules import NotCoverable, file_keys
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.targets.findings import Findings

_WORD = re.compile(r"[^\s()*?\[\]{}:,]+")
_LETTER_CLASS = re.compile(r"\[(\w)\]")
_EVERY_FILE = ("Write", "MultiEdit", "NotebookEdit")


def denied_tokens(
    rule: PermissionRule, servers: Mapping[str, str], places: CodexPlaces, findings: Findings
) -> list[str]:
    """The tokens for a rule, none if Cursor needs none or has none; what became of it goes to the findings."""
    if rule.effect is PermissionKind.ALLOW:
        findings.note(rule.item_id, "", "dropped", "Cursor asks: a grant could cover more than it says")
        return []
    is_asked_anyway = rule.tool in {"Bash", "WebFetch", "WebSearch"} or rule.tool.startswith("mcp__")
    if rule.effect is PermissionKind.ASK and is_asked_anyway:
        findings.note(rule.item_id, "", "equivalent", "Cursor asks unless you allow it there")
        return []
    tokens = list(dict.fromkeys(_tokens(rule, servers, places)))
    if not tokens:
        findings.note(rule.item_id, "", "dropped", "Cursor has no rule like it")
        findings.delta(f"laxer: `{rule.item_id}` is not held by Cursor: it asks, or has no such tool")
    else:
        findings.note(rule.item_id, "", "approximated", "a denial of Cursor's CLI; the editor has no denials")
        if rule.effect is PermissionKind.ASK:
            findings.delta(f"stricter: what `{rule.item_id}` names is denied in Cursor's CLI")
    return tokens


def _tokens(rule: PermissionRule, servers: Mapping[str, str], places: CodexPlaces) -> Iterator[str]:
    if rule.tool == "Bash":
        yield from _commands(rule.pattern)
    elif rule.tool in {"Read", "Edit"}:
        kinds = ("Read", "Write") if rule.tool == "Read" and rule.effect is PermissionKind.DENY else (rule.tool,)
        names = tuple("Write" if kind == "Edit" else kind for kind in kinds)
        for glob in _globs(rule, places):
            yield from (f"{name}({glob})" for name in names)
    elif rule.tool in _EVERY_FILE and rule.pattern is None:
        yield "Write(**)"
    elif rule.tool == "WebFetch":
        yield from _hosts(rule.pattern)
    elif rule.tool.startswith("mcp__"):
        server, _, tool = rule.tool.removeprefix("mcp__").partition("__")
        name = "*" if "*" in server else servers.get(server, server)
        is_plain = re.fullmatch(r"[\w.*-]+", tool) is not None
        yield f"Mcp({name}:{tool if is_plain else '*'})"


def _commands(pattern: str | None) -> Iterator[str]:
    """`Shell(command)` or `Shell(command:arguments)`; a star at the first word denies every command."""
    text = (pattern or "*").strip()
    text = text[:-2].rstrip() if text.endswith((" *", ":*")) else text
    first, _, rest = text.partition(" ")
    if not _WORD.fullmatch(first):
        yield "Shell(*)"
    elif rest and not re.search(r"[()\\\n]", rest):
        yield f"Shell({first}:{rest.strip().rstrip('*')}*)"
    else:
        yield f"Shell({first})"


def _globs(rule: PermissionRule, places: CodexPlaces) -> Iterator[str]:
    if rule.pattern is None:
        yield "**"
        return
    try:
        keys = file_keys(rule, places).keys
    except NotCoverable:
        return
    for key in keys:
        plain = _LETTER_CLASS.sub(r"\1", key)
        if plain.startswith("~") and not rule.scope.is_committed:
            yield places.home.as_posix() + plain[1:]
        elif not re.search(r"[()~\n]", plain):
            yield plain


def _hosts(pattern: str | None) -> Iterator[str]:
    host = (pattern or "domain:*").removeprefix("domain:").strip().lower()
    if re.fullmatch(r"[\w.*-]+", host):
        yield f"WebFetch({host})"
