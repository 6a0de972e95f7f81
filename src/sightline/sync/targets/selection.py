"""Which items a target may write, and to which scope; and the notes that it takes on the way.

Personal items have no committed place and blocked or secret ones no place at all: each is noted, none is lost silently.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from sightline.sync.model import Item, Scope, SourceTree
from sightline.sync.outputs import Grade, LedgerLine, Output, OutputScope, Rendered
from sightline.sync.secrets import find_secrets

Fate: TypeAlias = tuple[Grade, str]
SKILL_FIELDS = (
    "user-invocable",
    "disallowed-tools",
    "model",
    "effort",
    "context",
    "agent",
    "background",
    "hooks",
    "paths",
    "shell",
)
"""Fields of a skill that only Claude Code knows, beside `disable-model-invocation`."""
_AnyItem = TypeVar("_AnyItem", bound=Item)

MAX_NAME_CHARS = 57
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d", re.IGNORECASE)
_SCOPES: Mapping[Scope, OutputScope] = {Scope.PROJECT: "project", Scope.USER: "user", Scope.PLUGIN: "user"}


@dataclass(slots=True)
class Notes:
    """What is said about the items of one rendering; each thing once."""

    lines: dict[tuple[str, str], LedgerLine] = field(default_factory=dict[tuple[str, str], LedgerLine])
    deltas: list[str] = field(default_factory=list[str])
    steps: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])

    def say(self, item_id: str, name: str, grade: Grade, reason: str = "") -> None:
        self.lines.setdefault((item_id, name), LedgerLine(item_id, name, grade, reason))

    def say_all(self, item_id: str, names: Iterable[str], fates: Mapping[str, Fate]) -> None:
        """A line for each field that is there; one that no table knows is dropped, and said to be."""
        for name in names:
            grade, reason = fates.get(name, ("dropped", "this version does not know the field"))
            self.say(item_id, name, grade, reason)

    def rendered(self, outputs: Iterable[Output]) -> Rendered:
        def once(texts: list[str]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(texts))

        return Rendered(
            tuple(outputs), tuple(self.lines.values()), once(self.deltas), once(self.steps), once(self.warnings)
        )


@dataclass(frozen=True, slots=True)
class Selection:
    """The tree as one rendering sees it: what may be written, and to which scope."""

    tree: SourceTree
    scopes: frozenset[OutputScope]
    with_secrets: Mapping[str, str]
    plugin_scopes: Mapping[str, Scope]
    notes: Notes

    @classmethod
    def of(
        cls, tree: SourceTree, scopes: frozenset[OutputScope], notes: Notes, *, allows_secrets: bool = False
    ) -> Selection:
        secrets = () if allows_secrets else find_secrets(tree).found
        found = {each.item_id: each.place for each in secrets if each.is_copied}
        plugins = {f"{each.name}@{each.marketplace}": each.provenance.scope for each in tree.plugins}
        return cls(tree, scopes, found, plugins, notes)

    def choose(self, items: Iterable[_AnyItem]) -> Iterator[tuple[_AnyItem, OutputScope]]:
        """The items to write; all others get their line in the ledger."""
        for item in items:
            if self.is_refused(item) or self._is_hidden(item):
                continue
            scope = self._scope_of(item)
            if scope is None:
                reason = "personal to this project: neither a committed file nor one for all projects may hold it"
                if item.provenance.scope is Scope.MANAGED:
                    reason = "the organisation's files are never copied"
                self.notes.say(item.item_id, "", "dropped", reason)
            elif scope in self.scopes:
                yield item, scope

    def _scope_of(self, item: Item) -> OutputScope | None:
        scope = item.provenance.scope
        if scope is Scope.PLUGIN and self.plugin_scopes.get(item.provenance.plugin, Scope.USER) is not Scope.USER:
            return None
        return _SCOPES.get(scope)

    def is_refused(self, item: Item) -> bool:
        """Whether a secret or an unreadable source keeps the item out; its line is written here."""
        if item.kind in self.tree.blocked_kinds or item.item_id in self.tree.blocked_items:
            self.notes.say(item.item_id, "", "refused", "the source could not be read whole; what is there stays")
            return True
        place = self.with_secrets.get(item.item_id)
        if place is not None:
            self.notes.say(item.item_id, "", "refused", f"a literal secret stands in its {place}")
        return place is not None

    def _is_hidden(self, item: Item) -> bool:
        """Hidden by something that goes to the same place; what another scope hides is still written to its own."""
        if not item.shadowed_by:
            return False
        is_same_place = item.shadowed_by.rpartition("@")[2] == item.item_id.rpartition("@")[2]
        if is_same_place or item.shadowed_by.startswith("setting:"):
            self.notes.say(item.item_id, "", "dropped", f"Claude Code does not load it: `{item.shadowed_by}` hides it")
            return True
        self.notes.warnings.append(f"`{item.item_id}` is hidden by `{item.shadowed_by}` in Claude Code")
        return False


@dataclass(slots=True)
class Names:
    """Names made valid for a target; where two would become one, whatever their case, the second gets a mark."""

    lower: bool = False
    taken: dict[str, str] = field(default_factory=dict[str, str])

    def give(self, name: str, owner: str, place: str = "") -> str:
        """A valid name that no other item has in this place."""
        valid = self.valid(name)
        is_free = self.taken.setdefault(f"{place}/{valid.casefold()}", owner) == owner
        return valid if is_free else f"{valid}-{_digest(owner)}"

    def give_path(self, segments: Sequence[str], owner: str, place: str = "") -> list[str]:
        """Valid folders and a valid name in them."""
        *folders, last = (self.valid(segment) for segment in segments)
        return [*folders, self.give(last, owner, "/".join((place, *folders)))]

    def valid(self, name: str) -> str:
        cleaned = _NOT_IN_NAMES.sub("-", name)
        if self.lower:
            cleaned = cleaned.lower()
        cleaned = cleaned.strip("-_")[:MAX_NAME_CHARS].strip("-_") or f"item-{_digest(name)}"
        return f"{cleaned}-item" if _DEVICES.fullmatch(cleaned) else cleaned


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]
