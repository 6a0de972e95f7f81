"""The servers of the contract, and an application over a fresh copy of a sample for each."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sightline.answers import Answer
from sightline.app import App
from sightline.code.launching import find_program
from sightline.lsp.server_spec import builtin_spec
from tests.servers.c_and_php_samples import CPP, PHP
from tests.servers.plain_samples import CSS, HTML, JSON, SHELL, YAML
from tests.servers.sample import Change, Sample, Spot, uses_of
from tests.servers.typed_samples import GO, PYTHON, RUST, TYPESCRIPT
from tests.support.apps import app_over, places_in

_INSTALLED = Path(__file__).resolve().parents[2] / ".servers"
_FOLDERS = ("npm/node_modules/.bin", "pip/bin", "go", "cargo/bin")
_PROXY = "rust-analyzer"
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Driven:
    """A server, its sample, and the questions that it does not answer."""

    id: str
    sample: Sample
    lacks: frozenset[str] = frozenset()

    @property
    def can_be_shown_edits(self) -> bool:
        return builtin_spec(self.id).overlay == "all"


def _driven(server_id: str, sample: Sample, *lacks: str) -> Driven:
    return Driven(server_id, sample, frozenset(lacks))


DRIVEN = {
    each.id: each
    for each in (
        _driven("pyright", PYTHON, "implementation"),
        _driven("basedpyright", PYTHON),
        _driven("ty", PYTHON),
        _driven("pyrefly", PYTHON),
        _driven("typescript", TYPESCRIPT, "declaration"),
        _driven("gopls", GO, "declaration"),
        _driven("clangd", CPP),
        _driven("rust-analyzer", RUST),
        _driven("intelephense", PHP, "calls", "declaration", "implementation", "rename"),
        _driven("bash", SHELL, "calls", "declaration", "implementation", "signature"),
        _driven("yaml", YAML, "calls", "declaration", "implementation", "signature", "references", "symbol"),
        _driven("json", JSON, "calls", "declaration", "implementation", "signature", "references", "symbol", "rename"),
        _driven("css", CSS, "calls", "declaration", "implementation", "signature", "symbol"),
        _driven("html", HTML, "calls", "declaration", "implementation", "symbol"),
    )
}
ALL = sorted(DRIVEN)
WITH_FUNCTION = [name for name in ALL if DRIVEN[name].sample.function]


def offers(server_id: str, question: str) -> bool:
    return question not in DRIVEN[server_id].lacks


def environment() -> dict[str, str]:
    """What `make servers` installed comes before what else the machine has."""
    folders = [str(_INSTALLED / name) for name in _FOLDERS]
    return {**os.environ, "PATH": os.pathsep.join([*folders, os.environ["PATH"]])}


def require(server_id: str) -> Driven:
    """The server, or a skip that names it."""
    spec = builtin_spec(server_id)
    needed = [name for name in (spec.command, *spec.diagnostics.needs) if not name.startswith("{")]
    if not all(_is_there(name) for name in needed):
        pytest.skip(f"{server_id} is not installed: make servers")
    return DRIVEN[server_id]


def _is_there(name: str) -> bool:
    program = find_program(name, environment(), Path("/nowhere"))
    if program is None or name != _PROXY:
        return program is not None
    return not subprocess.run([program, "--version"], check=False, capture_output=True).returncode


@dataclass(frozen=True, slots=True)
class Bakery:
    """An application over a copy of a sample, and questions to it."""

    app: App
    root: Path
    driven: Driven

    @property
    def sample(self) -> Sample:
        return self.driven.sample

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The data of an answer that must be good."""
        answer = await self.ask(tool, **arguments)
        assert answer.ok, answer.data["error"]
        return answer.data

    async def ask(self, tool: str, **arguments: Any) -> Answer:
        """An answer; where the server honestly asks for time, it is asked again."""
        for _ in range(_TRIES - 1):
            answer = await self.app.boundary.call(tool, arguments)
            if answer.ok or not answer.data["error"].get("retryable"):
                return answer
        return await self.app.boundary.call(tool, arguments)

    async def references(self) -> set[Spot]:
        """Where the server says that the sample's function is used."""
        found = await self.call("find_references", **self.at_home())
        return {(each["file"], each["line"]) for each in found["references"]}

    async def verdict(self, file: str) -> tuple[str, set[int]]:
        """The verdict over a file, and the lines of its errors and warnings."""
        found = await self.call("check_types", path=file)
        return found["verdict"], {each["line"] for each in found["diagnostics"] if each["severity"] != "information"}

    def at_home(self, name: str | None = None) -> dict[str, Any]:
        """The place where the function is defined, by whatever name it has now."""
        name = name or self.sample.function
        home = self.sample.home
        line = next(line for file, line in sorted(uses_of(name, self.root)) if file == home)
        return {"file": home, "line": line, "symbol": name}

    def change(self, change: Change) -> None:
        """Edit a file from outside."""
        path = self.root / change.file
        text = path.read_text(encoding="utf-8")
        assert change.old in text
        path.write_text(text.replace(change.old, change.new), encoding="utf-8", newline="")

    def undo(self, change: Change) -> None:
        self.change(Change(change.file, change.new, change.old))

    def texts(self) -> dict[str, bytes]:
        """Every byte of the sample's files."""
        return {name: (self.root / name).read_bytes() for name in self.sample.files}


def _bake(sample: Sample, folder: Path) -> Path:
    """A copy of the sample, and a home with the settings that it needs beside it; the root."""
    root = folder.resolve() / "bakery"
    sample.write(root)
    user_file = places_in(folder / "home").user_settings
    user_file.parent.mkdir(parents=True)
    user_file.write_text(sample.user_settings, encoding="utf-8")
    return root


@asynccontextmanager
async def bakery_of(driven: Driven, folder: Path) -> AsyncGenerator[Bakery]:
    root = _bake(driven.sample, folder)
    settings: dict[str, Any] = {"code__request_timeout_s": 60.0}
    if "python" in builtin_spec(driven.id).languages:
        settings["code__python__engine"] = driven.id
    async with app_over(root, folder / "home", environment(), **settings) as app:
        yield Bakery(app, root, driven)
