"""Hooks as `hooks.json`: the events and types that Codex runs, in the same nested form, without fields it has not."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from sightline.sync.formats.values import KeyPath, Value, entry_step
from sightline.sync.model import Hook
from sightline.sync.model_values import JsonValue
from sightline.sync.outputs import Grade, OutputScope, OwnedKeys
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.targets.findings import Findings


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


EVENTS = _words(
    "PreToolUse PermissionRequest PostToolUse PreCompact PostCompact SessionStart SessionEnd UserPromptSubmit "
    "SubagentStart SubagentStop Stop"
)
BLOCKING_EVENTS = _words("PreToolUse PermissionRequest UserPromptSubmit")
_NAMES = re.compile(r"[\w ,|-]*")
_NOT_IN_RUST = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\\k<")
_PROJECT_DIR = re.compile(r"\$\{CLAUDE_PROJECT_DIR\}|\$CLAUDE_PROJECT_DIR(?!\w)")
_PLUGIN_ROOT = re.compile(r"\$\{CLAUDE_PLUGIN_ROOT\}|\$CLAUDE_PLUGIN_ROOT(?!\w)")
_OTHER_VARIABLE = re.compile(r"\$\{?(?:CLAUDE_(?:PLUGIN_|ENV_FILE)\w*|user_config\.)")
_ROOT_COMMAND = "$(git rev-parse --show-toplevel)"
_PLAIN_PATH = re.compile(r"[\w./@+:-]+")
FIELD_GRADES: Mapping[str, tuple[Grade, str]] = {
    "command": ("exact", ""),
    "timeout": ("exact", ""),
    "statusMessage": ("exact", ""),
    "async": ("exact", ""),
    "args": ("equivalent", "quoted into the command"),
    "server": ("exact", ""),
    "tool": ("exact", ""),
    "input": ("exact", ""),
    "if": ("dropped", "Codex cannot filter: the hook fires more often"),
    "once": ("dropped", "the hook fires each time"),
    "asyncRewake": ("dropped", "Codex does not wake up by it"),
    "shell": ("dropped", "Codex takes its own shell"),
}


class NotRunnable(ValueError):
    """A hook that Codex would not run, or not as meant."""


def render_hooks(
    hooks: Iterable[tuple[Hook, OutputScope]],
    places: CodexPlaces,
    plugin_roots: Mapping[str, Path | None],
    server_names: Mapping[str, str],
    findings: Findings,
) -> list[OwnedKeys]:
    """The files; each group of an event's list is one key, so that those of others stay."""
    groups: dict[OutputScope, dict[tuple[str, str], list[tuple[Value, str]]]] = {"user": {}, "project": {}}
    for hook, scope in hooks:
        try:
            matcher = _matcher(hook)
            entry = _entry(hook, plugin_roots.get(hook.provenance.plugin), server_names)
        except NotRunnable as error:
            _note_refused(hook, str(error), findings)
            continue
        groups[scope].setdefault((hook.event, matcher), []).append((entry, hook.item_id))
        _note(hook, findings)
    outputs: list[OwnedKeys] = []
    for scope, found in groups.items():
        if found:
            values: dict[KeyPath, Value] = {}
            sources: dict[KeyPath, str | tuple[str, ...]] = {}
            for (event, matcher), members in found.items():
                group = _group(matcher, [entry for entry, _ in members])
                key: KeyPath = ("hooks", event, entry_step(group))
                values[key], sources[key] = group, tuple(item_id for _, item_id in members)
            file = places.folder(scope) / "hooks.json"
            outputs.append(OwnedKeys(file, "jsonc", values, scope, sources))
            where = places.shown(file)
            findings.step(f"new and changed hooks of `{where}` stay off until you review them with `/hooks` in Codex")
    return outputs


def _group(matcher: str, entries: list[Value]) -> Value:
    return {"matcher": matcher, "hooks": entries} if matcher else {"hooks": entries}


def _matcher(hook: Hook) -> str:
    matcher = hook.matcher.strip()
    if hook.event not in EVENTS:
        raise NotRunnable(f"Codex has no event `{hook.event}`" if hook.is_known_event else "the event is not known")
    if matcher in {"", "*"}:
        return ""
    if _NAMES.fullmatch(matcher):
        return "|".join(name.strip() for name in re.split(r"[,|]", matcher) if name.strip())
    if _NOT_IN_RUST.search(matcher):
        raise NotRunnable("the matcher looks around or back, which Codex cannot")
    return matcher


