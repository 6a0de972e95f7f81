"""Presets fill what the user left open, and nothing else."""

from __future__ import annotations

from typing import get_args

import pytest

from sightline.config import Origin
from sightline.config.presets import Mode
from sightline.config.schema import Context
from tests.config.sandbox import Sandbox


def test_a_context_fills_what_is_open(sandbox: Sandbox) -> None:
    loaded = sandbox.load(command_line={"server.context": "codex"})
    assert loaded.values.server.read_only
    assert loaded.values.output.max_total_chars < 10_000
    assert loaded.origin_of("server.read_only") == Origin("preset", "context codex")
    assert loaded.origin_of("server.context").source == "command line"


@pytest.mark.parametrize("context", get_args(Context))
def test_every_context_gives_settings_that_can_be_used(sandbox: Sandbox, context: str) -> None:
    loaded = sandbox.load(command_line={"server.context": context})
    assert loaded.values.server.context == context
    assert loaded.values.server.read_only is (context in {"codex", "navigation"})
    assert loaded.ignored == ()


@pytest.mark.parametrize("mode", get_args(Mode))
def test_a_mode_is_read_only_or_writable_with_the_code_tools(sandbox: Sandbox, mode: str) -> None:
    server = sandbox.load(mode=mode).values.server
    assert server.read_only is (mode == "navigation")
    assert server.toolsets == ("code",)


def test_a_context_on_the_command_line_yields_to_the_user_file(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[server]\nread_only = false\n[output]\nmax_total_chars = 12345\n")
    loaded = sandbox.load(command_line={"server.context": "codex"})
    assert not loaded.values.server.read_only
    assert loaded.values.output.max_total_chars == 12345
    assert loaded.origin_of("server.read_only").source == "user file"


def test_a_mode_yields_to_the_user_file(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[server]\nread_only = true\ntoolsets = ['docs']\n")
    server = sandbox.load(mode="refactor").values.server
    assert server.read_only
    assert server.toolsets == ("docs",)


def test_a_context_may_stand_in_the_user_file_or_the_environment(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[server]\ncontext = 'navigation'\n")
    assert sandbox.load().origin_of("server.read_only") == Origin("preset", "context navigation")
    full = sandbox.load({"SIGHTLINE_SERVER__CONTEXT": "full"})
    assert not full.values.server.read_only
    assert full.origin_of("output.max_total_chars") == Origin("preset", "context full")


def test_a_mode_says_more_than_a_context(sandbox: Sandbox) -> None:
    loaded = sandbox.load(command_line={"server.context": "codex"}, mode="refactor")
    assert not loaded.values.server.read_only
    assert loaded.origin_of("server.read_only") == Origin("preset", "mode refactor")
    assert loaded.origin_of("output.max_total_chars") == Origin("preset", "context codex")


def test_a_preset_does_not_let_a_project_file_widen(sandbox: Sandbox) -> None:
    sandbox.write_project_file("[server]\nread_only = false\n[output]\nmax_total_chars = 9000\n")
    loaded = sandbox.load(command_line={"server.context": "codex"})
    assert loaded.values.server.read_only
    assert loaded.values.output.max_total_chars == 8000
    assert len(loaded.ignored) == 2


def test_an_untrusted_project_may_not_choose_a_context_that_raises_a_cap(sandbox: Sandbox) -> None:
    sandbox.write_project_file("[server]\ncontext = 'full'\n")
    assert sandbox.value("output.max_total_chars") == 10_000


def test_an_untrusted_project_may_not_undo_the_context_that_the_user_chose(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[server]\ncontext = 'codex'\n")
    sandbox.write_project_file("[server]\ncontext = 'claude'\n")
    loaded = sandbox.load()
    assert loaded.values.server.read_only
    assert loaded.values.output.max_total_chars == 8000


def test_a_trusted_project_may_choose_any_context(sandbox: Sandbox) -> None:
    sandbox.write_project_file("[server]\ncontext = 'full'\n")
    sandbox.trust_project_file()
    assert sandbox.value("output.max_total_chars") == 100_000
