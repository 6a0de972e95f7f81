"""`sightline dashboard`: finds the service, and opens it by a link that works once."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

from tests.conftest import EXAMPLES
from tests.server.dashboard.visiting import enter
from tests.support.http_service import serving_http
from tests.support.wire import DEADLINE_S, SIGHTLINE, environment_in


def _dashboard(home: Path, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(SIGHTLINE), "dashboard", *flags]
    env = {**environment_in(home), **environment}
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=DEADLINE_S, check=False, cwd=home)


def test_it_says_when_no_service_is_running(tmp_path: Path) -> None:
    done = _dashboard(tmp_path, "--print")
    assert done.returncode == 2
    assert "no HTTP service of yours is running" in done.stderr
    assert "sightline serve --http" in done.stderr


def test_it_prints_a_link_that_opens_once(tmp_path: Path) -> None:
    with serving_http(EXAMPLES / "shop", home=tmp_path) as server:
        link = _dashboard(tmp_path, "--print").stdout.strip()
        other = _dashboard(tmp_path, "--print").stdout.strip()
        url, _, token = link.partition("/#link=")
        assert (url, link != other) == (server.url, True)
        assert [enter(server, token).status_code for _ in range(2)] == [200, 401]


def test_it_opens_a_private_file_and_tells_no_other_user_the_link(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$*" > {seen}\n')
    browser.chmod(0o700)
    with serving_http(EXAMPLES / "shop", home=tmp_path) as server:
        done = _dashboard(tmp_path, BROWSER=f"{browser} %s")
        assert done.returncode == 0, done.stderr
        opened = Path(seen.read_text().removeprefix("file://"))
        assert "link=" not in seen.read_text() + done.stdout
        assert opened.stat().st_mode & 0o077 == 0
        assert f"{server.url}/#link=" in opened.read_text()


def test_of_several_services_it_takes_that_of_the_project_or_asks(shop: Path, tmp_path: Path) -> None:
    with serving_http(EXAMPLES / "shop", home=tmp_path) as one, serving_http(shop, home=tmp_path) as other:
        asked = _dashboard(tmp_path, "--print")
        by_project = _dashboard(tmp_path, "--print", "--project", str(shop))
        by_port = _dashboard(tmp_path, "--print", "--port", one.url.rpartition(":")[2])
        none = _dashboard(tmp_path, "--print", "--port", "1").stderr
    assert (asked.returncode, "choose one with --port" in asked.stderr) == (2, True)
    assert by_project.stdout.startswith(other.url)
    assert by_port.stdout.startswith(one.url)
    assert (one.url in none, other.url in none, "sightline serve" in none) == (True, True, False)


def test_a_file_of_a_service_that_was_killed_is_no_service(tmp_path: Path) -> None:
    run = tmp_path / ".local" / "share" / "sightline" / "run"
    run.mkdir(parents=True)
    gone = subprocess.Popen(["true"])
    gone.wait()
    told = {"url": "http://127.0.0.1:9", "root": "/", "pid": gone.pid, "started_at": 1.0, "secret": "x"}
    (run / f"http-{gone.pid}.json").write_text(json.dumps(told))
    (run / f"http-{gone.pid}.json").chmod(0o600)
    assert "no HTTP service of yours is running" in _dashboard(tmp_path, "--print").stderr


def test_a_terminal_is_told_a_link_at_the_start(tmp_path: Path) -> None:
    main, terminal = pty.openpty()
    command = [str(SIGHTLINE), "serve", "--http", "--port", "0", "--project", str(EXAMPLES / "shop")]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
        env=environment_in(tmp_path),
    )
    try:
        os.close(terminal)
        line = os.read(main, 1000).decode()
    finally:
        process.terminate()
        process.wait(timeout=10)
        os.close(main)
    assert "/#link=" in line
