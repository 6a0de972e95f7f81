"""What the ordinary package clients say about a package: `pip` in dry runs, and `npm view`.

Only the clients know where the packages are. Nothing is installed, and no package's code is run: pip is told to look
at wheels only. A name that fails costs no other name its answer.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

PARALLEL = 2
DEADLINE_S = 600
NPM_FIELDS = ("version", "homepage", "repository")

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Clients:
    """The two commands, and for which Python versions pip looks."""

    pip: tuple[str, ...]
    npm: tuple[str, ...]
    python_versions: tuple[str, ...] = ("3.13", "3.11")
    batch: int = 40


def ask_pip(clients: Clients, names: Sequence[str], platform: str | None = None) -> dict[str, Answer]:
    """Name, version and addresses by package; of several Python versions' answers the highest version wins."""
    more = ("--platform", platform) if platform else ()
    jobs = [
        (("--python-version", python, *more), tuple(names[start : start + clients.batch]))
        for python in clients.python_versions
        for start in range(0, len(names), clients.batch)
    ]
    with ThreadPoolExecutor(PARALLEL) as pool:
        answers = pool.map(partial(_batch, clients), jobs)
        return _highest(answer for batch in answers for answer in batch)


def ask_pip_for_versions(clients: Clients, names: Sequence[str]) -> dict[str, Answer]:
    """The newest version only, for packages that have no wheel whose metadata could be read."""
    with ThreadPoolExecutor(PARALLEL) as pool:
        found = pool.map(partial(_newest_version, clients), names)
        return {name: {"version": version} for name, version in zip(names, found, strict=True) if version}


def ask_npm(clients: Clients, names: Sequence[str]) -> dict[str, Answer]:
    """Version, home page and repository by package."""
    with ThreadPoolExecutor(PARALLEL) as pool:
        answers = pool.map(partial(_npm_view, clients), names)
        return {name: answer for name, answer in zip(names, answers, strict=True) if answer}


def _batch(clients: Clients, job: tuple[tuple[str, ...], tuple[str, ...]]) -> list[Answer]:
    return list(_bisected(clients, *job))


def _bisected(clients: Clients, target: tuple[str, ...], names: tuple[str, ...]) -> Iterator[Answer]:
    if (report := _dry_run(clients, target, names)) is not None:
        yield from report
    elif len(names) > 1:
        middle = len(names) // 2
        yield from _bisected(clients, target, names[:middle])
        yield from _bisected(clients, target, names[middle:])


def _dry_run(clients: Clients, target: tuple[str, ...], names: tuple[str, ...]) -> list[Answer] | None:
    options = ["install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet", "--only-binary", ":all:"]
    report = _json([*clients.pip, *options, *target, "--report", "-", *names])
    if report is None:
        return None
    return [_kept(item["metadata"]) for item in report["install"]]


def _kept(metadata: Mapping[str, Any]) -> Answer:
    return {key: metadata[key] for key in ("name", "version", "project_url", "home_page") if metadata.get(key)}


def _highest(answers: Iterator[Answer]) -> dict[str, Answer]:
    from packaging.utils import canonicalize_name
    from packaging.version import Version

    best: dict[str, Answer] = {}
    for answer in answers:
        name = canonicalize_name(answer["name"])
        if name not in best or Version(answer["version"]) > Version(best[name]["version"]):
            best[name] = answer
    return best


def _newest_version(clients: Clients, name: str) -> str | None:
    ended = _run([*clients.pip, "index", "versions", name])
    first = ended.stdout.partition("\n")[0] if ended.returncode == 0 else ""
    return first.rpartition("(")[2].rstrip(") ") or None


def _npm_view(clients: Clients, name: str) -> Answer | None:
    answer = _json([*clients.npm, "view", f"{name}@latest", "--json", *NPM_FIELDS])
    if isinstance(answer, str):  # npm prints a bare value where only one field has any
        return {"version": answer}
    return cast("Answer", answer) if isinstance(answer, dict) and "version" in answer else None


def _json(command: list[str]) -> Any:
    ended = _run(command)
    if ended.returncode != 0:
        return None
    try:
        return json.loads(ended.stdout)
    except ValueError:
        return None


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", "timed out")
