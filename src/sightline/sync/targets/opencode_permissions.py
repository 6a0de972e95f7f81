"""Permission rules as OpenCode's ordered patterns, such that no order of merging makes them laxer.

OpenCode merges the user's file and the project's by key, a key keeps the position that it has in the user's file, and
the last rule that matches decides. Keys may hold stars, too. So allows stand under the tool's own key, asks under the
key with one star behind it and denies under the key with two: each file has all three in this order, even if empty,
and whatever is merged into them, a deny comes after an ask and an ask after an allow. In the user's file each ask and
each deny is a key of its own, since the rules of one person for several projects meet there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.formats.values import KeyPath, Value
from sightline.sync.model import PermissionKind, PermissionRule, Scope
from sightline.sync.targets.findings import Findings
from sightline.sync.targets.opencode_paths import PathPatterns, path_patterns
from sightline.sync.targets.opencode_wildcards import overlap

_FLAT = {
    "WebFetch": "webfetch",
    "WebSearch": "websearch",
    "TodoWrite": "todowrite",
    "Task": "task",
    "Agent": "task",
    "Skill": "skill",
    "Glob": "glob",
    "Grep": "grep",
    "LS": "list",
}
_ENDS = {PermissionKind.ALLOW: "", PermissionKind.ASK: "*", PermissionKind.DENY: "**"}
# What an allow must not carry along: redirections, expansions, and commands that Claude Code always asks about.
_GUARDS = (
    *("*>*", "*<*", "*$*", "*`*", "watch *", "setsid *", "ionice *", "flock *", "xargs *"),
    *("find *-exec*", "find *-ok*", "find *-delete*", "find *-fp*", "find *-fls*"),
)
PROTECTED = (".git", ".claude", ".vscode", ".idea", ".husky")
MCP_TOOLS = "*_*"
BASELINE = "permission:baseline@user"
# Keeps a table in its place; as a command it would do nothing.
PLACE_HOLDER = "# allow, then ask, then deny"
READING_COMMANDS = ("cat", "head", "tail", "sed", "grep", "less", "more", "wc", "diff", "stat", "ls")
_ORDERED = ("bash", "edit", "read", "external_directory", "webfetch", "websearch")


@dataclass(slots=True)
class Layer:
    """The permissions of one file: patterns by tool and effect, and single MCP tools by name, with their rules."""

    patterns: dict[tuple[str, PermissionKind], dict[str, str]] = field(
        default_factory=dict[tuple[str, PermissionKind], dict[str, str]]
    )
    tools: dict[str, PermissionKind] = field(default_factory=dict[str, PermissionKind])
    sources: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, effect: PermissionKind, key: str, patterns: Iterable[str], source: str = BASELINE) -> None:
        known = self.patterns.setdefault((key, effect), {})
        for pattern in patterns:
            known.setdefault(pattern, source)

    def add_tool(
        self, effect: PermissionKind, name: str, others: Iterable[tuple[str, PermissionKind]], source: str
    ) -> bool:
        """Note an MCP tool, whose rules can stand in any order: an allow that meets another rule is left out, and an
        ask that meets a deny becomes one."""
        met = [kind for other, kind in (*self.tools.items(), *others) if overlap(other, name)]
        if effect is PermissionKind.ALLOW and any(kind is not PermissionKind.ALLOW for kind in met):
            return False
        if effect is PermissionKind.ASK and PermissionKind.DENY in met:
            effect = PermissionKind.DENY
        self.tools[name] = effect
        self.sources[name] = source
        return True


def layer_of(
    rules: Sequence[PermissionRule],
    servers: Mapping[str, str],
    places: tuple[Path, Path],
    personal: Layer | None,
    findings: Findings,
) -> Layer:
    """The layer of one file; `personal` is the user's, when this is the project's. `places` are project and home."""
    layer = Layer()
    others = tuple(personal.tools.items()) if personal is not None else ()
    for effect in (PermissionKind.DENY, PermissionKind.ASK):
        for rule in rules:
            if rule.effect is effect:
                _restrict(layer, rule, servers, places, findings, others)
    for rule in rules:
        if rule.effect is PermissionKind.ALLOW:
            _grant(layer, rule, servers, places, findings, others)
    return layer


def _restrict(
    layer: Layer,
    rule: PermissionRule,
    servers: Mapping[str, str],
    places: tuple[Path, Path],
    findings: Findings,
    others: Sequence[tuple[str, PermissionKind]],
) -> None:
    if rule.tool == "Bash":
        layer.add(rule.effect, "bash", command_patterns(rule.pattern), rule.item_id)
    elif rule.tool in {"Read", "Edit"}:
        _restrict_path(layer, rule, places)
    elif rule.tool in {"Write", "MultiEdit", "NotebookEdit"} and rule.pattern is None:
        layer.add(rule.effect, "edit", ["*"], rule.item_id)
    elif rule.tool in _FLAT:
        patterns = _address_patterns(rule) if rule.tool == "WebFetch" else ["*"]
        layer.add(rule.effect, _FLAT[rule.tool], patterns, rule.item_id)
    elif rule.tool.startswith("mcp__"):
        # A person's rule for this project alone gets a key that no rule for all projects has.
        end = "*" if rule.scope is Scope.LOCAL else ""
        layer.add_tool(rule.effect, tool_key(rule.tool, servers) + end, others, rule.item_id)
    elif "*" in rule.tool:
        layer.add(rule.effect, "?", ["*"], rule.item_id)
    else:
        findings.note(rule.item_id, "", "dropped", f"OpenCode has no tool like `{rule.tool}`")
        return
    findings.note(rule.item_id, "", "approximated", "covers at least what it says")
    if rule.scope is Scope.LOCAL:
        findings.delta(f"stricter: `{rule.item_id}` holds in every project that OpenCode opens")


def command_patterns(pattern: str | None) -> list[str]:
    """Patterns that cover a command rule, also behind variables, wrappers and folders."""
    text = re.sub(r"\*+", "*", (pattern or "*").strip().replace("\\*", "*"))
    text = text[:-2].rstrip() if text.endswith((" *", ":*")) else text
    stem = text.rstrip("*").replace("\\", "/")
    if not stem:
        return ["*"]
    end = "*" if text.endswith("*") else " *"
    return [f"{start}{spelling}{end}" for spelling in _spellings(stem) for start in ("", "* ", "*/")]


def _spellings(stem: str) -> Iterator[str]:
    """The words with one blank between them, and with more or a tab at one place."""
    words = stem.split(" ")
    yield stem
    for index in range(1, len(words)):
        before, after = " ".join(words[:index]), " ".join(words[index:])
        yield from (f"{before}  *{after}", f"{before}\t*{after}")


def _restrict_path(layer: Layer, rule: PermissionRule, places: tuple[Path, Path]) -> None:
    keys = ["read", "edit"] if rule.tool == "Read" and rule.effect is PermissionKind.DENY else [rule.tool.lower()]
    found = path_patterns(rule, *places) if rule.pattern is not None else PathPatterns(("*",))
    for key in keys:
        layer.add(rule.effect, key, found.inside, rule.item_id)
    layer.add(rule.effect, "external_directory", found.outside, rule.item_id)
    layer.add(rule.effect, "bash", _words_with(found.names, reads=rule.tool == "Read"), rule.item_id)
    if rule.pattern is None:
        layer.add(rule.effect, "bash", ["*>*"], rule.item_id)
        for reader in READING_COMMANDS if rule.tool == "Read" else ():
            layer.add(rule.effect, "bash", ["*<*", *command_patterns(f"{reader} *")], rule.item_id)


def _words_with(names: Iterable[str], *, reads: bool) -> Iterator[str]:
    """Commands that name a covered path as a word, or only those that redirect into it."""
    for name in names:
        if not reads:
            yield from (f"*>*{name} *", f"*>*{name}/*")
            continue
        for before in " />=":
            yield from (f"*{before}{name} *", f"*{before}{name}/*")
        for quote in "'\"":
            yield from (f"*{quote}{name}{quote}*", f"*{quote}{name}/*")


def _address_patterns(rule: PermissionRule) -> list[str]:
    if rule.pattern is None or not rule.pattern.startswith("domain:"):
        return ["*"]
    host = rule.pattern.removeprefix("domain:").strip().lower().removeprefix("*.")
    return [f"*{host}*", *(f"*{each}*" for each in _with_capitals(host))] if host else ["*"]


def _with_capitals(host: str) -> Iterator[str]:
    """Patterns for every spelling with a capital in it, each for one place: case does not count in a host."""
    for index, letter in enumerate(host):
        if letter.isalpha():
            places = ("?" if other.isalpha() else other for other in host)
            yield "".join(letter.upper() if place == index else other for place, other in enumerate(places))


def tool_key(tool: str, servers: Mapping[str, str]) -> str:
    """OpenCode's name for an MCP tool, or a pattern for the names that a rule covers."""
    server, _, name = tool.removeprefix("mcp__").partition("__")
    known = servers.get(server, re.sub(r"[^A-Za-z0-9_*-]", "_", server))
    if "*" in server:
        return f"{known.partition('*')[0]}*_*"
    return f"{known}_{re.sub(r'[^A-Za-z0-9_*-]', '_', name) or '*'}"


