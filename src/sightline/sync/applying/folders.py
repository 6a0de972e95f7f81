"""Folders that we made and that nothing of ours is in any more: removed if empty, and forgotten in any case.

But one of the person's may hold something of another project: it is remembered as long as anything is in it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sightline.sync.files import DISK, Files
from sightline.sync.planning.records import StateKey, TargetState
from sightline.transactions import Disk


def abandoned_folders(states: Mapping[StateKey, TargetState], allowed: Sequence[Path]) -> list[Path]:
    """Inner ones first; only the folders that may be written to, those inside of them, and those that lead to them."""
    needed = _needed_folders(states)
    made = {folder for state in states.values() for folder in state.folders} - needed
    known = (folder for folder in made if any(_is_on_the_way(folder, root) for root in allowed))
    return sorted(known, key=lambda folder: len(folder.parts), reverse=True)


def _needed_folders(states: Mapping[StateKey, TargetState]) -> set[Path]:
    needed: set[Path] = set()
    for path in (path for state in states.values() for path in state.records):
        folder = path.parent
        while folder not in needed:  # those above a needed one are needed already, and the top is above itself
            needed.add(folder)
            folder = folder.parent
    return needed


def _is_on_the_way(folder: Path, root: Path) -> bool:
    return folder.is_relative_to(root) or root.is_relative_to(folder)


def remove_folders(folders: Sequence[Path], disk: Disk) -> None:
    """Those that are not empty are somebody else's now."""
    for folder in folders:
        with contextlib.suppress(OSError):
            disk.remove_folder(folder)


def without_abandoned(
    states: Mapping[StateKey, TargetState], files: Files = DISK
) -> dict[StateKey, TargetState | None]:
    """The states that change by forgetting abandoned folders; none for one that holds nothing at all."""
    needed = _needed_folders(states)
    changed: dict[StateKey, TargetState | None] = {}
    for key, state in states.items():
        in_use = {folder for folder in state.folders - needed if key.scope == "user" and _is_in_use(folder, files)}
        kept = replace(state, folders=(state.folders & needed) | in_use)
        if not kept.records and not kept.folders:
            changed[key] = None
        elif kept != state:
            changed[key] = kept
    return changed


def _is_in_use(folder: Path, files: Files) -> bool:
    try:
        return bool(files.entries(folder))
    except OSError:
        return False
