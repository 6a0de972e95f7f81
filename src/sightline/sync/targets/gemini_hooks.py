"""Hooks under Gemini CLI's events and tool names, with times in milliseconds; only commands can be hooks there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from sightline.sync.formats.values import KeyPath, Value, entry_step
from sightline.sync.model import Hook
from sightline.sync.outputs import OutputScope
from sightline.sync.targets.findings import Fate, Findings
from sightline.sync.targets.gemini_agents import TOOLS
from sightline.sync.targets.plugin_folders import hook_with_plugin_folder, needs_plugin
from sightline.sync.targets.selection import Selection

EVENTS: Mapping[str, str] = {
    "PreToolUse": "BeforeTool",
    "PostToolUse": "AfterTool",
    "UserPromptSubmit": "BeforeAgent",
    "Stop": "AfterAgent",
    "SessionStart": "SessionStart",
    "SessionEnd": "SessionEnd",
    "PreCompact": "PreCompress",
    "Notification": "Notification",
}
_DEFAULT_SECONDS: Mapping[str, int] = {"UserPromptSubmit": 30}
_SECONDS = 600
_EXACT = re.compile(r"[\w-]+(?:\s*[|,]\s*[\w-]+)*")
_KNOWN_MATCHERS: Mapping[str, frozenset[str]] = {
    "SessionStart": frozenset({"startup", "resume", "clear"}),
    "PreCompact": frozenset({"manual", "auto"}),
    "SessionEnd": frozenset({"clear", "logout", "prompt_input_exit", "other"}),
}
_SESSION_ENDS: Mapping[str, str] = {"prompt_input_exit": "exit"}

HOOK_FATES: Mapping[str, Fate] = {
    "command": ("approximated", "it gets Gemini CLI's tool names and fields on its input"),
    "timeout": ("equivalent", "milliseconds"),
    "args": ("equivalent", "quoted behind the command"),
    "if": ("dropped", "the hook fires more often"),
    "once": ("dropped", "the hook fires more often"),
    "async": ("dropped", "Gemini CLI waits for the hook"),
    "asyncRewake": ("dropped", "Gemini CLI waits for the hook"),
    "shell": ("dropped", "Gemini CLI runs its own shell"),
    "statusMessage": ("dropped", "no equivalent"),
    "url": ("dropped", "only commands can be hooks"),
    "headers": ("dropped", "only commands can be hooks"),
    "allowedEnvVars": ("dropped", "only commands can be hooks"),
    "server": ("dropped", "only commands can be hooks"),
    "tool": ("dropped", "only commands can be hooks"),
    "input": ("dropped", "only commands can be hooks"),
    "prompt": ("dropped", "only commands can be hooks"),
    "model": ("dropped", "only commands can be hooks"),
}


def render_hooks(selection: Selection, scope: OutputScope) -> dict[KeyPath, tuple[Value, tuple[str, ...]]]:
    """The entries of `hooks.<event>`, each by itself, with the ids of its hooks."""
    found: dict[KeyPath, tuple[Value, tuple[str, ...]]] = {}
    for item, place in selection.choose(selection.tree.hooks):
        hook = hook_with_plugin_folder(item, selection.tree) if scope == "user" else item
        if place == scope and (entry := _entry(hook, selection.findings)) is not None:
            key: KeyPath = ("hooks", EVENTS[hook.event], entry_step(entry))
            _, items = found.get(key, (entry, ()))
            found[key] = entry, (*items, hook.item_id)
    return found


def _entry(hook: Hook, findings: Findings) -> dict[str, Value] | None:
    if reason := _reason(hook):
        findings.note(hook.item_id, "", "dropped", reason)
        if hook.event == "PreToolUse":
            findings.delta(f"laxer: the hook `{hook.item_id}` does not guard Gemini CLI: {reason}")
        findings.note_fields(hook.item_id, hook.fields, dict.fromkeys(hook.fields, ("dropped", reason)))
        return None
    matcher = gemini_matcher(hook.event, hook.matcher)
    command: dict[str, Value] = {"type": "command", "command": _command(hook)}
    seconds = hook.timeout_s if hook.timeout_s is not None else _DEFAULT_SECONDS.get(hook.event, _SECONDS)
    command["timeout"] = round(seconds * 1000)
    findings.note(hook.item_id, "", "equivalent", f"`{EVENTS[hook.event]}`")
    findings.note(hook.item_id, "matcher", "equivalent", f"`{matcher}`")
    findings.note_fields(hook.item_id, hook.fields, HOOK_FATES)
    return {**({"matcher": matcher} if matcher else {}), "hooks": [command]}


def _reason(hook: Hook) -> str:
    if hook.event not in EVENTS:
        return f"Gemini CLI has no event like `{hook.event}`"
    if hook.type != "command" or not isinstance(hook.fields.get("command"), str):
        return f"only commands can be hooks, not `{hook.type}`"
    if needs_plugin(hook):
        return "only Claude Code knows the folder of the plugin"
    if hook.fields.get("shell") not in {None, "bash"}:
        return "it wants another shell"
    if gemini_matcher(hook.event, hook.matcher) is None:
        return f"the matcher `{hook.matcher}` cannot be said in Gemini CLI's names"
    return ""


def _command(hook: Hook) -> str:
    arguments = hook.fields.get("args")
    words = [str(word) for word in arguments] if isinstance(arguments, list) else []
    return " ".join([str(hook.fields["command"]), *(shlex.quote(word) for word in words)])


def gemini_matcher(event: str, matcher: str) -> str | None:
    """The matcher in Gemini CLI's names, empty for everything; none if it cannot be said."""
    if matcher in {"", "*"}:
        return ""
    if event in {"PreToolUse", "PostToolUse"}:
        return _tool_matcher(matcher)
    if event in {"Stop", "UserPromptSubmit"}:
        return ""
    if event == "Notification":
        return "ToolPermission" if matcher == "permission_prompt" else None
    known = _KNOWN_MATCHERS.get(event, frozenset())
    names = [name.strip() for name in re.split(r"[|,]", matcher)]
    kept = [_SESSION_ENDS.get(name, name) if event == "SessionEnd" else name for name in names if name in known]
    # Gemini CLI compares these as whole words, so that only one can be named.
    return kept[0] if len(kept) == 1 else None


def _tool_matcher(matcher: str) -> str | None:
    if _EXACT.fullmatch(matcher) is None:
        is_mcp = re.fullmatch(r"\^?mcp__[\w.*+-]*\$?", matcher) is not None
        return "^" + matcher.strip("^$").replace("__", "_") if is_mcp else None
    names = [name.strip() for name in re.split(r"[|,]", matcher)]
    if any(name not in TOOLS and not name.startswith("mcp__") for name in names):
        return None
    return f"^({'|'.join(dict.fromkeys(_tool(name) for name in names))})$"


def _tool(name: str) -> str:
    if name in TOOLS:
        return TOOLS[name]
    server, _, tool = name.removeprefix("mcp__").partition("__")
    return f"mcp_{re.escape(server.replace('_', '-'))}_{re.escape(tool) if tool else '.*'}"
