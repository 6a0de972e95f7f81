"""What the code tools share: the engines, and how a project is found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sightline.code.language_servers import LanguageServers
from sightline.code.navigation import Navigator
from sightline.code.pyright_command import PyrightCommand
from sightline.code.type_checks import TypeChecker
from sightline.config.schema import CodeSettings
from sightline.projects import Project, ProjectFinder, Surroundings
from sightline.tool import Call


@dataclass(frozen=True, slots=True)
class CodeService:
    """The code toolset's service; one per application, shared by all calls."""

    projects: ProjectFinder
    servers: LanguageServers
    type_checker: TypeChecker
    navigator: Navigator

    def project_of(self, path: Path, call: Call) -> Project:
        """The project that holds a path, never reaching above the allowed root it lies in."""
        roots = [root for root in (call.root, *call.paths.allowed_roots) if path.is_relative_to(root)]
        return self.projects.find(path, within=roots[0])


def open_service(
    servers: LanguageServers, command: PyrightCommand, settings: CodeSettings, around: Surroundings
) -> CodeService:
    """The service, with one project finder for all that need it."""
    projects = ProjectFinder(around)
    checker = TypeChecker(servers, command, settings.command_timeout_s, settings.request_timeout_s)
    navigator = Navigator(projects, servers, servers.search_paths, settings.request_timeout_s)
    return CodeService(projects, servers, checker, navigator)
