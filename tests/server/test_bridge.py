"""One language server over MCP, named on the command line: `sightline serve --server CMD`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import recipe_server
from tests.support.wire import SIGHTLINE, environment_in, serving

MOST_LOOKS = 100


def kitchen(folder: Path, *listed: str) -> Path:
    """A folder of recipes, and the home of a user who has listed these programs around it."""
    root, config = folder / "kitchen", folder / ".config" / "sightline"
    root.mkdir()
    config.mkdir(parents=True)
    (root / "toast.recipe").write_text("cut bread\nburn it\n")
    (root / "a.py").write_text("x = 1\n")
    (config / "config.toml").write_text(f"[code]\nbridge_commands = {json.dumps(listed)}\n")
    return root


def refused(root: Path, *options: str) -> str:
    """What the command says when it does not start."""
    command = [str(SIGHTLINE), "serve", *options, "--workspace", str(root)]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment_in(root.parent), check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2
    return done.stderr


def recipe_command(*arguments: str) -> str:
    return " ".join([sys.executable, recipe_server.__file__, *arguments])


def test_a_listed_server_serves_its_files_and_no_others(tmp_path: Path) -> None:
    root = kitchen(tmp_path, sys.executable)
    with serving(root, "--server", recipe_command(), "--extension", "recipe", home=tmp_path) as server:
        server.shake_hands()
        looks = (server.call("get_server_status")["structuredContent"]["statuses"] for _ in range(MOST_LOOKS))
        is_started = any(looks)
        toast = server.call("check_types", path="toast.recipe")["structuredContent"]
        python = server.call("check_types", path="a.py")["structuredContent"]

    assert is_started, "it is started before anybody asks about a file"
    assert [each["line"] for each in toast["diagnostics"]] == [2]
    assert python["error"]["kind"] == "no_server_for_file"


def test_an_empty_answer_of_an_unknown_server_is_asked_for_again(tmp_path: Path) -> None:
    root = kitchen(tmp_path, sys.executable)
    deaf = recipe_command("--deaf", "3")
    with serving(root, "--server", deaf, "--extension", ".recipe", home=tmp_path) as server:
        server.shake_hands()
        hover = server.call("get_hover", file="toast.recipe", line=1, column=1)["structuredContent"]

    assert "a step of 2 words" in json.dumps(hover)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--server", "rm -rf /", "--extension", "c"), "`rm` is not a program that may be started"),
        (("--server", "./clangd", "--extension", "c"), "`./clangd` is not a program that may be started"),
        (("--server", "'", "--extension", "c"), "cannot be read"),
        (("--server", "", "--extension", "c"), "is empty"),
        (("--extension", "c"), "--extension is for --server"),
        (("--server", sys.executable), "which files the server serves is not known"),
    ],
)
def test_what_may_not_or_cannot_be_started_is_refused_with_a_remedy(
    options: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    told = refused(kitchen(tmp_path, sys.executable), *options)

    assert said in told
    assert "hint:" in told


def test_a_project_file_cannot_list_a_program(tmp_path: Path) -> None:
    root = kitchen(tmp_path)
    (root / "sightline.toml").write_text('[code]\nbridge_commands = ["touch"]\n')

    told = refused(root, "--server", f"touch {tmp_path}/made", "--extension", "c")

    assert "`touch` is not a program" in told
    assert not (tmp_path / "made").exists()
