"""TOML: what an edit looks like, what is refused and where."""

from __future__ import annotations

import pytest

from sightline.sync.formats import toml_tables
from sightline.sync.formats.failures import Malformed, NotEditable, Unrenderable, WouldDamage
from sightline.sync.formats.toml_guard import check_edit
from sightline.sync.formats.toml_scanner import scan
from sightline.sync.formats.values import MISSING

CONFIG = b"""# my configuration
model = "x" # best

[mcp_servers.mine]
command = "a"
# about the projects
[projects."/home/me"]
trust_level = "trusted"
"""


def test_a_new_table_goes_to_the_end_and_comes_off_without_a_trace() -> None:
    server = {"command": "npx", "args": ["-y", "pkg"], "env": {"A": "b"}, "tools": {"t": {"approval_mode": "prompt"}}}
    after = toml_tables.set_value(CONFIG, ("mcp_servers", "new one"), server)
    assert after.decode() == CONFIG.decode() + (
        '\n[mcp_servers."new one"]\ncommand = "npx"\nargs = ["-y", "pkg"]\nenv = { A = "b" }\n'
        '\n[mcp_servers."new one".tools.t]\napproval_mode = "prompt"\n'
    )
    assert toml_tables.get_value(after, ("mcp_servers", "new one")) == server
    assert toml_tables.remove_value(after, ("mcp_servers", "new one")) == CONFIG


def test_a_comment_above_the_next_table_outlives_the_table_before_it() -> None:
    after = toml_tables.remove_value(CONFIG, ("mcp_servers", "mine"))
    assert (
        after
        == b'# my configuration\nmodel = "x" # best\n# about the projects\n' + CONFIG[CONFIG.index(b"[projects") :]
    )


def test_a_pair_goes_after_the_last_pair_of_its_table() -> None:
    after = toml_tables.set_value(CONFIG, ("mcp_servers", "mine", "enabled"), False)
    assert after == CONFIG.replace(b'command = "a"\n', b'command = "a"\nenabled = false\n')
    after = toml_tables.set_value(CONFIG, ("approval_policy",), "on-request")
    assert after == CONFIG.replace(b"# best\n", b'# best\napproval_policy = "on-request"\n')


def test_a_pair_outside_of_tables_goes_to_the_top_when_there_is_no_other() -> None:
    after = toml_tables.set_value(b"# about t\n[t]\n", ("a",), 1)
    assert after == b"a = 1\n\n# about t\n[t]\n"
    assert toml_tables.remove_value(after, ("a",)) == b"# about t\n[t]\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"[m]\no = 1\n"),
        (b"a = 1", b"a = 1\n\n[m]\no = 1"),
        (b"a = 1\r\n", b"a = 1\r\n\r\n[m]\r\no = 1\r\n"),
        (b"\xef\xbb\xbf# c\n\n", b"\xef\xbb\xbf# c\n\n\n[m]\no = 1\n"),
        (b"m = {}", b"m = {o = 1}"),
        (b"m = { a.b = 1 }\n", b"m = { a.b = 1, o = 1 }\n"),
        (b"m.a = 1 # c\n[z]\n", b"m.a = 1 # c\nm.o = 1\n[z]\n"),
        (b"[ m ]", b"[ m ]\no = 1"),
        (b"[m.x]\n[z]\n[m.y]\n", b"[m.x]\n[z]\n[m.y]\n\n[m]\no = 1\n"),
        (b"[m.x]\n[z]\n[m]\n  a = 1\n", b"[m.x]\n[z]\n[m]\n  a = 1\n  o = 1\n"),
        (b"[[l]]\n[l.m]\n", b"[[l]]\n[l.m]\n\n[m]\no = 1\n"),
    ],
)
def test_tables_of_every_shape_take_a_new_key_and_give_it_back(before: bytes, after: bytes) -> None:
    made = toml_tables.parents_to_make(before, ("m", "o"), 1)
    assert toml_tables.set_value(before, ("m", "o"), 1) == after
    assert toml_tables.remove_value(after, ("m", "o"), made) == before


def test_a_dotted_key_inside_an_inline_table_takes_another() -> None:
    assert toml_tables.set_value(b"m = { a.b = 1 }", ("m", "a", "c"), 2) == b"m = { a.b = 1, a.c = 2 }"
    assert toml_tables.remove_value(b"m = { a.b = 1, x = 3, a.c = 2 }", ("m", "a")) == b"m = { x = 3 }"


