"""The freshness oracle: after every edit from outside, `check_types` against a `pyright` that knows no past."""

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

from sightline.app import App
from sightline.code.pyright_command import find_entry_file, find_node
from tests.oracle.edits import Editor
from tests.support.apps import app_over

Finding = tuple[str, int, int, str, str, str]

_MOST_TRIES = 20
_SOURCE = "h11"


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
    stale: frozenset[Finding]
    missing: frozenset[Finding]


@dataclass(slots=True)
class Summary:
    """The figures of a run."""

    layout: str
    edits: Counter[str] = field(default_factory=Counter[str])
    methods: Counter[str] = field(default_factory=Counter[str])
    compared_findings: int = 0
    not_ready: int = 0
    seconds: float = 0.0
    differences: list[Difference] = field(default_factory=list[Difference])

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.edits.items()))
        lines = [
            f"{self.layout}: {self.edits.total()} edits, {self.compared_findings} findings compared",
            f"  {len(self.differences)} differences, {self.not_ready} times `not yet`",
            f"  answered by {dict(self.methods)} in {self.seconds:.1f} s",
            f"  edits: {kinds}",
        ]
        for each in self.differences:
            lines += [f"  after {each.edit}", *(f"    stale   {finding}" for finding in sorted(each.stale))]
            lines += [f"    missing {finding}" for finding in sorted(each.missing)]
        return "\n".join(lines)


async def run_oracle(layout: Layout, folder: Path, *, edits: int, seed: int) -> Summary:
    """Edit, ask both, compare; the project is made in `folder`."""
    root = make_project(layout, folder)
    editor = Editor(root, root / _SOURCE, root / layout.late, random.Random(seed))
    summary = Summary(layout.name)
    async with app_over(root, folder / "home") as app:
        await compare(app, root, layout, "0 the start", summary)
        for number in range(1, edits + 1):
            edit = editor.edit()
            summary.edits[edit.partition(":")[0]] += 1
            await compare(app, root, layout, f"{number} {edit}", summary)
    return summary


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


async def compare(app: App, root: Path, layout: Layout, edit: str, summary: Summary) -> None:
    """Sightline is asked first, right after the edit: nothing else gives its server time."""
    ours = await ask_sightline(app, layout.checked, summary)
    theirs = await ask_command(root, layout.checked)
    summary.compared_findings += len(theirs)
    if ours != theirs:
        summary.differences.append(Difference(edit, frozenset(ours - theirs), frozenset(theirs - ours)))


async def ask_sightline(app: App, path: str, summary: Summary) -> set[Finding]:
    """The answer, asked for again as long as it is `not yet`."""
    arguments = {"path": path, "max_results": 100_000, "max_total_chars": 2_000_000}
    started = anyio.current_time()
    for _ in range(_MOST_TRIES):
        answer = await app.boundary.call("check_types", arguments)
        data = answer.data
        if answer.ok and data["verdict"] != "unknown":
            summary.methods[data["evidence"]["method"]] += 1
            summary.seconds += anyio.current_time() - started
            assert not data["truncated"]
            return {_finding(each) for each in data["diagnostics"]}
        assert answer.ok or data["error"]["retryable"], data
        summary.not_ready += 1
        await anyio.sleep(0 if answer.ok else data["error"].get("retry_after_ms", 0) / 1000)
    raise AssertionError(f"no answer after {_MOST_TRIES} tries")


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
    start = raw.get("range", {}).get("start", {"line": 0, "character": 0})
    number = int(start["line"])
    lines = file.read_bytes().decode("utf-8-sig").splitlines() if file.is_file() else list[str]()
    line = lines[number] if number < len(lines) else ""
    before = line.encode("utf-16-le")[: 2 * start["character"]].decode("utf-16-le")
    return {**raw, "file": str(file.relative_to(root)), "line": number + 1, "column": len(before) + 1}


def _finding(each: dict[str, Any]) -> Finding:
    message = each["message"].replace("\xa0", " ")
    return each["file"], each["line"], each["column"], each["severity"], each.get("rule") or "", message
