"""The proposed file is one that Sightline reads, with every line that is offered switched on or off."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sightline.config.loading import load_settings
from sightline.config.schema import CodeSettings
from sightline.doctor.languages import find_languages
from sightline.doctor.proposal import propose
from sightline.places import Places
from sightline.trust import TrustStore

MANIFESTS = {
    "nothing": "",
    "ruff": "[tool.ruff]\nline-length = 100\n",
    "ty": "[tool.ty.rules]\nx = 1\n",
    "all": "[tool.ruff]\na = 1\n[tool.pyrefly]\nb = 1\n",
}


@pytest.mark.parametrize("manifest", MANIFESTS.values(), ids=MANIFESTS.keys())
@pytest.mark.parametrize("is_all_on", [False, True], ids=["as proposed", "all switched on"])
def test_the_file_can_be_read_as_it_is_and_with_every_offer_taken(
    tmp_path: Path, manifest: str, is_all_on: bool
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").touch()
    (root / "pyproject.toml").write_text(manifest)
    places = Places(*(tmp_path / name for name in ("config", "data", "logs", "cache")))
    text = propose(root, CodeSettings()).text
    if is_all_on:
        text = re.sub(r"(?m)^# (?=\w+ = )", "", text)
        assert "\nread_only = true" in text
    (root / "sightline.toml").write_text(text)
    loaded = load_settings(root, places, {})
    assert loaded.project_file is not None
    assert bool(loaded.ignored) == _is_waiting(text)
    TrustStore(places.trust).grant(root, text.encode())
    trusted = load_settings(root, places, {})
    assert trusted.ignored == ()
    assert trusted.values.code.linters == (("ruff",) if "tool.ruff" in manifest else ())
    assert trusted.values.server.read_only is is_all_on


def _is_waiting(text: str) -> bool:
    return bool(re.search(r"(?m)^(linters|engine) = ", text))


def test_what_waits_for_trust_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    assert not propose(tmp_path, CodeSettings()).needs_trust
    (tmp_path / "ruff.toml").touch()
    assert propose(tmp_path, CodeSettings()).needs_trust


def test_languages_are_counted_without_what_is_not_the_projects_own(tmp_path: Path) -> None:
    for name in ("a.py", "src/b.py", "c.rs", "node_modules/d.ts", ".hidden/e.go", "venv/lib/f.py", "g.json", "h.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "venv" / "pyvenv.cfg").touch()
    found = find_languages(tmp_path, CodeSettings())
    assert {each.spec.id: each.files for each in found.found} == {"pyright": 2, "rust-analyzer": 1, "json": 1}
    assert [each.spec.id for each in found.found if each.is_data] == ["json"]
    assert found.found[0].label == "python (2 files)"
