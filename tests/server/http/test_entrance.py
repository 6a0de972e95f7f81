"""Who may come in: binds and keys, as a person starts the service."""

from __future__ import annotations

import os
import re
import secrets
import socket
import stat
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.support.http_service import serving_http, start_http
from tests.support.wire import SIGHTLINE, environment_in

VARIABLE = "SIGHTLINE_SERVER_KEY"


def _refused(project: Path, home: Path, *flags: str, **environment: str) -> str:
    """What is said when the service does not start."""
    process = start_http(project, *flags, home=home, environment=environment)
    try:
        said = process.communicate(timeout=30)[1].decode()
    finally:
        process.kill()  # if it has started all the same
    assert process.returncode == 2, said
    assert "hint:" in said
    assert "Traceback" not in said
    return said


def _said_until_started(process: subprocess.Popen[bytes]) -> str:
    """The log up to the line that says it has started; a signal is heard from then on, and the process is ended."""
    try:
        assert process.stderr
        lines: list[str] = []
        while not lines or '"server started"' not in lines[-1]:
            lines.append(process.stderr.readline().decode())
            assert lines[-1], "it ended before it started"
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert process.returncode == 0
    return "".join(lines)


def _key_file(home: Path, text: str, mode: int = 0o600) -> Path:
    path = home / "key"
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_an_address_that_others_can_reach_needs_a_key(host: str, shop: Path, tmp_path: Path) -> None:
    said = _refused(shop, tmp_path, "--host", host, "--port", "0")
    assert f"a key is needed to listen on `{host}`" in said
    assert VARIABLE in said


def test_with_a_key_any_address_is_served_and_its_host_is_checked(shop: Path, tmp_path: Path) -> None:
    key = secrets.token_urlsafe(24)
    with serving_http(shop, "--host", "0.0.0.0", home=tmp_path, environment={VARIABLE: key}) as server:
        port = server.address[1]
        told = [_status(port, f"Host: {host}:{port}") for host in ("127.0.0.1", "localhost", "0.0.0.0", "evil.example")]
    assert told == [b"200", b"200", b"421", b"421"]


def test_without_a_key_loopback_is_served_and_it_is_said(shop: Path, tmp_path: Path) -> None:
    said = _said_until_started(start_http(shop, "--port", "0", home=tmp_path))
    assert "no key: every program on this machine can call" in said


def test_a_key_that_travels_in_clear_is_said(shop: Path, tmp_path: Path) -> None:
    variables = {VARIABLE: secrets.token_urlsafe(24)}
    process = start_http(shop, "--host", "0.0.0.0", "--port", "0", home=tmp_path, environment=variables)
    said = _said_until_started(process)
    assert "no TLS: the key and the answers can be read on the way" in said


def test_a_key_is_made_once_for_its_owner_alone_and_never_logged(shop: Path, tmp_path: Path) -> None:
    path = tmp_path / ".local" / "share" / "sightline" / "http-key"
    keys: list[str] = []
    logged: list[bytes] = []
    for _ in range(2):
        with serving_http(shop, "--generate-key", home=tmp_path) as server:
            keys.append(path.read_text().strip())
            assert server.get("/metrics").status_code == 401
            assert server.is_serving(authorization=f"Bearer {keys[-1]}")
        logged += server.logs.log_lines()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert re.fullmatch(r"[\w-]{43}", keys[0])
    assert keys[0] == keys[1]
    assert not [line for line in logged if keys[0].encode() in line]
    assert any(b"server ended" in line for line in logged)


def test_the_place_of_the_key_is_logged(shop: Path, tmp_path: Path) -> None:
    path = _key_file(tmp_path, secrets.token_urlsafe(24))
    process = start_http(shop, "--port", "0", "--set", f"server.auth_key_file={path}", home=tmp_path)
    assert f'"key": "{path}"' in _said_until_started(process)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_key_that_others_can_read_or_change_is_refused(mode: int, shop: Path, tmp_path: Path) -> None:
    path = _key_file(tmp_path, secrets.token_urlsafe(24), mode)
    said = _refused(shop, tmp_path, "--set", f"server.auth_key_file={path}")
    assert "other users can read or change the key file" in said
    assert f"chmod 600 {path}" in said


