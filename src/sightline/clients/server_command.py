"""How Sightline is started by a client: the installed command's own path, or its name in files that are shared.

A path is right for one machine only. A file of a project is committed as a rule, so it names the command alone, which
each person has on the PATH.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from sightline.clients.client import NAME, Client, Scope, ServerCommand
from sightline.clients.failures import ClientFailed


def server_command(client: Client, scope: Scope, program: Sequence[str], more: Sequence[str] = ()) -> ServerCommand:
    """The command of an entry, with `more` options for `serve`; raises `ClientFailed`."""
    start = program if scope == "user" else (NAME,)
    context = ("--context", client.context) if client.context and "--context" not in more else ()
    place = client.project_args if "--project" not in more else ()
    command = ServerCommand(start[0], (*start[1:], "serve", *context, *place, *more))
    for text in client.special:
        if any(text in part for part in start):
            raise ClientFailed(
                f"`{text}` in `{' '.join(start)}` has a meaning of its own for {client.title}",
                "install Sightline at a path without it",
            )
    return command


def own_program(python: Path, search_path: str) -> tuple[str, ...]:
    """The command that runs this very installation: beside its Python, else on the PATH, else Python itself."""
    for name in (NAME, f"{NAME}.exe"):
        if (beside := python.with_name(name)).is_file():
            return (str(beside),)
    found = shutil.which(NAME, path=search_path)
    return (str(Path(found).absolute()),) if found else (str(python), "-m", NAME)
