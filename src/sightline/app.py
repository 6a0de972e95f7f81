"""The composition root: `async with open_app(...) as app`. It composes and does nothing else."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio.to_thread

from sightline import code, status
from sightline.allowed_roots import AllowedRoots
from sightline.boundary import ToolBoundary
from sightline.call_feed import CallFeed
from sightline.children import Children
from sightline.code.pyright_command import PyrightCommand
from sightline.config import LoadedSettings
from sightline.library_docs.opening import open_docs
from sightline.library_docs.store_health import store_probes
from sightline.library_docs.tools import TOOLS as DOCS_TOOLS
from sightline.lsp.pool import PoolLimits, open_pool
from sightline.metrics import Metrics
from sightline.places import Places
from sightline.projects import Surroundings
from sightline.projects.search_paths import SearchPaths
from sightline.selection import Selection, select_tools
from sightline.sync.opening import SyncDoor
from sightline.sync.tools import TOOLS as SYNC_TOOLS
from sightline.tool import AnyTool
from sightline.transactions import FileTransactions, TransactionFailed

log = logging.getLogger(__name__)

ALL_TOOLS: tuple[AnyTool, ...] = (*code.TOOLS, *DOCS_TOOLS, *SYNC_TOOLS, *status.TOOLS)


@dataclass(frozen=True, slots=True)
class App:
    """One running Sightline: its settings, and the boundary through which tools are called."""

    settings: LoadedSettings
    boundary: ToolBoundary
    metrics: Metrics

    @property
    def selection(self) -> Selection:
        return self.boundary.selection

    @property
    def calls(self) -> CallFeed:
        return self.boundary.calls


@asynccontextmanager
async def open_app(
    root: Path,
    settings: LoadedSettings,
    *,
    environment: Mapping[str, str],
    home: Path,
    places: Places,
    is_long_lived: bool = False,
) -> AsyncGenerator[App]:
    """Everything the tools need, ended in order when the block ends; raises `SettingsError`."""
    values = settings.values.code
    selection = select_tools(ALL_TOOLS, settings.values.server)
    metrics = Metrics()
    roots = AllowedRoots.of(root, settings.values.server.allowed_roots)
    limits = PoolLimits(values.pool_size, values.memory_budget_mb, values.idle_timeout_s, values.request_timeout_s)
    transactions = await _settled_transactions(places.journal)
    with Children() as children:
        around = Surroundings(environment, home)
        async with (
            open_pool(limits, code.warm_up) as pool,
            open_docs(
                settings.values.docs, around, places.data, children, is_long_lived=is_long_lived
            ) as documentation,
        ):
            command = PyrightCommand(children, timeout_s=values.command_timeout_s, max_output_mb=values.max_message_mb)
            search_paths = SearchPaths(children, environment)
            servers = code.LanguageServers(pool, children, values, search_paths, environment, places.cache)
            coding = code.open_service(servers, command, values, around, transactions)
            services = {
                "code": coding,
                "docs": documentation,
                "sync": SyncDoor(settings.values.sync, around, places.data, children, sys.platform),
                "always": status.StatusService(
                    settings,
                    selection,
                    metrics,
                    environment,
                    probes=(command.probe, servers.probe, *store_probes(settings.values.docs, documentation)),
                ),
            }
            pool.do_meanwhile(partial(coding.begin, root))
            yield App(settings, ToolBoundary(root, selection, services, settings.values, metrics, roots), metrics)


async def _settled_transactions(journal: Path) -> FileTransactions:
    """Whatever a dead process left half-written is settled before anything else is read."""
    transactions = FileTransactions(journal)
    try:
        await anyio.to_thread.run_sync(transactions.recover)
    except TransactionFailed as error:
        log.warning("a half-written change is not settled yet", extra={"reason": str(error)})
    return transactions