def _grant(
    layer: Layer,
    rule: PermissionRule,
    servers: Mapping[str, str],
    places: tuple[Path, Path],
    findings: Findings,
    others: Sequence[tuple[str, PermissionKind]],
) -> None:
    if rule.scope not in {Scope.USER, Scope.PROJECT}:
        findings.note(rule.item_id, "", "dropped", "a grant for this project alone has no place; OpenCode asks")
        return
    key, pattern = _granted(rule, servers, places)
    is_said = bool(pattern)
    if is_said and rule.tool.startswith("mcp__"):
        is_said = layer.add_tool(rule.effect, key, others, rule.item_id)
    elif is_said:
        layer.add(rule.effect, key, [pattern], rule.item_id)
    if is_said:
        findings.note(rule.item_id, "", "equivalent", "commands with redirections or expansions are asked")
    else:
        findings.note(rule.item_id, "", "dropped", "OpenCode asks: the grant cannot be said without widening it")


def _granted(rule: PermissionRule, servers: Mapping[str, str], places: tuple[Path, Path]) -> tuple[str, str]:
    """The key and the pattern of a grant that stays inside of what Claude Code allows; empty if there is none."""
    if rule.tool == "Bash" and rule.pattern:
        return "bash", _granted_command(rule.pattern.strip())
    if rule.tool == "Edit" and rule.pattern:
        return "edit", path_patterns(rule, *places).folder
    is_tool = rule.tool.startswith("mcp__") and rule.tool.count("__") == 2 and "*" not in rule.tool
    if is_tool and rule.pattern is None and rule.tool.split("__")[1] in servers:
        return tool_key(rule.tool, servers), "*"
    return "", ""


