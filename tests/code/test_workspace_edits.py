"""A server's edit becomes exactly the texts it means, whatever the lines end with; anything else is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sightline.code.workspace_edits import Span, edited_files
from sightline.errors import ToolFailure
from sightline.lsp.uris import uri_of


def _edit(line: int, start: int, end: int, text: str = "new") -> dict[str, Any]:
    place = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
    return {"range": place, "newText": text}


def _changes(path: Path, *edits: dict[str, Any]) -> dict[str, Any]:
    return {"changes": {uri_of(path): list(edits)}}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_only_the_named_pieces_change(tmp_path: Path, end: str) -> None:
    file = tmp_path / "a.py"
    text = end.join(["old = 1\x0c", "😀 = old; old", ""])
    file.write_bytes(text.encode())

    (edited,) = edited_files(_changes(file, _edit(1, 10, 13), _edit(0, 0, 3), _edit(1, 5, 8)), replaced="old")

    assert edited.new_bytes.decode() == end.join(["new = 1\x0c", "😀 = new; new", ""])
    assert edited.old_bytes == text.encode()
    assert edited.spans == (Span(1, 1, 4, "new"), Span(2, 5, 8, "new"), Span(2, 10, 13, "new"))


@pytest.mark.parametrize("start", [0, 1])
def test_a_byte_order_mark_stays_whether_the_server_counts_it_or_not(tmp_path: Path, start: int) -> None:
    file = tmp_path / "a.py"
    file.write_bytes("\ufeffold = 1\n".encode())

    (edited,) = edited_files(_changes(file, _edit(0, start, start + 3)), replaced="old")

    assert edited.new_bytes == "\ufeffnew = 1\n".encode()
    assert edited.spans == (Span(1, 1, 4, "new"),)


def test_both_forms_of_an_edit_are_understood(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("old\n")
    document = {"textDocument": {"uri": uri_of(file), "version": None}, "edits": [_edit(0, 0, 3)]}

    (edited,) = edited_files({"documentChanges": [document]}, replaced="old")

    assert edited.after == "new\n"


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ({"documentChanges": [{"kind": "rename", "oldUri": "file:///a", "newUri": "file:///b"}]}, "rename a file"),
        ({"changes": {"a.py": [_edit(0, 0, 3), _edit(0, 0, 6)]}}, "overlap"),
        ({"changes": {"a.py": [_edit(0, 4, 7)]}}, "do not fit"),
        ({"changes": {"a.py": [_edit(9, 0, 3)]}}, "do not fit"),
        ({"changes": {"latin.py": [_edit(0, 0, 3)]}}, "UTF-8"),
        ({"changes": {"gone.py": [_edit(0, 0, 3)]}}, "cannot be read"),
    ],
)
def test_what_cannot_be_done_exactly_is_refused(tmp_path: Path, edit: dict[str, Any], reason: str) -> None:
    (tmp_path / "a.py").write_text("oldold\n")
    (tmp_path / "latin.py").write_bytes(b"old = '\xe9'\n")
    if "changes" in edit:
        edit = {"changes": {uri_of(tmp_path / name): edits for name, edits in edit["changes"].items()}}

    with pytest.raises(ToolFailure, match=reason):
        edited_files(edit, replaced="old")
