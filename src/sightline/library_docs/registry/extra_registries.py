"""Registry files of a person's own, merged with the public registry.

A private entry may stand for a library that the public registry does not know. It takes the place of a public one
only where its row says `"replaces": true`; otherwise the public one stays, and the conflict is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.registry.entries import Entry, InvalidEntry, parse_entry
from sightline.library_docs.registry.registry import Registry, build_registry
from sightline.library_docs.registry.snapshots import MAX_SNAPSHOT_BYTES, SCHEMA, InvalidSnapshot, parse_document
from sightline.regular_files import read_regular


def merge_extra_registries(registry: Registry, files: Sequence[Path]) -> Registry:
    """The registry with the entries of `files`; what cannot be used is left out and named in `problems`."""
    if not files:
        return registry
    entries = dict(registry.entries)
    problems = list(registry.problems)
    for file in files:
        _merge_file(file, entries, problems)
    ordered = [entries[library] for library in sorted(entries)]
    return build_registry(registry.version, registry.generated_at, registry.origin, ordered, tuple(problems))


def _merge_file(file: Path, entries: dict[LibraryId, Entry], problems: list[str]) -> None:
    try:
        rows = _rows_of(file)
    except InvalidSnapshot as reason:
        problems.append(f"extra registry `{file}`: {reason}")
        return
    for key, row in rows.items():
        try:
            entry, replaces = _private_entry(key, row)
        except InvalidEntry as reason:
            problems.append(f"extra registry `{file}`: {reason}")
            continue
        if entry.library in entries and not replaces:
            problems.append(f"extra registry `{file}`: `{key}` is known already; say `replaces` to take its place")
            continue
        entries[entry.library] = entry


def _private_entry(key: str, row: object) -> tuple[Entry, bool]:
    if not isinstance(row, dict):
        raise InvalidEntry(f"`{key}` is not a table")
    fields = dict(cast("dict[str, object]", row))
    replaces = fields.pop("replaces", False)
    if not isinstance(replaces, bool):
        raise InvalidEntry(f"`{key}`: `replaces` is neither true nor false")
    return parse_entry(key, fields, is_private=True), replaces


def _rows_of(file: Path) -> dict[str, object]:
    try:
        document = parse_document(read_regular(file, MAX_SNAPSHOT_BYTES + 1))
    except OSError as reason:
        raise InvalidSnapshot(f"cannot be read: {reason.strerror}") from None
    rows = document.get("libraries")
    if document.get("schema", SCHEMA) != SCHEMA or not isinstance(rows, dict):
        raise InvalidSnapshot(f"not a registry of schema {SCHEMA} with `libraries`")
    return cast("dict[str, object]", rows)
