"""A crowd of clients over more projects than the pool holds: nobody is told anything but an answer or to wait."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from bench.load_clients import PATIENT, crowd, make_projects

from tests.support.http_service import serving_http

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("projects", "pool"), [(2, 2), (4, 2)], ids=["pool for all", "pool too small"])
async def test_a_crowd_gets_answers_or_is_told_to_wait(projects: int, pool: int, tmp_path: Path) -> None:
    roots = make_projects(tmp_path / "projects", projects)
    flags = [
        f"--set=server.allowed_roots={json.dumps([str(root) for root in roots])}",
        f"--set=code.pool_size={pool}",
        "--set=docs.offline=true",
    ]
    with serving_http(roots[0], *flags, home=tmp_path) as server:
        replies = await crowd(server.mcp, roots, clients=12, seconds=6.0)
        metrics = server.get("/metrics").text
    kinds = Counter(reply.failure for reply in replies.all)
    assert not replies.unexpected(), kinds
    assert replies.answered()
    assert set(kinds) <= {None, *PATIENT}
    assert "sightline_calls_running 0" in metrics
    assert f"sightline_language_servers_limit {pool}" in metrics
