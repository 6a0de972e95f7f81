"""A server that only the user knows of, set up in the user's settings and used through the tools."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sightline.app import App
from tests.servers import recipe_server
from tests.support.apps import app_over, places_in


def set_up(folder: Path, *arguments: str) -> Path:
    """Two recipes, and the settings of a user who has set up a server for them; the root."""
    root = folder.resolve() / "kitchen"
    root.mkdir()
    (root / "soup.recipe").write_text("boil water\nadd salt\n")
    (root / "toast.recipe").write_text("cut bread\nburn it\n")
    user_file = places_in(folder / "home").user_settings
    user_file.parent.mkdir(parents=True)
    words = json.dumps([recipe_server.__file__, *arguments])
    user_file.write_text(
        f'[code.servers.recipes]\ncommand = {json.dumps(sys.executable)}\nargs = {words}\nextensions = [".recipe"]\n'
    )
    return root


@asynccontextmanager
async def kitchen(folder: Path, *arguments: str) -> AsyncGenerator[App]:
    async with app_over(set_up(folder, *arguments), folder / "home") as app:
        yield app


@pytest.mark.parametrize("arguments", [(), ("--pull", "full"), ("--pull", "")], ids=["push", "pull", "no kind"])
async def test_a_server_of_the_users_own_checks_its_files(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    async with kitchen(tmp_path, *arguments) as app:
        toast = await app.boundary.call("check_types", {"path": "toast.recipe"})
        soup = await app.boundary.call("check_types", {"path": "soup.recipe"})

    assert [(each["line"], each["message"]) for each in toast.data["diagnostics"]] == [(2, "never burn anything")]
    assert (toast.data["verdict"], soup.data["verdict"]) == ("errors", "clean")
    assert toast.data["evidence"]["method"] == ("lsp_pull" if arguments else "lsp_push")
    assert (toast.data["server_id"], toast.data["evidence"]["engine_version"]) == ("recipes", "9")


async def test_a_server_of_the_users_own_is_never_stale(tmp_path: Path) -> None:
    soup = tmp_path / "kitchen" / "soup.recipe"
    async with kitchen(tmp_path) as app:
        verdicts: list[str] = []
        for text in ("boil water\n", "burn water\n", "boil water again\n"):
            soup.write_text(text)
            verdicts.append((await app.boundary.call("check_types", {"path": "soup.recipe"})).data["verdict"])
        hover = await app.boundary.call("get_hover", {"file": "soup.recipe", "line": 1, "column": 1})

    assert verdicts == ["clean", "errors", "clean"]
    assert hover.data["documentation"] == "a step of 3 words"


async def test_what_a_server_of_the_users_own_lacks_is_unsupported(tmp_path: Path) -> None:
    async with kitchen(tmp_path) as app:
        place = {"file": "soup.recipe", "line": 1, "column": 1}
        references = await app.boundary.call("find_references", place)
        edit = await app.boundary.call("check_edit", {"edits": [{"file": "soup.recipe", "content": "burn it\n"}]})

    assert references.data["error"]["kind"] == "unsupported"
    assert edit.data["error"]["kind"] == "unsupported", edit.text


async def test_a_file_of_no_language_has_no_server(tmp_path: Path) -> None:
    async with kitchen(tmp_path) as app:
        (tmp_path / "kitchen" / "letter.poem").write_text("roses\n")
        answer = await app.boundary.call("check_types", {"path": "letter.poem"})

    assert answer.data["error"]["kind"] == "no_server_for_file"
    assert "`.poem`" in answer.text
