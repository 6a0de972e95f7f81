"""What a client is to us: its files, the form of an entry, and the command that can be asked. Data and types only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sightline.sync.formats.values import KeyPath, Value

Scope = Literal["user", "project"]
Format = Literal["jsonc", "toml"]
NAME = "sightline"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The user and the project that a client is set up for; `platform` as `sys.platform` tells it."""

    variables: Mapping[str, str]
    home: Path
    project: Path
    platform: str

    def folder(self, variable: str, otherwise: Path) -> Path:
        """A folder that a variable moves; a relative one is taken from the working folder, as the clients do."""
        moved = self.variables.get(variable, "")
        return Path(moved).expanduser().absolute() if moved else otherwise


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How a client starts Sightline."""

    program: str
    args: Sequence[str]


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """A client's own command that writes its file, for files that it rewrites while it runs."""

    scopes: frozenset[Scope]
    add: Callable[[str], Sequence[str]]
    remove: Sequence[str]


@dataclass(frozen=True, slots=True)
class Inquiry:
    """The command that a client answers with whether it knows the entry.

    `hides_untrusted`: it does not read a project's file before a person has trusted the project.
    """

    arguments: Sequence[str]
    is_json: bool = False
    hides_untrusted: bool = False


@dataclass(frozen=True, slots=True)
class OtherWay:
    """A file that tells, by having a key or by being there, that Sightline is in use without our entry."""

    label: str
    path: Path
    key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NameList:
    """A list of servers in a client's settings: those that it refuses, else the only ones that it uses."""

    key: tuple[str, ...]
    is_refusal: bool


def _no_other_ways(_around: Surroundings) -> Sequence[OtherWay]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One agent client. `files` are tried in order: the first that has the entry, else the first that exists.

    `special` are texts that the client would replace in an entry, so that a path with one of them cannot be written
    down. `variables` keep the client's program off the network. `steps` are what a person has to do afterwards.
    """

    id: str
    title: str
    program: str
    format: Format
    table: str
    files: Callable[[Scope, Surroundings], Sequence[Path]]
    entry: Callable[[ServerCommand], Mapping[str, Value]]
    context: str | None = None
    project_args: Sequence[str] = ()
    special: Sequence[str] = ()
    own_command: OwnCommand | None = None
    inquiry: Inquiry | None = None
    other_ways: Callable[[Surroundings], Sequence[OtherWay]] = _no_other_ways
    name_lists: Sequence[NameList] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    steps: Mapping[Scope, str] = field(default_factory=dict[Scope, str])

    @property
    def key(self) -> KeyPath:
        return (self.table, NAME)
