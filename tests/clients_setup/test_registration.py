"""The entry in a client's file: added, found again, replaced, taken out; nothing else is touched."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sightline.clients import CLIENTS, Client, client_named
from sightline.clients.failures import ClientFailed
from sightline.clients.records import Record, Records
from sightline.clients.registration import find_registration, is_ours, with_entry, without_entry
from sightline.clients.writing import write
from sightline.transactions import FileTransactions
from tests.clients_setup.surroundings import PROGRAM, around_in, entry_for

ALL = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
SCOPES = pytest.mark.parametrize("scope", ["user", "project"])

FOREIGN_JSON = b"""{
  // my theme
  "theme": "dark",   /* odd   spacing */
  "TABLE": {
    "other": {"command": "x", "args": ["-y",
        "pkg"]},
  },
}"""
FOREIGN_TOML = b"""# my model
model   = "x"   # kept

[TABLE.other]
command = 'x' # keep me

[features]
a = true
"""


def foreign(client: Client) -> bytes:
    text = FOREIGN_TOML if client.format == "toml" else FOREIGN_JSON
    return text.replace(b"TABLE", client.table.encode())


def parsed(client: Client, content: bytes) -> Any:
    return tomllib.loads(content.decode()) if client.format == "toml" else json.loads(content)


@ALL
@SCOPES
def test_a_new_file_holds_the_entry_in_the_form_of_its_client(client: Client, scope: Any, tmp_path: Path) -> None:
    around = around_in(tmp_path)
    found = find_registration(client, scope, around)
    edit = with_entry(found, entry_for(client, scope), None)
    assert edit.before is None
    assert edit.after is not None
    assert parsed(client, edit.after) == {client.table: {"sightline": entry_for(client, scope)}}
    assert edit.path.is_relative_to(around.home if scope == "user" else around.project)


@ALL
def test_what_others_wrote_is_kept_to_the_byte(client: Client, tmp_path: Path) -> None:
    around = around_in(tmp_path)
    path = find_registration(client, "user", around).path
    path.parent.mkdir(parents=True, exist_ok=True)
    before = foreign(client)
    path.write_bytes(before)
    edit = with_entry(find_registration(client, "user", around), entry_for(client), None)
    assert edit.after is not None
    remaining = iter(edit.after)
    assert all(byte in remaining for byte in before), "foreign bytes are no longer there in their order"
    path.write_bytes(edit.after)
    again = find_registration(client, "user", around)
    assert again.state(entry_for(client)) == "same"
    assert not with_entry(again, entry_for(client), edit.record).is_change
    assert without_entry(again, edit.record).after == before


@ALL
def test_an_entry_of_somebody_else_is_told_from_ours(client: Client, tmp_path: Path) -> None:
    around = around_in(tmp_path)
    first = with_entry(find_registration(client, "user", around), entry_for(client), None)
    first.path.parent.mkdir(parents=True, exist_ok=True)
    first.path.write_bytes(first.after or b"")
    found = find_registration(client, "user", around)
    other = entry_for(client, "user", "--read-only")
    assert found.state(other) == "different"
    assert found.line == (1 if client.format == "toml" else 3)
    assert is_ours(found, first.record)
    assert not is_ours(found, None)
    assert not is_ours(found, Record("of something else"))
    replaced = with_entry(found, other, first.record)
    assert replaced.record is not None
    assert replaced.record.is_created, "what is remembered of the file outlives the entry"
    first.path.write_bytes(replaced.after or b"")
    assert without_entry(find_registration(client, "user", around), replaced.record).after is None


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("codex", b'model = "x"\nmodel = "y"\n', 2),
        ("codex", b"a = \n", 1),
        ("gemini", b'{\n  "a": 1,\n  "b" 2\n}', 3),
        ("cursor", b'{"mcpServers": {}', 1),
        ("claude", b"\xff\xfe{}", 1),
    ],
)
def test_a_file_that_cannot_be_parsed_is_refused_with_its_line(
    name: str, content: bytes, line: int, tmp_path: Path
) -> None:
    around = around_in(tmp_path)
    client = client_named(name)
    path = client.files("user", around)[-1]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(ClientFailed) as caught:
        find_registration(client, "user", around)
    assert f"{path}:{line}:" in caught.value.message


def test_a_table_that_is_no_table_is_refused(tmp_path: Path) -> None:
    around = around_in(tmp_path)
    client = client_named("cursor")
    path = client.files("user", around)[0]
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"mcpServers": []}')
    with pytest.raises(ClientFailed, match="cannot hold the entry"):
        with_entry(find_registration(client, "user", around), entry_for(client), None)


def test_what_claude_code_adds_to_an_entry_makes_no_other_entry_of_it(tmp_path: Path) -> None:
    around = around_in(tmp_path)
    client = client_named("claude")
    entry: dict[str, Any] = {"type": "stdio", "command": PROGRAM, "args": ["serve", "--context", "claude"], "env": {}}
    client.files("user", around)[0].write_text(json.dumps({"mcpServers": {"sightline": entry}}))
    found = find_registration(client, "user", around)
    assert found.state({name: entry[name] for name in ("command", "args")}) == "same"
    changed = {**entry, "env": {"A": "b"}}
    assert found.state(changed) == "different"


def test_opencode_keeps_to_the_file_that_has_the_entry_else_to_the_one_that_exists(tmp_path: Path) -> None:
    around = around_in(tmp_path)
    client = client_named("opencode")
    commented, plain = client.files("project", around)
    assert (commented.name, plain.name) == ("opencode.jsonc", "opencode.json")
    assert find_registration(client, "project", around).path == plain
    commented.write_text("{}")
    plain.write_text("{}")
    assert find_registration(client, "project", around).path == commented
    plain.write_text('{"mcp": {"sightline": {}}}')
    assert find_registration(client, "project", around).path == plain


@ALL
def test_writing_and_taking_out_leaves_the_folders_as_they_were(client: Client, tmp_path: Path) -> None:
    around = around_in(tmp_path)
    ours = tmp_path / "data"
    transactions = FileTransactions(ours / "journal")
    write(with_entry(find_registration(client, "user", around), entry_for(client), None), Records(ours), transactions)
    found = find_registration(client, "user", around)
    assert found.state(entry_for(client)) == "same"
    known = Records(ours).get(found.path)
    assert is_ours(found, known)
    write(without_entry(found, known), Records(ours), transactions)
    assert list(around.home.iterdir()) == []
    assert not (ours / "registrations.json").exists()


def test_a_file_that_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    around = around_in(tmp_path)
    client = client_named("gemini")
    edit = with_entry(find_registration(client, "user", around), entry_for(client), None)
    edit.path.parent.mkdir(parents=True)
    edit.path.write_text('{"mine": 1}')
    with pytest.raises(ClientFailed, match="changed since"):
        write(edit, Records(tmp_path / "data"), FileTransactions(tmp_path / "journal"))
    assert edit.path.read_text() == '{"mine": 1}'
    assert not (tmp_path / "data" / "registrations.json").exists()


def test_a_damaged_record_is_said_and_not_guessed_at(tmp_path: Path) -> None:
    (tmp_path / "registrations.json").write_text('{"version": 1, "files": {"/x": {}}}')
    with pytest.raises(ClientFailed, match="damaged"):
        Records(tmp_path)
