"""Whatever a client's file holds: installing and uninstalling gives it back to the byte."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sightline.clients import CLIENTS, Client, Surroundings, client_named
from sightline.clients.failures import ClientFailed
from sightline.clients.records import Records
from sightline.clients.registration import editor, find_registration, with_entry, without_entry
from sightline.clients.writing import write
from sightline.sync.formats.values import Missing
from sightline.transactions import FileTransactions
from tests.clients_setup.surroundings import around_in, entry_for
from tests.sync.formats.effort import thorough
from tests.sync.formats.foreign_jsonc import foreign_jsonc
from tests.sync.formats.foreign_toml import foreign_toml


def tree(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def is_room(client: Client, content: bytes | None) -> bool:
    """Whether the table can be there: nothing else has its name."""
    value = editor(client.format).get_value(content or b"", (client.table,))
    return isinstance(value, Missing | Mapping)


def assert_given_back(client: Client, around: Surroundings, data: Path) -> None:
    before = tree(around.home)
    transactions = FileTransactions(data / "journal")
    found = find_registration(client, "user", around)
    if not is_room(client, found.content):
        with pytest.raises(ClientFailed, match="cannot hold the entry"):
            with_entry(found, entry_for(client), None)
        assert tree(around.home) == before
        return
    edit = with_entry(found, entry_for(client), None)
    write(edit, Records(data), transactions)
    found = find_registration(client, "user", around)
    assert found.state(entry_for(client)) == "same"
    again = with_entry(found, entry_for(client), Records(data).get(found.path))
    assert not again.is_change
    write(without_entry(found, Records(data).get(found.path)), Records(data), transactions)
    assert tree(around.home) == before


def assert_round_trip(client: Client, content: bytes | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        around = around_in(folder)
        path = client.files("user", around)[-1]
        if content is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        assert_given_back(client, around, folder / "data")


@thorough
@given(written=foreign_jsonc(), name=st.sampled_from(["gemini", "opencode", "cursor", "vscode", "claude"]))
def test_any_json_file_is_given_back_to_the_byte(written: tuple[bytes, Any], name: str) -> None:
    client = client_named(name)
    assume(not isinstance(written[1].get(client.table), dict) or "sightline" not in written[1][client.table])
    assert_round_trip(client, written[0])


@thorough
@given(written=foreign_toml())
def test_any_toml_file_is_given_back_to_the_byte(written: tuple[bytes, Any]) -> None:
    assert_round_trip(client_named("codex"), written[0])


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xef\xbb\xbf"], ids=["no file", "empty", "a line", "a mark"])
def test_no_file_and_an_empty_one_are_not_the_same(client: Client, content: bytes | None) -> None:
    assert_round_trip(client, content)
