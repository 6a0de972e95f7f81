"""An application whose language servers sit behind `faulty_proxy`, with a control in the test's hand."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sightline.app import App
from sightline.code.language_servers import LanguageServers
from sightline.code.served import Served
from sightline.code.service import CodeService
from sightline.lsp.session import Launch
from tests.support import faulty_proxy
from tests.support.apps import app_over


@dataclass(slots=True)
class Control:
    """What the proxies read: the fault of this moment, or none."""

    file: Path
    number: int = 0

    def begin(self, fault: str) -> None:
        self.number += 1
        spare = self.file.with_suffix(".spare")
        spare.write_text(json.dumps({"fault": fault, "seed": self.number}))
        spare.replace(self.file)

    def end(self) -> None:
        self.file.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class ProxiedServers(LanguageServers):
    """The real servers, each behind a proxy of its own."""

    control: Path

    def launch(self, served: Served) -> Launch:
        launch = LanguageServers.launch(self, served)
        command = [sys.executable, "-S", faulty_proxy.__file__, str(self.control), *launch.command]
        return replace(launch, command=command)


@asynccontextmanager
async def faulty_app(root: Path, home: Path, control: Control, **values: Any) -> AsyncGenerator[App]:
    """As `app_over`; only the command that starts a language server is another."""
    async with app_over(root, home, **values) as app:
        service: CodeService = app.boundary.services["code"]
        plain = service.servers
        values_of = {each.name: getattr(plain, each.name) for each in fields(plain)}
        servers = ProxiedServers(**values_of, control=control.file)
        behind = replace(
            service,
            servers=servers,
            type_checker=replace(service.type_checker, servers=servers),
            navigator=replace(service.navigator, servers=servers),
            edit_checker=replace(service.edit_checker, servers=servers),
            renamer=replace(service.renamer, servers=servers),
        )
        services = {**app.boundary.services, "code": behind}
        yield replace(app, boundary=replace(app.boundary, services=services))
