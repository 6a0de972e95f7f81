"""The neutral model of one agent configuration: what Claude Code would load, item by item, each with its provenance.

It knows no file format and no target. Items are kept even when another of the same name wins (`shadowed_by`), so that
a committed output can still be made from what is committed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Protocol

from sightline.frozen import frozen
from sightline.sync.files import DISK, Files
from sightline.sync.model_values import (
    Frontmatter,
    InputFile,
    ItemKind,
    JsonValue,
    Problem,
    Provenance,
    Reference,
    Scope,
    Template,
    UnknownKey,
)

__all__ = [
    "Agent",
    "Command",
    "Frontmatter",
    "Hook",
    "InputFile",
    "Instructions",
    "Item",
    "ItemKind",
    "JsonValue",
    "McpServer",
    "McpState",
    "PermissionKind",
    "PermissionRule",
    "Plugin",
    "Problem",
    "Provenance",
    "Reference",
    "Rule",
    "Scope",
    "Setting",
    "Skill",
    "SkillFile",
    "SourceTree",
    "Template",
    "TextPart",
    "Transport",
    "UnknownKey",
]


class Item(Protocol):
    """What every item has: a stable id (`kind:name@scope`), where it stands, and the id of the item that hides it."""

    @property
    def item_id(self) -> str: ...
    @property
    def kind(self) -> ItemKind: ...
    @property
    def provenance(self) -> Provenance: ...
    @property
    def shadowed_by(self) -> str: ...


@frozen
class TextPart:
    """A run of instruction text, imports expanded and block comments gone.

    `is_private` text must never reach a committed output: it comes from a personal file, or from an import that
    leaves the project. `targets` limits the text to some targets; none at all means that it is excluded everywhere.
    `real_file` is the file behind all links: text that comes from an output (`@AGENTS.md`) must not go into it again.
    """

    text: str = field(repr=False)
    provenance: Provenance
    is_private: bool
    is_outside_project: bool = False
    targets: frozenset[str] | None = None
    real_file: Path | None = None

    def is_for(self, target: str) -> bool:
        return self.targets is None or target in self.targets


@frozen
class Instructions:
    """One instruction file; `directory` is where it applies, `is_on_demand` for files below the start directory.

    `only_for` names the target of an override file (`CLAUDE.codex.md`) and is empty for all others.
    """

    item_id: str
    provenance: Provenance
    directory: Path
    parts: tuple[TextPart, ...]
    is_on_demand: bool = False
    only_for: str = ""
    shadowed_by: str = ""
    kind: ItemKind = ItemKind.INSTRUCTIONS

    @property
    def is_private(self) -> bool:
        return not self.provenance.scope.is_committed

    def text_for(self, target: str, *, committed: bool, output: Path | None = None, files: Files = DISK) -> str:
        """The text that a target may see; for a committed output without everything private.

        What comes from the output file itself, or from what that is a link to, is left out: it stands there already.
        """
        if self.only_for not in {"", target}:
            return ""
        return _text_of(self.parts, target, committed, output, files)


@frozen
class Rule:
    """A file of `rules/`; without `paths` it always applies."""

    item_id: str
    provenance: Provenance
    name: str
    paths: tuple[str, ...]
    parts: tuple[TextPart, ...]
    frontmatter: Frontmatter = field(default_factory=Frontmatter)
    shadowed_by: str = ""
    kind: ItemKind = ItemKind.RULE

    def text_for(self, target: str, *, committed: bool, output: Path | None = None, files: Files = DISK) -> str:
        return _text_of(self.parts, target, committed, output, files)


def _text_of(parts: tuple[TextPart, ...], target: str, committed: bool, output: Path | None, files: Files) -> str:
    shared = [part for part in parts if part.is_for(target) and not (committed and part.is_private)]
    sources = {part.real_file for part in shared if part.real_file}
    own = () if output is None else _files_behind(output, sources, files)
    return "".join(part.text for part in shared if part.real_file not in own)


def _files_behind(output: Path, sources: set[Path], files: Files) -> tuple[Path, ...]:
    """`AGENTS.md` is often a link to `CLAUDE.md`: then all of it stands there already."""
    if all(source.name != output.name for source in sources) and not files.is_symlink(output):
        return ()  # what is no link keeps its name, whatever its folder is
    return output, files.resolve(output)


@frozen
class SkillFile:
    """A file of a skill: its path inside the folder, bytes and permission bits."""

    path: PurePosixPath
    content: bytes = field(repr=False)
    mode: int


@frozen
class Skill:
    """A skill folder. `name` is the folder's name, by which Claude Code calls it; `nested_in` its project folder."""

    item_id: str
    provenance: Provenance
    name: str
    directory: Path
    description: str
    body: str = field(repr=False)
    files: tuple[SkillFile, ...]
    frontmatter: Frontmatter
    when_to_use: str = ""
    argument_names: tuple[str, ...] = ()
    disable_model_invocation: bool = False
    user_invocable: bool = True
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    nested_in: str = ""
    shadowed_by: str = ""
    kind: ItemKind = ItemKind.SKILL


