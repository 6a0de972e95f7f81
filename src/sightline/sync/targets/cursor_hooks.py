"""Hooks as Cursor's `hooks.json`: flat entries under camel-case events; only commands are carried over."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from sightline.sync.formats.values import KeyPath, Value, entry_step
from sightline.sync.model import Hook
from sightline.sync.outputs import OutputScope
from sightline.sync.targets.findings import Fate, Findings
from sightline.sync.targets.plugin_folders import hook_with_plugin_folder, needs_plugin
from sightline.sync.targets.selection import Selection

EVENTS: Mapping[str, str] = {
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
    "PostToolUseFailure": "postToolUseFailure",
    "UserPromptSubmit": "beforeSubmitPrompt",
    "Stop": "stop",
    "SubagentStart": "subagentStart",
    "SubagentStop": "subagentStop",
    "SessionStart": "sessionStart",
    "SessionEnd": "sessionEnd",
    "PreCompact": "preCompact",
}
_TOOLS: Mapping[str, str] = {
    "Bash": "Shell",
    "Read": "Read",
    "Write": "Write",
    "Edit": "Write",
    "MultiEdit": "Write",
    "NotebookEdit": "Write",
    "Grep": "Grep",
    "Task": "Task",
    "Agent": "Task",
}
_MATCHED = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})
_GUARDS = frozenset({"PreToolUse", "UserPromptSubmit"})

HOOK_FATES: Mapping[str, Fate] = {
    "command": ("approximated", "it gets Cursor's names and fields on its input"),
    "timeout": ("exact", "seconds in both"),
    "args": ("equivalent", "quoted behind the command"),
    "if": ("dropped", "the hook fires more often"),
    "once": ("dropped", "the hook fires more often"),
    "async": ("dropped", "Cursor waits for the hook"),
    "asyncRewake": ("dropped", "Cursor waits for the hook"),
    "shell": ("dropped", "Cursor runs its own shell"),
    "statusMessage": ("dropped", "no equivalent"),
}


def render_hooks(
    selection: Selection, scope: OutputScope
) -> tuple[dict[KeyPath, Value], dict[KeyPath, tuple[str, ...]]]:
    """The values of `hooks.json`, one for each entry, and the items that each comes from."""
    values: dict[KeyPath, Value] = {}
    sources: dict[KeyPath, tuple[str, ...]] = {}
    for item, place in selection.choose(selection.tree.hooks):
        hook = hook_with_plugin_folder(item, selection.tree) if scope == "user" else item
        if place == scope and (entry := _entry(hook, selection.findings)) is not None:
            key: KeyPath = ("hooks", EVENTS[hook.event], entry_step(entry))
            values[key], sources[key] = entry, (*sources.get(key, ()), hook.item_id)
    if not values:
        return {}, {}
    values = {("version",): 1, **values}
    sources["version",] = tuple(each for found in sources.values() for each in found)
    selection.findings.warn("Cursor with third-party hooks enabled runs Claude Code's own hooks, too: they fire twice")
    return values, sources


def _entry(hook: Hook, findings: Findings) -> dict[str, Value] | None:
    matcher = _matcher(hook)
    if reason := _reason(hook, matcher):
        findings.note(hook.item_id, "", "dropped", reason)
        findings.note(hook.item_id, "matcher", "dropped", "goes with the hook")
        findings.note_fields(hook.item_id, hook.fields, dict.fromkeys(hook.fields, ("dropped", "goes with the hook")))
        if hook.event in _GUARDS:
            findings.delta(f"laxer: the hook `{hook.item_id}` does not guard Cursor: {reason}")
        return None
    arguments = hook.fields.get("args")
    words = [shlex.quote(str(word)) for word in arguments] if isinstance(arguments, list) else []
    entry: dict[str, Value] = {"command": " ".join([str(hook.fields["command"]), *words])}
    if matcher:
        entry["matcher"] = matcher
    if hook.timeout_s is not None:
        entry["timeout"] = max(1, round(hook.timeout_s))
    findings.note(hook.item_id, "", "approximated", f"`{EVENTS[hook.event]}`")
    findings.note(hook.item_id, "matcher", "equivalent", f"`{matcher}`" if matcher else "")
    findings.note_fields(hook.item_id, hook.fields, HOOK_FATES)
    return entry


def _reason(hook: Hook, matcher: str | None) -> str:
    if hook.event not in EVENTS:
        return f"Cursor has no event like `{hook.event}`"
    if hook.type != "command" or not isinstance(hook.fields.get("command"), str):
        return f"only commands are carried over, not `{hook.type}`"
    if needs_plugin(hook):
        return "only Claude Code knows the folder of the plugin"
    if hook.fields.get("shell") not in {None, "bash"}:
        return "it wants another shell"
    return "the matcher cannot be said in Cursor's names" if matcher is None else ""


def _matcher(hook: Hook) -> str | None:
    """In Cursor's names, empty for everything; none if it cannot be said."""
    if hook.matcher in {"", "*"}:
        return ""
    names = [name.strip() for name in re.split(r"[|,]", hook.matcher)]
    if hook.event not in _MATCHED or any(name not in _TOOLS for name in names):
        return None
    return "|".join(dict.fromkeys(_TOOLS[name] for name in names))
