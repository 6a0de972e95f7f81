"""No secret gets anywhere: not by a field of any artefact, not by a variable, not by an answer, a log or a backup."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from sightline.answers import Answer
from sightline.sync.applying import SecretsDetected
from tests.support.apps import app_over
from tests.sync.end_to_end.canaries import canary_artefacts, literal, reference, variable
from tests.sync.end_to_end.desk import Desk, a_desk, picture, quick_folder
from tests.sync.end_to_end.sources import Artefact, at, files_of
from tests.sync.formats.effort import IS_FULL

SIGHTLINE = str(Path(sys.executable).with_name("sightline"))
LITERALS = list(canary_artefacts(literal))
REFERENCES = list(canary_artefacts(reference))
VALUES = {variable(each.marker): literal(each.marker) for each in REFERENCES}


def plant(desk: Desk, artefacts: Iterable[Artefact]) -> None:
    desk.plant(at(str(desk.folder), files_of(artefacts)))


def found_in(texts: Mapping[str, bytes | str], artefacts: Iterable[Artefact]) -> list[str]:
    """Each canary that stands in a name or a text, with where it stands; parts of one count, too."""
    whole = {name: text if isinstance(text, bytes) else text.encode() for name, text in texts.items()}
    needles = {each.marker: literal(each.marker)[4:24].encode() for each in artefacts}
    everything = b"\n".join((*(name.encode() for name in whole), *whole.values()))
    return [
        f"{marker} in {[name for name, text in whole.items() if needle in text or needle in name.encode()]}"
        for marker, needle in needles.items()
        if needle in everything
    ]


def bytes_below(*folders: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def written(desk: Desk) -> dict[str, bytes]:
    """All that is there beside the source: targets, state, backups, journal."""
    targets = {name: content for name, (_, content) in desk.picture().items() if isinstance(content, bytes)}
    return {**targets, **bytes_below(desk.data)}


def test_the_lists_of_fields_are_really_walked() -> None:
    kinds = {each.kind for each in LITERALS}
    assert kinds == {
        "mcp",
        "skill",
        "command",
        "agent",
        "rule",
        "hook",
        "setting",
        "permission",
        "instructions",
        "plugin",
    }
    assert len(LITERALS) > 400
    assert len({literal(each.marker) for each in LITERALS}) == len(LITERALS)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("start", range(0 if not IS_FULL else 10, 1 if not IS_FULL else 11))
def test_a_literal_secret_in_any_single_field_blocks_or_goes_nowhere(start: int) -> None:
    chosen = LITERALS if start == 10 else LITERALS[start::12]
    with a_desk() as desk:
        plant(desk, ())
        desk.sync()
        for each in chosen:
            plant(desk, [each])
            before = desk.picture(), desk.own_files()
            planned = desk.plan()
            assert found_in({"diff": planned.plan.diff, "plan": repr(planned.plan)}, [each]) == []
            if planned.reading.secrets:
                with pytest.raises(SecretsDetected) as refused:
                    desk.apply(planned)
                assert found_in({"message": str(refused.value)}, [each]) == []
                assert (desk.picture(), desk.own_files()) == before
            else:
                desk.apply(planned)
                assert found_in(written(desk), [each]) == [], each.marker


def test_all_literal_secrets_at_once_are_named_by_place_and_written_nowhere() -> None:
    with a_desk() as desk:
        plant(desk, LITERALS)
        before = desk.picture()
        planned = desk.plan()
        places = "\n".join(f"{each.item_id} {each.place}" for each in planned.reading.secrets)
        assert len(planned.reading.secrets) > 150
        assert found_in({"places": places}, LITERALS) == []
        with pytest.raises(SecretsDetected):
            desk.apply(planned)
        assert desk.picture() == before
        assert found_in(written(desk), LITERALS) == []


@pytest.mark.timeout(600)
def test_values_of_variables_are_resolved_nowhere() -> None:
    with a_desk(VALUES) as desk:
        plant(desk, REFERENCES)
        done = desk.sync()
        assert len(done.planned.plan.writes) > 50
        assert found_in({**written(desk), "diff": done.planned.plan.diff}, REFERENCES) == []
        plant(desk, REFERENCES[::6])
        desk.sync()
        desk.rollback()
        assert found_in(written(desk), REFERENCES) == []


async def answers_of(root: Path, home: Path, environment: Mapping[str, str]) -> dict[str, Answer]:
    """Every answer of the tools: previews, what applying them gives, the status."""
    answers: dict[str, Answer] = {}
    long = {"max_total_chars": 200_000}
    async with app_over(root, home, environment, sync__verify="never", sync__scope="all") as app:
        for tool, arguments in (("sync_all", long), ("sync_target", {**long, "target": "codex"})):
            answers[tool] = await app.boundary.call(tool, arguments)
            plan_id = answers[tool].data.get("plan_id") or "0" * 16
            applied = await app.boundary.call(tool, {**arguments, "apply": True, "plan_id": plan_id})
            answers[f"{tool} applied"] = applied
        answers["get_sync_status"] = await app.boundary.call("get_sync_status", long)
    return answers


@pytest.mark.timeout(600)
@pytest.mark.parametrize("artefacts", [LITERALS, REFERENCES], ids=["literals", "references"])
async def test_no_answer_and_no_log_of_the_tools_holds_one(
    artefacts: list[Artefact], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with a_desk() as desk:
        plant(desk, artefacts)
        answers = await answers_of(desk.project, desk.home, {**VALUES, "PATH": os.environ["PATH"]})
        texts = {name: f"{answer.text}\n{answer.json()}" for name, answer in answers.items()}
        logged = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
        assert found_in({**texts, "log": logged}, artefacts) == []
        assert found_in(bytes_below(desk.home / "data"), artefacts) == []
        first = answers["sync_all"].data
        if artefacts is LITERALS:
            assert (first["status"], first["blocked_reason"]) == ("blocked", "secrets_detected")
            assert first.get("plan_id") is None
            assert answers["sync_all applied"].data["error"]["kind"] == "secrets_detected"
        else:
            assert first["status"] == "planned"


def run(arguments: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SIGHTLINE, *arguments], env=dict(environment), check=False, capture_output=True, text=True, timeout=100
    )


@pytest.mark.timeout(600)
@pytest.mark.parametrize("artefacts", [LITERALS, REFERENCES], ids=["literals", "references"])
def test_no_output_and_no_log_file_of_the_command_holds_one(artefacts: list[Artefact]) -> None:
    with quick_folder() as folder, a_desk() as desk:
        plant(desk, artefacts)
        environment = {
            **VALUES,
            "PATH": os.environ["PATH"],
            "HOME": str(desk.home),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "TMPDIR": str(folder / "tmp"),
        }
        (folder / "tmp").mkdir()
        common = ["--project", str(desk.project), "--scope", "all", "--set", "logging.mode=both"]
        common += ["--set", "logging.level=DEBUG", "--set", f"logging.dir={folder}/logs"]
        item = "mcp:s00-project@project"
        calls = {
            "sync": ["sync", "--full", "--yes", *common],
            "check": ["sync", "--check", *common],
            "status": ["sync", "status", *common],
            "diff": ["sync", "diff", *common],
            "explain": ["sync", "explain", item, *common],
            "rollback": ["sync", "rollback", "--yes", *common],
        }
        texts: dict[str, str] = {}
        for name, arguments in calls.items():
            done = run(arguments, environment)
            texts[name] = done.stdout + done.stderr
            assert "Traceback" not in texts[name], texts[name]
        assert found_in(texts, artefacts) == []
        assert found_in(bytes_below(folder), artefacts) == []
        assert picture(folder / "tmp", folder) == {}
        assert ("blocked" in texts["sync"]) == (artefacts is LITERALS)


@pytest.mark.parametrize(
    ("way", "where"),
    [
        ("argument", ["--set", "sync.allow_secrets=true"]),
        ("environment", []),
        ("project file", []),
        ("user file", []),
    ],
)
def test_only_the_user_file_lets_secrets_through(way: str, where: list[str]) -> None:
    with quick_folder() as folder, a_desk() as desk:
        each = next(each for each in LITERALS if each.marker == "mcp env0 project")
        plant(desk, [each])
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(desk.home),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
        }
        setting = "[sync]\nallow_secrets = true\n"
        if way == "environment":
            environment |= {"SIGHTLINE_SYNC__ALLOW_SECRETS": "true", "SIGHTLINE_SYNC_ALLOW_SECRETS": "true"}
        if way == "project file":
            desk.write("work/shop/.sightline.toml", setting.encode())
            desk.write("work/shop/sightline.toml", setting.encode())
            desk.write("work/shop/pyproject.toml", b"[tool.sightline.sync]\nallow_secrets = true\n")
        if way == "user file":
            (folder / "config/sightline").mkdir(parents=True)
            (folder / "config/sightline/config.toml").write_text(setting)
        done = run(["sync", "--yes", "--project", str(desk.project), "--set", "sync.verify=never", *where], environment)
        is_written = bool(found_in(written(desk), [each]))
        assert is_written == (way == "user file"), done.stdout + done.stderr
