"""A replica in a process of its own: the docs tools over MCP on stdio, whose web is a site of the test's process.

Everything is as `sightline serve` has it, but for the two ends of the network (see `loopback_site`).
"""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio

from sightline.app import App
from sightline.config import LoadedSettings
from sightline.config.schema import Settings
from sightline.logs import LogPlan, logging_to
from sightline.metrics import Metrics
from sightline.server.serving import serve_stdio
from sightline.server.stdio import Wire, claim_stdio
from tests.library_docs.bakery import bakery
from tests.library_docs.loopback_site import LoopbackSite
from tests.support.wire import LineServer

REPOSITORY = Path(__file__).resolve().parent.parent.parent.parent


@contextmanager
def replica(folder: Path, site: LoopbackSite, store_url: str, **settings: Any) -> Generator[LineServer]:
    """A running replica with a folder of its own, ready to be called."""
    folder.mkdir()
    authority = folder / "authority.pem"
    authority.write_text("".join(map(ssl.DER_cert_to_PEM_cert, site.client_context.get_ca_certs(binary_form=True))))
    told = {
        "folder": str(folder),
        "authority": str(authority),
        "ports": [site.tls_port, site.plain_port],
        "settings": {"store_url": store_url, **settings},
    }
    command = [sys.executable, "-m", "tests.library_docs.store.replica", json.dumps(told)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        server = LineServer(process)
        server.shake_hands()
        try:
            yield server
        finally:
            process.kill()


async def _serve(wire: Wire, told: dict[str, Any]) -> None:
    context = ssl.create_default_context(cafile=told["authority"])
    site = LoopbackSite(told["ports"][0], told["ports"][1], context)
    folder = Path(told["folder"])
    async with bakery(folder, site, time.time, **told["settings"]) as shop:
        settings = LoadedSettings(Settings(docs=shop.service.settings), {})
        await serve_stdio(App(settings, shop.boundary, Metrics()), wire)


if __name__ == "__main__":
    claimed = claim_stdio()
    with logging_to(LogPlan("INFO", "stderr", "json", Path())):
        anyio.run(_serve, claimed, json.loads(sys.argv[1]))