def _entry(hook: Hook, plugin_root: Path | None, server_names: Mapping[str, str]) -> dict[str, Value]:
    fields = hook.fields
    entry: dict[str, Value]
    if hook.type == "command":
        entry = {"type": "command", "command": _command(fields, plugin_root)}
    elif hook.type == "mcp_tool":
        entry = _tool_call(fields, server_names)
    else:
        raise NotRunnable(f"Codex runs no hooks of type `{hook.type}`")
    if hook.timeout_s is not None:
        entry["timeout"] = max(1, math.ceil(hook.timeout_s))
    if isinstance(message := fields.get("statusMessage"), str):
        entry["statusMessage"] = message
    if fields.get("async") is True or fields.get("asyncRewake") is True:
        entry["async"] = True
    return entry


def _command(fields: Mapping[str, JsonValue], plugin_root: Path | None) -> str:
    command, arguments = fields.get("command"), fields.get("args")
    if not isinstance(command, str) or not command.strip():
        raise NotRunnable("there is no command")
    if fields.get("shell") not in {None, "bash"}:
        raise NotRunnable("Codex cannot choose the shell")
    if isinstance(arguments, list):
        command = " ".join(_quoted(str(word)) for word in (command, *arguments))
    command = _PROJECT_DIR.sub(_ROOT_COMMAND, command)
    if plugin_root is not None and _PLUGIN_ROOT.search(command):
        if not _PLAIN_PATH.fullmatch(plugin_root.as_posix()):
            raise NotRunnable("the folder of the plugin has signs that a shell would take apart")
        command = _PLUGIN_ROOT.sub(lambda _: plugin_root.as_posix(), command)
    if _OTHER_VARIABLE.search(command):
        raise NotRunnable("the command needs variables that only Claude Code sets")
    return command


def _quoted(word: str) -> str:
    """A word for the shell; Claude Code's own variables are still expanded."""
    if not _PROJECT_DIR.search(word) and not _PLUGIN_ROOT.search(word):
        return shlex.quote(word)
    if re.search(r"[`\"\\]|\$(?!\{?CLAUDE_)", word):
        raise NotRunnable("an argument mixes variables and signs that a shell would take apart")
    return f'"{word}"'


def _tool_call(fields: Mapping[str, JsonValue], server_names: Mapping[str, str]) -> dict[str, Value]:
    server, tool, given = fields.get("server"), fields.get("tool"), fields.get("input")
    if not isinstance(server, str) or not isinstance(tool, str):
        raise NotRunnable("there is no server or no tool")
    if server not in server_names:
        raise NotRunnable("its server is not written for Codex")
    entry: dict[str, Value] = {"type": "mcp_tool", "server": server_names[server], "tool": tool}
    return entry if given is None else {**entry, "input": given}


def _note(hook: Hook, findings: Findings) -> None:
    lost = [name for name in ("if", "once") if hook.fields.get(name)]
    uses_root = bool(_PROJECT_DIR.search(str(hook.fields.get("command", ""))))
    findings.note(hook.item_id, "", "approximated" if lost or uses_root else "equivalent")
    findings.note(hook.item_id, "matcher", "equivalent")
    if uses_root:
        findings.note(hook.item_id, "command", "approximated", "the project's folder is asked from git")
    for key in hook.fields:
        grade, reason = FIELD_GRADES.get(key, ("dropped", "this version does not know the field"))
        findings.note(hook.item_id, key, grade, reason)
    if lost:
        findings.delta(
            f"`{hook.item_id}` fires more often in Codex: no {' and no '.join(f'`{each}`' for each in lost)}"
        )


def _note_refused(hook: Hook, reason: str, findings: Findings) -> None:
    findings.note(hook.item_id, "", "dropped", reason)
    findings.note(hook.item_id, "matcher", "dropped", "goes with the hook")
    for key in hook.fields:
        findings.note(hook.item_id, key, "dropped", "goes with the hook")
    if hook.event in BLOCKING_EVENTS:
        findings.delta(f"laxer: `{hook.item_id}` can stop nothing in Codex: {reason}")
