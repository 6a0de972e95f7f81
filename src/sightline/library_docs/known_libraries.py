"""The registry in use, and the list of places on the web that follows from it: one value, swapped as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread

from sightline.config.schema import DocsSettings
from sightline.library_docs.fetching.allowed_hosts import AllowedHosts, Permission
from sightline.library_docs.fetching.failures import Refusal
from sightline.library_docs.private_folders import PrivateFolders
from sightline.library_docs.registry.entries import Entry, assumed_imports
from sightline.library_docs.registry.loading import load_registry
from sightline.library_docs.registry.registry import Registry, build_registry
from sightline.library_docs.setting_failures import settings_as_failures


@dataclass(frozen=True, slots=True)
class Known:
    """A registry with the places that may be read because of it and of the settings."""

    registry: Registry
    allowed: AllowedHosts
    shared_repos: frozenset[str]


def known_by(registry: Registry, settings: DocsSettings) -> Known:
    """Everything that follows from a registry; raises `SettingsError` for a setting that names no place."""
    repos = Counter(each.repo for each in registry.entries.values() if each.repo)
    shared = frozenset(repo for repo, count in repos.items() if count > 1)
    return Known(registry, _allowed(registry, settings), shared)


class KnownLibraries:
    """Loaded when first needed, in a worker thread; an update swaps it."""

    def __init__(self, settings: DocsSettings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._loading = anyio.Lock()
        self._now: Known | None = None

    async def get(self) -> Known:
        """What is known now; raises `ToolFailure` for a setting that names no place."""
        if self._now is None:
            async with self._loading:
                if self._now is None:
                    with settings_as_failures():
                        self._now = await anyio.to_thread.run_sync(self._load)
        return self._now

    @property
    def registry(self) -> Registry:
        return (self._now or self._load()).registry

    @property
    def allowed(self) -> AllowedHosts:
        return (self._now or self._load()).allowed

    def permit(self, url: str) -> Permission | Refusal:
        """Whether an address may be read, by the list as it is now."""
        return self.allowed.permit(url)

    def swap(self, registry: Registry) -> None:
        """Use another registry from now on, with everything that is made from it."""
        registry = with_folders(registry, PrivateFolders.of(self._settings.folders))
        self._now = known_by(registry, self._settings)

    def _load(self) -> Known:
        folders = PrivateFolders.of(self._settings.folders)
        registry = with_folders(load_registry(self._folder, extra_files(self._settings)), folders)
        known = known_by(registry, self._settings)
        self._now = self._now or known
        return self._now


def with_folders(registry: Registry, folders: PrivateFolders) -> Registry:
    """The registry, in which every library with a folder of its own is known."""
    new = [
        Entry(library=library, imports=assumed_imports(library), are_imports_assumed=True, is_private=True)
        for library in folders.folders
        if library not in registry.entries
    ]
    if not new:
        return registry
    entries = sorted([*registry.entries.values(), *new], key=lambda each: each.library)
    return build_registry(registry.version, registry.generated_at, registry.origin, entries, registry.problems)


def extra_files(settings: DocsSettings) -> Sequence[Path]:
    return [Path(each).expanduser() for each in settings.extra_registries]


def _allowed(registry: Registry, settings: DocsSettings) -> AllowedHosts:
    places = {
        f"{host}{place.path_prefix if place.path_prefix != '/' else ''}"
        for of_library in registry.places_of_all().values()
        for place in of_library
        for host in _with_twin(place.host)
    }
    private: Mapping[str, Sequence[str]] = settings.private_hosts
    return AllowedHosts.of(registered=sorted(places), allowed_hosts=settings.allowed_hosts, private_hosts=private)


def _with_twin(host: str) -> tuple[str, ...]:
    """Sites redirect between their bare domain and `www.`, which is theirs too."""
    if host.startswith("www.") and host.count(".") == 2:
        return host, host.removeprefix("www.")
    return (host, f"www.{host}") if host.count(".") == 1 else (host,)
