"""The small values that every item of the model is made of: where it stands, text with references, what went wrong.

A reference to an environment variable is kept as a reference. Nothing here looks a variable up, and no `repr` shows
text that could be a secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from sightline.frozen import frozen

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_.]*)(?::-([^}]*))?\}")


class Scope(StrEnum):
    """Whose file an item comes from."""

    MANAGED = "managed"
    USER = "user"
    PROJECT = "project"
    LOCAL = "local"
    PLUGIN = "plugin"

    @property
    def is_committed(self) -> bool:
        """Whether others get this item with the repository; only such items may go into committed outputs."""
        return self is Scope.PROJECT


class ItemKind(StrEnum):
    """The kinds of artefact; `plugin` in a problem stands for everything that plugins bring."""

    INSTRUCTIONS = "instructions"
    RULE = "rule"
    SKILL = "skill"
    COMMAND = "command"
    AGENT = "agent"
    MCP = "mcp"
    PERMISSION = "permission"
    HOOK = "hook"
    SETTING = "setting"
    PLUGIN = "plugin"


@frozen
class Provenance:
    """Where an item was read: file, 1-based line, scope, and the plugin (`name@marketplace`) if one brought it."""

    file: Path
    line: int
    scope: Scope
    plugin: str = ""

    def at_line(self, line: int) -> Provenance:
        return Provenance(self.file, line, self.scope, self.plugin)


@frozen
class Reference:
    """`${NAME}` or `${NAME:-default}`; never resolved."""

    name: str
    default: str | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        return f"${{{self.name}}}" if self.default is None else f"${{{self.name}:-{self.default}}}"


@dataclass(frozen=True, slots=True, repr=False)
class Template:
    """A configured string as literal pieces and references, in order; no piece is empty."""

    parts: tuple[str | Reference, ...]

    @classmethod
    def parse(cls, text: str) -> Template:
        parts: list[str | Reference] = []
        end = 0
        for match in _REFERENCE.finditer(text):
            if match.start() > end:
                parts.append(text[end : match.start()])
            parts.append(Reference(match[1], match[2]))
            end = match.end()
        if end < len(text):
            parts.append(text[end:])
        return cls(tuple(parts))

    @property
    def text(self) -> str:
        """The string as it stands in the source, references unresolved."""
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    @property
    def literals(self) -> tuple[str, ...]:
        """Every piece of fixed text, defaults of references included."""
        pieces = (part if isinstance(part, str) else part.default for part in self.parts)
        return tuple(piece for piece in pieces if piece)

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(part for part in self.parts if isinstance(part, Reference))

    @property
    def is_literal(self) -> bool:
        return not self.references

    @property
    def only_reference(self) -> Reference | None:
        """The reference, if the string is nothing but one."""
        match self.parts:
            case (Reference() as reference,):
                return reference
            case _:
                return None

    def __repr__(self) -> str:
        shown = "".join("…" if isinstance(part, str) else f"${{{part.name}}}" for part in self.parts)
        return f"Template({shown})"


@frozen
class Problem:
    """Something that could not be read as meant.

    Outputs of the kinds in `is_fatal_for`, and of the items in `fatal_items`, must stay as they are: writing or
    removing them could lose something, such as a deny. With both empty this is a warning.
    """

    file: Path
    line: int
    message: str
    is_fatal_for: frozenset[ItemKind] = frozenset()
    fatal_items: frozenset[str] = frozenset()

    @property
    def is_warning(self) -> bool:
        return not self.is_fatal_for and not self.fatal_items


@frozen
class UnknownKey:
    """A key that this version does not know; `place` is the path of names that leads to its table or file."""

    key: str
    place: str
    provenance: Provenance


@frozen
class InputFile:
    """A file that the tree was made from, with a digest of what of it was used; none if it does not exist."""

    path: Path
    digest: str | None


@frozen
class Frontmatter:
    """The fields above a Markdown body, as plain values, with the line of each."""

    fields: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue], repr=False)
    lines: Mapping[str, int] = field(default_factory=dict[str, int], repr=False)

    def line_of(self, key: str) -> int:
        return self.lines.get(key, 1)
