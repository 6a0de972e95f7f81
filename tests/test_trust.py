"""Trust is given to a root and to bytes, and ends with either."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

from sightline.config import LoadedSettings, load_settings
from sightline.config.loading import keys_that_need_trust
from sightline.trust import TrustStore
from tests.support.apps import places_in

WIDE = b"[code]\npool_size = 9\n"


def project_in(folder: Path, content: bytes = WIDE) -> Path:
    folder.mkdir()
    (folder / "sightline.toml").write_bytes(content)
    return folder


def load(root: Path, user: Path, **environment: str) -> LoadedSettings:
    return load_settings(root, places_in(user), environment)


def test_nothing_is_trusted_at_first(tmp_path: Path) -> None:
    assert not TrustStore(tmp_path / "trust").is_trusted(tmp_path, b"")
    assert not (tmp_path / "trust").exists()


def test_trust_holds_for_these_bytes_at_this_root_only(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "trust")
    store.grant(tmp_path / "a", WIDE)
    assert store.is_trusted(tmp_path / "a", WIDE)
    assert not store.is_trusted(tmp_path / "b", WIDE)
    assert not store.is_trusted(tmp_path / "a", WIDE + b"\n")
    assert not store.is_trusted(tmp_path / "a", b"")


def test_one_changed_byte_ends_trust_and_the_old_bytes_restore_it(tmp_path: Path) -> None:
    root = project_in(tmp_path / "project")
    TrustStore(places_in(tmp_path).trust).grant(root, WIDE)
    assert load(root, tmp_path).values.code.pool_size == 9
    (root / "sightline.toml").write_bytes(WIDE.replace(b"9", b"8"))
    changed = load(root, tmp_path)
    assert (changed.values.code.pool_size, changed.is_trusted) == (3, False)
    (root / "sightline.toml").write_bytes(WIDE)
    assert load(root, tmp_path).is_trusted


def test_another_checkout_with_the_same_file_is_not_trusted(tmp_path: Path) -> None:
    root, twin = project_in(tmp_path / "project"), project_in(tmp_path / "twin")
    TrustStore(places_in(tmp_path).trust).grant(root, WIDE)
    assert load(twin, tmp_path).values.code.pool_size == 3


def test_a_sightline_toml_added_later_does_not_inherit_the_trust_of_pyproject(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_bytes(b"[tool.sightline.code]\npool_size = 9\n")
    TrustStore(places_in(tmp_path).trust).grant(root, (root / "pyproject.toml").read_bytes())
    assert load(root, tmp_path).values.code.pool_size == 9
    (root / "sightline.toml").write_bytes(b"[code]\npool_size = 64\n")
    assert load(root, tmp_path).values.code.pool_size == 3


def test_trust_that_is_given_anew_replaces_the_old(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "trust")
    store.grant(tmp_path, b"old")
    store.grant(tmp_path, b"new")
    assert not store.is_trusted(tmp_path, b"old")
    assert store.is_trusted(tmp_path, b"new")
    assert len(list((tmp_path / "trust").iterdir())) == 1


def test_revoked_trust_is_gone_and_revoking_twice_says_so(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "trust")
    store.grant(tmp_path, WIDE)
    store.grant(tmp_path / "other", WIDE)
    assert store.revoke(tmp_path)
    assert not store.is_trusted(tmp_path, WIDE)
    assert store.is_trusted(tmp_path / "other", WIDE)
    assert not store.revoke(tmp_path)


def test_a_damaged_record_is_no_trust(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "trust")
    store.grant(tmp_path, WIDE)
    (record,) = (tmp_path / "trust").iterdir()
    for content in (b"", b"{", b"[]", b"null", b"\xff"):
        record.write_bytes(content)
        assert not store.is_trusted(tmp_path, WIDE)


def test_a_record_moved_to_another_root_is_no_trust(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "trust")
    store.grant(tmp_path / "a", WIDE)
    (record,) = (tmp_path / "trust").iterdir()
    content = record.read_bytes()
    store.grant(tmp_path / "b", b"other")
    (other,) = {*(tmp_path / "trust").iterdir()} - {record}
    other.write_bytes(content)
    assert not store.is_trusted(tmp_path / "b", WIDE)


def test_only_the_user_may_look_into_the_folder_of_records(tmp_path: Path) -> None:
    TrustStore(tmp_path / "data" / "trust").grant(tmp_path, WIDE)
    assert stat.S_IMODE((tmp_path / "data" / "trust").stat().st_mode) == 0o700


def test_a_root_whose_name_is_not_utf8_can_be_trusted(tmp_path: Path) -> None:
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    store = TrustStore(tmp_path / "trust")
    store.grant(root, WIDE)
    assert store.is_trusted(root, WIDE)


def keys_needing_trust(root: Path, user: Path) -> list[str]:
    project = load(root, user).project_file
    assert project
    return keys_that_need_trust(root, project, places_in(user))


def test_the_keys_that_need_trust_are_those_that_widen(tmp_path: Path) -> None:
    root = project_in(tmp_path / "project", b"[code]\npool_size = 9\nidle_timeout_s = 1\n[server]\nport = 1\n")
    assert keys_needing_trust(root, tmp_path) == ["code.pool_size", "server.port"]


def test_the_keys_that_need_trust_are_the_same_after_it_was_given(tmp_path: Path) -> None:
    root = project_in(tmp_path / "project")
    TrustStore(places_in(tmp_path).trust).grant(root, WIDE)
    assert keys_needing_trust(root, tmp_path) == ["code.pool_size"]


def test_a_key_that_trust_cannot_help_is_not_said_to_need_it(tmp_path: Path) -> None:
    root = project_in(tmp_path / "project", b"[sync]\nallow_secrets = true\n")
    assert keys_needing_trust(root, tmp_path) == []


def test_trust_is_kept_in_the_data_folder_of_the_user(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    root = project_in(tmp_path / "project")
    TrustStore(places.trust).grant(root, WIDE)
    elsewhere = replace(places, data=tmp_path / "other data")
    assert load_settings(root, places, {}).is_trusted
    assert not load_settings(root, elsewhere, {}).is_trusted
