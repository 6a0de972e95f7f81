"""What a rendering has to tell beside its outputs, collected while it goes on, and which files an item may go to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sightline.sync.model import Item, SourceTree
from sightline.sync.model_values import ItemKind, Scope
from sightline.sync.outputs import Grade, LedgerLine, OutputScope
from sightline.sync.secrets import find_secrets

_UNREADABLE = "the source could not be read without doubt, so the output stays as it is"


@dataclass(slots=True)
class Findings:
    """Ledger lines, deltas, steps and warnings, each once and in order."""

    lines: dict[tuple[str, str], LedgerLine] = field(default_factory=dict[tuple[str, str], LedgerLine])
    deltas: dict[str, None] = field(default_factory=dict[str, None])
    steps: dict[str, None] = field(default_factory=dict[str, None])
    warnings: dict[str, None] = field(default_factory=dict[str, None])

    def note(self, item_id: str, name: str, grade: Grade, reason: str = "") -> None:
        """A ledger line; the first one for a field stands."""
        self.lines.setdefault((item_id, name), LedgerLine(item_id, name, grade, reason))

    def note_all(self, lines: Iterable[LedgerLine]) -> None:
        for line in lines:
            self.lines.setdefault((line.item_id, line.field), line)

    def delta(self, text: str) -> None:
        self.deltas.setdefault(text)

    def step(self, text: str) -> None:
        self.steps.setdefault(text)

    def warn(self, text: str) -> None:
        self.warnings.setdefault(text)


@dataclass(frozen=True, slots=True)
class Admission:
    """Which items may be written, and to which scope; every refusal is noted."""

    scopes: frozenset[OutputScope]
    plugin_scopes: dict[str, Scope]
    blocked_kinds: frozenset[ItemKind]
    blocked_items: frozenset[str]
    secret_places: dict[str, list[str]]

    @classmethod
    def of(cls, tree: SourceTree, scopes: frozenset[OutputScope], *, allows_secrets: bool) -> Admission:
        plugins = {f"{each.name}@{each.marketplace}": each.provenance.scope for each in tree.plugins}
        places: dict[str, list[str]] = {}
        for found in () if allows_secrets else find_secrets(tree).found:
            if found.is_copied:
                places.setdefault(found.item_id, []).append(found.place)
        return cls(scopes, plugins, tree.blocked_kinds, tree.blocked_items, places)

    def home_of(self, item: Item) -> OutputScope:
        """Whose files the item concerns, whether it can be written or not."""
        return "project" if item.provenance.scope.is_committed else "user"

    def is_asked_for(self, item: Item) -> bool:
        return self.home_of(item) in self.scopes

    def refusal(self, item: Item) -> str:
        """Why the item must not be written at all; empty if it may be."""
        if item.kind in self.blocked_kinds or item.item_id in self.blocked_items:
            return _UNREADABLE
        if item.item_id in self.secret_places:
            return f"a literal secret in {', '.join(dict.fromkeys(self.secret_places[item.item_id]))}"
        return ""

    def admit(self, item: Item, findings: Findings) -> OutputScope | None:
        """The scope to write the item to; none if it is not asked for, refused, or has no place to go."""
        if not self.is_asked_for(item):
            return None
        if reason := self.refusal(item):
            findings.note(item.item_id, "", "refused", reason)
            return None
        if reason := _hidden(item) or self._homeless(item):
            findings.note(item.item_id, "", "dropped", reason)
            return None
        return self.home_of(item)

    def _homeless(self, item: Item) -> str:
        scope = item.provenance.scope
        if scope is Scope.PLUGIN:
            scope = self.plugin_scopes.get(item.provenance.plugin, Scope.USER)
            if scope in {Scope.PROJECT, Scope.LOCAL}:
                return "its plugin is switched on for this project alone; the user files reach every project"
        if scope is Scope.LOCAL:
            return "personal to this project: it belongs neither into a committed file nor to every project"
        return "set by the organisation; never copied" if scope is Scope.MANAGED else ""


def _hidden(item: Item) -> str:
    """Why the item is not even written to the files of its own scope; one that only another scope hides is."""
    by = item.shadowed_by
    if by.startswith("setting:") or (by and by.rpartition("@")[2] == item.item_id.rpartition("@")[2]):
        return f"Claude Code does not load it: `{by}` hides it"
    return ""
