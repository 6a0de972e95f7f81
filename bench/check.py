"""`check`: `check_types` by the warm server against the `pyright` command, on a copy of an installed package.

Both get the same interpreter, and every answer must hold as many diagnostics as the command finds: a faster answer
that is a different answer would be no figure at all.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench.commands import serve_command
from bench.measure import Bench, Budget, Comparison, Contender
from bench.navigation import copy_of
from bench.stdio_client import StdioClient, serving
from sightline.code.pyright_command import find_entry_file, find_node

_PACKAGE = "click"
_FILES = {"a long file": "click/core.py", "a file of middle length": "click/formatting.py"}
_LIMITS = {"max_results": 5000, "max_total_chars": 2_000_000}


@contextmanager
def prepare() -> Generator[Sequence[Comparison]]:
    with tempfile.TemporaryDirectory() as folder:
        project = copy_of(_PACKAGE, Path(folder).resolve())
        with serving(serve_command(project)) as client:
            client.initialize()
            client.call("check_types", {"path": _PACKAGE, **_LIMITS})
            edits = itertools.count()
            yield [
                *(_after_an_edit(client, project, what, file, edits) for what, file in _FILES.items()),
                _nothing_changed(client, project),
            ]


def _after_an_edit(client: StdioClient, project: Path, what: str, file: str, edits: Iterator[int]) -> Comparison:
    return Comparison(
        f"{what.capitalize()} ({len((project / file).read_text().splitlines())} lines), after an edit to it",
        "ms",
        [
            Contender("`pyright --outputjson`", partial(_command_ms, project, file)),
            Contender("`check_types`, warm", partial(_edited_check_ms, client, project, file, edits), Budget(1 / 6)),
        ],
    )


def _nothing_changed(client: StdioClient, project: Path) -> Comparison:
    return Comparison(
        "The whole package, nothing changed",
        "ms",
        [
            Contender("`pyright --outputjson`", partial(_command_ms, project, _PACKAGE)),
            Contender("`check_types`, warm", partial(_check_ms, client, _PACKAGE), Budget(1 / 50)),
        ],
    )


def _edited_check_ms(client: StdioClient, project: Path, file: str, edits: Iterator[int]) -> float:
    path = project / file
    text = path.read_text().partition("\nbench_edit")[0]
    path.write_text(f"{text}\nbench_edit_{next(edits)}: int = 'text'\n")
    return _check_ms(client, file)


def _check_ms(client: StdioClient, path: str) -> float:
    started = time.perf_counter()
    answer = client.call("check_types", {"path": path, **_LIMITS})["structuredContent"]
    elapsed = (time.perf_counter() - started) * 1000
    if answer["evidence"]["method"] != "lsp_pull":
        raise RuntimeError(f"not by the server: {answer['evidence']}")
    return elapsed


def _command_ms(project: Path, path: str) -> float:
    command = [str(find_node()), str(find_entry_file()), "--outputjson", "--project", str(project), str(project / path)]
    started = time.perf_counter()
    ended = subprocess.run(command, cwd=project, capture_output=True, timeout=300, check=False)
    elapsed = (time.perf_counter() - started) * 1000
    _require_diagnostics(json.loads(ended.stdout))
    return elapsed


def _require_diagnostics(output: dict[str, Any]) -> None:
    if not output["summary"]["filesAnalyzed"]:
        raise RuntimeError("the command checked nothing")


CHECK = Bench("check", "How much faster is a warm check than the command?", prepare)
