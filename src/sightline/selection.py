"""Which tools are offered, and why the others are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sightline.arguments import nearest
from sightline.config.schema import ServerSettings
from sightline.errors import ErrorKind, NextStep, SettingsError, ToolFailure
from sightline.tool import AnyTool

ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Selection:
    """The offered tools in their fixed order, and the refusal of each hidden one."""

    offered: tuple[AnyTool, ...]
    hidden: Mapping[str, ToolFailure]
    names: Mapping[str, AnyTool]

    def find(self, name: str) -> AnyTool | None:
        """The tool of this name or former name, offered or not."""
        return self.names.get(name)


def select_tools(tools: Sequence[AnyTool], settings: ServerSettings) -> Selection:
    """Apply the settings; raises `SettingsError` for the name of a tool that does not exist."""
    names = {name: tool for tool in tools for name in (tool.name, *tool.aliases)}
    _require_known(settings.tools, "server.tools", names)
    _require_known(settings.exclude_tools, "server.exclude_tools", names)
    chosen = frozenset(names[name].name for name in settings.tools)
    excluded = frozenset(names[name].name for name in settings.exclude_tools)
    refusals = {tool.name: _refusal(tool, settings, chosen, excluded) for tool in tools}
    hidden = {name: refusal for name, refusal in refusals.items() if refusal}
    return Selection(tuple(tool for tool in tools if tool.name not in hidden), hidden, names)


def _refusal(
    tool: AnyTool, settings: ServerSettings, chosen: frozenset[str], excluded: frozenset[str]
) -> ToolFailure | None:
    if settings.read_only and not tool.hints.read_only:
        return _hidden(ErrorKind.READ_ONLY, tool, "server.read_only", "it is served read-only")
    if tool.name in excluded:
        return _hidden(ErrorKind.UNSUPPORTED, tool, "server.exclude_tools", "it is excluded")
    if tool.toolset == ALWAYS:
        return None
    if chosen and tool.name not in chosen:
        return _hidden(ErrorKind.UNSUPPORTED, tool, "server.tools", "only other tools are chosen")
    if tool.toolset not in settings.toolsets:
        return _hidden(ErrorKind.UNSUPPORTED, tool, "server.toolsets", f"the toolset `{tool.toolset}` is off")
    return None


def _hidden(kind: ErrorKind, tool: AnyTool, key: str, reason: str) -> ToolFailure:
    step = NextStep("config", f"a person can change the setting `{key}`")
    return ToolFailure(kind, f"`{tool.name}` is switched off: {reason} (setting `{key}`)", step)


def _require_known(chosen: Sequence[str], key: str, names: Mapping[str, AnyTool]) -> None:
    for name in chosen:
        if name not in names:
            guess = nearest(name, list(names))
            hint = f"did you mean `{guess}`?" if guess else "`sightline tools` lists them"
            raise SettingsError(f"unknown tool in `{key}`: `{name}`", hint)
