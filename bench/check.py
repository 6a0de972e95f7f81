"""`check`: `check_types` against the `pyright` command that it runs, on the sample project.

The command is given the interpreter that the tool chose, and both must find the same number of things.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench.commands import REPOSITORY, SIGHTLINE, milliseconds_of, serve_command
from bench.measure import Bench, Comparison, Contender
from bench.stdio_client import StdioClient, serving
from sightline.code.pyright_command import find_entry_file, find_node

_FOUND_ERRORS = 1
_ARGUMENTS = {"path": "."}


@contextmanager
def prepare() -> Generator[Sequence[Comparison]]:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder).resolve() / "shop"
        shutil.copytree(REPOSITORY / "examples" / "shop", project)
        with serving(serve_command(project)) as client:
            client.initialize()
            answer = client.call("check_types", _ARGUMENTS)["structuredContent"]
            command = _pyright_command(project, answer["evidence"].get("interpreter"))
            _require_same(answer, command, project)
            yield [_comparison(client, command, project)]


def _comparison(client: StdioClient, command: Sequence[str], project: Path) -> Comparison:
    timed = partial(milliseconds_of, cwd=project, accepted=(0, _FOUND_ERRORS))
    return Comparison(
        "The sample project, whole",
        "ms",
        [
            Contender("`pyright --outputjson`", partial(timed, command)),
            Contender("`check_types` through a running server", partial(_milliseconds_of_call, client)),
            Contender("`sightline check`", partial(timed, [SIGHTLINE, "check", "."])),
        ],
    )


def _pyright_command(project: Path, interpreter: str | None) -> list[str]:
    command = [str(find_node()), str(find_entry_file()), "--outputjson", "--project", str(project)]
    return [*command, "--pythonpath", str(project / interpreter)] if interpreter else command


def _require_same(answer: dict[str, Any], command: Sequence[str], project: Path) -> None:
    """A faster answer that is a different answer would be no figure at all."""
    ended = subprocess.run(command, cwd=project, capture_output=True, timeout=120, check=False)
    found = len(json.loads(ended.stdout)["generalDiagnostics"])
    if found != answer["total_estimate"]:
        raise RuntimeError(f"pyright finds {found} things, `check_types` {answer['total_estimate']}")


def _milliseconds_of_call(client: StdioClient) -> float:
    started = time.perf_counter()
    client.call("check_types", _ARGUMENTS)
    return (time.perf_counter() - started) * 1000


CHECK = Bench("check", "What does our layer add to the checker it runs?", prepare)
