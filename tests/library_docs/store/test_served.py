"""The shared store behind the real commands: by flag or environment, told by health and status, password unseen."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.library_docs.bakery import SITE, make_project
from tests.library_docs.store.postgres_cluster import PASSWORD, Cluster
from tests.library_docs.store.sample_pages import page, shared_store_at
from tests.support.wire import SIGHTLINE, environment_in, serving

URL = "https://click.palletsprojects.com/en/stable/lantern/"
VARIABLE = "SIGHTLINE_DOCS__STORE_URL"


async def fill(database: str) -> None:
    store = shared_store_at(database)
    assert await store.put(page(URL, "# Lantern\n\nshared words\n"))
    await store.aclose()


def run(home: Path, project: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [str(SIGHTLINE), "docs", *arguments, "--project", str(project)]
    environment = {**environment_in(home), **variables}
    return subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=100)


async def test_two_commands_read_the_page_that_somebody_else_kept(tmp_path: Path, database: str) -> None:
    await fill(database)
    project = make_project(tmp_path)
    for home in ("one", "two"):
        said = run(tmp_path / home, project, "read", URL, **{VARIABLE: database, "SIGHTLINE_DOCS__OFFLINE": "true"})
        assert "shared words" in said.stdout, said.stderr
    told = run(tmp_path / "one", project, "status", "--set", f"docs.store_url={database}").stdout
    assert f"shared: {database}" in told
    assert "pages of the web: 1 (0 pinned)" in told


async def test_the_shared_pages_are_cleared_only_when_told(tmp_path: Path, database: str, cluster: Cluster) -> None:
    await fill(database)
    project = make_project(tmp_path)
    run(tmp_path, project, "clear", **{VARIABLE: database})
    assert cluster.execute("SELECT count(*) FROM sightline.pages", database) == [(1,)]
    assert "1 documents removed" in run(tmp_path, project, "clear", "--shared", **{VARIABLE: database}).stdout
    assert cluster.execute("SELECT count(*) FROM sightline.pages", database) == [(0,)]
    refused = run(tmp_path, project, "clear", "--shared")
    assert (refused.returncode != 0, "docs.store_url" in refused.stderr) == (True, True)


def test_health_tells_whether_the_store_answers_and_settings_hide_its_password(tmp_path: Path, database: str) -> None:
    project = make_project(tmp_path)
    with serving(project, "--set", f"docs.store_url={database}", home=tmp_path) as server:
        server.shake_hands()
        health = server.call("health_check")["structuredContent"]
        (component,) = [each for each in health["components"] if each["name"] == "shared docs store"]
        assert component["works"], component
        assert component["detail"].startswith(database)
    away = f"postgresql://keeper:{PASSWORD}@127.0.0.1:1/none"
    with serving(project, "--set", f"docs.store_url={away}", home=tmp_path) as server:
        server.shake_hands()
        answers = [
            server.call("health_check"),
            server.call("get_current_config", section="docs", include_env=True),
            server.call("search_docs", query="widget"),
            server.call("read_page", url=f"{SITE}/none"),
        ]
        health = answers[0]["structuredContent"]
        (component,) = [each for each in health["components"] if each["name"] == "shared docs store"]
        assert (health["status"], component["works"]) == ("degraded", False)
        assert "refused" in component["problem"]
        assert "widget" in str(answers[2]["structuredContent"]["results"])
        assert "shared_cache_away" in str(answers[2]["structuredContent"]["warnings"])
        logged = b"".join(server.log_lines()).decode()
    assert "postgresql://keeper" in str(answers[1])
    assert PASSWORD not in str(answers) + logged


@pytest.mark.parametrize("value", ["mysql://host/db", "postgresql://h/db?odd=1"])
def test_an_address_that_is_none_is_said_with_its_remedy(tmp_path: Path, value: str) -> None:
    said = run(tmp_path, make_project(tmp_path), "search", "widget", **{VARIABLE: value})
    assert said.returncode != 0
    assert "docs.store_url" in said.stdout + said.stderr
