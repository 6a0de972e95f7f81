"""One change of registrations at a time: two commands for two clients have one file of ours in common."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sightline.clients.failures import ClientFailed
from sightline.transactions import Busy, hold_lock

_WAIT_S = 30.0


@contextmanager
def taking_turns(data: Path, wait_s: float = _WAIT_S) -> Generator[None]:
    """Wait for the turn, not for ever, and hold it; raises `ClientFailed`. The kernel frees a dead process's lock."""
    path = data / "registrations.lock"
    with ExitStack() as held:
        try:
            data.mkdir(0o700, parents=True, exist_ok=True)
            held.enter_context(hold_lock(path, wait_s))
        except Busy:
            message = f"another `sightline install` or `uninstall` holds `{path}` for more than {wait_s:g} s"
            raise ClientFailed(message, "let it come to its end, then run the command again") from None
        except OSError as error:
            raise ClientFailed(f"`{path}` cannot be written: {error.strerror}", "let your user write there") from None
        yield
