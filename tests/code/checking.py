"""A check of a project made for the test, through the same boundary as any caller's."""

from __future__ import annotations

import textwrap
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from tests.support.apps import app_over

from sightline.answers import Answer
from sightline.code.pyright_command import find_node
from sightline.progress import no_progress
from sightline.tool import Progress

POLL_S = 0.01

BY_COMMAND: dict[str, Any] = {"python_version": "3.12"}
"""A version of its own is only for the command to check; a running server has the project's."""


def make_project(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8", newline="")
    return root


async def check(
    root: Path,
    path: str = ".",
    *,
    progress: Progress = no_progress,
    settings: dict[str, Any] | None = None,
    variables: dict[str, str] | None = None,
    **arguments: Any,
) -> Answer:
    """Call `check_types` on a project; its home lies beside it."""
    async with app_over(root, root.parent / "home", variables, **(settings or {})) as app:
        return await app.boundary.call("check_types", {"path": path, **arguments}, progress)


def wait_for_node(deadline_s: float = 20.0) -> psutil.Process:
    """The node process that a running check has started."""
    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        with suppress(psutil.NoSuchProcess):  # a short-lived one ended while we looked
            for child in psutil.Process().children(recursive=True):
                if child.cmdline()[:1] == [str(find_node())]:  # its name is not `node`: node 24 renames itself
                    return child
        time.sleep(POLL_S)
    raise AssertionError("no node process was started")
