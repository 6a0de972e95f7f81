"""From Claude Code's files to one source tree: the readers in order, then who shadows whom."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sightline.sync.files import DISK, Files
from sightline.sync.model import Agent, Command, Instructions, McpServer, Rule, Skill, SourceTree
from sightline.sync.model_values import ItemKind, Scope
from sightline.sync.source.agents import read_agents
from sightline.sync.source.instructions import find_folders, read_instructions, read_rules
from sightline.sync.source.mcp import read_servers
from sightline.sync.source.places import SourcePlaces
from sightline.sync.source.plugins import read_plugins
from sightline.sync.source.reading import Reading
from sightline.sync.source.settings import read_hooks, read_other_settings, read_permissions, read_settings_files
from sightline.sync.source.skills import Shelf, read_commands, read_skills

_STATE_PAUSE_S = 0.05

_SKILL_ORDER = (Scope.MANAGED, Scope.USER, Scope.PROJECT, Scope.PLUGIN)
_AGENT_ORDER = (Scope.MANAGED, Scope.PROJECT, Scope.USER, Scope.PLUGIN)
_MCP_ORDER = (Scope.MANAGED, Scope.LOCAL, Scope.PROJECT, Scope.USER, Scope.PLUGIN)

_Any = TypeVar("_Any", Skill, Command, Agent, McpServer, Instructions, Rule)
_Named = TypeVar("_Named", Skill, Command, Agent, McpServer)


def read_source_tree(
    places: SourcePlaces, *, pause: Callable[[], None] | None = None, files: Files = DISK
) -> SourceTree:
    """Everything that Claude Code would load at these places; nothing is raised for what is in the files."""
    reading = Reading(places, pause or _pause, files)
    settings = read_settings_files(reading)
    excludes = tuple(dict.fromkeys(glob for file in settings for glob in file.strings("claudeMdExcludes")))
    folders = find_folders(reading)
    instructions = read_instructions(reading, excludes, folders)
    rules = read_rules(reading, excludes)
    brought = read_plugins(reading, settings)
    skills = [*_own_skills(reading, folders), *brought.skills]
    commands = [*_own_commands(reading), *brought.commands]
    agents = [*_own_agents(reading), *brought.agents]
    servers = [*read_servers(reading, settings), *brought.servers]
    skills = _shadow(_distinct(reading, skills), _SKILL_ORDER)
    return SourceTree(
        instructions=tuple(_distinct(reading, instructions)),
        rules=tuple(_distinct(reading, rules)),
        skills=tuple(skills),
        commands=tuple(_behind_skills(_shadow(_distinct(reading, commands), _SKILL_ORDER), skills)),
        agents=tuple(_shadow(_distinct(reading, agents), _AGENT_ORDER)),
        mcp_servers=tuple(_shadow(_distinct(reading, servers), _MCP_ORDER)),
        permissions=tuple(read_permissions(reading, settings)),
        hooks=(*read_hooks(reading, settings), *brought.hooks),
        settings=tuple(read_other_settings(reading, settings)),
        plugins=tuple(brought.plugins),
        problems=tuple(reading.problems),
        unknown_keys=tuple(reading.unknown_keys),
        inputs=tuple(reading.inputs.values()),
    )


def _pause() -> None:
    time.sleep(_STATE_PAUSE_S)


def _shelves(reading: Reading, kind: ItemKind) -> list[Shelf]:
    places = reading.places
    name = f"{kind}s"
    shelves = [
        Shelf(places.managed / ".claude" / name, Scope.MANAGED),
        Shelf(places.config / name, Scope.USER),
        Shelf(places.project / ".claude" / name, Scope.PROJECT),
    ]
    # A project at the home directory has one folder for both scopes.
    return shelves[:2] if shelves[1].folder == shelves[2].folder else shelves


def _own_skills(reading: Reading, folders: list[Path]) -> list[Skill]:
    shelves = _shelves(reading, ItemKind.SKILL)
    for folder in folders:
        if reading.places.in_project(folder):
            nested_in = folder.relative_to(reading.places.project).as_posix()
            shelves.append(Shelf(folder / ".claude" / "skills", Scope.PROJECT, nested_in=nested_in))
    return [skill for shelf in shelves for skill in read_skills(reading, shelf)]


def _own_commands(reading: Reading) -> list[Command]:
    return [each for shelf in _shelves(reading, ItemKind.COMMAND) for each in read_commands(reading, shelf)]


def _own_agents(reading: Reading) -> list[Agent]:
    return [each for shelf in _shelves(reading, ItemKind.AGENT) for each in read_agents(reading, shelf)]


def _distinct(reading: Reading, items: Sequence[_Any]) -> list[_Any]:
    """The items with ids made distinct; the same name twice in one scope is reported."""
    seen: dict[str, int] = {}
    distinct: list[_Any] = []
    for item in items:
        count = seen[item.item_id] = seen.get(item.item_id, 0) + 1
        if count == 1:
            distinct.append(item)
            continue
        message = f"`{item.item_id}` is defined more than once in this scope"
        reading.warn(item.provenance.file, item.provenance.line, message)
        distinct.append(replace(item, item_id=f"{item.item_id}#{count}", shadowed_by=item.item_id))
    return distinct


def _shadow(items: list[_Named], order: tuple[Scope, ...]) -> list[_Named]:
    """Of several items with one name the first by scope wins; the others are marked."""
    winners: dict[str, _Named] = {}
    for item in sorted(items, key=lambda each: order.index(each.provenance.scope)):
        winners.setdefault(_full_name(item), item)
    marked: list[_Named] = []
    for item in items:
        winner = winners[_full_name(item)]
        marked.append(item if winner is item or item.shadowed_by else replace(item, shadowed_by=winner.item_id))
    return marked


def _full_name(item: Skill | Command | Agent | McpServer) -> str:
    return f"{item.nested_in}/{item.name}" if isinstance(item, Skill) else item.name


def _behind_skills(commands: list[Command], skills: list[Skill]) -> list[Command]:
    """A skill hides the command of the same name."""
    names = {skill.name: skill.item_id for skill in skills if not skill.shadowed_by and not skill.nested_in}
    return [
        replace(command, shadowed_by=names[command.name]) if command.name in names else command for command in commands
    ]
