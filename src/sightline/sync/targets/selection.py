"""Which items a target may write, and to which scope.

Personal items have no committed place, and blocked or secret ones no place at all: each gets its line in the ledger,
none is lost silently. Items of a scope that was not asked for are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from sightline.frozen import frozen
from sightline.sync.model import Item, Scope, SourceTree
from sightline.sync.outputs import OutputScope
from sightline.sync.secrets import find_secrets
from sightline.sync.targets.findings import Findings

_AnyItem = TypeVar("_AnyItem", bound=Item)
_UNREADABLE = "the source could not be read without doubt, so the output stays as it is"


@frozen
class Selection:
    """The tree as one rendering sees it."""

    tree: SourceTree
    scopes: frozenset[OutputScope]
    secret_places: Mapping[str, Sequence[str]]
    plugin_scopes: Mapping[str, Scope]
    findings: Findings

    @classmethod
    def of(
        cls, tree: SourceTree, scopes: frozenset[OutputScope], findings: Findings, *, allows_secrets: bool
    ) -> Selection:
        places: dict[str, list[str]] = {}
        for found in () if allows_secrets else find_secrets(tree).found:
            if found.is_copied:
                places.setdefault(found.item_id, []).append(found.place)
        plugins = {f"{each.name}@{each.marketplace}": each.provenance.scope for each in tree.plugins}
        return cls(tree, scopes, places, plugins, findings)

    def choose(self, items: Iterable[_AnyItem]) -> Iterator[tuple[_AnyItem, OutputScope]]:
        """The items to write, each with its scope."""
        for item in items:
            scope = self.admit(item)
            if scope is not None:
                yield item, scope

    def admit(self, item: Item) -> OutputScope | None:
        """The scope to write the item to; none if it is not asked for, refused, or has no place to go."""
        if not self.is_asked_for(item) or self.is_refused(item):
            return None
        if reason := _hidden(item) or self._homeless(item):
            self.findings.note(item.item_id, "", "dropped", reason)
            return None
        if item.shadowed_by:
            self.findings.warn(f"`{item.item_id}` is hidden by `{item.shadowed_by}` in Claude Code")
        return home_of(item)

    def is_asked_for(self, item: Item) -> bool:
        return home_of(item) in self.scopes

    def is_refused(self, item: Item) -> bool:
        """Whether a secret or an unreadable source keeps the item out; its line is written here."""
        reason = self.refusal(item)
        if reason:
            self.findings.note(item.item_id, "", "refused", reason)
        return bool(reason)

    def refusal(self, item: Item) -> str:
        """Why the item must not be written at all; empty if it may be."""
        if item.kind in self.tree.blocked_kinds or item.item_id in self.tree.blocked_items:
            return _UNREADABLE
        if item.item_id in self.secret_places:
            return f"a literal secret in {', '.join(dict.fromkeys(self.secret_places[item.item_id]))}"
        return ""

    def _homeless(self, item: Item) -> str:
        scope = item.provenance.scope
        if scope is Scope.PLUGIN:
            scope = self.plugin_scopes.get(item.provenance.plugin, Scope.USER)
            if scope in {Scope.PROJECT, Scope.LOCAL}:
                return "its plugin is switched on for this project alone; the user files reach every project"
        if scope is Scope.LOCAL:
            return "personal to this project: it belongs neither into a committed file nor to every project"
        return "set by the organisation; never copied" if scope is Scope.MANAGED else ""


def home_of(item: Item) -> OutputScope:
    """Whose files the item concerns, whether it can be written or not."""
    return "project" if item.provenance.scope.is_committed else "user"


def _hidden(item: Item) -> str:
    """Why the item is not even written to the files of its own scope; one that only another scope hides is."""
    by = item.shadowed_by
    if by.startswith("setting:") or (by and by.rpartition("@")[2] == item.item_id.rpartition("@")[2]):
        return f"Claude Code does not load it: `{by}` hides it"
    return ""
