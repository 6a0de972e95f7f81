"""The pair of files on disk: whole or not used, and written so that a crash cannot fool anyone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sightline.library_docs.registry.loading import load_bundled_snapshot, load_registry
from sightline.library_docs.registry.snapshots import InvalidSnapshot, encode_snapshot, parse_snapshot, state_of
from sightline.library_docs.registry.stored_pair import save_pair
from tests.library_docs.registry.sample_registries import STAMP, snapshot_bytes, write_pair

LATER = "2199-01-01T00:00:00Z"
ROWS: dict[str, object] = {"pypi:acme-rockets": {"version": "1.0"}}
DATA = snapshot_bytes(ROWS, "2199.01.01", LATER)


def test_a_whole_pair_is_used_instead_of_the_bundled_one(tmp_path: Path) -> None:
    write_pair(tmp_path, DATA)

    registry = load_registry(tmp_path)

    assert (registry.origin, registry.version, len(registry.entries)) == ("local", "2199.01.01", 1)
    assert registry.problems == ()


def test_without_a_pair_the_bundled_one_is_used_and_nothing_is_wrong(tmp_path: Path) -> None:
    for folder in (None, tmp_path, tmp_path / "missing"):
        registry = load_registry(folder)
        assert (registry.origin, registry.problems) == ("bundled", ())


def test_a_pair_that_is_older_than_the_bundled_one_is_not_used(tmp_path: Path) -> None:
    write_pair(tmp_path, snapshot_bytes(ROWS, "1999.01.01", "1999-01-01T00:00:00Z"))

    assert load_registry(tmp_path).origin == "bundled"


@pytest.mark.parametrize("damage", ["data cut", "state cut", "no state", "no data", "other count", "not an object"])
def test_a_damaged_pair_is_not_used_and_the_reason_is_told(tmp_path: Path, damage: str) -> None:
    write_pair(tmp_path, DATA)
    data, state = tmp_path / "known-libraries.json", tmp_path / "registry-state.json"
    match damage:
        case "data cut":
            data.write_bytes(DATA[:-1])
        case "state cut":
            state.write_bytes(state.read_bytes()[:-5])
        case "no state":
            state.unlink()
        case "no data":
            data.unlink()
        case "other count":
            state.write_text(json.dumps(json.loads(state.read_bytes()) | {"count": 7}))
        case _:
            state.write_text("[]")

    registry = load_registry(tmp_path)

    assert registry.origin == "bundled"
    assert len(registry.problems) == 1
    assert "not used" in registry.problems[0]


def test_an_invalid_entry_spoils_a_pair_even_if_the_checksum_fits(tmp_path: Path) -> None:
    write_pair(tmp_path, DATA)
    bad = snapshot_bytes({"pypi:x": {"docs": "http://x.example/"}}, "2199.01.01", LATER)
    state = state_of(bad, parse_snapshot(DATA), STAMP)
    save_pair(tmp_path, bad, state)

    registry = load_registry(tmp_path)

    assert (registry.origin, len(registry.problems)) == ("bundled", 1)
    assert "https" in registry.problems[0]


def test_a_saved_pair_is_loaded_again_and_leaves_no_other_file(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "registry"
    snapshot = parse_snapshot(DATA)

    save_pair(folder, DATA, state_of(DATA, snapshot, STAMP))
    save_pair(folder, DATA, state_of(DATA, snapshot, STAMP))

    assert load_registry(folder).origin == "local"
    assert sorted(path.name for path in folder.iterdir()) == ["known-libraries.json", "registry-state.json"]


def test_a_save_that_fails_half_way_leaves_no_drafts_and_the_mixed_pair_is_not_used(tmp_path: Path) -> None:
    write_pair(tmp_path, DATA)
    newer = snapshot_bytes(ROWS, "2199.02.01", "2199-02-01T00:00:00Z")
    (tmp_path / "registry-state.json").unlink()
    (tmp_path / "registry-state.json").mkdir()

    with pytest.raises(IsADirectoryError):
        save_pair(tmp_path, newer, state_of(newer, parse_snapshot(newer), STAMP))

    assert sorted(path.name for path in tmp_path.iterdir()) == ["known-libraries.json", "registry-state.json"]
    assert load_registry(tmp_path).origin == "bundled"


def test_the_same_entries_give_the_same_bytes_whatever_their_order() -> None:
    rows: dict[str, object] = {"pypi:b": {"version": "1"}, "npm:a": {}, "pypi:a": {"imports": ["A"]}}
    one = parse_snapshot(snapshot_bytes(rows)).entries

    data = encode_snapshot("1", STAMP, one)

    assert data == encode_snapshot("1", STAMP, reversed(one))
    assert parse_snapshot(data).entries == one


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{",
        b"[" * 100_000,
        b'{"schema":1,"schema":1}',
        snapshot_bytes({}, version=""),
        snapshot_bytes({}, generated_at="2026-05-01T12:00:00+00:00"),
        snapshot_bytes({}).replace(b'"schema": 1', b'"schema": 2'),
        snapshot_bytes({}).replace(b'"schema": 1', b'"schema": 1, "hosts": ["evil.example"]'),
        b'{"schema":1,"version":"1","generated_at":"2026-05-01T12:00:00Z","libraries":[]}',
    ],
)
def test_what_is_no_snapshot_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidSnapshot):
        parse_snapshot(data)


def test_the_bundled_snapshot_is_whole() -> None:
    assert len(load_bundled_snapshot().entries) >= 1300


def test_a_crash_between_the_two_files_is_noticed(tmp_path: Path) -> None:
    write_pair(tmp_path, DATA)
    (tmp_path / "known-libraries.json").write_bytes(snapshot_bytes(ROWS, "2199.02.01", "2199-02-01T00:00:00Z"))

    registry = load_registry(tmp_path)

    assert registry.origin == "bundled"
    assert "checksum" in registry.problems[0]


def test_a_state_that_lacks_a_field_is_refused(tmp_path: Path) -> None:
    for lost in ("version", "checksum", "updated_at", "count"):
        write_pair(tmp_path, DATA)
        state = tmp_path / "registry-state.json"
        state.write_text(
            json.dumps({key: value for key, value in json.loads(state.read_bytes()).items() if key != lost})
        )

        assert lost in load_registry(tmp_path).problems[0]
