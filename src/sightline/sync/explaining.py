"""What became of one item: where it stands, where it went, and every field of it at every target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sightline.sync.model import Item
from sightline.sync.outputs import Output, OwnedKeys, Rendered
from sightline.sync.reports import Names
from sightline.sync.service import PlannedSync

_SUGGESTED = 8


@dataclass(frozen=True, slots=True)
class Explained:
    """The lines to show; `hint` tells what there is instead if nothing was found."""

    lines: tuple[str, ...]
    hint: str = ""

    @property
    def is_found(self) -> bool:
        return bool(self.lines)


def explained(planned: PlannedSync, wanted: str, names: Names) -> Explained:
    """Everything about the items whose id, name or `kind:name` this is."""
    items = {item.item_id: item for item in planned.reading.tree.items()}
    found = [item for item in items.values() if wanted in _handles(item.item_id)]
    unread = tuple(_unread_lines(planned, wanted, names))
    if not found and unread:
        return Explained(unread)
    if not found:
        near = [item_id for item_id in items if wanted.lower() in item_id.lower()] or list(items)
        more = f" and {len(near) - _SUGGESTED} more" if len(near) > _SUGGESTED else ""
        return Explained((), f"there are {', '.join(near[:_SUGGESTED])}{more}" if near else "the source has no items")
    return Explained(tuple(line for item in found for line in _item_lines(item, planned, names)))


def _unread_lines(planned: PlannedSync, wanted: str, names: Names) -> Iterator[str]:
    """Why items of this name are not there: their files could not be read."""
    for problem in planned.reading.tree.problems:
        for item_id in sorted(problem.fatal_items):
            if wanted in _handles(item_id):
                yield f"{item_id}  {names.of(problem.file)}:{problem.line}"
                yield f"  left as it is at every target: {problem.message}"


def _handles(item_id: str) -> tuple[str, ...]:
    with_kind = item_id.rpartition("@")[0] or item_id
    return item_id, with_kind, with_kind.partition(":")[2]


def _item_lines(item: Item, planned: PlannedSync, names: Names) -> Iterator[str]:
    where = item.provenance
    yield f"{item.item_id}  {names.of(where.file)}:{where.line}  scope {where.scope}"
    if item.shadowed_by:
        yield f"  hidden by {item.shadowed_by} in Claude Code"
    for target in planned.targets:
        yield f"  {target}:"
        lines = list(_target_lines(item.item_id, planned.reading.view.rendered[target], names))
        yield from lines or ["    nothing: it is not of the scope that is synced"]


def _target_lines(item_id: str, rendered: Rendered, names: Names) -> Iterator[str]:
    for output in rendered.outputs:
        for place in _places(item_id, output):
            yield f"    in {names.of(output.path)}{place}"
    for line in rendered.ledger:
        if line.item_id == item_id:
            of = f" {line.field}" if line.field else ""
            yield f"    {line.grade}{of}" + (f": {line.reason}" if line.reason else "")


def _places(item_id: str, output: Output) -> Iterator[str]:
    if isinstance(output, OwnedKeys):
        yield from (f"#{'.'.join(map(str, key))}" for key in output.values if item_id in output.sources_of(key))
    elif item_id in output.sources:
        yield ""
