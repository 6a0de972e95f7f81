"""What a target should hold because of the source: whole files, keys of shared files, a marked block; and the losses.

Pure values. A target renders them from the model; planning, writing and taking back are done elsewhere, for all alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal, Protocol

from sightline.frozen import frozen
from sightline.sync.files import DISK, Files
from sightline.sync.formats.values import KeyPath, Value
from sightline.sync.model import SourceTree

OutputScope = Literal["user", "project"]
Grade = Literal["exact", "equivalent", "approximated", "dropped", "refused"]


@frozen
class OwnedFile:
    """A file that is ours as a whole; `sources` are the ids of the items that it comes from."""

    path: Path
    content: bytes
    scope: OutputScope
    sources: tuple[str, ...] = ()
    mode: int = 0o644


@frozen
class OwnedKeys:
    """Keys of a structured file that others write too; everything else in it is foreign.

    `sources` are the ids of the items that a key comes from, one or more.
    """

    path: Path
    format: Literal["jsonc", "toml"]
    values: Mapping[KeyPath, Value]
    scope: OutputScope
    sources: Mapping[KeyPath, str | tuple[str, ...]] = field(default_factory=dict[KeyPath, str | tuple[str, ...]])

    def sources_of(self, key: KeyPath) -> tuple[str, ...]:
        found = self.sources.get(key, ())
        return (found,) if isinstance(found, str) and found else tuple(found)


@frozen
class OwnedBlock:
    """A marked block in a Markdown file that others write too."""

    path: Path
    block_id: str
    text: str
    scope: OutputScope
    sources: tuple[str, ...] = ()


Output = OwnedFile | OwnedKeys | OwnedBlock


@frozen
class LedgerLine:
    """What became of one field of one item at one target; `field` is empty for the item as a whole."""

    item_id: str
    field: str
    grade: Grade
    reason: str = ""


@frozen
class Rendered:
    """Everything that a target should hold.

    `deltas` say where the target is laxer or stricter than the source, `steps` what only the user can do (trust gates),
    `warnings` what the target would read twice, cut or ignore.
    """

    outputs: tuple[Output, ...]
    ledger: tuple[LedgerLine, ...] = ()
    deltas: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@frozen
class TargetPlaces:
    """Where a target looks: the project, the user's home and the variables that move its folders."""

    project: Path
    home: Path
    variables: Mapping[str, str]
    files: Files = DISK


class Target(Protocol):
    """An agent CLI that we sync to: pure functions from the model to outputs."""

    @property
    def name(self) -> str:
        """The name in settings, arguments and tags: `codex`."""
        ...

    @property
    def title(self) -> str:
        """The name for people: `Codex CLI`."""
        ...

    def folders(self, places: TargetPlaces, scopes: frozenset[OutputScope]) -> tuple[Path, ...]:
        """Every folder that outputs of these scopes may stand in: the project, and few folders of the user's home."""
        ...

    def render(self, tree: SourceTree, places: TargetPlaces, scopes: frozenset[OutputScope]) -> Rendered:
        """What the target should hold for these scopes; raises nothing for odd items, but says so in the ledger."""
        ...
