"""The official conformance suite over HTTP, both requirement sets: on the product, and on it with the suite's fixtures.

The suite says by its exit code whether a check failed that is not in the baseline, or passed that is.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clients.conformance.server import PATH
from tests.clients.programs import REPOSITORY, Ended, Program
from tests.support.http_service import serving_http
from tests.support.wire import LineServer, end, environment_in

BASELINES = Path(__file__).with_name("conformance")

both_sets = pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])


@both_sets
def test_the_product_passes_all_that_its_baseline_does_not_name(
    conformance: Program, shop: Path, home: Path, tmp_path: Path, revision: str
) -> None:
    baseline = BASELINES / f"product-{revision}.yml"

    with serving_http(shop, home=home) as server:
        ended = run_suite(conformance, server.mcp, revision, tmp_path, "--expected-failures", str(baseline))

    assert ended.code == 0, summary(ended)
    wanted = {"2025-11-25": 41, "2026-07-28": 96}
    assert count(tmp_path / "results", "SUCCESS") >= wanted[revision]


@both_sets
def test_the_product_with_the_suites_fixtures_passes_all_that_is_scored(
    conformance: Program, shop: Path, home: Path, tmp_path: Path, revision: str
) -> None:
    with serving_fixtures(shop, home) as url:
        ended = run_suite(conformance, url, revision, tmp_path)

    assert ended.code == 0, summary(ended)
    wanted = {"2025-11-25": 81, "2026-07-28": 159}
    assert count(tmp_path / "results", "SUCCESS") >= wanted[revision]


def run_suite(conformance: Program, url: str, revision: str, folder: Path, *more: str) -> Ended:
    results = folder / "results"
    return conformance.run("server", "--url", url, "--requirements", revision, "-o", results, *more, folder=folder)


def count(results: Path, status: str) -> int:
    """How many checks ended so, those included that are not scored."""
    files = [json.loads(file.read_text()) for file in results.glob("*/checks.json")]
    return sum(check["status"] == status for checks in files for check in checks)


def summary(ended: Ended) -> str:
    """The suite's own words on what was not as expected."""
    return ended.out.partition("=== SUMMARY ===")[2] + ended.err


@contextmanager
def serving_fixtures(project: Path, home: Path) -> Generator[str]:
    """The address of the test server, in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.clients.conformance.server", str(project)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment_in(home),
        cwd=REPOSITORY,
    )
    try:
        url: str = LineServer(process).wait_for_log("server started")["url"]
        yield url.removesuffix("/mcp") + PATH
    finally:
        process.terminate()
        end(process)
