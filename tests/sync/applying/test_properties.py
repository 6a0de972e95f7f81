"""Any outputs over any foreign files: done twice is done once, foreign bytes stay, and everything can be taken back."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.sync.outputs import Output, OwnedBlock
from tests.sync.applying.workbench import Workbench, picture, times
from tests.sync.formats import foreign_jsonc, foreign_toml
from tests.sync.formats.effort import IS_FULL
from tests.sync.formats.owned_edits import is_subsequence

some = settings(
    max_examples=400 if IS_FULL else 25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)

NAMES = st.sampled_from(["a", "b", "deep/a", "deep/b", "deep/er/a", ".agents/skills/s/SKILL.md", "theirs/a"])
FILES = st.dictionaries(NAMES, st.tuples(st.binary(max_size=20), st.sampled_from([0o644, 0o755])), max_size=4)
KEYS = st.tuples(st.sampled_from(["ours", "ours too"]), st.sampled_from(["m", "n", "o.p"]))
TABLES = st.dictionaries(KEYS, foreign_toml.OWNED_VALUES, max_size=3)
OBJECTS = st.dictionaries(KEYS, foreign_jsonc.OWNED_VALUES, max_size=3)
TEXTS = st.none() | st.text(st.sampled_from("ab -#\n"), max_size=20)
REVISIONS = st.lists(st.tuples(FILES, TABLES, OBJECTS, TEXTS, st.booleans()), min_size=1, max_size=3)
Revision = tuple[dict[str, tuple[bytes, int]], dict[Any, Any], dict[Any, Any], str | None, bool]
FOREIGN_TEXTS = st.sampled_from([None, b"", b"mine", b"# mine\r\n\r\ntext\r\n", b"\n\n", b"\xef\xbb\xbfmine\n"])


@contextmanager
def workbench() -> Generator[Workbench]:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        yield Workbench(Path(folder).resolve())


def plant(bench: Workbench, toml: bytes | None, json: bytes | None, text: bytes | None) -> None:
    bench.write("theirs/other", b"foreign")
    for name, content in (("c.toml", toml), ("o.json", json), ("AGENTS.md", text)):
        if content is not None:
            bench.write(name, content)


def want(bench: Workbench, revision: Revision) -> None:
    """Two targets, which share the keys and, if the revision says so, the text."""
    files, tables, objects, text, is_shared = revision
    codex: list[Output] = [bench.file(name, content, mode=mode) for name, (content, mode) in files.items()]
    shared: list[Output] = [bench.toml("c.toml", tables)] if tables else []
    shared += [bench.json("o.json", objects)] if objects else []
    block: list[OwnedBlock] = [bench.block("AGENTS.md", text)] if text is not None else []
    bench.wants = {"codex": [*codex, *shared, *block], "opencode": [*shared, *(block if is_shared else [])]}


def foreign_of(bench: Workbench) -> dict[str, str]:
    names = ("c.toml", "o.json", "AGENTS.md", "theirs/other")
    return {name: bench.read(name).decode() for name in names if (bench.project / name).exists()}


@some
@given(
    st.none() | foreign_toml.foreign_toml().map(lambda pair: pair[0]),
    st.none() | foreign_jsonc.foreign_jsonc().map(lambda pair: pair[0]),
    FOREIGN_TEXTS,
    REVISIONS,
)
def test_round_trips(toml: bytes | None, json: bytes | None, text: bytes | None, revisions: list[Revision]) -> None:
    with workbench() as bench:
        plant(bench, toml, json, text)
        original, foreign = picture(bench.project), foreign_of(bench)
        seen = [original]
        for revision in revisions:
            want(bench, revision)
            assert bench.plan().problems == ()
            assert bench.plan().conflicts == ()
            if bench.sync().backup_id:
                seen.append(picture(bench.project))
            before = times(bench.project)
            assert bench.sync().plan.is_empty
            assert times(bench.project) == before
            now = foreign_of(bench)
            assert all(is_subsequence(content, now[name]) for name, content in foreign.items())
        bench.wants = {"codex": [], "opencode": []}
        if bench.sync().backup_id:
            seen.append(picture(bench.project))
        assert picture(bench.project) == original
        for expected in reversed(seen[:-1]):
            assert bench.syncing.rollback().conflicts == ()
            assert picture(bench.project) == expected
        assert bench.syncing.backups() == ()
        assert bench.syncing.states() == {}


@some
@given(REVISIONS, st.dictionaries(NAMES, st.binary(max_size=20), max_size=3))
def test_files_of_others_in_our_places_are_never_touched(revisions: list[Revision], theirs: dict[str, bytes]) -> None:
    with workbench() as bench:
        for name, content in theirs.items():
            bench.write(name, content + b" theirs")
        for revision in revisions:
            want(bench, revision)
            bench.sync()
            assert {name: bench.read(name) for name in theirs} == {n: c + b" theirs" for n, c in theirs.items()}
        bench.wants = {"codex": [], "opencode": []}
        bench.sync()
        assert {name for name, (_, content) in picture(bench.project).items() if content is not None} == set(theirs)
