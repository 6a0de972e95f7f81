"""The freshness oracle: after every edit from outside, Sightline against processes that know no past.

`check_types` is held against the `pyright` command, `find_references` against a language server started for this
one question. The two take turns at being the first to be asked after an edit.
"""

from __future__ import annotations

import importlib.util
import json
import random
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from sightline.app import App
from sightline.code.pyright_command import find_entry_file, find_node
from tests.oracle.edits import Editor, source_files
from tests.oracle.reference_targets import ReferenceTarget, choose_target
from tests.support.apps import app_over
from tests.support.raw_lsp import path_of, raw_server

Finding = tuple[str, int, int, str, str, str]
Reference = tuple[str, int, int]

_MOST_TRIES = 20
_SOURCE = "h11"
_ALL = {"max_results": 100_000, "max_total_chars": 2_000_000}


@dataclass(frozen=True, slots=True)
class Layout:
    """A project around the package: its configuration, what is checked, and where modules come and go."""

    name: str
    checked: str = "."
    late: str = _SOURCE
    configuration: str | None = None


LAYOUTS = (
    Layout("without a configuration"),
    Layout("strict", configuration='{"typeCheckingMode": "strict"}'),
    Layout("with an excluded folder", _SOURCE, "vendored", '{"exclude": ["vendored"]}'),
    Layout("that includes only the package", _SOURCE, "vendored", f'{{"include": ["{_SOURCE}"]}}'),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the two did not agree, after which edit."""

    edit: str
    stale: frozenset[tuple[str | int, ...]]
    missing: frozenset[tuple[str | int, ...]]


@dataclass(slots=True)
class Summary:
    """The figures of a run."""

    layout: str
    edits: Counter[str] = field(default_factory=Counter[str])
    methods: Counter[str] = field(default_factory=Counter[str])
    compared_findings: int = 0
    names: int = 0
    names_across_files: int = 0
    with_quoted: int = 0
    without_quoted: int = 0
    compared_references: int = 0
    not_ready: int = 0
    seconds: float = 0.0
    differences: list[Difference] = field(default_factory=list[Difference])

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.edits.items()))
        used = f"{self.names_across_files} of them used across files"
        lines = [
            f"{self.layout}: {self.edits.total()} edits, {self.compared_findings} findings compared",
            f"  {self.compared_references} references compared, to {self.names} names, {used}",
            f"  names used in quotes: found {self.with_quoted} times, not yet evaluated {self.without_quoted} times",
            f"  {len(self.differences)} differences, {self.not_ready} times `not yet`",
            f"  answered by {dict(self.methods)} in {self.seconds:.1f} s",
            f"  edits: {kinds}",
        ]
        for each in self.differences:
            lines += [f"  after {each.edit}", *(f"    stale   {found}" for found in sorted(each.stale))]
            lines += [f"    missing {found}" for found in sorted(each.missing)]
        return "\n".join(lines)


async def run_oracle(layout: Layout, folder: Path, *, edits: int, seed: int) -> Summary:
    """Edit, ask both, compare; the project is made in `folder`."""
    root = make_project(layout, folder)
    editor = Editor(root, root / _SOURCE, root / layout.late, random.Random(seed))
    targets = random.Random(seed)
    summary = Summary(layout.name)
    async with app_over(root, folder / "home") as app:
        comparison = Comparison(app, root, layout.checked, summary)
        await comparison.make("0 the start", choose_target(source_files(root), root, targets))
        for number in range(1, edits + 1):
            edit = editor.edit()
            summary.edits[edit.partition(":")[0]] += 1
            target = choose_target(source_files(root), root, targets)
            await comparison.make(f"{number} {edit}", target, references_first=number % 2 == 1)
    return summary


@dataclass(frozen=True, slots=True)
class Comparison:
    """Sightline is asked first, right after the edit: nothing else gives its server time."""

    app: App
    root: Path
    checked: str
    summary: Summary

    async def make(self, edit: str, target: ReferenceTarget | None, *, references_first: bool = False) -> None:
        references = await self._references(target) if references_first else None
        findings = await ask_sightline(self.app, self.checked, self.summary)
        if references is None:
            references = await self._references(target)
        order = "asked first" if references_first else "asked second"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._compare_findings, edit, findings)
            if target:
                tasks.start_soon(self._compare_references, f"{edit}: {target}, {order}", target, references)

    async def _references(self, target: ReferenceTarget | None) -> set[Reference]:
        return await ask_references(self.app, target, self.summary) if target else set()

    async def _compare_findings(self, edit: str, ours: set[Finding]) -> None:
        theirs = await ask_command(self.root, self.checked)
        self.summary.compared_findings += len(theirs)
        if ours != theirs:
            self.summary.differences.append(Difference(edit, frozenset(ours - theirs), frozenset(theirs - ours)))

    async def _compare_references(self, edit: str, target: ReferenceTarget, ours: set[Reference]) -> None:
        theirs = await anyio.to_thread.run_sync(ask_fresh_server, self.root, target, source_files(self.root))
        self.summary.names += 1
        self.summary.compared_references += len(theirs.cold)
        self.summary.names_across_files += len({file for file, _, _ in theirs.cold}) > 1
        self.summary.without_quoted += ours == theirs.cold != theirs.checked
        self.summary.with_quoted += ours == theirs.checked != theirs.cold
        stale, missing = ours - theirs.checked, theirs.cold - ours
        if stale or missing:
            self.summary.differences.append(Difference(edit, frozenset(stale), frozenset(missing)))


def make_project(layout: Layout, folder: Path) -> Path:
    root = folder / "project"
    spec = importlib.util.find_spec(_SOURCE)
    assert spec
    assert spec.origin
    ignored = shutil.ignore_patterns("__pycache__", "tests")
    shutil.copytree(Path(spec.origin).parent, root / _SOURCE, ignore=ignored)
    late = root / layout.late
    late.mkdir(exist_ok=True)
    (late / "__init__.py").touch()
    if layout.configuration:
        (root / "pyrightconfig.json").write_text(layout.configuration)
    return root


async def ask_sightline(app: App, path: str, summary: Summary) -> set[Finding]:
    """The findings at a path."""
    data = await _answer(app, "check_types", {"path": path}, summary)
    summary.methods[data["evidence"]["method"]] += 1
    return {_finding(each) for each in data["diagnostics"]}


async def ask_references(app: App, target: ReferenceTarget, summary: Summary) -> set[Reference]:
    """The references to a name, its declaration included."""
    data = await _answer(app, "find_references", target.arguments(), summary)
    assert not any(warning["kind"] == "position_adjusted" for warning in data.get("warnings", [])), data
    return {(each["file"], each["line"], each["column"]) for each in data["references"]}


async def _answer(app: App, tool: str, arguments: dict[str, Any], summary: Summary) -> dict[str, Any]:
    """The whole answer, asked for again as long as it is `not yet`."""
    started = anyio.current_time()
    for _ in range(_MOST_TRIES):
        answer = await app.boundary.call(tool, {**arguments, **_ALL})
        data = answer.data
        if answer.ok and data.get("verdict") != "unknown":
            summary.seconds += anyio.current_time() - started
            assert not data["truncated"]
            return data
        assert answer.ok or data["error"]["retryable"], data
        summary.not_ready += 1
        await anyio.sleep(0 if answer.ok else data["error"].get("retry_after_ms", 0) / 1000)
    raise AssertionError(f"no answer after {_MOST_TRIES} tries")


@dataclass(frozen=True, slots=True)
class FreshReferences:
    """What a fresh server finds, and what it finds once it has checked the files that hold the name.

    Pyright 1.1.414 reads a name in quotes outside of an annotation, as in `TypeVar("T", bound="Name")`, only when
    it evaluates that line: before, such a use is not among the references.
    """

    cold: set[Reference]
    checked: set[Reference]


def ask_fresh_server(root: Path, target: ReferenceTarget, files: list[Path]) -> FreshReferences:
    params = {
        "textDocument": {"uri": target.path.as_uri()},
        "position": target.lsp_position(),
        "context": {"includeDeclaration": True},
    }
    with raw_server(root) as server:
        cold: list[dict[str, Any]] | None = server.request("textDocument/references", params)
        if not cold:  # the configuration leaves the file out, and nobody imports it
            server.open(target.path)
            cold = server.request("textDocument/references", params)
        for file in files:
            if target.name in file.read_text(encoding="utf-8"):
                server.request("textDocument/diagnostic", {"textDocument": {"uri": file.as_uri()}})
        checked: list[dict[str, Any]] | None = server.request("textDocument/references", params)
    assert cold, f"a declaration refers to itself, but nothing does to {target}"
    assert checked
    return FreshReferences({_reference(raw, root) for raw in cold}, {_reference(raw, root) for raw in checked})


def _reference(raw: dict[str, Any], root: Path) -> Reference:
    file = path_of(raw["uri"])
    shown = file.relative_to(root) if file.is_relative_to(root) else file
    return str(shown), *_place(file, raw["range"]["start"])


async def ask_command(root: Path, path: str) -> set[Finding]:
    command = [str(find_node()), str(find_entry_file()), "--outputjson", "--project", str(root)]
    if path != ".":
        command.append(str(root / path))
    ended = await anyio.run_process(command, cwd=root, check=False)
    report = json.loads(ended.stdout)
    assert report["summary"]["filesAnalyzed"], "a comparison of nothing proves nothing"
    return {_finding(_one_based(each, root)) for each in report["generalDiagnostics"]}


def _one_based(raw: dict[str, Any], root: Path) -> dict[str, Any]:
    file = Path(raw["file"])
    line, column = _place(file, raw.get("range", {}).get("start", {"line": 0, "character": 0}))
    return {**raw, "file": str(file.relative_to(root)), "line": line, "column": column}


def _place(file: Path, start: dict[str, int]) -> tuple[int, int]:
    """An engine's position, from 0 and in UTF-16 units, as line and column from 1 in characters."""
    number = int(start["line"])
    lines = file.read_bytes().decode("utf-8-sig").splitlines() if file.is_file() else list[str]()
    line = lines[number] if number < len(lines) else ""
    before = line.encode("utf-16-le")[: 2 * start["character"]].decode("utf-16-le")
    return number + 1, len(before) + 1


def _finding(each: dict[str, Any]) -> Finding:
    message = each["message"].replace("\xa0", " ")
    return each["file"], each["line"], each["column"], each["severity"], each.get("rule") or "", message
