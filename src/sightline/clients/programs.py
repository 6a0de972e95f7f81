"""A client's own program: found on the user's PATH, run to its end, kept off the network where it knows a way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sightline.children import Children, CompletedChild
from sightline.clients.client import Client, Surroundings

_DEADLINE_S = 60.0
_MOST_OUTPUT = 1_000_000


@dataclass(frozen=True, slots=True)
class ClientProgram:
    """A client that is installed."""

    client: Client
    path: Path
    around: Surroundings

    async def run(self, arguments: Sequence[str]) -> CompletedChild:
        """Run it in the project; raises `ChildFailed` when it has no end within its bounds."""
        with Children() as children:
            return await children.run(
                [str(self.path), *arguments],
                cwd=self.around.project,
                timeout_s=_DEADLINE_S,
                max_output_bytes=_MOST_OUTPUT,
                environment={**self.around.variables, **self.client.variables},
            )


def find_program_of(client: Client, around: Surroundings) -> ClientProgram | None:
    """The client's program on the user's PATH; never one that lies in the project."""
    from sightline.code.launching import find_program

    found = find_program(client.program, around.variables, around.project)
    return ClientProgram(client, found, around) if found else None
