"""A person's own registry files beside the public one."""

from __future__ import annotations

import json
from pathlib import Path

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.registry.extra_registries import merge_extra_registries
from tests.library_docs.registry.sample_registries import registry_with

PUBLIC = registry_with({"pypi:click": {"version": "8.0"}})
CLICK, ACME = LibraryId("pypi", "click"), LibraryId("pypi", "acme")


def extra(path: Path, rows: object) -> Path:
    path.write_text(json.dumps({"libraries": rows}))
    return path


def test_a_library_that_only_the_private_file_knows_is_added(tmp_path: Path) -> None:
    file = extra(tmp_path / "mine.json", {"pypi:acme": {"docs": "https://docs.acme.internal/", "imports": ["acme"]}})

    registry = merge_extra_registries(PUBLIC, [file])

    assert registry.entries[ACME].is_private
    assert registry.by_import("pypi", "acme")[0].library == ACME
    assert registry.problems == ()
    assert list(registry.entries) == sorted(registry.entries)


def test_a_private_entry_does_not_take_the_place_of_a_public_one_unasked(tmp_path: Path) -> None:
    file = extra(tmp_path / "mine.json", {"pypi:click": {"version": "9.9"}})

    registry = merge_extra_registries(PUBLIC, [file])

    assert registry.entries[CLICK].version == "8.0"
    assert len(registry.problems) == 1
    assert "`pypi:click` is known already" in registry.problems[0]


def test_a_private_entry_that_says_so_takes_the_place(tmp_path: Path) -> None:
    file = extra(tmp_path / "mine.json", {"pypi:click": {"version": "9.9", "replaces": True}})

    registry = merge_extra_registries(PUBLIC, [file])

    assert registry.entries[CLICK].version == "9.9"
    assert registry.entries[CLICK].is_private


def test_a_bad_row_is_named_and_the_others_are_used(tmp_path: Path) -> None:
    rows: dict[str, object] = {"pypi:bad": {"docs": "file:///etc/passwd"}, "pypi:acme": {}, "pypi:worse": 3}
    rows["pypi:odd"] = {"replaces": "yes"}
    file = extra(tmp_path / "mine.json", rows)

    registry = merge_extra_registries(PUBLIC, [file])

    assert ACME in registry.entries
    assert len(registry.problems) == 3


def test_a_file_that_is_missing_or_broken_is_named_and_the_others_are_used(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    other = extra(tmp_path / "list.json", [])
    good = extra(tmp_path / "mine.json", {"pypi:acme": {}})

    registry = merge_extra_registries(PUBLIC, [tmp_path / "none.json", tmp_path / "broken.json", other, good])

    assert ACME in registry.entries
    assert len(registry.problems) == 3
    assert merge_extra_registries(PUBLIC, []) is PUBLIC
