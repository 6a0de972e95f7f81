"""What each target would decide about an action by the outputs that were rendered for it, without its CLI.

Only as much is claimed as the outputs say: where nothing of ours applies, the answer is that of the target's default.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from sightline.sync.formats import jsonc
from sightline.sync.formats.values import Value
from sightline.sync.model import PermissionKind, SourceTree
from sightline.sync.outputs import OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.permission_commands import split_command, words_of
from sightline.sync.permissions import Action, ActionKind
from sightline.sync.targets.opencode_decisions import DEFAULTS, verdict
from sightline.sync.targets.opencode_wildcards import flatten, merged
from sightline.sync.targets.servers import name_servers
from tests.sync.targets.gemini_rules import verdict_by_files

Judge = Callable[[Action], PermissionKind]
ALLOW, ASK, DENY = PermissionKind.ALLOW, PermissionKind.ASK, PermissionKind.DENY
_PREFIX_RULE = re.compile(r'^prefix_rule\(pattern=(?P<pattern>\[.*\]), decision="(?P<decision>\w+)"\)$', re.MULTILINE)


def codex_judge(tree: SourceTree, rendered: Rendered, places: TargetPlaces) -> Judge:
    """By the command rules alone; what they do not name runs in the sandbox, which is no allow."""
    files = [each for each in rendered.outputs if isinstance(each, OwnedFile) and each.path.suffix == ".rules"]
    found = [match for file in files for match in _PREFIX_RULE.finditer(file.content.decode())]
    rules: list[tuple[list[str], str]] = [(json.loads(match["pattern"]), match["decision"]) for match in found]
    assert {decision for _, decision in rules} == {"allow", "prompt", "forbidden"}

    def judge(action: Action) -> PermissionKind:
        if action.kind is not ActionKind.BASH or re.search(r"[$`<>*?\[\]{}()!~=\\]", action.value):
            return ASK
        parts = [words for part in split_command(action.value).parts if (words := words_of(part))]
        return max((_codex_part(rules, words) for words in parts), key=list(PermissionKind).index, default=ASK)

    return judge


def _codex_part(rules: list[tuple[list[str], str]], words: list[str]) -> PermissionKind:
    met = {decision for pattern, decision in rules if words[: len(pattern)] == pattern}
    return DENY if "forbidden" in met else ASK if "prompt" in met or not met else ALLOW


def gemini_judge(tree: SourceTree, rendered: Rendered, places: TargetPlaces) -> Judge:
    files = [
        output.content
        for output in rendered.outputs
        if isinstance(output, OwnedFile) and output.path.parent.name == "policies"
    ]
    return lambda action: verdict_by_files(files, action, places.home, places.project)


def opencode_judge(tree: SourceTree, rendered: Rendered, places: TargetPlaces) -> Judge:
    table: Value = {}
    for scope in ("user", "project"):
        for output in rendered.outputs:
            if isinstance(output, OwnedKeys) and output.scope == scope:
                table = merged(table, json.loads(jsonc.set_values(b"", output.values).content))
    rules = [*DEFAULTS, *flatten(_below(table, "permission"), places.home.as_posix())]
    servers = name_servers(tree)
    return lambda action: verdict(rules, action, (places.project, places.home), servers)


def _below(value: Value, key: str) -> Value:
    return value.get(key) if isinstance(value, Mapping) else None


def cursor_judge(tree: SourceTree, rendered: Rendered, places: TargetPlaces) -> Judge:
    """By the deny list; no allow list is ever written, so commands and addresses are asked about."""
    denied: list[str] = []
    for output in rendered.outputs:
        if isinstance(output, OwnedKeys) and output.path.name in {"cli.json", "cli-config.json"}:
            assert {key[:2] for key in output.values} == {("permissions", "deny")}
            denied.extend(map(str, output.values.values()))

    def judge(action: Action) -> PermissionKind:
        kinds = {ActionKind.READ: "Read", ActionKind.EDIT: "Write"}
        if any(_is_denied(token, action, places) for token in denied):
            return DENY
        return ALLOW if action.kind in kinds else ASK

    return judge


def _is_denied(token: str, action: Action, places: TargetPlaces) -> bool:
    name, _, pattern = token.rstrip(")").partition("(")
    match action.kind:
        case ActionKind.BASH:
            base, _, arguments = pattern.partition(":")
            parts = (part.partition(" ") for part in split_command(action.value).parts)
            return name == "Shell" and any(
                fnmatch.fnmatchcase(first, base) and fnmatch.fnmatchcase(rest, arguments or "*")
                for first, _, rest in parts
            )
        case ActionKind.READ | ActionKind.EDIT:
            wanted = "Read" if action.kind is ActionKind.READ else "Write"
            path = Path(action.value.replace("~", places.home.as_posix(), 1))
            shown = path.relative_to(places.project) if path.is_relative_to(places.project) else path
            glob = pattern.replace("**/", "*")
            return name == wanted and fnmatch.fnmatchcase(shown.as_posix(), glob)
        case ActionKind.WEBFETCH:
            return name == "WebFetch" and fnmatch.fnmatchcase(urlsplit(action.value).hostname or "", pattern)
        case ActionKind.MCP:
            server, _, tool = action.value.removeprefix("mcp__").partition("__")
            return name == "Mcp" and fnmatch.fnmatchcase(f"{server}:{tool}", pattern)


JUDGES: Mapping[str, Callable[[SourceTree, Rendered, TargetPlaces], Judge]] = {
    "codex": codex_judge,
    "gemini": gemini_judge,
    "opencode": opencode_judge,
    "cursor": cursor_judge,
}