def test_a_table_is_brought_to_a_new_value_key_by_key() -> None:
    content = b"[t]\na = 1 # one\nb = 2\n\n[t.c]\nx = 1\n"
    after = toml_tables.set_value(content, ("t",), {"a": 5, "c": {"x": 1, "y": 2}})
    assert after == b"[t]\na = 5 # one\n\n[t.c]\nx = 1\ny = 2\n"


def test_a_table_can_become_a_value_and_an_array_of_tables_can_go() -> None:
    assert toml_tables.get_value(toml_tables.set_value(b"[t]\na = 1\n", ("t",), 5), ("t",)) == 5
    content = b"x = 1\n[[l]]\na = 1\n# kept\n[l.m]\nb = 1\n[[l]]\n[z]\n"
    assert toml_tables.remove_value(content, ("l",)) == b"x = 1\n# kept\n[z]\n"


def test_the_comment_on_a_removed_line_stays() -> None:
    assert toml_tables.remove_value(b"a = 1\n  b = 2 # why\n", ("b",)) == b"a = 1\n  # why\n"


def test_a_path_into_an_array_of_tables_is_refused() -> None:
    for content in (b"[[l]]\na = 1\n", b"l = [{ a = 1 }]\n", b"l = 1\n"):
        with pytest.raises(NotEditable):
            toml_tables.set_value(content, ("l", "b"), 1)
    with pytest.raises(NotEditable):
        toml_tables.set_value(b"[[l]]\na = 1\n", ("l", 0, "b"), 1)


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        (b'a = 1\nb = "x\n', 2, 7),
        (b"\xef\xbb\xbfa = = 1\n", 1, 5),
        (b"a = 1\na = 2\n", 2, 6),
        (b"a = \xff", 1, 5),
        (b"a = 1\n[t", 2, 3),
        (b"a = " + b"[" * 3000, 1, 1),
    ],
)
def test_malformed_text_is_refused_with_its_place(content: bytes, line: int, column: int) -> None:
    with pytest.raises(Malformed) as caught:
        toml_tables.set_value(content, ("o",), 1)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_numbers_and_dates_that_python_cannot_hold_are_malformed() -> None:
    for content in (b"a = " + b"9" * 5000, b"a = 2024-99-99"):
        with pytest.raises(Malformed):
            toml_tables.read_value(content)


def test_nesting_has_a_limit() -> None:
    with pytest.raises(Malformed, match="deep"):
        toml_tables.set_value(b"a = " + b"[" * 150 + b"]" * 150, ("b",), 1)


def test_what_toml_cannot_say_is_refused() -> None:
    for value in (None, 2**63, "\ud800", [None]):
        with pytest.raises(Unrenderable):
            toml_tables.set_value(b"", ("a",), value)


def test_a_statement_is_found_by_line_and_column() -> None:
    assert toml_tables.locate(CONFIG, ("mcp_servers", "mine")) == (4, 1)
    assert toml_tables.locate(CONFIG, ("mcp_servers", "mine", "command")) == (5, 1)
    assert toml_tables.locate(CONFIG, ("none",)) is None


@pytest.mark.parametrize(
    "damaged",
    [
        b"# c\na = 1\no = 2\n[t]\nb = 1\n",
        b"a = 2\no = 1\n[t]\nb = 1\n",
        b"a = 1\no = 1\n[t]\nb = 1\n",
        b"# c\na = 1\no = 1\nt.b = 1\n",
        b"# c\na = 1\no = 1\n",
        b"# c\na = 0x1\no = 1\n[t]\nb = 1\n",
        b"# c\na = \n",
    ],
)
def test_the_guard_refuses_whatever_is_not_the_edit_alone(damaged: bytes) -> None:
    document = scan("# c\na = 1\n[t]\nb = 1\n")
    check_edit(document, "# c\na = 1\no = 1\n[t]\nb = 1\n", {("o",): 1}, ())
    with pytest.raises(WouldDamage):
        check_edit(document, damaged.decode(), {("o",): 1}, ())


def test_the_guard_refuses_a_removal_that_is_none() -> None:
    with pytest.raises(WouldDamage):
        check_edit(scan("a = 1\n"), "a = 1\n", {("a",): MISSING}, ())


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(NotEditable, match="overlap"):
        toml_tables.set_values(b"", {("a",): {}, ("a", "b"): 1})
