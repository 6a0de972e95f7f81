"""A type check by each of the two: the `pyright` command, and `check_types` through Sightline.

What is found is compared as (file, line, rule), with its count: a faster answer that is a different answer would be
no figure at all. So an edit between two measurements must not move or change any of that; `replace_edit` does not.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.stdio_client import StdioClient
from sightline.code.pyright_command import find_entry_file, find_node

Findings = Counter[tuple[str, int, str | None]]

_LIMITS = {"max_results": 100_000, "max_total_chars": 2_000_000}
_MOST_TRIES = 20
_COMMAND_LIFE_S = 900
_HEAP_MB = 4096
_EDIT = re.compile(r"\nbench_edit_(\d+): .*\n")


class CheckedPath:
    """One path of a project, checked by either; raises `RuntimeError` once two answers differ."""

    def __init__(self, client: StdioClient, project: Path, path: str) -> None:
        self._client = client
        self._project = project
        self._path = path
        self._found: Findings | None = None
        self._interpreter: str | None = None

    def check_ms(self) -> float:
        """By Sightline; asked again while it says that it is only partly done, all of which counts."""
        started = time.perf_counter()
        answer = self._ask()
        elapsed = (time.perf_counter() - started) * 1000
        if answer["evidence"]["method"] != "lsp_pull" or answer["truncated"]:
            raise RuntimeError(f"not by the server, or not whole: {answer['evidence']}")
        self._interpreter = answer["evidence"].get("interpreter")
        self._compare(Counter((each["file"], each["line"], each.get("rule")) for each in answer["diagnostics"]))
        return elapsed

    def command_ms(self) -> float:
        """By the command, with the interpreter that Sightline names, if it names one; else both take their own."""
        started = time.perf_counter()
        output = pyright_output(self._project, self._path, self._interpreter)
        elapsed = (time.perf_counter() - started) * 1000
        if not output["summary"]["filesAnalyzed"]:
            raise RuntimeError("the command checked nothing")
        self._compare(Counter(_command_finding(each, self._project) for each in output["generalDiagnostics"]))
        return elapsed

    def _ask(self) -> dict[str, Any]:
        for _ in range(_MOST_TRIES):
            answer = self._client.call("check_types", {"path": self._path, **_LIMITS})["structuredContent"]
            if answer["verdict"] != "unknown":
                return answer
        raise RuntimeError(f"still not done after {_MOST_TRIES} questions")

    def _compare(self, found: Findings) -> None:
        if self._found is None:
            self._found = found
        if found != self._found:
            differences = sorted(((found - self._found) + (self._found - found)).elements(), key=str)
            raise RuntimeError(f"two checks of {self._path} differ in {len(differences)}: {differences[:5]}")


def replace_edit(file: Path) -> None:
    """Change a file by the name of one variable at its end, whose error stays in the same line."""
    text = file.read_text(encoding="utf-8")
    last = _EDIT.search(text)
    number, kept = (int(last[1]) + 1, text[: last.start()]) if last else (0, text)
    file.write_text(f"{kept}\nbench_edit_{number}: int = 'text'\n", encoding="utf-8")


def pyright_output(project: Path, path: str, interpreter: str | None = None) -> dict[str, Any]:
    """What the command prints, on one path of a project; raises `RuntimeError` if it could not check."""
    command = [str(find_node()), f"--max-old-space-size={_HEAP_MB}", str(find_entry_file()), "--outputjson"]
    command += ["--project", str(project), *(["--pythonpath", interpreter] if interpreter else []), str(project / path)]
    ended = subprocess.run(command, cwd=project, capture_output=True, timeout=_COMMAND_LIFE_S, check=False)
    if ended.returncode not in (0, 1):
        raise RuntimeError(f"the command ended with code {ended.returncode}: {ended.stderr!r}")
    return json.loads(ended.stdout)


def _command_finding(raw: Mapping[str, Any], project: Path) -> tuple[str, int, str | None]:
    file = Path(raw["file"]).relative_to(project).as_posix()
    return file, raw["range"]["start"]["line"] + 1, raw.get("rule")
