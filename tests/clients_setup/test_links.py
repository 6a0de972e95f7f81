"""The links of the README lead to entries that the editors can use, and are those that the code makes."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from sightline.clients.links import cursor_link, vscode_link

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
ENTRY = {"type": "stdio", "command": "sightline", "args": ["serve", "--project", "${workspaceFolder}"]}


def query(link: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(link).query, strict_parsing=True).items()}


def linked(title: str) -> str:
    found = re.search(rf"\[{title}\]\(([^)\s]+)\)", README)
    assert found, f"no button: {title}"
    return found[1]


def test_the_link_for_vs_code_holds_its_entry_as_json() -> None:
    link = linked("Install in VS Code")
    assert link == vscode_link()
    assert query(link)["name"] == "sightline"
    assert json.loads(query(link)["config"]) == ENTRY


def test_the_link_for_cursor_holds_its_entry_as_base64() -> None:
    link = linked("Install in Cursor")
    assert link == cursor_link()
    entry: Any = json.loads(base64.b64decode(query(link)["config"], validate=True))
    assert (query(link)["name"], entry) == ("sightline", ENTRY)


def test_the_readme_names_every_client() -> None:
    from sightline.clients import CLIENTS

    assert re.findall(r"`sightline install (\w+)` \|", README) == [client.id for client in CLIENTS]
