"""What a target was meant to hold, as far as it stands in the files: a kept conflict is not the CLI's fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.formats import jsonc, toml_tables
from sightline.sync.formats.marked_block import find_block
from sightline.sync.formats.values import MISSING, KeyPath, Missing, Value, same_value, value_at
from sightline.sync.outputs import OutputScope, OwnedBlock, OwnedFile, OwnedKeys, Rendered

_SCOPES: tuple[OutputScope, ...] = ("user", "project")


@frozen
class WantedValue:
    """A value under an owned key."""

    path: KeyPath
    value: Value
    item_id: str
    scope: OutputScope


@frozen
class Wanted:
    """The outputs of one target, and the bytes of all files by real path."""

    rendered: Rendered
    contents: Mapping[Path, bytes]

    def values(self, first: str) -> Iterator[WantedValue]:
        """The owned values below a key, those of the user first."""
        for scope in _SCOPES:
            for output in self.rendered.outputs:
                if isinstance(output, OwnedKeys) and output.scope == scope:
                    yield from self._values(output, first)

    def _values(self, output: OwnedKeys, first: str) -> Iterator[WantedValue]:
        document = parsed(output, self.contents.get(output.path))
        for path, value in output.values.items():
            if path[0] == first and same_value(_at(document, path), value):
                yield WantedValue(path, value, next(iter(output.sources_of(path)), ""), output.scope)

    def owned_keys(self, path: Path) -> list[KeyPath]:
        """The keys of a file that are ours."""
        keys = (output for output in self.rendered.outputs if isinstance(output, OwnedKeys) and output.path == path)
        return [key for output in keys for key in output.values]

    def files(self) -> Iterator[OwnedFile]:
        for output in self.rendered.outputs:
            if isinstance(output, OwnedFile) and self.contents.get(output.path) == output.content:
                yield output

    def blocks(self) -> Iterator[OwnedBlock]:
        for output in self.rendered.outputs:
            if isinstance(output, OwnedBlock) and find_block(self.contents.get(output.path, b""), output.block_id):
                yield output


def parsed(output: OwnedKeys, content: bytes | None) -> Value | Missing:
    """The whole document; missing if there is no file."""
    if content is None:
        return MISSING
    return toml_tables.read_value(content) if output.format == "toml" else jsonc.read_value(content)


def _at(document: Value | Missing, path: KeyPath) -> Value | Missing:
    return MISSING if isinstance(document, Missing) else value_at(document, path)
