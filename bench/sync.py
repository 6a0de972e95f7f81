"""`sync`: a project's configuration for two agent CLIs, against rulesync with the same items; and how the time grows.

Both get the same rules, skills, commands, agents and MCP servers and write them for Codex CLI and OpenCode, which both
know. rulesync reads its own folder, which its own import makes from the same project. The targets' commands are not
asked: rulesync asks none. Every figure is a new process, its start included.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.commands import LIFE_S, SIGHTLINE
from bench.measure import Bench, Budget, Comparison, Contender

PACKAGE = "rulesync@17.0.0"
_ITEMS = 20
_GROWTH = (2, 20, 200)  # of each of five kinds
_FEATURES = "rules,mcp,commands,subagents,skills"
_SMALL_PARENT = (sys.executable, "-I", "-S", str(Path(__file__).with_name("small_parent.py")))
_MB = 1024  # ru_maxrss is in KB, and in bytes on macOS


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took."""

    ms: float
    mb: float


@dataclass(frozen=True, slots=True)
class Syncer:
    """One program over one project; `reset` takes all that it wrote away."""

    command: Sequence[str]
    project: Path
    environment: dict[str, str]
    kept: tuple[Path, ...]

    def noop(self) -> Cost:
        return self._run()

    def full(self) -> Cost:
        self.reset()
        return self._run()

    def reset(self) -> None:
        for path in self.project.iterdir():
            if path not in self.kept:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.rmtree(self.environment["XDG_DATA_HOME"], ignore_errors=True)

    def _run(self) -> Cost:
        told = subprocess.run(
            [*_SMALL_PARENT, *self.command],
            cwd=self.project,
            env=self.environment,
            stdout=subprocess.PIPE,
            timeout=LIFE_S,
            check=True,
        ).stdout
        exit_code, elapsed, memory = (float(each) for each in told.split())
        if exit_code != 0:
            raise RuntimeError(f"ended with code {exit_code:g}: {' '.join(self.command)}")
        return Cost(elapsed, memory / (_MB * _MB if sys.platform == "darwin" else _MB))


