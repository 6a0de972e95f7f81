"""What all targets together want at each path: the same is united, and the different is an error value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.formats.markdown_code import split_lines
from sightline.sync.formats.values import KeyPath, Value, shown_path
from sightline.sync.outputs import Output, OutputScope, OwnedBlock, OwnedFile, OwnedKeys, Rendered
from sightline.sync.planning.records import PathKind, bytes_digest, file_digest, value_digest


@frozen
class WantedUnit:
    """One unit with its content: bytes of a file, a value, the text of a block."""

    digest: str
    content: bytes | Value
    sources: tuple[str, ...]
    targets: frozenset[str]


@frozen
class WantedPath:
    """Everything that is wanted at a path, and by which targets."""

    path: Path
    kind: PathKind
    scope: OutputScope
    units: Mapping[KeyPath, WantedUnit]
    targets: frozenset[str]
    mode: int | None = None


@frozen
class Dispute:
    """Targets that want different things at one place."""

    path: Path
    targets: frozenset[str]
    reason: str


def unite(
    rendered: Mapping[str, Rendered], scopes: Iterable[OutputScope]
) -> tuple[dict[Path, WantedPath], dict[Path, Dispute]]:
    """Every wanted path of these scopes; a disputed one is not among them."""
    wanted: dict[Path, WantedPath] = {}
    disputes: dict[Path, Dispute] = {}
    for target, each in sorted(rendered.items()):
        for output in each.outputs:
            if output.scope in scopes:
                _add(_wanted(output, target), wanted, disputes)
    return {path: each for path, each in wanted.items() if path not in disputes}, disputes


def _add(new: WantedPath, wanted: dict[Path, WantedPath], disputes: dict[Path, Dispute]) -> None:
    old = wanted.get(new.path)
    if old is None:
        wanted[new.path] = new
        return
    reason = _difference(old, new)
    if reason:
        disputes[new.path] = Dispute(new.path, old.targets | new.targets, reason)
    else:
        wanted[new.path] = _united(old, new)


def _difference(old: WantedPath, new: WantedPath) -> str:
    if (old.kind, old.scope) != (new.kind, new.scope):
        return f"it is wanted as {old.kind} of the {old.scope} and as {new.kind} of the {new.scope}"
    both = (key for key in new.units if key in old.units and old.units[key].digest != new.units[key].digest)
    differing = next(both, None)
    if differing is None:
        return ""
    return "different content is wanted" if not differing else f"`{shown_path(differing)}` is wanted in different ways"


def _united(old: WantedPath, new: WantedPath) -> WantedPath:
    units = dict(old.units)
    for key, unit in new.units.items():
        known = units.get(key, unit)
        sources = tuple(dict.fromkeys((*known.sources, *unit.sources)))
        units[key] = replace(unit, sources=sources, targets=known.targets | unit.targets)
    return replace(old, units=units, targets=old.targets | new.targets)


def _wanted(output: Output, target: str) -> WantedPath:
    targets = frozenset({target})
    kind: PathKind
    match output:
        case OwnedFile():
            digest = file_digest(output.content, output.mode)
            units = {(): WantedUnit(digest, output.content, output.sources, targets)}
            return WantedPath(output.path, "file", output.scope, units, targets, output.mode)
        case OwnedKeys():
            kind = output.format
            return WantedPath(output.path, kind, output.scope, dict(_key_units(output, targets)), targets)
        case OwnedBlock():
            unit = WantedUnit(block_digest(output.text), output.text, output.sources, targets)
            return WantedPath(output.path, "block", output.scope, {(output.block_id,): unit}, targets)


def _key_units(output: OwnedKeys, targets: frozenset[str]) -> Iterator[tuple[KeyPath, WantedUnit]]:
    for key, value in output.values.items():
        digest = value_digest(value, ordered=output.format == "jsonc")
        yield key, WantedUnit(digest, value, output.sources_of(key), targets)


def block_digest(text: str) -> str:
    """The same for a text and for what is read back from its block."""
    plain = "\n".join(line.rstrip("\r\n") for line in split_lines(text)).rstrip("\n")
    return bytes_digest(plain.encode("utf-8", errors="surrogatepass"))
