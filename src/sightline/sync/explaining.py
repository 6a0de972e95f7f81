"""What became of one item: where it stands, where it went, and every field of it at every target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from sightline.sync.model import Item
from sightline.sync.outputs import Output, OwnedKeys, Rendered
from sightline.sync.planning.paths import shown_key
from sightline.sync.reports import Names
from sightline.sync.service import PlannedSync
from sightline.tool import record

_SUGGESTED = 8
_LEAST_ALIKE = 0.5


@record
class FieldFate:
    """What became of one field; without `field` of the whole item."""

    field: str | None = None
    grade: str
    reason: str | None = None


@record
class ItemAtTarget:
    """One target: where the item stands there, and its fields."""

    places: list[str]
    fields: list[FieldFate]


@record
class ExplainedItem:
    """One item; `hidden_by` is the one that Claude Code takes in its place."""

    item: str
    file: str
    line: int
    scope: str
    hidden_by: str | None = None
    targets: dict[str, ItemAtTarget]


@record
class UnreadItem:
    """An item whose file could not be read, so that it is left as it is at every target."""

    item: str
    file: str
    line: int
    message: str


@record
class Explained:
    """The items of that name; `nearest` are others if there is none, of `total` that there are."""

    items: list[ExplainedItem]
    unread: list[UnreadItem]
    nearest: list[str]
    total: int

    @property
    def is_found(self) -> bool:
        return bool(self.items or self.unread)


def explained(planned: PlannedSync, wanted: str, names: Names) -> Explained:
    """Everything about the items whose id, name or `kind:name` this is."""
    items = {item.item_id: item for item in planned.reading.tree.items()}
    found = [_explained(item, planned, names) for item in items.values() if wanted in _handles(item.item_id)]
    unread = [] if found else list(_unread(planned, wanted, names))
    near = [] if found or unread else _nearest(wanted, items)
    return Explained(items=found, unread=unread, nearest=near, total=len(items))


def lines_of(found: Explained) -> Iterator[str]:
    """All of it for people."""
    for each in found.unread:
        yield f"{each.item}  {each.file}:{each.line}"
        yield f"  left as it is at every target: {each.message}"
    for each in found.items:
        yield f"{each.item}  {each.file}:{each.line}  scope {each.scope}"
        if each.hidden_by:
            yield f"  hidden by {each.hidden_by} in Claude Code"
        for name, there in each.targets.items():
            yield f"  {name}:"
            yield from list(_target_lines(there)) or ["    nothing: it is not of the scope that is synced"]


def hint_of(found: Explained) -> str:
    """What there is instead."""
    if not found.nearest:
        return "the source has no items"
    others = found.total - len(found.nearest)
    return f"there are {', '.join(found.nearest)}{f' and {others} more' if others else ''}"


def _nearest(wanted: str, items: Iterable[str]) -> list[str]:
    """Those that hold the text, else those most like it; without any, the first ones."""
    text = wanted.lower()
    by_likeness = {item_id: max(_likeness(text, handle.lower()) for handle in _handles(item_id)) for item_id in items}
    ordered = sorted(by_likeness, key=lambda item_id: -by_likeness[item_id])
    alike = [item_id for item_id in ordered if by_likeness[item_id] >= _LEAST_ALIKE]
    return (alike or list(by_likeness))[:_SUGGESTED]


def _likeness(text: str, handle: str) -> float:
    return (1.0 if text and text in handle else 0.0) + SequenceMatcher(None, handle, text).ratio()


def _unread(planned: PlannedSync, wanted: str, names: Names) -> Iterator[UnreadItem]:
    """Why items of this name are not there: their files could not be read."""
    for problem in planned.reading.tree.problems:
        for item_id in sorted(problem.fatal_items):
            if wanted in _handles(item_id):
                file = names.of(problem.file)
                yield UnreadItem(item=item_id, file=file, line=problem.line, message=problem.message)


def _handles(item_id: str) -> tuple[str, ...]:
    with_kind = item_id.rpartition("@")[0] or item_id
    return item_id, with_kind, with_kind.partition(":")[2]


def _explained(item: Item, planned: PlannedSync, names: Names) -> ExplainedItem:
    where, rendered = item.provenance, planned.reading.view.rendered
    return ExplainedItem(
        item=item.item_id,
        file=names.of(where.file),
        line=where.line,
        scope=where.scope,
        hidden_by=item.shadowed_by or None,
        targets={target: _at_target(item.item_id, rendered[target], names) for target in planned.targets},
    )


def _at_target(item_id: str, rendered: Rendered, names: Names) -> ItemAtTarget:
    places = [f"{names.of(output.path)}{place}" for output in rendered.outputs for place in _places(item_id, output)]
    fates = [
        FieldFate(field=line.field or None, grade=line.grade, reason=line.reason or None)
        for line in rendered.ledger
        if line.item_id == item_id
    ]
    return ItemAtTarget(places=places, fields=fates)


def _target_lines(there: ItemAtTarget) -> Iterator[str]:
    yield from (f"    in {place}" for place in there.places)
    for each in there.fields:
        of = f" {each.field}" if each.field else ""
        yield f"    {each.grade}{of}" + (f": {each.reason}" if each.reason else "")


def _places(item_id: str, output: Output) -> Iterator[str]:
    if isinstance(output, OwnedKeys):
        yield from (f"#{shown_key(key)}" for key in output.values if item_id in output.sources_of(key))
    elif item_id in output.sources:
        yield ""
