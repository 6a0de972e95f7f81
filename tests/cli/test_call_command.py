"""`sightline call`: any tool, with the answer that an agent would get."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.command_line import CommandLine, Ended


def answer_of(ended: Ended) -> dict[str, Any]:
    return json.loads(ended.out)


def test_text_and_json_are_the_two_forms_of_an_answer(sightline: CommandLine) -> None:
    text = sightline.run("call", "get_current_config", "section=logging")
    data = sightline.run_in_process("call", "get_current_config", "section=logging", "--json")
    assert (text.code, text.err, data.code, data.err) == (0, "", 0, "")
    assert "logging.level = INFO (default)" in text.out
    answer = answer_of(data)
    assert (answer["ok"], answer["tool"], answer["root"]) == (True, "get_current_config", str(sightline.project))
    assert answer["input"] == {"section": "logging"}


def test_values_become_what_the_tool_takes(sightline: CommandLine) -> None:
    ended = sightline.run(
        "call", "get_current_config", "include_env=true", "max_results=2", "--json", SIGHTLINE_DOCS__OFFLINE="1"
    )
    answer = answer_of(ended)
    assert ended.code == 0
    assert answer["environment"] == ["SIGHTLINE_DOCS__OFFLINE"]
    assert (answer["returned_results"], answer["truncated"]) == (2, True)


def test_a_value_that_opens_a_list_is_json_unless_the_tool_takes_text(sightline: CommandLine) -> None:
    as_list = answer_of(sightline.run_in_process("call", "check_types", "path=x.py", "max_results=[1]", "--json"))
    assert as_list["input"]["max_results"] == [1]
    assert as_list["error"]["message"] == "`max_results`: must be an integer; got list"
    as_text = answer_of(sightline.run_in_process("call", "check_types", "path=[id].py", "--json"))
    assert as_text["input"]["path"] == "[id].py"
    assert as_text["error"]["kind"] == "file_not_found"


def test_an_equals_sign_in_a_value_belongs_to_the_value(sightline: CommandLine) -> None:
    ended = sightline.run_in_process("call", "check_types", "path=a=b.py", "--json")
    assert answer_of(ended)["input"] == {"path": "a=b.py"}


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        (["bogus=1", "path=."], "invalid_params", "`bogus`"),
        (["pth=."], "invalid_params", "did you mean `path`?"),
        ([], "invalid_params", "`path`: is required"),
        (["path=.", "max_results=many"], "invalid_params", "`max_results`: must be an integer"),
        (["path=.", "python_version=2.7"], "invalid_params", "`python_version`"),
        (["path=missing.py"], "file_not_found", "`missing.py`"),
        (["path=../home"], "path_not_allowed", "`../home`"),
    ],
)
def test_a_call_that_fails_says_why_and_ends_with_three(
    sightline: CommandLine, arguments: list[str], kind: str, said: str
) -> None:
    ended = sightline.run_in_process("call", "check_types", *arguments)
    assert ended.code == 3
    assert ended.out.startswith(f"error {kind}: ")
    assert said in ended.out
    assert "next (" in ended.out


def test_an_unknown_tool_is_a_usage_error_with_the_nearest(sightline: CommandLine) -> None:
    ended = sightline.run_in_process("call", "chek_types")
    assert (ended.code, ended.out) == (2, "")
    assert "unknown tool: chek_types" in ended.err
    assert "hint: did you mean `check_types`?" in ended.err


@pytest.mark.parametrize(
    ("argument", "said"), [("nonsense", "hint: write KEY=VALUE"), ("max_results=[1", "`max_results` is not valid JSON")]
)
def test_an_argument_that_cannot_be_read_is_a_usage_error(sightline: CommandLine, argument: str, said: str) -> None:
    ended = sightline.run_in_process("call", "check_types", argument)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_hidden_tool_refuses_and_names_the_setting(sightline: CommandLine) -> None:
    ended = sightline.run_in_process("call", "check_types", "path=.", "--set", "server.toolsets=docs", "--json")
    assert ended.code == 3
    error = answer_of(ended)["error"]
    assert error["kind"] == "unsupported"
    assert "server.toolsets" in error["message"]


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_a_name_that_is_not_utf8_is_answered_not_a_defect(sightline: CommandLine, form: list[str]) -> None:
    ended = sightline.run("call", "check_types", b"path=\xff.py", *form, PYTHONIOENCODING="utf-8:strict")
    assert ended.code == 3
    assert "invalid_params" in ended.out
    assert "defect" not in ended.err


def test_allowed_roots_of_a_project_file_are_relative_to_the_project_not_to_the_caller(
    sightline: CommandLine,
) -> None:
    sightline.write("sightline.toml", "[server]\nallowed_roots = ['src']\n")
    sightline.write("src/x.py", "")
    (sightline.home / "src").mkdir()
    ended = sightline.run(
        "call", "get_current_config", "--json", "--project", str(sightline.project), folder=sightline.home
    )
    assert answer_of(ended)["allowed_roots"] == [str(sightline.project / "src")]


def test_a_link_out_of_the_project_is_no_allowed_root(sightline: CommandLine) -> None:
    sightline.write("sightline.toml", "[server]\nallowed_roots = ['src', 'link']\n")
    (sightline.project / "link").symlink_to(sightline.home)
    ended = sightline.run("call", "get_current_config", "--json")
    assert answer_of(ended)["allowed_roots"] == [str(sightline.project)]


def test_in_file_mode_a_call_is_logged_in_the_log_folder_of_the_user(sightline: CommandLine) -> None:
    ended = sightline.run("call", "health_check", "api_token=hunter2", "--set", "logging.mode=file")
    (link,) = sightline.home.rglob("current.log")
    lines = [json.loads(line) for line in link.read_text().splitlines()]
    (call,) = [line for line in lines if line["event"] == "call answered"]
    assert ended.code == 3
    assert (call["tool"], call["ok"]) == ("health_check", False)
    assert call["request_id"]
    assert "hunter2" not in link.read_text()
    assert "message" not in call


def test_log_files_go_where_the_setting_says(sightline: CommandLine) -> None:
    folder = sightline.home / "my logs"
    sightline.run("call", "get_current_config", "--set", "logging.mode=file", "--set", f"logging.dir={folder}")
    assert (folder / "current.log").is_symlink()
