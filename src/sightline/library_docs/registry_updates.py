"""The registry's update over the one fetcher: what an HTTP answer means to it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import anyio

from sightline.config.schema import DocsSettings
from sightline.library_docs.fetching.allowed_hosts import AllowedHosts
from sightline.library_docs.fetching.failures import FetchError, FetchFailed
from sightline.library_docs.fetching.fetcher import Fetcher
from sightline.library_docs.known_libraries import KnownLibraries, extra_files
from sightline.library_docs.registry.update_schedule import UpdateSchedule
from sightline.library_docs.registry.updates import RegistryUpdates, SemanticFailure, TransientFailure, UpdateReport

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FetchedDownloads:
    """Downloads from the one host that the settings name."""

    fetcher: Fetcher
    allowed: AllowedHosts

    async def get(self, url: str, deadline_s: float, max_bytes: int) -> bytes:
        try:
            with anyio.fail_after(deadline_s):
                fetched = await self.fetcher.fetch_bytes(url, self.allowed)
        except TimeoutError:
            raise TransientFailure(f"no answer within {deadline_s:.0f} s") from None
        except FetchFailed as error:
            kind = TransientFailure if error.transient else SemanticFailure
            raise kind(error.message) from None
        except FetchError as error:
            raise SemanticFailure(error.message) from None
        if len(fetched.body) > max_bytes:
            raise SemanticFailure(f"the answer has {len(fetched.body):,} bytes; at most {max_bytes:,} are taken")
        return fetched.body


async def keep_registry_current(
    settings: DocsSettings, known: KnownLibraries, fetcher: Fetcher, folder: Path, is_long_lived: bool
) -> None:
    """One check, and in a service that lives long a check every so often."""
    url = settings.registry_url or ""
    await known.get()
    host = urlsplit(url).hostname or ""
    private = {name: each for name, each in settings.private_hosts.items() if name.partition(":")[0] == host}
    allowed = AllowedHosts.of(allowed_hosts=() if private else (host,), private_hosts=private)
    updates = RegistryUpdates(
        url,
        FetchedDownloads(fetcher, allowed),
        known,
        folder,
        extra=extra_files(settings),
        now=lambda: datetime.now(UTC),
    )
    if is_long_lived:
        import random

        await updates.keep_current(UpdateSchedule(random.random), anyio.sleep, _log)
    else:
        _log(await updates.check())


def _log(report: UpdateReport) -> None:
    log.info(
        "registry checked",
        extra={
            "outcome": report.outcome,
            "version": report.version,
            "changed": report.has_changed,
            "problem": report.problem,
        },
    )
