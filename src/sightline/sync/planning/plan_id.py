"""A hash over everything that a plan depends on: if it is the same later, so is the plan."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sightline.sync.planning.records import StateKey, TargetState, file_digest
from sightline.sync.planning.wanted import unite

if TYPE_CHECKING:
    from sightline.sync.planning.plan import PlanInputs


def plan_id_of(inputs: PlanInputs) -> str:
    """Sixteen hexadecimal digits."""
    whole = hashlib.sha256()
    for part in _parts(inputs):
        whole.update(json.dumps(part, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n")
    return whole.hexdigest()[:16]


def _parts(inputs: PlanInputs) -> Iterator[object]:
    only = None if inputs.only is None else sorted(inputs.only)
    yield "sightline plan 1", only, sorted(inputs.choices.items()), inputs.allow_secrets, str(inputs.project)
    yield sorted((scope, str(root)) for scope, root in inputs.roots.items())
    yield sorted(inputs.blocked.kinds), sorted(inputs.blocked.items)
    yield sorted((str(file.path), file.digest) for file in inputs.source_inputs)
    for target, rendered in sorted(inputs.rendered.items()):
        wanted, disputes = unite({target: rendered}, inputs.roots)
        yield target, sorted(str(path) for path in disputes)
        for path, each in sorted(wanted.items()):
            units = [(list(key), unit.digest, unit.sources) for key, unit in each.units.items()]
            yield str(path), each.kind, each.scope, each.mode, units
    for key, state in sorted([*inputs.states.items(), *inputs.others.items()], key=lambda item: str(item[0])):
        yield _state_part(key, state)
    for path, file in sorted(inputs.present.files.items()):
        digest = None if file.content is None else file_digest(file.content, file.mode)
        yield str(path), file.standing, digest, file.mode
    yield sorted(str(folder) for folder in inputs.present.folders)


def _state_part(key: StateKey, state: TargetState) -> object:
    records = [
        (
            str(path),
            record.kind,
            [(list(unit), each.digest, each.sources, each.kept) for unit, each in record.units.items()],
            [list(table) for table in record.made],
            record.is_created,
        )
        for path, record in sorted(state.records.items())
    ]
    return str(key.root), key.scope, key.target, records, sorted(str(folder) for folder in state.folders)