@frozen
class Command:
    """A file of `commands/`; `segments` are its folders and name, so `a/b.md` is `("a", "b")`."""

    item_id: str
    provenance: Provenance
    segments: tuple[str, ...]
    description: str
    body: str = field(repr=False)
    frontmatter: Frontmatter
    argument_hint: str = ""
    argument_names: tuple[str, ...] = ()
    disable_model_invocation: bool = False
    allowed_tools: tuple[str, ...] = ()
    shadowed_by: str = ""
    kind: ItemKind = ItemKind.COMMAND

    @property
    def name(self) -> str:
        return ":".join(self.segments)


@frozen
class Agent:
    """A subagent. `tools` is none when it inherits all of them."""

    item_id: str
    provenance: Provenance
    name: str
    description: str
    body: str = field(repr=False)
    frontmatter: Frontmatter
    tools: tuple[str, ...] | None = None
    disallowed_tools: tuple[str, ...] = ()
    model: str = ""
    permission_mode: str = ""
    max_turns: int | None = None
    skills: tuple[str, ...] = ()
    effort: str = ""
    color: str = ""
    shadowed_by: str = ""
    kind: ItemKind = ItemKind.AGENT


class Transport(StrEnum):
    """How a server is reached."""

    STDIO = "stdio"
    HTTP = "http"
    SSE = "sse"
    WS = "ws"


class McpState(StrEnum):
    """Whether Claude Code would start the server; only an enabled one may be enabled elsewhere."""

    ENABLED = "enabled"
    DISABLED = "disabled"
    UNAPPROVED = "unapproved"


@frozen
class McpServer:
    """An MCP server entry with every field; strings that may hold references are templates."""

    item_id: str
    provenance: Provenance
    name: str
    transport: Transport
    state: McpState
    command: Template | None = None
    args: tuple[Template, ...] = ()
    env: Mapping[str, Template] = field(default_factory=dict[str, Template])
    cwd: Template | None = None
    url: Template | None = None
    headers: Mapping[str, Template] = field(default_factory=dict[str, Template])
    headers_helper: Template | None = None
    oauth: Mapping[str, JsonValue] | None = field(default=None, repr=False)
    timeout_ms: int | None = None
    always_load: bool | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], repr=False)
    shadowed_by: str = ""
    kind: ItemKind = ItemKind.MCP

    @property
    def is_enabled(self) -> bool:
        return self.state is McpState.ENABLED and not self.shadowed_by


