"""The states on disk: one JSON file for each root, scope and target. Digests and ids only."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from sightline.sync.applying.failures import StateDamaged
from sightline.sync.applying.places import SyncPlaces
from sightline.sync.files import DISK, Files, json_files
from sightline.sync.formats.values import KeyPath
from sightline.sync.planning.holders import StateRoot
from sightline.sync.planning.records import OpenVerdict, PathRecord, StateKey, TargetState, Unit

_FORMAT = 1


def read_states(places: SyncPlaces, roots: Iterable[StateRoot], files: Files = DISK) -> dict[StateKey, TargetState]:
    """What every target holds under these roots, whether it is enabled or not; raises `StateDamaged`."""
    states: dict[StateKey, TargetState] = {}
    for scope, root in roots:
        for path in json_files(files, places.states(root, scope)):
            states[StateKey(root, scope, path.stem)] = _read_state(path, root, files)
    return states


def read_other_states(
    places: SyncPlaces, roots: Iterable[StateRoot], files: Files = DISK
) -> dict[StateKey, TargetState]:
    """What all other roots that still exist hold in the person's own files; raises `StateDamaged`."""
    known = {places.states(root, scope).name for scope, root in roots}
    states: dict[StateKey, TargetState] = {}
    for folder in _user_folders(places, files):
        for path in json_files(files, places.all_states / folder) if folder not in known else ():
            root, state = _read_any_state(path, files)
            if files.is_dir(root):
                states[StateKey(root, "user", path.stem)] = state
    return states


def read_gone_states(places: SyncPlaces, files: Files = DISK) -> dict[StateKey, TargetState]:
    """What projects that are not there any more left in the person's own files; what cannot be read is not told of."""
    states: dict[StateKey, TargetState] = {}
    for folder in _user_folders(places, files):
        for path in json_files(files, places.all_states / folder):
            with contextlib.suppress(StateDamaged):
                root, state = _read_any_state(path, files)
                left = {place: each for place, each in state.records.items() if each.units and files.exists(place)}
                if left and not files.exists(root):
                    states[StateKey(root, "user", path.stem)] = replace(state, records=left)
    return states


def _user_folders(places: SyncPlaces, files: Files) -> list[str]:
    """The names of all folders with states of the person's own files; raises `StateDamaged`."""
    try:
        return [each.name for each in files.entries(places.all_states) if each.name.startswith("user-")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StateDamaged(places.all_states, error.strerror or "unreadable") from None


def _read_state(path: Path, root: Path, files: Files) -> TargetState:
    found, state = _read_any_state(path, files)
    if found != root:
        raise StateDamaged(path, "it is of another version or another project")
    return state


def _read_any_state(path: Path, files: Files) -> tuple[Path, TargetState]:
    try:
        content = json.loads(files.read(path))
        if content["format"] != _FORMAT:
            raise StateDamaged(path, "it is of another version or another project")
        return Path(str(content["root"])), state_from_json(content)
    except OSError as error:
        raise StateDamaged(path, error.strerror or "unreadable") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StateDamaged(path, "it is not what was written") from None


def state_bytes(key: StateKey, state: TargetState) -> bytes:
    """One file; the same state gives the same bytes."""
    head = {"format": _FORMAT, "root": str(key.root), "scope": key.scope, "target": key.target}
    return json_bytes({**head, **state_to_json(state)})


def json_bytes(content: Any) -> bytes:
    """ASCII escapes carry names that are not UTF-8; in one line, because indenting takes ten times as long."""
    return (json.dumps(content, ensure_ascii=True) + "\n").encode("ascii")


def state_to_json(state: TargetState) -> dict[str, Any]:
    verdict = state.verdict
    said = {"is_failed": verdict.is_failed, "version": verdict.version, "findings": verdict.findings} if verdict else {}
    return {
        "applied_at": state.applied_at,
        **({"verdict": said} if said else {}),
        "items": state.item_count,
        "folders": sorted(str(folder) for folder in state.folders),
        "paths": [_record_to_json(record) for _, record in sorted(state.records.items())],
    }


def state_from_json(content: dict[str, Any]) -> TargetState:
    """Raises `KeyError`, `TypeError` or `ValueError` for anything else than what was written."""
    records = [_record_from_json(each) for each in cast("list[dict[str, Any]]", content["paths"])]
    folders = frozenset(Path(str(folder)) for folder in content["folders"])
    verdict = _verdict(content["verdict"]) if "verdict" in content else None
    return TargetState({record.path: record for record in records}, folders, str(content["applied_at"]), verdict)


def _verdict(content: dict[str, Any]) -> OpenVerdict:
    findings = tuple(str(finding) for finding in content["findings"])
    return OpenVerdict(bool(content["is_failed"]), str(content["version"]), findings)


def _record_to_json(record: PathRecord) -> dict[str, Any]:
    units = [
        {"key": list(key), "digest": unit.digest, "sources": list(unit.sources), "kept": unit.kept}
        for key, unit in record.units.items()
    ]
    return {
        "path": str(record.path),
        "kind": record.kind,
        "is_created": record.is_created,
        "made": [list(table) for table in record.made],
        "units": units,
    }


def _record_from_json(content: dict[str, Any]) -> PathRecord:
    kind = content["kind"]
    if kind not in ("file", "jsonc", "toml", "block"):
        raise ValueError(kind)
    units = {_key(each["key"]): _unit(each) for each in cast("list[dict[str, Any]]", content["units"])}
    made = tuple(_key(each) for each in content["made"])
    return PathRecord(Path(str(content["path"])), kind, units, made, bool(content["is_created"]))


def _unit(content: dict[str, Any]) -> Unit:
    digest, kept = content["digest"], content["kept"]
    sources = tuple(str(source) for source in content["sources"])
    return Unit(None if digest is None else str(digest), sources, (str(kept[0]), str(kept[1])) if kept else None)


def _key(content: Any) -> KeyPath:
    return tuple(step if isinstance(step, int) else str(step) for step in content)
