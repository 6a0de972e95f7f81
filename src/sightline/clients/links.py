"""Snippets to paste, and links that register Sightline by one click. The links name the command on the PATH."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from urllib.parse import quote

from sightline.clients.catalogue import client_named
from sightline.clients.client import NAME, Client
from sightline.clients.server_command import server_command
from sightline.sync.formats.values import Value, nested
from sightline.sync.formats.whole_files import render_json, render_toml


def snippet(client: Client, entry: Mapping[str, Value]) -> str:
    """A whole file with nothing but the entry."""
    whole = nested(client.key, entry)
    if client.format == "toml" and isinstance(whole, Mapping):
        return render_toml(whole).decode()
    return render_json(whole).decode()


def vscode_link() -> str:
    entry = json.dumps(_shared_entry("vscode"), separators=(",", ":"))
    return f"https://insiders.vscode.dev/redirect/mcp/install?name={NAME}&config={quote(entry, safe='')}"


def cursor_link() -> str:
    """By the site that leads on to `cursor://`: pages that show a README drop links of schemes they do not know."""
    entry = json.dumps(_shared_entry("cursor"), separators=(",", ":")).encode()
    config = quote(base64.b64encode(entry).decode(), safe="")
    return f"https://cursor.com/en/install-mcp?name={NAME}&config={config}"


def _shared_entry(name: str) -> Mapping[str, Value]:
    client = client_named(name)
    return client.entry(server_command(client, "project", (NAME,)))
