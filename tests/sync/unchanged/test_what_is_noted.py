"""The short way is taken only by what it has looked at: so it must look at everything that the long way looked at."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import sightline.sync
from sightline.sync.unchanged.snapshot import read_snapshot
from tests.sync.unchanged.scene import Scene, Watched, make_plain_scene, make_scene

HEAVY = ("sightline.sync.model", "sightline.sync.targets", "sightline.sync.formats", "sightline.sync.source", "tomlkit")
SYNC = Path(sightline.sync.__file__).parent
QUESTIONS = frozenset(
    {"absolute", "exists", "expanduser", "glob", "is_dir", "is_file", "is_mount", "is_symlink", "iterdir", "lexists"}
    | {"listdir", "lstat", "open", "owner", "read_bytes", "read_text", "readlink", "realpath", "resolve", "rglob"}
    | {"samefile", "scandir", "stat", "walk"}
)
FORMS = (("--scope", "all", "--yes"), ("--scope", "all", "--yes", "--full"), ("--scope", "project", "--yes"))


@pytest.fixture(scope="module", params=[make_scene, make_plain_scene], ids=["hard", "plain"])
def scene(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return request.param(tmp_path_factory.mktemp("noted"))


@pytest.fixture(scope="module", params=FORMS, ids=" ".join)
def both_ways(request: pytest.FixtureRequest, scene: Scene) -> tuple[Watched, Watched]:
    """The long way, which takes notes, and the short way, which goes by them."""
    long, short = scene.watch(*request.param), scene.watch(*request.param)
    assert (long.is_recalled, short.is_recalled) == (False, True)
    return long, short


def test_the_short_way_looks_at_every_path_that_the_long_way_looked_at(
    scene: Scene, both_ways: tuple[Watched, Watched]
) -> None:
    long, short = both_ways
    assert len(long.seen) > 50

    missed = _by_real_folder(long.seen | long.used) - _by_real_folder(short.seen | short.used)

    assert not {path for path in missed if not _is_of_the_memory(path, scene)}


def test_of_everything_that_the_long_way_opens_or_lists_the_content_is_noted(
    scene: Scene, both_ways: tuple[Watched, Watched]
) -> None:
    long, short = both_ways
    noted = {path for file in scene.snapshots for path, each in _paths(file).items() if len(each) > 1}

    missed = _by_real_folder(long.used) - _by_real_folder(frozenset(noted)) - _by_real_folder(short.used)

    assert not {path for path in missed if Path(path).exists() and not _is_of_the_memory(path, scene)}


def test_the_short_way_says_the_same_and_imports_nothing_that_plans(both_ways: tuple[Watched, Watched]) -> None:
    long, short = both_ways

    assert short.ended == long.ended
    assert "nothing to do for codex, gemini, opencode, cursor" in short.ended.out
    assert not [name for name in short.modules if name.startswith(HEAVY)]


def test_variables_that_decide_are_noted_and_none_of_their_values_is_stored(tmp_path: Path) -> None:
    scene = make_scene(tmp_path)
    scene.watch("--scope", "all", "--yes")
    snapshots = [each for file in scene.snapshots if (each := read_snapshot(file))]
    names = {name for each in snapshots for name in each.variables}

    assert names >= {"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "API_TOKEN"}
    for file in scene.snapshots:
        content = file.read_text()
        assert not [value for value in scene.variables.values() if value in content]
        assert file.stat().st_mode & 0o777 == 0o600


def test_nothing_but_the_seam_asks_the_disk() -> None:
    """What is asked past the seam is noted by nobody; modules that write, watch or run programs are not part of it."""
    others = ("applying/", "verifying/", "unchanged/", "watching.py", "files.py")
    found: list[str] = []
    for file in sorted(SYNC.rglob("*.py")):
        name = file.relative_to(SYNC).as_posix()
        if not name.startswith(others) or name == "applying/state_files.py":
            calls = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
            found += [f"{name}:{call.lineno}" for call in calls if _asks_the_disk(call)]

    assert not found


def _asks_the_disk(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "open"
    if not isinstance(function, ast.Attribute):
        return False
    owner = function.value
    is_seam = (owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")) in ("files", "disk")
    return function.attr in QUESTIONS and not is_seam


def _paths(file: Path) -> dict[str, list[str]]:
    snapshot = read_snapshot(file)
    assert snapshot is not None
    return dict(snapshot.paths)


def _by_real_folder(paths: frozenset[str]) -> set[str]:
    """A file below a linked folder has two names; which link it is reached by is looked at in any case."""
    return {str(Path(path).parent.resolve() / Path(path).name) for path in paths}


def _is_of_the_memory(path: str, scene: Scene) -> bool:
    own = scene.line.home / "data/sightline/sync"
    return path == str(own / "state") or Path(path).is_relative_to(own / "unchanged")
