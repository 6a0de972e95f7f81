"""The gates of the snapshot that comes with Sightline."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from sightline.library_docs.registry.loading import load_bundled_snapshot
from sightline.library_docs.registry.registry import Registry, registry_of
from sightline.library_docs.registry.snapshots import encode_snapshot, parse_snapshot

BUNDLED = files("sightline.library_docs.registry") / "bundled"
NAMES = Path(__file__).resolve().parents[3] / "scripts" / "registry_names"


def data() -> bytes:
    return (BUNDLED / "known-libraries.json").read_bytes()


def registry() -> Registry:
    return registry_of(load_bundled_snapshot(), "bundled")


def test_every_entry_passes_the_full_check_and_the_file_is_as_the_script_writes_it() -> None:
    snapshot = parse_snapshot(data())

    assert encode_snapshot(snapshot.version, snapshot.generated_at, snapshot.entries) == data()


def test_the_snapshot_holds_the_libraries_that_were_promised_and_stays_small() -> None:
    known = registry()

    assert len(known.names("pypi")) >= 1000
    assert len(known.names("npm")) >= 300
    assert len(data()) < 500_000


def test_no_address_leads_to_a_package_registry() -> None:
    hosts = set(re.findall(r"https://([^/\"]+)", data().decode()))

    assert len(hosts) > 300
    assert [host for host in hosts if re.search(r"pypi|pythonhosted|npmjs", host)] == []


def test_every_shared_host_is_opened_at_a_folder_only() -> None:
    shared = {"github.com", "gitlab.com", "raw.githubusercontent.com", "huggingface.co", "sites.google.com"}
    places = {place for places in registry().places_of_all().values() for place in places if place.host in shared}

    assert len(places) > 500
    assert [place for place in places if place.path_prefix.count("/") < 3] == []


def test_every_name_of_the_reviewed_lists_is_there_in_its_own_ecosystem() -> None:
    known = registry()
    for ecosystem in ("pypi", "npm"):
        wanted = set((NAMES / f"{ecosystem}.txt").read_text().split())
        missing = wanted - set(known.names(ecosystem))
        assert len(missing) <= 0.02 * len(wanted), sorted(missing)
        assert set(known.names(ecosystem)) <= wanted


def test_the_reviewed_import_names_are_all_in_the_snapshot() -> None:
    known = registry()
    rows = [line.split() for line in (NAMES / "imports.txt").read_text().splitlines() if not line.startswith("#")]
    lost = [
        (name, path)
        for name, _, *paths in rows
        for path in paths
        if name not in {entry.library.name for entry in known.by_import("pypi", path)}
    ]

    assert len(rows) >= 130
    assert lost == []


def test_no_alias_is_the_name_of_a_package_in_its_ecosystem() -> None:
    known = registry()
    aliases = [(entry.library, alias) for entry in known.entries.values() for alias in entry.aliases]

    assert len(aliases) > 40
    assert len({alias for _, alias in aliases}) == len(aliases)
    assert [(library, alias) for library, alias in aliases if known.by_name(library.ecosystem, alias)] == []