@pytest.mark.parametrize("text", ["", "short", "sixteen letters and spaces", "sixteen-letters\nin-two-lines", "ü" * 20])
def test_a_key_that_is_none_is_refused_without_showing_it(text: str, shop: Path, tmp_path: Path) -> None:
    said = _refused(shop, tmp_path, "--set", f"server.auth_key_file={_key_file(tmp_path, text)}")
    assert "is not usable" in said
    assert not text or text not in said


def test_a_key_file_that_is_not_there_is_named(shop: Path, tmp_path: Path) -> None:
    said = _refused(shop, tmp_path, "--set", f"server.auth_key_file={tmp_path / 'none'}")
    assert "the key file cannot be read" in said


def test_a_project_file_cannot_choose_key_or_address(shop: Path, tmp_path: Path) -> None:
    (shop / "sightline.toml").write_text(
        '[server]\nhost = "0.0.0.0"\nauth_key_file = "key"\nallowed_hosts = ["evil"]\n'
    )
    (shop / "key").write_text("a-key-that-came-with-the-repository")
    with serving_http(shop, home=tmp_path) as server:
        assert server.address[0] == "127.0.0.1"
        assert server.is_serving(), "no key is asked for"


def test_the_key_is_not_handed_to_children(shop: Path, tmp_path: Path) -> None:
    key = secrets.token_urlsafe(24)
    with serving_http(shop, home=tmp_path, environment={VARIABLE: key}) as server:
        server.call("check_types", {"path": "."}, authorization=f"Bearer {key}")
        children = psutil.Process(server.process.pid).children(recursive=True)
        assert any("langserver" in " ".join(each.cmdline()) for each in children)
        assert all(VARIABLE not in each.environ() for each in children)
        shown = server.call("get_current_config", {"include_env": True}, authorization=f"Bearer {key}")
    assert key not in str(shown)


def test_a_port_in_use_is_named(shop: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = _refused(shop, tmp_path, "--port", str(taken.getsockname()[1]))
    assert "Address already in use" in said
    assert "--port" in said


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("server.allowed_hosts=https://x", "not a host"),
        ("server.allowed_origins=tools.example.com", "not an origin"),
        ("server.host=no.such.host.invalid", "not an address to listen on"),
    ],
)
def test_settings_that_cannot_be_used_are_named(setting: str, said: str, shop: Path, tmp_path: Path) -> None:
    assert said in _refused(shop, tmp_path, "--set", setting)


@pytest.mark.parametrize("flags", [("--host", "::1"), ("--port", "1"), ("--generate-key",)])
def test_options_of_http_are_refused_on_stdio(flags: tuple[str, ...], shop: Path, tmp_path: Path) -> None:
    command = [str(SIGHTLINE), "serve", "--project", str(shop), *flags]
    done = subprocess.run(
        command, capture_output=True, env=environment_in(tmp_path), check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2
    assert b"are for --http" in done.stderr


def test_ipv6_is_served(shop: Path, tmp_path: Path) -> None:
    if not socket.has_ipv6 or not os.path.exists("/proc/net/if_inet6"):  # noqa: PTH110 - a file of the kernel
        pytest.skip("no IPv6 here")
    with serving_http(shop, "--host", "::1", home=tmp_path) as server:
        assert server.url.startswith("http://[::1]:")
        assert server.is_serving()


def _status(port: int, *headers: str) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as wire:
        wire.sendall("\r\n".join(["GET /healthz HTTP/1.1", *headers, "Connection: close", "", ""]).encode())
        return wire.recv(65_536)[9:12]
