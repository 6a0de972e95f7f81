"""A user with an empty home and an empty project, and an entry that any client could have."""

from __future__ import annotations

from pathlib import Path

from sightline.clients import Client, Scope, Surroundings
from sightline.clients.server_command import server_command
from sightline.sync.formats.values import Value

PROGRAM = "/opt/tools/bin/sightline"


def around_in(folder: Path, platform: str = "linux", **variables: str) -> Surroundings:
    home, project = folder / "home", folder / "project"
    for each in (home, project):
        each.mkdir(parents=True, exist_ok=True)
    return Surroundings(variables, home, project, platform)


def entry_for(client: Client, scope: Scope = "user", *more: str) -> dict[str, Value]:
    return dict(client.entry(server_command(client, scope, (PROGRAM,), more)))
