"""What Sightline itself runs on: Python, node, and the type checker that comes along."""

from __future__ import annotations

import platform

from sightline import __version__
from sightline.children import ChildFailed, Children
from sightline.clients.server_command import own_program
from sightline.code.pyright_command import PyrightCommand, find_node
from sightline.doctor.finding import Finding, error, ok
from sightline.doctor.subject import Subject
from sightline.errors import ToolFailure

_DEADLINE_S = 15.0
_MOST_OUTPUT = 10_000
_REINSTALL = "install Sightline again, with its dependencies"


async def check_runtime(subject: Subject) -> list[Finding]:
    command = " ".join(own_program(subject.python, subject.environment.get("PATH", "")))
    found = [
        ok(f"Sightline {__version__}: {command}"),
        ok(f"Python {platform.python_version()}: {subject.python}"),
    ]
    with Children() as children:
        found.append(await _node(children, subject))
        pyright = PyrightCommand(children, timeout_s=_DEADLINE_S, max_output_mb=1)
        probed = await pyright.probe()
    if probed.works:
        return [*found, ok(f"Pyright {probed.version}")]
    return [*found, error(f"Pyright does not run: {probed.problem}", _REINSTALL)]


async def _node(children: Children, subject: Subject) -> Finding:
    try:
        node = find_node()
        ended = await children.run(
            [str(node), "--version"], cwd=subject.home, timeout_s=_DEADLINE_S, max_output_bytes=_MOST_OUTPUT
        )
    except ToolFailure as failure:
        return error(failure.message, _REINSTALL)
    except ChildFailed as failure:
        return error(f"node does not run: {failure}", _REINSTALL)
    if ended.exit_code != 0:
        return error(f"node ended with {ended.exit_code}: {node}", _REINSTALL)
    return ok(f"node {ended.stdout.decode(errors='replace').strip()}: {node}")
