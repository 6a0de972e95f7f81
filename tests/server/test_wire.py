"""The wire, byte for byte, by a client that is not the SDK's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from sightline import __version__
from tests.support.wire import LineServer, environment_in, serving

INITIALIZE = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"lines","version":"0"}}}'
)
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


def test_a_whole_exchange_byte_for_byte(shop: Path, tmp_path: Path) -> None:
    root = str(shop).encode()
    with serving(shop, home=tmp_path) as server:
        server.send_bytes(INITIALIZE)
        assert server.read_bytes() == (
            b'{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{"listChanged":false}},"instructions":'
            b'"Sightline answers from the files as they are on disk now, or says that it does not know. After an '
            b"edit run `check_types` on the file; only `verdict: clean` means clean. `check_edit` tells what an edit "
            b"breaks before it is written; `rename_symbol` renames safely. Use `find_references`, "
            b"`go_to_definition`, `get_hover`, `find_symbol` instead of grep. Before using an unfamiliar API, "
            b"`get_library_docs` reads the installed version's. "
            b'Lines and columns count from 1. Errors carry `next_steps`.",'
            b'"protocolVersion":"2025-06-18","serverInfo":{"name":"sightline","title":"Sightline","version":"'
            + __version__.encode()
            + b'"}}}'
        )
        server.send_bytes(INITIALIZED)
        server.send_bytes(b'{"jsonrpc":"2.0","id":"one","method":"ping"}')
        assert server.read_bytes() == b'{"jsonrpc":"2.0","id":"one","result":{}}'
        server.send_bytes(
            b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"check_types","arguments":{"path":"gone"}}}'
        )
        assert server.read_bytes() == (
            b'{"jsonrpc":"2.0","id":2,"result":{"content":[{"text":"error file_not_found: `gone` does not exist in the '
            b"project\\nnext (doc): give a path relative to the project root\\ncall: check_types path=gone\\nroot: "
            + root
            + b'","type":"text"}],"isError":true,"structuredContent":{"schema_version":1,"ok":false,"tool":'
            b'"check_types","server_id":null,"input":{"path":"gone"},"root":"' + root + b'","error":{"kind":'
            b'"file_not_found","message":"`gone` does not exist in the project","retryable":false},"next_steps":'
            b'[{"kind":"doc","message":"give a path relative to the project root"}],"warnings":[],"truncated":false}}}'
        )
        server.send_bytes(b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"nothing_like_it"}}')
        assert server.read_bytes() == (
            b'{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"unknown tool: `nothing_like_it`"}}'
        )


def test_malformed_lines_are_never_fatal_and_notifications_never_answered(shop: Path, tmp_path: Path) -> None:
    with serving(shop, home=tmp_path) as server:
        server.shake_hands()
        for line in (b"", b"not json", b"{", b"[]", b"null", b'{"jsonrpc":"2.0"}', b"\xff\xfe\x00", b"[" * 100_000):
            server.send_bytes(line)
        server.send("notifications/unheard_of", {"x": 1})
        server.send("notifications/cancelled", {"requestId": 12345})
        answer = server.request("tools/list")
        assert any(tool["name"] == "check_types" for tool in answer["result"]["tools"])
        assert all(_is_answer_to_garbage(line) for line in server.pending_lines())


def test_a_request_followed_at_once_by_the_end_is_still_answered(shop: Path, tmp_path: Path) -> None:
    lines = [INITIALIZE, INITIALIZED, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}']
    command = [str(Path(sys.executable).with_name("sightline")), "serve", "--project", str(shop)]
    ended = subprocess.run(
        command, input=b"\n".join(lines), capture_output=True, env=environment_in(tmp_path), timeout=30, check=False
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [0, 1]
    assert ended.returncode == 0


def test_a_session_can_be_played_from_a_file(shop: Path, tmp_path: Path) -> None:
    script, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    script.write_bytes(b"\n".join([INITIALIZE, INITIALIZED, b'{"jsonrpc":"2.0","id":1,"method":"ping"}', b""]))
    command = [str(Path(sys.executable).with_name("sightline")), "serve", "--project", str(shop)]
    with script.open("rb") as incoming, output.open("wb") as outgoing:
        subprocess.run(
            command,
            stdin=incoming,
            stdout=outgoing,
            stderr=subprocess.DEVNULL,
            env=environment_in(tmp_path),
            timeout=30,
            check=True,
        )
    assert [json.loads(line)["id"] for line in output.read_bytes().splitlines()] == [0, 1]


def test_a_stray_write_to_stdout_goes_to_stderr(tmp_path: Path) -> None:
    program = (
        "import os, subprocess; from sightline.server.stdio import claim_stdio; wire = claim_stdio();"
        "print('stray print', flush=True); os.write(1, b'stray write\\n');"
        "subprocess.run(['sh', '-c', 'echo stray child; cat']); os.write(wire.outgoing, b'protocol\\n')"
    )
    ended = subprocess.run([sys.executable, "-c", program], input=b"x", capture_output=True, timeout=30, check=True)
    assert ended.stdout == b"protocol\n"
    assert ended.stderr.splitlines() == [b"stray print", b"stray write", b"stray child"]


def test_a_call_and_all_that_it_causes_share_a_request_id_in_the_log(shop: Path, tmp_path: Path) -> None:
    with serving(shop, home=tmp_path) as server:
        server.shake_hands()
        started = server.wait_for_log("server started")
        assert (started["version"], started["root"]) == (__version__, str(shop))
        server.call("check_types", path="shop/catalogue.py", python_version="3.12")
        child, ended = server.wait_for_log("child started"), server.wait_for_log("child ended")
        answered = server.wait_for_log("call answered")
        assert child["request_id"] == ended["request_id"] == answered["request_id"]
        assert "--outputjson" in child["command"]
        assert answered["arguments"] == {"path": "shop/catalogue.py", "python_version": "3.12"}
        assert answered["chars"] > 200


def test_twenty_calls_at_once_are_all_answered(shop: Path, tmp_path: Path) -> None:
    with serving(shop, home=tmp_path) as server:
        server.shake_hands()
        for request_id in range(100, 120):
            params: dict[str, Any] = {"name": "get_current_config", "arguments": {"section": "output"}}
            server.send("tools/call", params, request_id=request_id)
        answers = [json.loads(server.read_bytes()) for _ in range(20)]
        assert {answer["id"] for answer in answers} == set(range(100, 120))
        assert all(answer["result"]["structuredContent"]["ok"] for answer in answers)


def test_a_parameter_of_a_megabyte_is_refused_and_the_server_goes_on(shop: Path, tmp_path: Path) -> None:
    with serving(shop, home=tmp_path) as server:
        server.shake_hands()
        result = server.call("check_types", path="x" * 1_000_000)
        assert result["structuredContent"]["error"]["kind"] == "invalid_params"
        assert server.call("check_types", path="shop/catalogue.py")["structuredContent"]["verdict"] == "clean"


def test_the_project_is_the_flag_else_the_variable_else_the_folder(shop: Path, tmp_path: Path) -> None:
    assert _root_served(tmp_path, ["--project", str(shop)], {"CLAUDE_PROJECT_DIR": str(tmp_path)}) == str(shop)
    assert _root_served(tmp_path, [], {"CLAUDE_PROJECT_DIR": str(shop)}) == str(shop)
    assert _root_served(tmp_path, [], {}) == str(tmp_path.resolve())


def _root_served(folder: Path, flags: list[str], variables: dict[str, str]) -> str:
    command = [str(Path(sys.executable).with_name("sightline")), "serve", *flags]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**environment_in(folder), **variables},
    )
    try:
        server = LineServer(process)
        server.shake_hands()
        return server.call("get_current_config", section="output")["structuredContent"]["root"]
    finally:
        assert process.stdin
        process.stdin.close()
        process.wait(timeout=10)


def _is_answer_to_garbage(line: bytes) -> bool:
    message = json.loads(line)
    return message.get("id") is None and message.get("error", {}).get("code") in (-32700, -32600)
