"""What a rendering has to tell beside its outputs, collected while it goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sightline.sync.outputs import Grade, LedgerLine, Output, Rendered

Fate: TypeAlias = tuple[Grade, str]
UNKNOWN_FIELD: Fate = ("dropped", "this version does not know the field")


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

    def note_fields(self, item_id: str, names: Iterable[str], fates: Mapping[str, Fate]) -> None:
        """A line for each field that is there; one that no table knows is dropped, and said to be."""
        for name in names:
            self.note(item_id, name, *fates.get(name, UNKNOWN_FIELD))

    def delta(self, text: str, *, is_first: bool = False) -> None:
        """A difference in safety; `is_first` for what must not be overlooked behind others."""
        self.deltas.setdefault(text)
        if is_first:
            self.deltas = {text: None, **self.deltas}

    def step(self, text: str) -> None:
        self.steps.setdefault(text)

    def warn(self, text: str) -> None:
        self.warnings.setdefault(text)

    def rendered(self, outputs: Iterable[Output]) -> Rendered:
        """Everything; the outputs may still be in the making."""
        made = tuple(outputs)
        return Rendered(made, tuple(self.lines.values()), tuple(self.deltas), tuple(self.steps), tuple(self.warnings))
