"""Installed means that it answered: a program on the PATH is asked before it is believed."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from tests.servers import recipe_server
from tests.support.apps import app_over, places_in

from sightline.lsp.versions import is_older


def kitchen(folder: Path) -> Path:
    """A user who has set up a server that works, one that dies at once, and one that is not there; the root."""
    root = folder / "root"
    root.mkdir()
    user_file = places_in(folder / "home").user_settings
    user_file.parent.mkdir(parents=True)
    python = json.dumps(sys.executable)
    works, dies = json.dumps([recipe_server.__file__]), json.dumps(["-c", "raise SystemExit('no runtime')"])
    user_file.write_text(
        f'[code.servers.works]\ncommand = {python}\nargs = {works}\nextensions = [".a"]\n'
        f'[code.servers.dies]\ncommand = {python}\nargs = {dies}\nextensions = [".b"]\n'
        '[code.servers.gone]\ncommand = "not-there-at-all"\nextensions = [".c"]\n'
    )
    return root


async def test_a_server_is_installed_only_if_it_answers(tmp_path: Path) -> None:
    async with app_over(kitchen(tmp_path), tmp_path / "home", {"PATH": ""}) as app:
        silent = await app.boundary.call("list_servers", {})
        asked = await app.boundary.call("list_servers", {"ask": True})

    def states(data: dict[str, list[dict[str, str]]]) -> dict[str, str]:
        return {each["id"]: each["installed"] for each in data["servers"] if each["id"] in ("works", "dies", "gone")}

    assert states(silent.data) == {"works": "found", "dies": "found", "gone": "missing"}
    assert states(asked.data) == {"works": "answers", "dies": "fails", "gone": "missing"}
    by_id = {each["id"]: each for each in asked.data["servers"]}
    assert by_id["works"]["version"] == "9"
    assert "no runtime" in by_id["dies"]["reason"]
    assert by_id["pyright"]["installed"] == "answers"


async def test_a_version_that_does_not_work_is_refused_by_name(tmp_path: Path) -> None:
    root = kitchen(tmp_path)
    (root / "x.ts").write_text("const a = 1;\n")
    with places_in(tmp_path / "home").user_settings.open("a") as file:
        words = json.dumps([recipe_server.__file__, "--version", "3.9.1"])
        file.write(f"[code.servers.typescript]\ncommand = {json.dumps(sys.executable)}\nargs = {words}\n")
    async with app_over(root, tmp_path / "home", {"PATH": ""}) as app:
        answer = await app.boundary.call("check_types", {"path": "x.ts"})

    assert answer.data["error"]["kind"] == "server_not_installed"
    assert "3.9.1" in answer.data["error"]["message"]
    assert "4.0.0 is the oldest that works" in answer.data["error"]["message"]


def test_versions_are_compared_in_the_words_of_many_servers() -> None:
    older = [("v0.17.9", "0.18.0"), ("Debian clangd version 13.0.1", "14.0"), ("1.7 (abc 2024-05-31)", "2024-06-01")]
    fine = [("v0.23.0", "0.18.0"), ("14", "14.0"), ("14.0", "14.0.0"), ("(devel)", "1.0"), (None, "1.0"), ("2.0", "")]
    assert [is_older(*pair) for pair in older] == [True] * 3
    assert [is_older(*pair) for pair in fine] == [False] * 6


class NotedVariables(dict[str, str]):
    """An environment that notes in which threads the PATH is asked for."""

    def __init__(self, variables: dict[str, str]) -> None:
        super().__init__(variables)
        self.threads: set[int] = set()

    def get(self, key: str, default: str = "") -> str:  # pyright: ignore[reportIncompatibleMethodOverride] - texts only
        if key == "PATH":
            self.threads.add(threading.get_ident())
        return super().get(key, default)


async def test_the_path_is_searched_in_a_thread_while_other_calls_go_on(tmp_path: Path) -> None:
    variables = NotedVariables({"PATH": "/usr/bin"})
    async with app_over(kitchen(tmp_path), tmp_path / "home", variables) as app:
        variables.threads.clear()
        answer = await app.boundary.call("list_servers", {})
    assert answer.ok
    assert variables.threads
    assert threading.get_ident() not in variables.threads