def _granted_command(pattern: str) -> str:
    if pattern.endswith(":*"):
        pattern = pattern[:-2] + " *"
    if re.search(r"[\\?$`<>|&;(){}\n:]\*?|\*\*|^\*", pattern.replace(" *", " ")):
        return ""
    # Claude Code asks about `git` behind a `cd`, which OpenCode does not look at.
    if overlap(pattern, "git *") or overlap(pattern, "cd *"):
        return ""
    if pattern.endswith(" *") and "*" in pattern[:-2]:
        return pattern[:-1] + "?*"
    return pattern


@frozen
class PermissionValue:
    """A value for a key below `permission`, with the rules that it comes from."""

    key: KeyPath
    value: Value
    sources: tuple[str, ...]


def permission_values(layer: Layer, *, edits: str, has_mcp_baseline: bool, splits: bool) -> Iterator[PermissionValue]:
    """The `permission` table, keys in the order in which they must stand; `splits` gives each ask and deny its own."""
    if layer.patterns.get(("bash", PermissionKind.ALLOW)):
        layer.add(PermissionKind.ASK, "bash", _GUARDS)
    if edits == "allow":
        layer.add(PermissionKind.ASK, "edit", (f"{start}{name}/*" for name in PROTECTED for start in ("", "*/")))
    baselines = {"bash": "ask", "edit": edits, "webfetch": "ask", "websearch": "ask"}
    if has_mcp_baseline:
        yield PermissionValue((MCP_TOOLS,), "ask", (BASELINE,))
    for key in dict.fromkeys((*_ORDERED, *(name for name, _ in layer.patterns))):
        granted = layer.patterns.get((key, PermissionKind.ALLOW), {})
        yield from _grants(key, granted, baselines.get(key, ""))
        for effect in (PermissionKind.ASK, PermissionKind.DENY):
            yield from _restrictions(f"{key}{_ENDS[effect]}", effect, layer.patterns.get((key, effect), {}), splits)
    for name, effect in layer.tools.items():
        yield PermissionValue((name,), effect.value, (layer.sources[name],))


def _grants(key: str, patterns: Mapping[str, str], baseline: str) -> Iterator[PermissionValue]:
    """One value, since its first pattern must stay the first."""
    first_source = (BASELINE,) if baseline else ()
    sources = tuple(dict.fromkeys((*first_source, *patterns.values())))
    if key in {"webfetch", "websearch"}:
        yield PermissionValue((key,), baseline, sources)
    elif baseline or patterns:
        first: dict[str, Value] = {"*": baseline} if baseline else {}
        yield PermissionValue((key,), {**first, **dict.fromkeys(patterns, "allow")}, sources)


def _restrictions(
    key: str, effect: PermissionKind, patterns: Mapping[str, str], splits: bool
) -> Iterator[PermissionValue]:
    if not splits:
        sources = tuple(dict.fromkeys(patterns.values())) or (BASELINE,)
        yield PermissionValue((key,), dict.fromkeys(patterns, effect.value), sources)
        return
    for pattern, source in {PLACE_HOLDER: BASELINE, **patterns}.items():
        yield PermissionValue((key, pattern), effect.value, (source,))