@contextmanager
def prepare() -> Generator[Sequence[Comparison]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        ours = _sightline(folder / "ours", _ITEMS)
        theirs = _rulesync(folder / "theirs", _install(folder / "npm"), _ITEMS)
        for syncer in (ours, theirs):
            syncer.full()
        _check_same_work(ours.project, theirs.project)
        growing = {count: _sightline(folder / f"growing{count}", count) for count in _GROWTH}
        for syncer in growing.values():
            syncer.full()
        yield [*_against(ours, theirs), *_growth(growing)]


def _against(ours: Syncer, theirs: Syncer) -> Iterator[Comparison]:
    what = f"{5 * _ITEMS} items for two CLIs"
    works: list[tuple[str, Callable[[Syncer], Cost], Budget]] = [
        (f"Nothing to do, {what}", Syncer.noop, Budget(1 / 5)),
        (f"All to be written, {what}", Syncer.full, Budget(1 / 3)),
    ]
    for title, work, budget in works:
        costs = {PACKAGE: _Costs(work, theirs), "`sightline sync`": _Costs(work, ours)}
        yield from _comparisons(title, costs, budget)


def _growth(growing: Mapping[int, Syncer]) -> Iterator[Comparison]:
    works: list[tuple[str, Callable[[Syncer], Cost]]] = [
        ("Nothing to do", Syncer.noop),
        ("All to be written", Syncer.full),
    ]
    for title, work in works:
        costs = {f"{5 * count:,} items": _Costs(work, syncer) for count, syncer in growing.items()}
        yield from _comparisons(f"{title}, by the number of items", costs, None)


def _comparisons(title: str, costs: Mapping[str, _Costs], budget: Budget | None) -> Iterator[Comparison]:
    """Time, then memory; the first one is the baseline and has no budget."""
    first = next(iter(costs))
    limits = {name: None if name == first else budget for name in costs}
    yield Comparison(title, "ms", [Contender(name, each.ms, limits[name]) for name, each in costs.items()])
    shown = f"{title}: peak memory"
    yield Comparison(shown, "MB", [Contender(name, each.mb, limits[name]) for name, each in costs.items()])


class _Costs:
    """The runs of one program at one task: each is made for its time, and tells its memory as well."""

    def __init__(self, work: Callable[[Syncer], Cost], syncer: Syncer) -> None:
        self._run = partial(work, syncer)
        self._seen: list[Cost] = []
        self._told = 0

    def ms(self) -> float:
        self._seen.append(self._run())
        return self._seen[-1].ms

    def mb(self) -> float:
        """Of the runs that were made for their time, in turn."""
        self._told += 1
        return self._seen[(self._told - 1) % len(self._seen)].mb


def _check_same_work(ours: Path, theirs: Path) -> None:
    """Both must have written every agent, command, skill and server, or the times mean nothing."""
    for project in (ours, theirs):
        agents = len(list((project / ".codex/agents").glob("*.toml")))
        commands = len(list((project / ".opencode/commands").glob("*.md")))
        skills = len({path.parent.name for path in project.glob(".*/skills/item*/SKILL.md")})
        servers = (project / ".codex/config.toml").read_text().count("[mcp_servers.")
        if (agents, commands, skills, servers) != (_ITEMS,) * 4:
            raise RuntimeError(
                f"{project.name}: wrote {agents}, {commands}, {skills}, {servers} instead of {_ITEMS} each"
            )


def _sightline(folder: Path, count: int) -> Syncer:
    project = folder / "project"
    kept = _write_source(project, count)
    environment = _environment(folder, "/usr/bin:/bin")
    (folder / "home/.claude").mkdir(parents=True)
    (folder / "home/.claude/settings.json").write_text('{"enableAllProjectMcpServers": true}')
    command = [SIGHTLINE, "sync", "--yes", "--project", str(project), "--target", "codex", "--target", "opencode"]
    return Syncer(command, project, environment, kept)


def _rulesync(folder: Path, entry: Path, count: int) -> Syncer:
    project = folder / "project"
    kept = _write_source(project, count)
    node = shutil.which("node")
    if node is None:
        raise RuntimeError("node is not on the PATH, and rulesync runs on it")
    environment = _environment(folder, f"{Path(node).parent}:/usr/bin:/bin")
    (folder / "home").mkdir(parents=True)
    rulesync = [node, str(entry)]
    importing = [*rulesync, "import", "--targets", "claudecode", "--features", _FEATURES]
    subprocess.run(importing, cwd=project, env=environment, check=True, timeout=120, stdout=subprocess.DEVNULL)
    command = [*rulesync, "generate", "--targets", "codexcli,opencode", "--features", _FEATURES]
    return Syncer(command, project, environment, (*kept, project / ".rulesync"))


def _install(folder: Path) -> Path:
    """Install rulesync below a folder by npm; returns its entry file."""
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is not on the PATH, and this bench installs rulesync with it")
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
    subprocess.run(command, check=True, timeout=600, stdout=subprocess.DEVNULL)
    package = folder / "node_modules" / "rulesync"
    entry = json.loads((package / "package.json").read_text())["bin"]
    return package / (entry if isinstance(entry, str) else entry["rulesync"])


def _environment(folder: Path, path: str) -> dict[str, str]:
    """A home of its own; without a variable that would make Python compile everything anew at each start."""
    own = {"HOME": folder / "home", "XDG_DATA_HOME": folder / "data", "XDG_CONFIG_HOME": folder / "home/.config"}
    return {"PATH": path, **{name: str(place) for name, place in own.items()}}


def _write_source(project: Path, count: int) -> tuple[Path, ...]:
    """So many rules, skills, commands, agents and servers; returns what must stay when the outputs are removed."""
    claude = project / ".claude"
    for number in range(count):
        name, text = f"item{number}", f"Text of item {number}. " + "Some words that fill a line of it. " * 8
        described = f"---\nname: {name}\ndescription: Does thing {number}\n---\n{text}\n"
        for file, content in {
            f"rules/{name}.md": f"{text}\n",
            f"commands/do{number}.md": f"---\ndescription: Do {number}\n---\n{text} $ARGUMENTS\n",
            f"agents/{name}.md": described,
            f"skills/{name}/SKILL.md": described,
            f"skills/{name}/reference/notes.md": f"# Notes\n\n{text}\n",
        }.items():
            (claude / file).parent.mkdir(parents=True, exist_ok=True)
            (claude / file).write_text(content)
    servers = {f"item{number}": {"command": "serve", "args": [str(number)]} for number in range(count)}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": servers}, indent=2))
    (project / "CLAUDE.md").write_text("# Project\n\nBe kind.\n")
    return claude, project / ".mcp.json", project / "CLAUDE.md"


SYNC = Bench(
    "sync", "How long does a sync take, against rulesync and as the project grows?", prepare, is_on_request=True
)
