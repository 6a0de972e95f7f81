"""The signals by which servers tell that they know the project: each kind, counted and never latched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from sightline.lsp.readiness import Readiness
from sightline.lsp.server_spec import ReadySignal, builtin_spec

LONG_S, NO_TIME_S = 20.0, 0.01
HERE = Path("/nowhere")


def progress(kind: str, token: str = "t", title: str = "") -> dict[str, Any]:
    return {"token": token, "value": {"kind": kind, **({"title": title} if title else {})}}


async def is_ready(readiness: Readiness, count: int = 0) -> bool:
    return await readiness.wait_past(count, NO_TIME_S)


@pytest.mark.parametrize(
    ("signal", "hear", "wrong", "right"),
    [
        (ReadySignal(kind="log", pattern="^done"), Readiness.hear_log, "not done", "done now"),
        (ReadySignal(kind="stderr", pattern="done"), Readiness.hear_stderr, "doing", "INFO done"),
    ],
)
async def test_a_line_that_matches_is_a_signal(
    signal: ReadySignal, hear: Callable[[Readiness, str], None], wrong: str, right: str
) -> None:
    readiness = Readiness(signal, HERE)

    hear(readiness, wrong)
    assert not await is_ready(readiness)
    hear(readiness, right)
    assert await is_ready(readiness)


async def test_a_line_counts_only_where_the_server_speaks() -> None:
    readiness = Readiness(ReadySignal(kind="stderr", pattern="done"), HERE)

    readiness.hear_log("done")
    readiness.hear_progress(progress("begin", title="done"))
    readiness.hear_progress(progress("end"))
    readiness.hear_notification("x", "done")

    assert not await is_ready(readiness)


async def test_the_end_of_a_progress_counts_if_it_began_with_the_title() -> None:
    readiness = Readiness(ReadySignal(kind="progress", pattern="^indexing$"), HERE)

    readiness.hear_progress(progress("begin", "other", "linting"))
    readiness.hear_progress(progress("end", "other"))
    readiness.hear_progress(progress("end", "unknown"))
    assert not await is_ready(readiness)
    readiness.hear_progress(progress("begin", title="indexing"))
    readiness.hear_progress(progress("report"))
    assert not await is_ready(readiness)
    readiness.hear_progress(progress("end"))
    assert await is_ready(readiness)


async def test_a_progress_that_begins_again_takes_the_word_back() -> None:
    readiness = Readiness(ReadySignal(kind="progress", pattern="^indexing$"), HERE)
    for token in ("one", "two"):
        readiness.hear_progress(progress("begin", token, "indexing"))

    readiness.hear_progress(progress("end", "one"))
    assert not await is_ready(readiness)
    readiness.hear_progress(progress("end", "two"))
    assert await is_ready(readiness)
    readiness.hear_progress(progress("begin", "three", "indexing"))
    assert not await is_ready(readiness)


async def test_rust_analyzer_is_ready_only_while_it_is_quiescent() -> None:
    signal = builtin_spec("rust-analyzer").ready
    readiness = Readiness(signal, HERE)

    readiness.hear_notification("other/status", {"quiescent": True})
    assert not await is_ready(readiness)
    readiness.hear_notification(signal.method, {"health": "ok", "quiescent": True})
    assert await is_ready(readiness)
    readiness.hear_notification(signal.method, {"health": "ok", "quiescent": False})
    assert not await is_ready(readiness)
    readiness.hear_notification(signal.method, {"health": "ok", "quiescent": True})
    assert await is_ready(readiness)


async def test_a_caller_waits_for_the_signal_after_the_last_event() -> None:
    readiness = Readiness(ReadySignal(kind="log", pattern="done"), HERE)
    readiness.hear_log("done")
    answers: list[bool] = []

    async def wait() -> None:
        answers.append(await readiness.wait_past(1, LONG_S))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        assert answers == []
        readiness.hear_log("done")

    assert answers == [True]


async def test_nobody_waits_for_a_server_that_never_tells_or_has_ended() -> None:
    assert await Readiness(ReadySignal(), HERE).wait_past(5, LONG_S)

    ended = Readiness(ReadySignal(kind="log", pattern="done"), HERE)
    ended.end()
    assert not await ended.wait_past(0, LONG_S)


async def test_a_server_without_its_list_of_files_is_partial_and_not_waited_for(tmp_path: Path) -> None:
    signal = ReadySignal(kind="progress", pattern="indexing", only_with=("list.json", "build/list.json"))

    without = Readiness(signal, tmp_path)
    assert without.is_partial(tmp_path)
    assert await without.wait_past(0, LONG_S)

    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "list.json").touch()
    with_list = Readiness(signal, tmp_path)
    assert not with_list.is_partial(tmp_path)
    assert not await is_ready(with_list)


def test_a_server_in_trouble_says_so_until_it_is_well_again() -> None:
    readiness = Readiness(builtin_spec("rust-analyzer").ready, HERE)
    method = "experimental/serverStatus"

    readiness.hear_notification(method, {"health": "warning", "quiescent": True, "message": "no metadata\nmore"})
    assert (readiness.count, readiness.trouble) == (1, "no metadata")
    readiness.hear_notification(method, {"health": "ok", "quiescent": True, "message": None})
    assert readiness.trouble is None
