"""`overhead`: what a call of a cheap tool costs over the function inside it, layer by layer."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from bench.bare_server import TOOL_NAME
from bench.commands import bare_server_command, serve_command
from bench.measure import Bench, Comparison, Contender
from bench.stdio_client import StdioClient, serving
from sightline.app import App, open_app
from sightline.config import load_settings
from sightline.paths import PathPolicy
from sightline.places import Places
from sightline.progress import no_progress
from sightline.status.tools.get_current_config import GET_CURRENT_CONFIG, ConfigInput
from sightline.tool import Call

CALLS = 300
WARM_UP_CALLS = 20
ARGUMENTS = {"section": "server"}

AsyncCall = Callable[[], Awaitable[Any]]


@contextmanager
def prepare() -> Generator[Sequence[Comparison]]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        with serving(serve_command(root)) as ours:
            ours.initialize()
            with serving(bare_server_command(len(ours.list_tools()))) as bare:
                bare.initialize()
                yield [_in_process(root), _over_stdio(ours, bare)]


def _in_process(root: Path) -> Comparison:
    return Comparison(
        "A call of `get_current_config` in process",
        "ms",
        [
            Contender("the tool's function", partial(_in_app, root, _function_of)),
            Contender("through the tool boundary", partial(_in_app, root, _boundary_of)),
        ],
    )


def _over_stdio(ours: StdioClient, bare: StdioClient) -> Comparison:
    bare_call = partial(bare.call, TOOL_NAME.format(0), {"path": "x"})
    our_call = partial(ours.call, GET_CURRENT_CONFIG.name, ARGUMENTS)
    return Comparison(
        "A call over stdio",
        "ms",
        [
            Contender("bare SDK server, a tool that does nothing", partial(_median_ms, bare_call)),
            Contender("`sightline serve`, `get_current_config`", partial(_median_ms, our_call)),
        ],
    )


def _in_app(root: Path, call_of: Callable[[App], AsyncCall]) -> float:
    """The median of many calls in an application of their own."""
    places = Places(root, root, root, root)
    settings = load_settings(root, places, {})

    async def run() -> float:
        async with open_app(root, settings, environment={}, home=root, places=places) as app:
            return await _median_ms_async(call_of(app))

    return anyio.run(run)


def _function_of(app: App) -> AsyncCall:
    boundary = app.boundary
    call = Call(boundary.root, PathPolicy(boundary.root, (boundary.root,)), no_progress)
    service = boundary.services[GET_CURRENT_CONFIG.toolset]
    return lambda: GET_CURRENT_CONFIG.run(service, call, ConfigInput(section="server"))


def _boundary_of(app: App) -> AsyncCall:
    return lambda: app.boundary.call(GET_CURRENT_CONFIG.name, ARGUMENTS)


async def _median_ms_async(call: AsyncCall) -> float:
    figures: list[float] = []
    for _ in range(WARM_UP_CALLS + CALLS):
        started = time.perf_counter()
        await call()
        figures.append((time.perf_counter() - started) * 1000)
    return statistics.median(figures[WARM_UP_CALLS:])


def _median_ms(call: Callable[[], object]) -> float:
    figures: list[float] = []
    for _ in range(WARM_UP_CALLS + CALLS):
        started = time.perf_counter()
        call()
        figures.append((time.perf_counter() - started) * 1000)
    return statistics.median(figures[WARM_UP_CALLS:])


OVERHEAD = Bench(
    "overhead",
    f"What does each layer add to a cheap tool? A figure is the median of {CALLS} calls.",
    prepare,
)
