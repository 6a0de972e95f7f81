"""A newer registry from the network: asked for, verified, checked entry by entry, then swapped as a whole.

Off unless a person names the address. The network is behind a Protocol. The checksum comes from the same host as the
data, so it shows a broken download and no more; therefore an update can only add places per package, is never older
than what is there, and carries no text.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import anyio.to_thread

from sightline.library_docs.registry.extra_registries import merge_extra_registries
from sightline.library_docs.registry.registry import Registry, registry_of
from sightline.library_docs.registry.snapshots import (
    MAX_SNAPSHOT_BYTES,
    InvalidSnapshot,
    Snapshot,
    checksum_of,
    parse_document,
    parse_snapshot,
    state_of,
)
from sightline.library_docs.registry.stored_pair import save_pair
from sightline.library_docs.registry.update_schedule import Outcome, UpdateSchedule

METADATA_DEADLINE_S = 10.0
DOWNLOAD_DEADLINE_S = 60.0
MAX_METADATA_BYTES = 100_000


class TransientFailure(Exception):
    """A failure that may pass by itself: no connection, a server error, 408 or 429."""


class SemanticFailure(Exception):
    """A failure that asking again soon does not cure: another status, or an answer that is wrong."""


class RegistryDownloads(Protocol):
    """The network as an update needs it."""

    async def get(self, url: str, deadline_s: float, max_bytes: int) -> bytes:
        """The body at `url`; raises `TransientFailure` or `SemanticFailure`, and nothing else."""
        ...


class RegistryHolder(Protocol):
    """Whoever holds the registry in use."""

    @property
    def registry(self) -> Registry: ...

    def swap(self, registry: Registry) -> None:
        """Use another registry from now on, with everything that is made from it."""
        ...


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """How a check ended; `problem` of a success is a registry that is in use but could not be stored."""

    outcome: Outcome
    version: str
    has_changed: bool = False
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class _Metadata:
    version: str
    download_url: str
    checksum: str


class RegistryUpdates:
    """Checks for a newer registry at one address and keeps it in `folder`."""

    def __init__(
        self,
        metadata_url: str,
        downloads: RegistryDownloads,
        holder: RegistryHolder,
        folder: Path,
        *,
        extra: Sequence[Path] = (),
        now: Callable[[], datetime],
    ) -> None:
        self._metadata_url = metadata_url
        self._downloads = downloads
        self._holder = holder
        self._folder = folder
        self._extra = tuple(extra)
        self._now = now

    async def keep_current(
        self,
        schedule: UpdateSchedule,
        sleep: Callable[[float], Awaitable[object]],
        report: Callable[[UpdateReport], object],
    ) -> None:
        """Check now and then as the schedule says, until cancelled; for one check only there is `check`."""
        while True:
            ended = await self.check()
            report(ended)
            await sleep(schedule.wait_after(ended.outcome))

    async def check(self) -> UpdateReport:
        """One check from the question to the swap; never raises for what the network or the answer does."""
        before = self._holder.registry.version
        try:
            metadata = await self._metadata()
            if metadata.version == before:
                return UpdateReport("success", before)
            data = await self._downloads.get(metadata.download_url, DOWNLOAD_DEADLINE_S, MAX_SNAPSHOT_BYTES)
            snapshot, registry = await anyio.to_thread.run_sync(self._verified, metadata, data)
        except TransientFailure as reason:
            return UpdateReport("transient_failure", before, problem=str(reason))
        except (SemanticFailure, InvalidSnapshot) as reason:
            return UpdateReport("semantic_failure", before, problem=str(reason))
        self._holder.swap(registry)
        problem = await anyio.to_thread.run_sync(self._persist, data, snapshot)
        return UpdateReport("success", snapshot.version, has_changed=True, problem=problem)

    async def _metadata(self) -> _Metadata:
        document = parse_document(
            await self._downloads.get(self._metadata_url, METADATA_DEADLINE_S, MAX_METADATA_BYTES)
        )
        version, url, checksum = (document.get(name) for name in ("version", "download_url", "checksum"))
        if not (isinstance(version, str) and isinstance(url, str) and isinstance(checksum, str) and version):
            raise SemanticFailure("the metadata has no `version`, `download_url` or `checksum`")
        if _origin(url) != _origin(self._metadata_url):
            raise SemanticFailure("the download is on another host than the metadata")
        return _Metadata(version, url, checksum)

    def _verified(self, metadata: _Metadata, data: bytes) -> tuple[Snapshot, Registry]:
        if checksum_of(data) != metadata.checksum:
            raise SemanticFailure("the checksum does not fit the download")
        snapshot = parse_snapshot(data)
        if snapshot.version != metadata.version:
            raise SemanticFailure("the download has another version than the metadata says")
        if snapshot.generated_at < self._holder.registry.generated_at:
            raise SemanticFailure("the download is older than the registry in use")
        return snapshot, merge_extra_registries(registry_of(snapshot, "update"), self._extra)

    def _persist(self, data: bytes, snapshot: Snapshot) -> str | None:
        stamp = self._now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            save_pair(self._folder, data, state_of(data, snapshot, stamp))
        except OSError as reason:
            return f"the registry could not be stored: {reason.strerror}"
        return None


def _origin(url: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return (parts.scheme, parts.netloc.lower()) if "@" not in parts.netloc else None