class PermissionKind(StrEnum):
    """What a rule says; the strictest that matches decides."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@frozen
class PermissionRule:
    """`Tool` or `Tool(pattern)`, as written in `text`; a path pattern with one leading slash starts at `anchor`.

    The id holds the text, or a digest if a secret is in it: people approve commands with tokens in them.
    """

    item_id: str
    provenance: Provenance
    effect: PermissionKind
    tool: str
    pattern: str | None = field(repr=False)
    anchor: Path
    text: str = field(repr=False)
    shadowed_by: str = ""
    kind: ItemKind = ItemKind.PERMISSION

    @property
    def scope(self) -> Scope:
        return self.provenance.scope


@frozen
class Hook:
    """One hook of an event. `fields` holds everything of its entry but `type`; `timeout_s` is in seconds."""

    item_id: str
    provenance: Provenance
    event: str
    matcher: str
    type: str
    fields: Mapping[str, JsonValue] = field(repr=False)
    timeout_s: float | None = None
    is_known_event: bool = True
    shadowed_by: str = ""
    kind: ItemKind = ItemKind.HOOK


@frozen
class Setting:
    """A key of a settings file that is no permission rule, hook or plugin switch; the value is never to be shown."""

    item_id: str
    provenance: Provenance
    key: str
    value: JsonValue = field(repr=False)
    shadowed_by: str = ""
    kind: ItemKind = ItemKind.SETTING


@frozen
class Plugin:
    """An installed or enabled plugin; `unsupported` names its parts that have no equivalent in any target."""

    item_id: str
    provenance: Provenance
    name: str
    marketplace: str
    version: str
    root: Path | None
    is_enabled: bool
    unsupported: tuple[str, ...] = ()
    shadowed_by: str = ""
    kind: ItemKind = ItemKind.PLUGIN


@frozen
class SourceTree:
    """Everything that was read, in loading order, with all problems and unknown keys."""

    instructions: tuple[Instructions, ...] = ()
    rules: tuple[Rule, ...] = ()
    skills: tuple[Skill, ...] = ()
    commands: tuple[Command, ...] = ()
    agents: tuple[Agent, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    permissions: tuple[PermissionRule, ...] = ()
    hooks: tuple[Hook, ...] = ()
    settings: tuple[Setting, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    problems: tuple[Problem, ...] = ()
    unknown_keys: tuple[UnknownKey, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    # What follows from the items, by its type: every target needs the same, and working it out takes long.
    worked_out: dict[type, object] = field(default_factory=dict[type, object], init=False, compare=False, repr=False)

    def items(self) -> Iterator[Item]:
        """Every item, shadowed ones included."""
        yield from self.instructions
        yield from self.rules
        yield from self.skills
        yield from self.commands
        yield from self.agents
        yield from self.mcp_servers
        yield from self.permissions
        yield from self.hooks
        yield from self.settings
        yield from self.plugins

    @property
    def blocked_kinds(self) -> frozenset[ItemKind]:
        """Kinds whose outputs must neither be written nor removed."""
        return frozenset(kind for problem in self.problems for kind in problem.is_fatal_for)

    @property
    def blocked_items(self) -> frozenset[str]:
        """Items whose outputs must stay as they are, because the source could not be read."""
        return frozenset(item for problem in self.problems for item in problem.fatal_items)

    @property
    def is_read_whole(self) -> bool:
        """Whether nothing had to be left as it is because it could not be read."""
        return not self.blocked_kinds and not self.blocked_items

    def setting(self, key: str) -> JsonValue:
        """The effective value of a scalar setting: managed over local over project over user."""
        order = (Scope.MANAGED, Scope.LOCAL, Scope.PROJECT, Scope.USER)
        found = {item.provenance.scope: item.value for item in self.settings if item.key == key}
        return next((found[scope] for scope in order if scope in found), None)

    def list_setting(self, key: str) -> tuple[str, ...]:
        """The strings of a setting that is a list: those of all scopes, each once."""
        values = (item.value for item in self.settings if item.key == key)
        texts = (text for value in values if isinstance(value, list) for text in value if isinstance(text, str))
        return tuple(dict.fromkeys(texts))
