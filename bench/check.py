"""`check`: `check_types` by the warm server against the `pyright` command, on a copy of an installed package.

Both get the same interpreter, and every answer must hold the same findings as the command's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.commands import serve_command
from bench.measure import Bench, Budget, Comparison, Contender
from bench.navigation import copy_of
from bench.stdio_client import StdioClient, serving
from bench.type_check import CheckedPath, replace_edit

_PACKAGE = "click"
_FILES = {"a long file": "click/core.py", "a file of middle length": "click/formatting.py"}


@contextmanager
def prepare() -> Generator[Sequence[Comparison]]:
    with tempfile.TemporaryDirectory() as folder:
        project = copy_of(_PACKAGE, Path(folder).resolve())
        for file in _FILES.values():
            replace_edit(project / file)
        with serving(serve_command(project)) as client:
            client.initialize()
            package = CheckedPath(client, project, _PACKAGE)
            package.check_ms()
            yield [
                *(_after_an_edit(client, project, what, file) for what, file in _FILES.items()),
                _nothing_changed(package),
            ]


def _after_an_edit(client: StdioClient, project: Path, what: str, file: str) -> Comparison:
    checked = CheckedPath(client, project, file)
    return Comparison(
        f"{what.capitalize()} ({len((project / file).read_text().splitlines())} lines), after an edit to it",
        "ms",
        [
            Contender("`pyright --outputjson`", checked.command_ms),
            Contender("`check_types`, warm", partial(_edited_check_ms, checked, project / file), Budget(1 / 6)),
        ],
    )


def _nothing_changed(package: CheckedPath) -> Comparison:
    return Comparison(
        "The whole package, nothing changed",
        "ms",
        [
            Contender("`pyright --outputjson`", package.command_ms),
            Contender("`check_types`, warm", package.check_ms, Budget(1 / 50)),
        ],
    )


def _edited_check_ms(checked: CheckedPath, file: Path) -> float:
    replace_edit(file)
    return checked.check_ms()


CHECK = Bench("check", "How much faster is a warm check than the command?", prepare)
