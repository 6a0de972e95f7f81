"""From generated sources to generated targets and back: nothing foreign is lost, nothing of ours is left."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from sightline.sync.formats.three_way import Choice
from tests.sync.end_to_end.desk import Desk, Picture, a_desk
from tests.sync.end_to_end.foreign_files import check_foreign, foreign_files
from tests.sync.end_to_end.sources import Artefact, at, files_of, sources
from tests.sync.formats.effort import IS_FULL


def some(short: int, full: int) -> settings:
    return settings(
        max_examples=full if IS_FULL else short,
        deadline=None,
        print_blob=True,
        phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink an example would take minutes
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )


def plant(desk: Desk, artefacts: Iterable[Artefact]) -> None:
    desk.plant(at(str(desk.folder), files_of(artefacts)))


def plant_foreign(desk: Desk, foreign: dict[str, tuple[bytes, int]]) -> None:
    for name, (content, mode) in foreign.items():
        desk.write(name, content, mode)


def settled(desk: Desk, *projects: Path) -> Picture:
    """How everything looks with an empty source: OpenCode asks by default, because Claude Code does."""
    plant(desk, ())
    for project in (desk.project, *projects):
        desk.sync(project=project)
    return desk.picture()


def traces(seen: Picture, marker: str) -> list[str]:
    """Where a word stands, in names or in content."""
    word = marker.encode()
    return [
        name
        for name, (_, content) in seen.items()
        if marker in name or (isinstance(content, bytes) and word in content)
    ]


def memory(own: Picture) -> dict[str, object]:
    """What is remembered of each path, and which syncs can be taken back; folders may be forgotten."""
    states = {
        name: json.loads(each) for name, (_, each) in own.items() if "/state/" in name and isinstance(each, bytes)
    }
    backups = sorted(name for name in own if "/backups/" in name and name.endswith(".json"))
    return {**{name: each["paths"] for name, each in states.items() if each["paths"]}, "backups": backups}


def check_repeat(desk: Desk) -> None:
    """A second run plans nothing and touches nothing."""
    before = desk.stamps()
    again = desk.plan()
    assert again.plan.is_empty, again.plan.diff
    assert desk.apply(again).applied.backup_id is None
    assert desk.stamps() == before


@pytest.mark.timeout(3600)
@some(12, 150)
@given(foreign_files(), sources(), st.data())
def test_source_to_targets_and_back(
    foreign: dict[str, tuple[bytes, int]], artefacts: list[Artefact], data: st.DataObject
) -> None:
    kept = [each for each in artefacts if data.draw(st.booleans(), label=f"keep {each.marker}")]
    with a_desk() as desk:
        plant_foreign(desk, foreign)
        original = settled(desk)
        plant(desk, artefacts)
        assert desk.sync().planned.reading.secrets == ()
        first = desk.picture()
        check_foreign(desk, foreign)
        check_repeat(desk)
        for each in artefacts:
            event(f"{each.kind}: {'written' if traces(first, each.marker) else 'nowhere'}")

        plant(desk, kept)
        is_changed = desk.sync().applied.backup_id is not None
        second = desk.picture()
        check_foreign(desk, foreign)
        check_repeat(desk)
        gone = [each.marker for each in artefacts if each not in kept]
        assert {marker: traces(second, marker) for marker in gone} == {marker: [] for marker in gone}
        states = {name: each for name, each in desk.own_files().items() if name.startswith("sync/state/")}
        assert {marker: traces(states, marker) for marker in gone} == {marker: [] for marker in gone}

        if is_changed:
            plant(desk, artefacts)
            assert desk.rollback().conflicts == ()
            assert desk.picture() == first
        plant(desk, ())
        desk.sync()
        assert desk.picture() == original
        check_repeat(desk)


def test_rollbacks_take_away_a_folder_that_two_syncs_made_and_removed() -> None:
    ask = [("work/shop/.claude/settings.json", ("permissions", "ask"), "Bash(git push:*)")]
    asking = Artefact(kind="permission", marker="zq0qz", files={}, paragraphs={}, entries=(), elements=ask)
    with a_desk() as desk:
        plant_foreign(desk, {"home/.gemini/GEMINI.md": (b"mine", 0o644)})
        plant(desk, ())
        bare = desk.picture()
        for artefacts in ([asking], ()):
            plant(desk, artefacts)
            desk.sync()
        for _ in range(2):
            assert desk.rollback().conflicts == ()
        assert desk.picture() == bare


@pytest.mark.timeout(3600)
@some(8, 100)
@given(foreign_files(), sources(), sources(first=20))
def test_rollbacks_restore_every_byte_mode_and_memory(
    foreign: dict[str, tuple[bytes, int]], before: list[Artefact], after: list[Artefact]
) -> None:
    with a_desk() as desk:
        plant_foreign(desk, foreign)
        plant(desk, ())
        seen = [(desk.picture(), desk.own_files())]
        for artefacts in (before, [*before[1:], *after], ()):
            plant(desk, artefacts)
            if desk.sync().applied.backup_id is not None:
                plant(desk, ())
                seen.append((desk.picture(), desk.own_files()))
        plant(desk, ())
        for picture, own in reversed(seen[:-1]):
            assert desk.rollback().conflicts == ()
            assert desk.picture() == picture
            assert memory(desk.own_files()) == memory(own)


@pytest.mark.timeout(3600)
@some(8, 100)
@given(foreign_files(), sources(min_size=2), st.data())
def test_an_edit_at_the_target_is_kept_until_a_person_decides(
    foreign: dict[str, tuple[bytes, int]], artefacts: list[Artefact], data: st.DataObject
) -> None:
    with a_desk() as desk:
        plant_foreign(desk, foreign)
        plant(desk, artefacts)
        known = set(desk.sync().planned.plan.conflicts)
        synced = desk.picture()
        marked = sorted({name for each in artefacts for name in traces(synced, each.marker) if synced[name][1]})
        marked = [name for name in marked if b"zq" in (desk.folder / name).read_bytes()]
        if not marked:
            event("nothing of ours to edit")
            return
        name = data.draw(st.sampled_from(marked), label="edited")
        path = desk.folder / name
        path.write_bytes(path.read_bytes().replace(b"zq", b"zz", 1))
        edited = desk.picture()

        done = desk.sync()
        assert desk.picture() == edited
        conflicts = [place for place in done.planned.plan.conflicts if place not in known]
        assert conflicts, f"the edit of {name} is not seen"
        assert {place.partition("#")[0] for place in conflicts} == {_shown(desk, path)}

        choices = dict.fromkeys(conflicts, Choice.KEEP)
        desk.sync(choices=choices)
        assert desk.picture() == edited
        assert set(desk.plan().plan.conflicts) <= known
        check_repeat(desk)

        plant(desk, artefacts)
        desk.sync(choices=dict.fromkeys(conflicts, Choice.TAKE))
        assert set(desk.plan().plan.conflicts) <= known
        _check_taken(desk, artefacts, synced, name)


def _check_taken(desk: Desk, artefacts: list[Artefact], synced: Picture, name: str) -> None:
    """What we want is there again; a key that the person renamed stays as theirs beside ours."""
    now = (desk.folder / name).read_bytes()
    markers = [each.marker for each in artefacts if name in traces(synced, each.marker)]
    assert all(marker.encode() in now or marker in name for marker in markers)
    assert {each: seen for each, seen in desk.picture().items() if each != name} == {
        each: seen for each, seen in synced.items() if each != name
    }


def _shown(desk: Desk, path: Path) -> str:
    if path.is_relative_to(desk.project):
        return path.relative_to(desk.project).as_posix()
    return f"~/{path.relative_to(desk.home).as_posix()}"


@pytest.mark.timeout(3600)
@some(6, 80)
@given(sources(min_size=2), sources(first=20), st.data())
def test_changes_of_different_things_at_both_sides_are_merged(
    artefacts: list[Artefact], others: list[Artefact], data: st.DataObject
) -> None:
    additions = {
        ".toml": b'\n[mcp_servers.theirs]\ncommand = "theirs" # added\n',
        ".md": b"\nAdded by a person.\n",
    }
    with a_desk() as desk:
        for name in ("home/.codex/config.toml", "work/shop/.codex/config.toml"):
            desk.write(name, b"# mine\n")
        for name in ("work/shop/AGENTS.md", "work/shop/GEMINI.md", "home/.codex/AGENTS.md"):
            desk.write(name, b"Mine.\n")
        plant(desk, artefacts)
        desk.sync()
        edited = [
            path
            for path in (desk.folder / "home", desk.project)
            for path in path.rglob("*.*")
            if path.name in ("config.toml", "AGENTS.md", "GEMINI.md")
        ]
        for path in edited:
            path.write_bytes(path.read_bytes() + additions[path.suffix])
        kept = [each for each in artefacts if data.draw(st.booleans(), label=f"keep {each.marker}")]
        plant(desk, [*kept, *others])
        done = desk.sync()
        assert done.planned.plan.conflicts == ()
        assert done.planned.plan.problems == ()
        assert all(additions[path.suffix].strip() in path.read_bytes() for path in edited)
        seen = desk.picture()
        assert [traces(seen, each.marker) for each in artefacts if each not in kept] == [[]] * (
            len(artefacts) - len(kept)
        )
        check_repeat(desk)


@pytest.mark.timeout(3600)
@some(6, 80)
@given(sources(), sources("work/other", first=20), foreign_files())
def test_two_projects_and_the_user_do_not_fight(
    ours: list[Artefact], theirs: list[Artefact], foreign: dict[str, tuple[bytes, int]]
) -> None:
    with a_desk() as desk:
        other = desk.folder / "work" / "other"
        other.mkdir()
        plant_foreign(desk, foreign)
        original = settled(desk, other)
        plant(desk, [*ours, *theirs])
        for project in (desk.project, other, desk.project, other):
            desk.sync(project=project)
        for project in (desk.project, other):
            assert desk.plan(project=project).plan.writes == (), desk.plan(project=project).plan.diff
        both = desk.picture()
        theirs_alone = _files_in(both, "work/other/")
        plant(desk, theirs)
        desk.sync()
        seen = desk.picture()
        assert [traces(seen, each.marker) for each in ours] == [[]] * len(ours)
        desk.sync(project=other)
        assert desk.plan(project=desk.project).plan.writes == ()
        assert _files_in(desk.picture(), "work/other/") == theirs_alone
        plant(desk, ())
        desk.sync(project=other)
        desk.sync()
        left = desk.picture()
        assert [traces(left, each.marker) for each in (*ours, *theirs)] == [[]] * len([*ours, *theirs])
        assert _files_in(left, "work/") == _files_in(original, "work/")
        assert _files_in(left, "home/") == _files_in(original, "home/")


def _files_in(seen: Picture, folder: str) -> Picture:
    """Files alone: planting the source makes folders of its own."""
    return {name: each for name, each in seen.items() if name.startswith(folder) and each[1] is not None}
