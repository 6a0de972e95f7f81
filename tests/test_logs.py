"""Log lines: their form, where they go, which request they belong to."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest

from sightline.logs import LogPlan, logging_to, request_scope
from tests.support.apps import app_over

log = logging.getLogger("sightline.test")

Mode = Literal["stderr", "file", "both"]


@pytest.fixture(autouse=True)
def levels_of_before() -> Generator[None]:
    """The levels are the process's own: leave them to the other tests as they were."""
    names = [None, "mcp", "anyio", "asyncio", "httpx2", "uvicorn"]
    before = [(logging.getLogger(name), logging.getLogger(name).level) for name in names]
    yield
    for logger, level in before:
        logger.setLevel(level)


def plan(folder: Path, mode: Mode = "stderr", form: Literal["json", "text"] = "json", level: str = "INFO") -> LogPlan:
    return LogPlan(level, mode, form, folder / "logs")


def parsed(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def current(folder: Path) -> str:
    return (folder / "logs" / "current.log").read_text(encoding="utf-8")


def test_a_json_line_holds_event_level_logger_time_and_facts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_to(plan(tmp_path)):
        log.info("call %s", "answered", extra={"tool": "check_types", "ms": 1.5, "path": Path("ä")})
    captured = capsys.readouterr()
    (line,) = parsed(captured.err)
    assert captured.out == ""
    assert (line["event"], line["level"], line["logger"]) == ("call answered", "info", "sightline.test")
    assert (line["tool"], line["ms"]) == ("check_types", 1.5)
    assert "ä" in line["path"]
    assert line["timestamp"].endswith("Z")
    assert "positional_args" not in line


def test_a_text_line_holds_the_same_without_colours_when_piped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_to(plan(tmp_path, form="text")):
        log.warning("call %s", "answered", extra={"tool": "check_types"})
    line = capsys.readouterr().err
    assert all(part in line for part in ("call answered", "warning", "tool=check_types", "sightline.test"))
    assert "\x1b" not in line
    assert line.count("\n") == 1


@pytest.mark.parametrize("form", ["json", "text"])
def test_an_error_brings_its_traceback_but_not_the_values_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: Literal["json", "text"]
) -> None:
    def fail(password: str) -> None:
        assert password
        raise ValueError("broken")

    with logging_to(plan(tmp_path, form=form)):
        try:
            fail("hunter" + "2")
        except ValueError:
            log.exception("tool failed")
    text = capsys.readouterr().err
    assert "ValueError: broken" in text
    assert "in fail" in text
    assert "hunter2" not in text


def test_lines_under_the_level_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(plan(tmp_path, level="WARNING")):
        log.info("quiet")
        log.warning("loud")
    assert [line["event"] for line in parsed(capsys.readouterr().err)] == ["loud"]


def test_libraries_are_heard_from_warnings_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(plan(tmp_path, level="DEBUG")):
        logging.getLogger("mcp.server").info("chatter")
        logging.getLogger("mcp.server").warning("trouble")
        log.debug("ours")
    assert [line["event"] for line in parsed(capsys.readouterr().err)] == ["trouble", "ours"]


def test_after_the_block_nothing_is_written_and_the_level_is_as_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    before = (root.level, logging.getLogger("mcp").level, list(root.handlers))
    with logging_to(plan(tmp_path, level="DEBUG", mode="both")):
        assert len(root.handlers) == len(before[2]) + 2
    log.error("too late")
    assert capsys.readouterr().err == ""
    assert (root.level, logging.getLogger("mcp").level, list(root.handlers)) == before


def test_in_file_mode_lines_go_to_the_file_and_errors_to_stderr_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_to(plan(tmp_path, "file")):
        log.info("routine")
        log.error("trouble")
    assert [line["event"] for line in parsed(current(tmp_path))] == ["routine", "trouble"]
    assert [line["event"] for line in parsed(capsys.readouterr().err)] == ["trouble"]


def test_in_both_mode_every_line_goes_to_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(plan(tmp_path, "both")):
        log.info("routine")
        log.error("trouble")
    in_file, on_stderr = parsed(current(tmp_path)), parsed(capsys.readouterr().err)
    assert [line["event"] for line in in_file] == [line["event"] for line in on_stderr] == ["routine", "trouble"]


def test_in_stderr_mode_no_folder_is_made(tmp_path: Path) -> None:
    with logging_to(plan(tmp_path)):
        log.info("routine")
    assert not (tmp_path / "logs").exists()


def test_current_log_points_to_the_newest_file_also_over_an_old_link(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "sightline-1.log").write_text("old\n")
    (tmp_path / "logs" / "current.log").symlink_to("sightline-1.log")
    with logging_to(plan(tmp_path, "file")):
        log.info("new")
    link = tmp_path / "logs" / "current.log"
    assert link.readlink() == Path(f"sightline-{os.getpid()}.log")
    assert [line["event"] for line in parsed(current(tmp_path))] == ["new"]
    assert (tmp_path / "logs" / "sightline-1.log").read_text() == "old\n"


