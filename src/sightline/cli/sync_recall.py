"""What `sightline sync` printed when there was nothing to do, printed again while nothing has changed since.

Decided before model, targets and formats are imported: that is most of the time of such a run.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sightline.places import standard_places
from sightline.sync.unchanged.memory import AnswerMemory, current_program
from sightline.sync.unchanged.snapshot import Shown

if TYPE_CHECKING:
    from sightline.config.schema import SyncSettings


def answer_memory(root: Path, settings: SyncSettings, options: Mapping[str, object]) -> AnswerMemory:
    """The memory of one form of the command; whatever else its answer depends on is noted while it is made."""
    home, data = Path.home(), standard_places().data
    question = (str(root), str(home), repr(settings), *(f"{name}={options[name]!r}" for name in sorted(options)))
    return AnswerMemory(data / "sync", root, question, os.environ, current_program())


def show(shown: Shown) -> int:
    """Print it; the exit code."""
    click.echo(shown.errors, nl=False, err=True)
    click.echo(shown.text, nl=False)
    return shown.exit_code


def captured(display: Callable[[], object], exit_code: int) -> Shown:
    """What a display prints, with the colours that it would have on a terminal."""
    context = click.get_current_context()
    before, context.color = context.color, True
    text, errors = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(errors):
            display()
    finally:
        context.color = before
    return Shown(text.getvalue(), errors.getvalue(), exit_code)
