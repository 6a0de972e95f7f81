"""`large`: `check_types` and `check_edit` on a real project of about 900 files against the `pyright` command.

The command takes a minute on it, and its time does not depend on which file was edited, so it is measured
`_COMMAND_RUNS` times in all and all tables share those figures. The first table is the one whose ratio is
nearest to its budget: there the command and Sightline take turns, as everywhere else. Every answer of either must hold
the same findings. A core file is one that hundreds of others depend on, a leaf one on which few do.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.commands import serve_command
from bench.measure import MIN_REPEATS, Bench, Budget, Comparison, Contender, Reused
from bench.stdio_client import StdioClient, serving
from bench.type_check import CheckedPath, replace_edit

_VERSION = "5.2.8"
_WHEEL = f"django=={_VERSION}"
_FOLDER = "django"
_CORE = "django/db/models/base.py"
_LEAF = "django/utils/lorem_ipsum.py"
_COMMAND_RUNS = MIN_REPEATS
_LIFE_S = 2 * 3600.0
_TIME_FOR_A_CHECK = "code.command_timeout_s=300"


@contextmanager
def prepare() -> Generator[Sequence[Comparison]]:
    with tempfile.TemporaryDirectory() as folder:
        project = _unpacked(Path(folder).resolve())
        for file in (_CORE, _LEAF):
            replace_edit(project / file)
        with serving(serve_command(project, _TIME_FOR_A_CHECK), life_s=_LIFE_S) as client:
            client.initialize()
            checked = CheckedPath(client, project, _FOLDER)
            checked.check_ms()
            yield _comparisons(checked, client, project)


def _comparisons(checked: CheckedPath, client: StdioClient, project: Path) -> list[Comparison]:
    count = sum(1 for _ in (project / _FOLDER).rglob("*.py"))
    command = Contender(
        f"`pyright --outputjson`, {_COMMAND_RUNS} runs for all tables", Reused(checked.command_ms, _COMMAND_RUNS)
    )

    def row(what: str, measure: Callable[[], float], budget: Budget) -> Comparison:
        return Comparison(
            f"Django {_VERSION} ({count} files), {what}",
            "ms",
            [command, Contender("`check_types`, warm", measure, budget)],
        )

    def tried(what: str, file: str, budget: Budget) -> Comparison:
        return Comparison(
            f"Django {_VERSION} ({count} files), an edit to {what}, tried before it is written",
            "ms",
            [command, Contender("`check_edit`, warm", lambda: _tried_ms(client, project, file), budget)],
        )

    def after_an_edit(file: str) -> Callable[[], float]:
        def edit_and_check() -> float:
            replace_edit(project / file)
            return checked.check_ms()

        return edit_and_check

    return [
        row("edit to a core file", after_an_edit(_CORE), Budget(1)),
        row("edit to a leaf file", after_an_edit(_LEAF), Budget(1 / 15)),
        row("nothing changed", checked.check_ms, Budget(1 / 50)),
        tried("a core file", _CORE, Budget(1)),
        tried("a leaf file", _LEAF, Budget(1 / 10)),
    ]


def _tried_ms(client: StdioClient, project: Path, file: str) -> float:
    """A new parameter of the file's first function, which whoever calls it must feel."""
    text = (project / file).read_text()
    name = next(line for line in text.splitlines() if line.startswith("def "))
    edit = {"file": file, "replacements": [{"old_text": name, "new_text": name.replace("(", "(added: int, ", 1)}]}
    started = time.perf_counter()
    found = client.call("check_edit", {"edits": [edit]})
    seconds = time.perf_counter() - started
    answer = found["structuredContent"]
    if answer.get("verdict") in (None, "unknown"):
        raise RuntimeError(f"the edit was not checked: {answer.get('summary') or answer.get('error')}")
    return seconds * 1000


def _unpacked(folder: Path) -> Path:
    """The wheel's files, as a project of their own."""
    download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), _WHEEL]
    subprocess.run(download, check=True, timeout=600)
    project = folder / "project"
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(project)
    (project / "pyproject.toml").write_text("[project]\nname = 'bench'\n")
    return project


LARGE = Bench(
    "large", "How much faster is a warm check of a large folder than the command?", prepare, is_on_request=True
)
