"""Updates of the registry, with a network that is a table of answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.registry.loading import load_registry
from sightline.library_docs.registry.registry import Registry
from sightline.library_docs.registry.snapshots import checksum_of
from sightline.library_docs.registry.update_schedule import UpdateSchedule
from sightline.library_docs.registry.updates import (
    RegistryUpdates,
    SemanticFailure,
    TransientFailure,
    UpdateReport,
)
from tests.library_docs.registry.sample_registries import registry_with, snapshot_bytes

METADATA = "https://registry.example.com/metadata.json"
DOWNLOAD = "https://registry.example.com/known-libraries.json"
ROCKETS = LibraryId("pypi", "acme-rockets")
NEW = snapshot_bytes(
    {"pypi:acme-rockets": {"docs": "https://rockets.example.com/"}}, "2199.01.01", "2199-01-01T00:00:00Z"
)


@dataclass
class Network:
    """Answers by address; an answer may be a failure. Keeps what was asked."""

    answers: dict[str, bytes | Exception]
    asked: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])

    async def get(self, url: str, deadline_s: float, max_bytes: int) -> bytes:
        self.asked.append((url, deadline_s))
        answer = self.answers[url]
        if isinstance(answer, Exception):
            raise answer
        assert len(answer) <= max_bytes
        return answer


@dataclass
class Holder:
    """Holds the registry in use."""

    registry: Registry = field(default_factory=lambda: registry_with({"pypi:click": {}}))

    def swap(self, registry: Registry) -> None:
        self.registry = registry


def metadata(version: str = "2199.01.01", url: str = DOWNLOAD, data: bytes = NEW) -> bytes:
    return json.dumps({"version": version, "download_url": url, "checksum": checksum_of(data)}).encode()


def updates(network: Network, holder: Holder, folder: Path) -> RegistryUpdates:
    return RegistryUpdates(METADATA, network, holder, folder, now=lambda: datetime(2199, 1, 2, tzinfo=UTC))


async def test_a_newer_registry_is_used_at_once_and_kept_for_the_next_start(tmp_path: Path) -> None:
    network, holder = Network({METADATA: metadata(), DOWNLOAD: NEW}), Holder()

    report = await updates(network, holder, tmp_path).check()

    assert report == UpdateReport("success", "2199.01.01", has_changed=True)
    assert ROCKETS in holder.registry.entries
    assert load_registry(tmp_path).version == "2199.01.01"
    assert network.asked == [(METADATA, 10.0), (DOWNLOAD, 60.0)]


async def test_the_same_version_is_a_success_without_a_download(tmp_path: Path) -> None:
    network, holder = Network({METADATA: metadata("2026.05.01")}), Holder()

    assert await updates(network, holder, tmp_path).check() == UpdateReport("success", "2026.05.01")
    assert len(network.asked) == 1


@pytest.mark.parametrize(
    ("answers", "outcome", "words"),
    [
        ({METADATA: TransientFailure("503")}, "transient_failure", "503"),
        ({METADATA: SemanticFailure("404")}, "semantic_failure", "404"),
        ({METADATA: metadata(), DOWNLOAD: TransientFailure("reset")}, "transient_failure", "reset"),
        ({METADATA: b"<html>"}, "semantic_failure", "JSON"),
        ({METADATA: b'{"version": "1"}'}, "semantic_failure", "download_url"),
        ({METADATA: metadata(url="https://evil.example.com/x")}, "semantic_failure", "another host"),
        ({METADATA: metadata(url="http://registry.example.com/x")}, "semantic_failure", "another host"),
        ({METADATA: metadata(url="https://registry.example.com@evil.example.com/")}, "semantic_failure", "host"),
        ({METADATA: metadata(url="https://[")}, "semantic_failure", "host"),
        ({METADATA: metadata(), DOWNLOAD: NEW + b" "}, "semantic_failure", "checksum"),
        ({METADATA: metadata("2199.09.09"), DOWNLOAD: NEW}, "semantic_failure", "another version"),
    ],
)
async def test_a_failure_changes_nothing_and_says_of_which_kind_it_is(
    tmp_path: Path, answers: dict[str, bytes | Exception], outcome: str, words: str
) -> None:
    holder = Holder()
    before = holder.registry

    report = await updates(Network(answers), holder, tmp_path / "registry").check()

    assert (report.outcome, report.version) == (outcome, "2026.05.01")
    assert words in (report.problem or "")
    assert holder.registry is before
    assert not (tmp_path / "registry").exists()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (snapshot_bytes({"pypi:a": {}, "pypi:b": {"docs": "https://github.io/"}}, "2", "2199-01-01T00:00:00Z"), "b"),
        (snapshot_bytes({"pypi:a": {"docs": "https://10.0.0.1/"}}, "2", "2199-01-01T00:00:00Z"), "IP"),
        (snapshot_bytes({"pypi:a": {"rules": "obey"}}, "2", "2199-01-01T00:00:00Z"), "unknown field"),
        (snapshot_bytes({}, "2", "2001-01-01T00:00:00Z"), "older"),
    ],
)
async def test_one_bad_entry_or_an_older_registry_is_refused_as_a_whole(
    tmp_path: Path, data: bytes, words: str
) -> None:
    holder = Holder()
    network = Network({METADATA: metadata("2", data=data), DOWNLOAD: data})

    report = await updates(network, holder, tmp_path).check()

    assert report.outcome == "semantic_failure"
    assert words in (report.problem or "")
    assert load_registry(tmp_path).origin == "bundled"


async def test_a_registry_that_cannot_be_stored_is_used_all_the_same(tmp_path: Path) -> None:
    blocked = tmp_path / "registry"
    blocked.write_text("a file where the folder should be")
    holder = Holder()

    report = await updates(Network({METADATA: metadata(), DOWNLOAD: NEW}), holder, blocked).check()

    assert (report.outcome, report.has_changed) == ("success", True)
    assert "could not be stored" in (report.problem or "")
    assert ROCKETS in holder.registry.entries


async def test_private_entries_stay_after_an_update(tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"libraries": {"pypi:acme": {}}}))
    holder = Holder()
    network = Network({METADATA: metadata(), DOWNLOAD: NEW})
    checks = RegistryUpdates(METADATA, network, holder, tmp_path, extra=[mine], now=lambda: datetime.now(UTC))

    await checks.check()

    assert {ROCKETS, LibraryId("pypi", "acme")} == set(holder.registry.entries)


class Enough(Exception):
    """Ends the endless loop of checks."""


async def test_checks_go_on_with_the_waits_of_the_schedule(tmp_path: Path) -> None:
    waits: list[float] = []
    reports: list[UpdateReport] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            raise Enough

    network = Network({METADATA: TransientFailure("no connection")})
    with pytest.raises(Enough):
        await updates(network, Holder(), tmp_path).keep_current(UpdateSchedule(lambda: 0.5), sleep, reports.append)

    assert waits == pytest.approx([60, 120, 240])
    assert [report.outcome for report in reports] == ["transient_failure"] * 3


def waits_after_failures(count: int, random: Callable[[], float]) -> list[float]:
    schedule = UpdateSchedule(random)
    return [schedule.wait_after("transient_failure") for _ in range(count)]


def test_waits_double_up_to_an_hour_and_the_eighth_failure_waits_a_day_and_starts_anew() -> None:
    waits = waits_after_failures(10, lambda: 0.5)

    assert waits == pytest.approx([60, 120, 240, 480, 960, 1920, 3600, 86400, 60, 120])


def test_jitter_lies_between_four_fifths_and_six_fifths() -> None:
    assert waits_after_failures(2, lambda: 0.0) == pytest.approx([48, 96])
    assert waits_after_failures(2, lambda: 1.0) == pytest.approx([72, 144])


def test_a_success_and_a_semantic_failure_wait_a_day_and_forget_earlier_failures() -> None:
    schedule = UpdateSchedule(lambda: 0.5)
    for outcome in ("success", "semantic_failure"):
        schedule.wait_after("transient_failure")
        assert schedule.wait_after(outcome) == 86400
        assert schedule.wait_after("transient_failure") == pytest.approx(60)
        schedule.wait_after("success")
