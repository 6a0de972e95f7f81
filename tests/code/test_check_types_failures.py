"""`check_types` where no check can be had: every time an error with its remedy, never a clean verdict."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest
from tests.code.checking import BY_COMMAND, check, make_project, wait_for_node
from tests.support.apps import app_over

from sightline.answers import Answer

pytestmark = pytest.mark.anyio


def error_of(answer: Answer) -> dict[str, object]:
    assert not answer.ok
    assert "verdict" not in answer.data
    assert answer.data["next_steps"], "a failure says what to do"
    return answer.data["error"]


@pytest.mark.parametrize("arguments", [{}, BY_COMMAND], ids=["as it is", "by command"])
async def test_a_configuration_that_pyright_cannot_read_is_an_error(tmp_path: Path, arguments: dict[str, Any]) -> None:
    root = make_project(tmp_path / "app", {"pyrightconfig.json": '{"exclude": [', "a.py": ""})

    error = error_of(await check(root, **arguments))

    assert (error["kind"], error["code"]) == ("invalid_params", 3)
    assert "pyrightconfig.json" in str(error["message"])
    assert str(tmp_path) not in str(error["message"])


async def test_a_check_past_its_deadline_is_a_timeout_that_names_the_setting(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"a.py": "x = 1\n"})

    answer = await check(root, settings={"code__command_timeout_s": 0.05}, **BY_COMMAND)

    error = error_of(answer)
    assert (error["kind"], error["retryable"]) == ("timeout", True)
    assert "code.command_timeout_s" in answer.text


async def test_more_output_than_allowed_is_too_large_and_names_the_setting(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"a.py": "\n".join(f"undefined_{n}" for n in range(4000))})

    answer = await check(root, settings={"code__max_message_mb": 1}, **BY_COMMAND)

    assert error_of(answer)["kind"] == "too_large"
    assert "code.max_message_mb" in answer.text


async def test_a_check_that_is_killed_from_outside_is_a_crash_that_can_be_tried_again(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"a.py": "x = 1\n"})
    answers: list[Answer] = []

    async def keep() -> None:
        answers.append(await check(root, **BY_COMMAND))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(keep)
        (await anyio.to_thread.run_sync(wait_for_node)).kill()

    error = error_of(answers[0])
    assert (error["kind"], error["retryable"], error["code"]) == ("server_crashed", True, -9)


async def test_cancellation_ends_the_check_and_its_process_and_the_next_call_is_served(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"a.py": "x = 1\n"})
    nodes: list[psutil.Process] = []

    async with app_over(root, tmp_path / "home") as app:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(app.boundary.call, "check_types", {"path": ".", **BY_COMMAND})
            nodes.append(await anyio.to_thread.run_sync(wait_for_node))
            tasks.cancel_scope.cancel()

        assert not nodes[0].is_running()
        assert (await app.boundary.call("check_types", {"path": "a.py", **BY_COMMAND})).data["verdict"] == "clean"


@pytest.mark.parametrize("name", ["notes.txt", "Makefile", "empty"])
async def test_a_file_that_nobody_serves_is_told_apart(tmp_path: Path, name: str) -> None:
    root = make_project(tmp_path / "app", {"notes.txt": "x", "Makefile": "all:", "empty": ""})

    error = error_of(await check(root, name))

    assert error["kind"] == "no_server_for_file"
    assert f"`{name}`" in str(error["message"])


async def test_a_server_that_is_not_installed_is_named_with_its_install_command(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"main.go": "package main\n"})

    async with app_over(root, tmp_path / "home", environment={"PATH": "/nowhere"}) as app:
        answer = (await app.boundary.call("check_types", {"path": "main.go"})).data

    assert answer["error"]["kind"] == "server_not_installed"
    assert "go install golang.org/x/tools/gopls" in str(answer["next_steps"])


async def test_a_binary_or_huge_file_is_refused_before_pyright_sees_it(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"huge.py": "", "binary.py": "\0"})
    os.truncate(root / "huge.py", 50_000_000)

    assert error_of(await check(root, "huge.py"))["kind"] == "too_large"
    assert error_of(await check(root, "binary.py"))["kind"] == "invalid_params"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("missing.py", "file_not_found"),
        ("../outside.py", "path_not_allowed"),
        ("link.py", "path_not_allowed"),
        ("a\0.py", "invalid_params"),
        ("x" * 1_000_000, "invalid_params"),
        ("x" * 4000, "invalid_params"),
    ],
    ids=["missing", "above", "link", "nul", "megabyte", "long name"],
)
async def test_paths_that_cannot_be_checked_are_refused_by_kind(tmp_path: Path, path: str, kind: str) -> None:
    root = make_project(tmp_path / "app", {"a.py": ""})
    make_project(tmp_path, {"outside.py": ""})
    (root / "link.py").symlink_to(tmp_path / "outside.py")

    answer = await check(root, path)

    assert error_of(answer)["kind"] == kind
    assert len(answer.text) < 3000


async def test_an_answer_about_a_name_that_is_not_unicode_can_still_be_sent(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"a.py": ""})

    answer = await check(root, "caf\udce9.py")

    assert error_of(answer)["kind"] in ("invalid_params", "file_not_found")
    assert answer.json().encode()
    assert answer.text.encode()