def test_a_file_is_rotated_at_ten_megabytes_and_five_are_kept(tmp_path: Path) -> None:
    with logging_to(plan(tmp_path, "file")):
        for number in range(7):
            log.info("large", extra={"number": number, "filling": "x" * 6_000_000})
            log.info("large", extra={"number": number, "filling": "y" * 3_000_000})
    files = sorted((tmp_path / "logs").glob("sightline-*.log*"))
    assert len(files) == 5
    assert all(path.stat().st_size <= 10_000_000 for path in files)
    assert [line["number"] for line in parsed(current(tmp_path))] == [6, 6]
    shutil.rmtree(tmp_path / "logs")


def test_files_of_ended_processes_are_not_kept_for_ever(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(60):
        old = folder / f"sightline-{number}.log"
        old.write_text("old\n")
        os.utime(old, (number, number))
    with logging_to(plan(tmp_path, "file")):
        log.info("new")
    files = list(folder.glob("sightline-*.log"))
    assert len(files) <= 20
    assert folder / f"sightline-{os.getpid()}.log" in files
    assert folder / "sightline-59.log" in files


def test_a_name_that_is_not_utf8_does_not_lose_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(plan(tmp_path, "file")):
        log.info("read", extra={"file": os.fsdecode(b"\xff.py")})
    (line,) = parsed(current(tmp_path))
    assert line["event"] == "read"
    assert capsys.readouterr().err == ""


def test_a_line_break_in_a_message_does_not_forge_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(plan(tmp_path)):
        log.info('a\n{"event": "forged"}', extra={"said": "b\nc"})
    (line,) = parsed(capsys.readouterr().err)
    assert line["said"] == "b\nc"


def test_a_request_id_stands_on_the_lines_of_its_scope_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(plan(tmp_path)):
        log.info("before")
        with request_scope("a"):
            log.info("outer")
            with request_scope("b"):
                log.info("inner")
            logging.getLogger("some.library").warning("outer again")
        log.info("after")
    ids = {line["event"]: line.get("request_id") for line in parsed(capsys.readouterr().err)}
    assert ids == {"before": None, "outer": "a", "inner": "b", "outer again": "a", "after": None}


@pytest.mark.anyio
async def test_requests_that_run_at_once_keep_their_ids_apart_also_in_tasks_and_threads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both_are_inside = [anyio.Event(), anyio.Event()]

    async def child(name: str) -> None:
        log.info("%s in a task", name)

    async def request(number: int) -> None:
        name = f"request {number}"
        with request_scope(name):
            both_are_inside[number].set()
            await both_are_inside[1 - number].wait()
            log.info("%s itself", name)
            await anyio.to_thread.run_sync(log.info, "%s in a thread", name)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(child, name)

    with logging_to(plan(tmp_path)):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(request, 0)
            tasks.start_soon(request, 1)
    lines = parsed(capsys.readouterr().err)
    assert len(lines) == 6
    assert all(line["event"].startswith(line["request_id"]) for line in lines)


@pytest.mark.anyio
async def test_a_call_is_logged_with_its_id_and_without_secrets_or_long_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = {"project": "https://me:hunter2@h/", "api_token": "hunter2", "path": "long" * 1000}
    with logging_to(plan(tmp_path)):
        async with app_over(tmp_path, tmp_path) as app:
            await app.boundary.call("health_check", arguments)
            await app.boundary.call("get_current_config", {})
    text = capsys.readouterr().err
    first, second = [line for line in parsed(text) if line["event"] == "call answered"]
    assert "hunter2" not in text
    assert len(text) < 3000
    assert (first["tool"], first["ok"], second["tool"], second["ok"]) == (
        "health_check",
        False,
        "get_current_config",
        True,
    )
    assert set(first["arguments"]) == set(arguments)
    assert first["ms"] >= 0
    assert second["chars"] > 1000
    assert first["request_id"] != second["request_id"]


@pytest.mark.anyio
async def test_an_answer_over_fifty_kilobytes_is_logged_as_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts = [f"host-{number}.example" for number in range(2000)]
    limits = {"max_total_chars": 2_000_000}
    with logging_to(plan(tmp_path)):
        async with app_over(tmp_path, tmp_path, docs__allowed_hosts=hosts) as app:
            await app.boundary.call("get_current_config", limits)
            await app.boundary.call("get_current_config", {"section": "logging"})
    levels = [line["level"] for line in parsed(capsys.readouterr().err) if line["event"] == "call answered"]
    assert levels == ["warning", "info"]
