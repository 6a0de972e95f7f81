"""The oracle of `check_edit`: the same edit is really made in a copy, and the `pyright` command has the truth.

What is new and what is gone is worked out from the command's findings before and after by a matcher that shares
nothing with Sightline's: lines are followed by `difflib`; within a changed block findings are matched by what they say.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import json
import random
import shutil
import statistics
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from sightline.app import App
from sightline.code.pyright_command import find_entry_file, find_node
from tests.oracle.proposals import Proposed, Texts, draw
from tests.support.apps import app_over

Finding = tuple[str, int, int, str, str, str]
Findings = Counter[Finding]
Placed = Counter[tuple[Any, ...]]

_ALL = {"max_results": 100_000, "max_total_chars": 2_000_000}
_SETTINGS: dict[str, Any] = {"code__command_timeout_s": 300, "code__request_timeout_s": 60}
_SHARE_OF_THE_LIST = 0.25
_SHARE_ADOPTED = 0.1
_STATES = 8


@dataclass(slots=True)
class Summary:
    """The figures of a run."""

    package: str
    files: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    forms: Counter[str] = field(default_factory=Counter[str])
    methods: Counter[str] = field(default_factory=Counter[str])
    verdicts: Counter[str] = field(default_factory=Counter[str])
    findings: int = 0
    introduced: int = 0
    fixed: int = 0
    dependents: int = 0
    states: int = 0
    differences: list[str] = field(default_factory=list[str])
    seconds: dict[str, list[float]] = field(
        default_factory=lambda: {"lsp_overlay": [], "shadow_copy": [], "command": []}
    )

    def __str__(self) -> str:
        times = ", ".join(
            f"{name} {statistics.median(each):.2f} s (of {len(each)})" for name, each in self.seconds.items() if each
        )
        lines = [
            f"{self.package}, {self.files} files: {self.kinds.total()} edits on {self.states} states of the disk",
            f"  {self.findings} findings compared, {len(self.differences)} differences",
            f"  {self.introduced} new and {self.fixed} fixed; {self.dependents} dependents checked",
            f"  by {dict(self.methods)}; verdicts {dict(self.verdicts)}; median times: {times}",
            f"  kinds: {_shown(self.kinds)}",
            f"  forms: {_shown(self.forms)}",
        ]
        return "\n".join([*lines, *self.differences])


@dataclass(slots=True)
class Command:
    """The `pyright` command over copies of the project; every state is checked once, one at a time."""

    folder: Path
    summary: Summary
    known: dict[str, Findings] = field(default_factory=dict[str, Findings])
    turn: anyio.Lock = field(default_factory=anyio.Lock)

    async def findings(self, texts: Texts) -> Findings:
        key = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()
        if key not in self.known:
            async with self.turn:
                if key not in self.known:
                    self.known[key] = await self._asked(texts)
        return self.known[key]

    async def _asked(self, texts: Texts) -> Findings:
        root = self.folder / "project"
        shutil.rmtree(root, ignore_errors=True)
        write_all(root, texts)
        started = anyio.current_time()
        command = [str(find_node()), str(find_entry_file()), "--outputjson", "--project", str(root)]
        ended = await anyio.run_process(command, cwd=root, check=False)
        self.summary.seconds["command"].append(anyio.current_time() - started)
        report = json.loads(ended.stdout)
        assert report["summary"]["filesAnalyzed"] == len(texts), "a comparison of something else proves nothing"
        return Counter(_of_command(raw, root, texts) for raw in report["generalDiagnostics"])


async def run_oracle(package: str, folder: Path, *, edits: int, seed: int, within_s: float) -> Summary:
    """Propose, make, compare; while the command runs, the next edit is proposed. Fewer edits if the time is up."""
    deadline = anyio.current_time() + within_s
    texts = read_package(package)
    root = folder / "real" / "project"
    write_all(root, texts)
    summary = Summary(package, files=len(texts), states=1)
    command = Command(folder / "copy", summary)
    rng = random.Random(seed)
    async with (
        app_over(root, folder / "home", **_SETTINGS) as app,
        anyio.create_task_group() as tasks,
    ):
        states = [texts]
        for number in range(edits):
            if anyio.current_time() > deadline:
                break
            marked = [(finding[0], finding[1]) for finding in await command.findings(texts)]
            of_the_list = rng.random() < _SHARE_OF_THE_LIST
            proposed = draw(texts, sorted(marked), rng, number, changes_the_list=of_the_list)
            answer = await _checked(app, root, proposed, summary)
            tasks.start_soon(_compare, command, proposed, answer, summary)
            if rng.random() < _SHARE_ADOPTED and len(states) < _STATES:
                texts = proposed.after
                states.append(texts)
                rewrite(root, proposed.before, texts)
            elif rng.random() < _SHARE_ADOPTED:
                before, texts = texts, rng.choice(states)
                rewrite(root, before, texts)
        summary.states = len(states)
    return summary


async def _checked(app: App, root: Path, proposed: Proposed, summary: Summary) -> dict[str, Any]:
    """The answer of `check_edit`, which must leave the disk alone."""
    disk = disk_of(root)
    started = anyio.current_time()
    answer = await app.boundary.call("check_edit", {"edits": proposed.edits, **_ALL})
    seconds = anyio.current_time() - started
    assert disk_of(root) == disk, f"{proposed.kind}: {proposed.what} was written to disk"
    assert answer.ok, (proposed.kind, proposed.what, answer.data)
    summary.seconds[answer.data["evidence"]["method"]].append(seconds)
    return answer.data


async def _compare(command: Command, proposed: Proposed, data: dict[str, Any], summary: Summary) -> None:
    before, after = await command.findings(proposed.before), await command.findings(proposed.after)
    mapping = Lines.of(proposed)
    gone, come = mapping.difference(before, after)
    fixed, introduced = mapping.placed_old(_found(data["fixed"])), mapping.placed_new(_found(data["introduced"]))
    summary.kinds[proposed.kind] += 1
    summary.forms.update(proposed.forms)
    summary.methods[data["evidence"]["method"]] += 1
    summary.verdicts[data["verdict"]] += 1
    summary.findings += after.total()
    summary.introduced += come.total()
    summary.fixed += gone.total()
    summary.dependents += data["covered"]["dependents_checked"]
    wrong = [
        *(f"    new, not told:       {each}" for each in (come - introduced).elements()),
        *(f"    told new, is not:    {each}" for each in (introduced - come).elements()),
        *(f"    fixed, not told:     {each}" for each in (gone - fixed).elements()),
        *(f"    told fixed, is not:  {each}" for each in (fixed - gone).elements()),
        *_wrong_verdict(data, come),
    ]
    if wrong:
        method = data["evidence"]["method"]
        title = f"  {proposed.kind} ({method}, {', '.join(sorted(proposed.forms))}): {proposed.what}"
        summary.differences.append("\n".join([title, *wrong]))


def _wrong_verdict(data: dict[str, Any], come: Placed) -> list[str]:
    severities = {place[1] for place in come}
    expected = "errors" if "error" in severities else "warnings" if "warning" in severities else "clean"
    wrong = [] if data["verdict"] == expected else [f"    the verdict is {data['verdict']}, not {expected}"]
    covered = data["covered"]
    if covered["dependents_checked"] < covered["dependents"] or data["truncated"]:
        wrong.append(f"    not everything was checked or told: {data['summary']}")
    return wrong


@dataclass(frozen=True, slots=True)
class Lines:
    """Where each old line is in the new texts, or which changed block it lies in."""

    old: dict[tuple[str, int], tuple[str, int | str]]
    new: dict[tuple[str, int], tuple[str, int | str]]

    @classmethod
    def of(cls, proposed: Proposed) -> Lines:
        old: dict[tuple[str, int], tuple[str, int | str]] = {}
        new: dict[tuple[str, int], tuple[str, int | str]] = {}
        for file, text in proposed.before.items():
            name = proposed.moved.get(file, file)
            after = proposed.after.get(name)
            if after is not None and after != text:
                _follow(file, name, text.split("\n"), after.split("\n"), old, new)
            for line in range(text.count("\n") + 2):
                here: tuple[str, int | str] = (name, line) if after is not None else (f"{file}, which is gone", line)
                old.setdefault((file, line), here)
        return cls(old, new)

    def difference(self, before: Findings, after: Findings) -> tuple[Placed, Placed]:
        """What is gone and what has come."""
        old, new = self.placed_old(before), self.placed_new(after)
        return old - new, new - old

    def placed_old(self, findings: Findings) -> Placed:
        return _placed(findings, self.old)

    def placed_new(self, findings: Findings) -> Placed:
        return _placed(findings, self.new)


def _follow(
    file: str,
    name: str,
    before: list[str],
    after: list[str],
    old: dict[tuple[str, int], tuple[str, int | str]],
    new: dict[tuple[str, int], tuple[str, int | str]],
) -> None:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        block = f"block at {new_start + 1}"
        for line in range(start, end):
            old[file, line + 1] = (name, line - start + new_start + 1 if tag == "equal" else block)
        for line in range(new_start, new_end):
            new[name, line + 1] = (name, line + 1 if tag == "equal" else block)


def _placed(findings: Findings, lines: dict[tuple[str, int], tuple[str, int | str]]) -> Placed:
    placed: Placed = Counter()
    for (file, line, column, *kind), count in findings.items():
        where, at = lines.get((file, line), (file, line))
        placed[(where, *kind, at, column if isinstance(at, int) else None)] += count
    return placed


def _found(raws: list[dict[str, Any]]) -> Findings:
    return Counter(
        (raw["file"], raw["line"], raw["column"], raw["severity"], raw.get("rule") or "", raw["message"])
        for raw in raws
    )


def _of_command(raw: dict[str, Any], root: Path, texts: Texts) -> Finding:
    file = str(Path(raw["file"]).relative_to(root))
    start: dict[str, int] = raw.get("range", {}).get("start", {"line": 0, "character": 0})
    lines = texts[file].split("\n")
    line = lines[start["line"]] if start["line"] < len(lines) else ""
    column = len(line.encode("utf-16-le")[: 2 * start["character"]].decode("utf-16-le")) + 1
    message = raw["message"].replace("\xa0", " ").replace(f"{root}/", "")
    return file, start["line"] + 1, column, raw["severity"], raw.get("rule") or "", message


def read_package(name: str) -> Texts:
    """The sources of an installed package, by paths that begin with its name."""
    spec = importlib.util.find_spec(name)
    assert spec
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0])
    sources = [path for path in folder.rglob("*.py*") if path.suffix in (".py", ".pyi") and "tests" not in path.parts]
    return {str(path.relative_to(folder.parent)): path.read_bytes().decode() for path in sorted(sources)}


def write_all(root: Path, texts: Texts) -> None:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def rewrite(root: Path, before: Texts, after: Texts) -> None:
    """Really make the edit."""
    for name in before.keys() - after.keys():
        (root / name).unlink()
    write_all(root, {name: text for name, text in after.items() if before.get(name) != text})


def disk_of(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file: when it was written, and what is in it."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).digest()) for path in files}


def _shown(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
