"""When to stop: SIGINT, SIGTERM, or the death of the process that started us.

Clients end a server in any of these ways, with a tenth of a second of grace, and some die without a word.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

import anyio

log = logging.getLogger(__name__)

_POLL_S = 0.5


@contextmanager
def stop_signals() -> Generator[Callable[[], Awaitable[None]]]:
    """Catch SIGINT and SIGTERM within the block; what it gives waits for the first of them."""
    if sys.platform == "win32":  # no signal handlers in its event loop; the console ends us
        yield anyio.sleep_forever
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:

        async def first() -> None:
            async for each in signals:
                log.info("stopping", extra={"reason": signal.Signals(each).name})
                return

        yield first


async def stop_on_signal(scope: anyio.CancelScope) -> None:
    """Cancel the scope at the first SIGINT or SIGTERM."""
    with stop_signals() as first:
        await first()
        scope.cancel()


async def stop_with_parent(scope: anyio.CancelScope) -> None:
    """Cancel the scope when our parent process ends."""
    parent = os.getppid()
    if parent <= 1:
        return
    await _end_of(parent)
    log.info("stopping", extra={"reason": "the parent process ended"})
    scope.cancel()


async def _end_of(parent: int) -> None:
    """Linux tells by a descriptor; elsewhere we look, twice a second, whether we were given a new parent."""
    if sys.platform == "linux":
        try:
            descriptor = os.pidfd_open(parent)
        except OSError:
            pass
        else:
            try:
                await anyio.wait_readable(descriptor)
            finally:
                os.close(descriptor)
            return
    while os.getppid() == parent:  # noqa: ASYNC110 - no event tells of this outside Linux
        await anyio.sleep(_POLL_S)
