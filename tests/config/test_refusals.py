"""Settings that cannot be used are refused with the key, the place and the remedy."""

from __future__ import annotations

from typing import Any

import pytest

from sightline.config.layers import setting_from_text
from sightline.errors import SettingsError
from tests.config.sandbox import Sandbox


def refusal(sandbox: Sandbox, **given: Any) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        sandbox.load(**given)
    return caught.value


def test_an_unknown_key_of_the_user_file_is_refused_with_the_nearest(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[server]\nprot = 1\n")
    error = refusal(sandbox)
    assert "`server.prot`" in error.message
    assert str(sandbox.user_file) in error.message
    assert error.hint == "did you mean `server.port`?"


def test_an_unknown_key_of_the_project_file_is_refused_with_the_nearest(sandbox: Sandbox) -> None:
    sandbox.write_project_file("[code.python]\nengin = 'ty'\n")
    error = refusal(sandbox)
    assert "`code.python.engin`" in error.message
    assert str(sandbox.project_file) in error.message
    assert error.hint == "did you mean `code.python.engine`?"


def test_an_unknown_key_of_the_pyproject_section_is_refused_with_the_nearest(sandbox: Sandbox) -> None:
    sandbox.write_project_file("[tool.sightline.docs]\noffine = true\n", "pyproject.toml")
    error = refusal(sandbox)
    assert "`docs.offine`" in error.message
    assert "pyproject.toml" in error.message
    assert error.hint == "did you mean `docs.offline`?"


def test_an_unknown_key_of_the_environment_is_refused_with_the_nearest(sandbox: Sandbox) -> None:
    error = refusal(sandbox, environment={"SIGHTLINE_SERVER__REDONLY": "1"})
    assert "`server.redonly`" in error.message
    assert "`SIGHTLINE_SERVER__REDONLY`" in error.message
    assert error.hint == "did you mean `server.read_only`?"


def test_an_unknown_key_of_an_assignment_is_refused_with_the_nearest() -> None:
    with pytest.raises(SettingsError) as caught:
        setting_from_text("logging.leve", "INFO", place="the command line")
    assert "`logging.leve` in the command line" in caught.value.message
    assert caught.value.hint == "did you mean `logging.level`?"


def test_an_unknown_section_is_refused(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[serverr]\nport = 1\n")
    assert "`serverr" in refusal(sandbox).message


def test_a_key_like_no_other_is_refused_with_the_way_to_the_list(sandbox: Sandbox) -> None:
    error = refusal(sandbox, environment={"SIGHTLINE_ZZZ__QQQ": "1"})
    assert error.hint == "`sightline config show` lists every key"


def test_a_value_where_a_section_belongs_is_refused(sandbox: Sandbox) -> None:
    sandbox.write_user_file("server = 3\n")
    assert "`server`" in refusal(sandbox).message


def test_a_value_where_the_pyproject_section_belongs_is_refused(sandbox: Sandbox) -> None:
    sandbox.write_project_file("[tool]\nsightline = 3\n", "pyproject.toml")
    assert "pyproject.toml" in refusal(sandbox).message


def test_an_unknown_key_of_a_language_server_is_refused_with_the_nearest(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[code.servers.ruby]\ncomand = 'x'\n")
    error = refusal(sandbox)
    assert "code.servers.ruby.comand" in error.message
    assert str(sandbox.user_file) in error.message
    assert "command" in (error.hint or "")


BAD_VALUES = [
    ("server.port", "70000"),
    ("server.port", "-1"),
    ("server.port", "'eighty'"),
    ("server.transport", "'carrier pigeon'"),
    ("server.toolsets", "['cod']"),
    ("server.context", "'vim'"),
    ("server.read_only", "'perhaps'"),
    ("output.format", "'yaml'"),
    ("output.max_total_chars", "999"),
    ("output.max_total_chars", "2000001"),
    ("output.max_results", "{check_types = 'x'}"),
    ("output.max_results", "{check_types = 0}"),
    ("output.max_results", "{check_types = -5}"),
    ("code.command_timeout_s", "0"),
    ("code.command_timeout_s", "nan"),
    ("code.request_timeouts", "{'textDocument/hover' = -1}"),
    ("code.pool_size", "0"),
    ("code.pool_size", "1.5"),
    ("code.servers", "{x = {args = 'not a list'}}"),
    ("code.servers", "{x = 3}"),
    ("code.python.engine", "'mypy'"),
    ("docs.max_redirects", "21"),
    ("docs.allowed_hosts", "'one.example'"),
    ("sync.targets", "['emacs']"),
    ("sync.backups_kept", "0"),
    ("logging.level", "'info'"),
    ("logging.mode", "'syslog'"),
]


@pytest.mark.parametrize(("name", "text"), BAD_VALUES)
def test_a_bad_value_is_refused_with_key_place_and_hint(sandbox: Sandbox, name: str, text: str) -> None:
    section, _, key = name.rpartition(".")
    sandbox.write_user_file(f"[{section}]\n{key} = {text}\n")
    error = refusal(sandbox)
    assert f"`{name}" in error.message
    assert str(sandbox.user_file) in error.message
    assert error.hint


def test_a_bad_value_in_the_environment_names_the_variable(sandbox: Sandbox) -> None:
    error = refusal(sandbox, environment={"SIGHTLINE_SERVER__PORT": "eighty"})
    assert "`server.port`" in error.message
    assert "SIGHTLINE_SERVER__PORT" in error.message


def test_a_bad_value_on_the_command_line_says_so(sandbox: Sandbox) -> None:
    error = refusal(sandbox, command_line={"server.port": "eighty"})
    assert "`server.port` in command line" in error.message
    assert "8765" in (error.hint or "")


def test_a_refused_value_is_not_repeated_because_it_may_be_a_secret(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[docs]\nstore_url = ['hunter2']\n")
    error = refusal(sandbox)
    assert "hunter2" not in f"{error.message} {error.hint}"


def test_a_bad_value_of_an_untrusted_project_is_refused_too(sandbox: Sandbox) -> None:
    sandbox.write_project_file("[server]\nport = 'x'\n")
    assert str(sandbox.project_file) in refusal(sandbox).message


@pytest.mark.parametrize(
    "content",
    [
        b"[server\n",
        b"a = \n",
        b"\xff\xfe\x00",
        b"[server]\nport = 1\nport = 2\n",
        b"[server]\nport = " + b"1" * 5000,
        b"[server]\ntools = " + b"[" * 5000,
    ],
    ids=["bracket", "no value", "not UTF-8", "twice", "endless number", "endless nesting"],
)
@pytest.mark.parametrize("name", ["sightline.toml", "pyproject.toml"])
def test_malformed_toml_names_the_file(sandbox: Sandbox, name: str, content: bytes) -> None:
    about_us = b"# [tool.sightline]\n" if name == "pyproject.toml" else b""
    (sandbox.root / name).write_bytes(about_us + content)
    error = refusal(sandbox)
    assert f"not valid TOML: {sandbox.root / name}" in error.message


def test_a_malformed_manifest_that_does_not_speak_of_us_stops_nothing(sandbox: Sandbox) -> None:
    """Somebody is in the middle of an edit, and the server starts just then."""
    sandbox.write_project_file("[project]\nname = \n", "pyproject.toml")
    assert sandbox.load().project_file is None


def test_a_malformed_user_file_is_named(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[[[")
    assert f"not valid TOML: {sandbox.user_file}" in refusal(sandbox).message


def test_a_folder_in_place_of_a_settings_file_is_named(sandbox: Sandbox) -> None:
    sandbox.user_file.mkdir(parents=True)
    assert f"cannot be read: {sandbox.user_file}" in refusal(sandbox).message


@pytest.mark.parametrize("variable", ["SIGHTLINE_CODE__SERVERS", "SIGHTLINE_SERVER__TOOLS"])
def test_malformed_json_in_the_environment_names_key_and_variable(sandbox: Sandbox, variable: str) -> None:
    error = refusal(sandbox, environment={variable: "[{"})
    assert variable in error.message
    assert "not valid JSON" in error.message
