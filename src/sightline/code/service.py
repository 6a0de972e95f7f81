"""What the code tools share: the engines, and how a project is found."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from sightline.code.catalogue import catalogue
from sightline.code.checkpoints import Checkpoints
from sightline.code.edit_checks import EditChecker
from sightline.code.language_servers import LanguageServers
from sightline.code.linting import Linters
from sightline.code.navigation import Navigator
from sightline.code.pyright_command import PyrightCommand
from sightline.code.renames import Renamer
from sightline.code.served import Router
from sightline.code.type_checks import TypeChecker
from sightline.config.schema import CodeSettings
from sightline.errors import ToolFailure
from sightline.lsp.workspace import Workspace
from sightline.projects import ProjectFinder, Surroundings
from sightline.transactions import FileTransactions

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CodeService:
    """The code toolset's service; one per application, shared by all calls."""

    router: Router
    servers: LanguageServers
    type_checker: TypeChecker
    navigator: Navigator
    edit_checker: EditChecker
    renamer: Renamer
    checkpoints: Checkpoints
    linters: Linters

    async def begin(self, root: Path) -> None:
        """Start the server that a person chose as the only one, before anybody asks."""
        served = self.router.only(root)
        if served is None:
            return
        try:
            await self.servers.with_workspace(served, _nothing)
        except ToolFailure as failure:
            log.warning("the language server did not start", extra={"reason": failure.message})


async def _nothing(_workspace: Workspace) -> None:
    return None


def open_service(
    servers: LanguageServers,
    command: PyrightCommand,
    settings: CodeSettings,
    around: Surroundings,
    transactions: FileTransactions,
) -> CodeService:
    """The service, with one project finder for all that need it."""
    router = Router(catalogue(settings), ProjectFinder(around))
    checker = TypeChecker(servers, command, settings.command_timeout_s, settings.request_timeout_s)
    navigator = Navigator(router, servers, servers.search_paths, settings.request_timeout_s)
    edits = EditChecker(servers, command, settings.command_timeout_s, settings.request_timeout_s)
    renamer = Renamer(servers, transactions, settings.command_timeout_s, settings.request_timeout_s)
    return CodeService(router, servers, checker, navigator, edits, renamer, Checkpoints(), Linters(router, checker))
