"""JSON with comments: what an edit looks like, what is refused and where."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from sightline.sync.formats import jsonc
from sightline.sync.formats.failures import Malformed, NotEditable, Unrenderable
from sightline.sync.formats.values import MISSING, KeyPath, Value, entry_step

SETTINGS = b"""{
\t// the model
\t"model": "x", // best
\t"mcpServers": {
\t\t"mine": { "command": "a" } // keep
\t\t// more to come
\t}
}
"""


def test_a_new_key_goes_after_the_last_one_in_the_style_of_the_file() -> None:
    after = jsonc.set_value(SETTINGS, ("mcpServers", "new"), {"command": "b", "env": {}})
    assert after == SETTINGS.replace(
        b'"a" } // keep\n', b'"a" }, // keep\n\t\t"new": {\n\t\t\t"command": "b",\n\t\t\t"env": {}\n\t\t}\n'
    )


def test_line_ends_and_byte_order_mark_are_those_of_the_file() -> None:
    content = b'\xef\xbb\xbf{\r\n    "a": 1\r\n}'
    assert jsonc.set_value(content, ("b",), 2) == b'\xef\xbb\xbf{\r\n    "a": 1,\r\n    "b": 2\r\n}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{"a":1}', b'{"a":1,"b":{"c":2}}'),
        (b'{ "a": 1 }', b'{ "a": 1, "b": {"c": 2} }'),
        (b'{ "a": 1, }', b'{ "a": 1, "b": {"c": 2}, }'),
        (b'{\n  "a": 1,\n}', b'{\n  "a": 1,\n  "b": {\n    "c": 2\n  },\n}'),
        (b"{}", b'{\n  "b": {\n    "c": 2\n  }\n}'),
        (b"{ }", b'{ "b": {"c": 2} }'),
        (b"", b'{\n  "b": {\n    "c": 2\n  }\n}\n'),
        (b"// only this", b'// only this\n{\n  "b": {\n    "c": 2\n  }\n}'),
        (b"{ // note\n}", b'{ // note\n  "b": {\n    "c": 2\n  }\n}'),
    ],
)
def test_objects_of_every_shape_take_a_new_key_and_give_it_back(before: bytes, after: bytes) -> None:
    made = jsonc.parents_to_make(before, ("b", "c"))
    assert jsonc.set_value(before, ("b", "c"), 2) == after
    assert jsonc.remove_value(after, ("b", "c"), made) == before


def test_a_value_that_is_there_is_left_as_it_is_written() -> None:
    content = b'{"a": [ 1,2 , 3e0 ]}'
    assert jsonc.set_value(content, ("a",), [1, 2, 3.0]) == content


def test_another_order_of_keys_is_another_value() -> None:
    content = b'{"permission": {"*": "ask", "read": "allow"}}'
    after = jsonc.set_value(content, ("permission",), {"read": "allow", "*": "ask"})
    assert after == b'{"permission": {"read": "allow", "*": "ask"}}'


def test_a_comment_beside_a_removed_member_stays_and_one_inside_goes() -> None:
    content = b'{\n  // above\n  "b": /* inside */ 2, // beside\n  "c": 3\n}'
    assert jsonc.remove_value(content, ("b",)) == b'{\n  // above\n  // beside\n  "c": 3\n}'


def test_a_closing_bracket_never_ends_up_in_a_comment() -> None:
    content = b'{\n  "a": 1, // y\n  "b": 2 }'
    after = jsonc.remove_value(content, ("b",))
    assert jsonc.read_value(after) == {"a": 1}
    assert b"// y\n" in after


def test_parents_that_were_made_go_only_when_nothing_is_left_in_them() -> None:
    content = jsonc.set_value(b"{}", ("mcp", "ours"), 1)
    content = jsonc.set_value(content, ("mcp", "theirs"), 2)
    assert jsonc.read_value(jsonc.remove_value(content, ("mcp", "ours"), [("mcp",)])) == {"mcp": {"theirs": 2}}


def test_a_parent_that_was_there_stays_when_it_is_left_empty() -> None:
    content = b'{ "mcp": {} }'
    after = jsonc.set_value(content, ("mcp", "ours"), 1)
    assert jsonc.parents_to_make(content, ("mcp", "ours")) == ()
    assert jsonc.remove_value(after, ("mcp", "ours"), []) == content


def test_numbers_and_escapes_that_are_not_ours_keep_their_spelling() -> None:
    content = (
        b'{"n": 1E+400, "m": 123456789012345678901234567890.10, "s": "\\ud800\\u0041", "big": ' + b"9" * 5000 + b"}"
    )
    after = jsonc.set_value(content, ("o",), "\ud800")
    assert after == content[:-1] + b', "o": "\\ud800"}'
    assert jsonc.get_value(after, ("o",)) == "\ud800"


def test_what_is_missing_is_not_null() -> None:
    assert jsonc.get_value(b'{"a": null}', ("a",)) is None
    assert jsonc.get_value(b'{"a": null}', ("b",)) is MISSING
    assert jsonc.read_value(b"// nothing") is MISSING


def test_a_value_is_found_by_line_and_column() -> None:
    assert jsonc.locate(SETTINGS, ("mcpServers", "mine", "command")) == (5, 24)
    assert jsonc.locate(SETTINGS, ("none",)) is None


@pytest.mark.parametrize(
    ("content", "line", "column", "words"),
    [
        (b'{\n  "a": 1\n  "b": 2\n}', 3, 3, "`,` or `}`"),
        (b'{"a": 1, "a": 2}', 1, 10, "twice"),
        (b'{"a": 1, "\\u0061": 2}', 1, 10, "twice"),
        (b'\xef\xbb\xbf{"a" 1}', 1, 6, "`:`"),
        (b'{"a": /* x', 1, 7, "comment"),
        (b'{"a": "x\n"}', 1, 7, "string"),
        (b'{"a": "\\x"}', 1, 7, "string"),
        (b'{"a": 01}', 1, 7, "number"),
        (b'{"a": nope}', 1, 7, "a value"),
        (b'{"a": 1', 1, 8, "`,` or `}`"),
        (b'{"a": [,]}', 1, 8, "a value"),
        (b"{} {}", 1, 4, "after the end"),
        (b'{"a":\n "\xff"}', 2, 3, "UTF-8"),
        (b"[" * 500, 1, 102, "deep"),
        (b"{a: 1}", 1, 2, "key"),
    ],
)
def test_malformed_text_is_refused_with_its_place(content: bytes, line: int, column: int, words: str) -> None:
    with pytest.raises(Malformed, match=words) as caught:
        jsonc.set_value(content, ("o",), 1)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_path_through_something_that_holds_no_keys_is_refused() -> None:
    for content in (b'{"a": null}', b'{"a": [1]}', b'{"a": 5}'):
        with pytest.raises(NotEditable):
            jsonc.set_value(content, ("a", "b"), 1)
    with pytest.raises(NotEditable):
        jsonc.set_value(b"[]", ("a",), 1)
    with pytest.raises(NotEditable):
        jsonc.set_value(b'{"a": [1]}', ("a", 5), 1)
    with pytest.raises(NotEditable):
        jsonc.set_value(b'{"a": 1}', ("a", entry_step(1)), 1)


def test_what_json_cannot_say_is_refused() -> None:
    with pytest.raises(Unrenderable):
        jsonc.set_value(b"{}", ("a",), float("nan"))


def test_entries_are_added_once_and_taken_out_again() -> None:
    content, entry = b'{"instructions": [\n  "a.md" // first\n]}', ("instructions", entry_step("b.md"))
    after = jsonc.set_value(content, entry, "b.md")
    assert after == b'{"instructions": [\n  "a.md", // first\n  "b.md"\n]}'
    assert jsonc.set_value(after, entry, "b.md") == after
    assert jsonc.remove_value(after, entry) == content
    assert jsonc.set_value(b'{"i": []}', ("i", entry_step("x")), "x") == b'{"i": ["x"]}'


def test_a_list_is_made_for_its_first_entry_and_goes_with_the_last() -> None:
    entries = {("h", "e", entry_step(each)): each for each in ({"c": 1}, {"c": 2})}
    done = jsonc.set_values(b"{}", entries)
    assert jsonc.get_value(done.content, ("h", "e")) == [{"c": 1}, {"c": 2}]
    first, second = entries
    rest = jsonc.remove_value(done.content, first, done.made)
    assert jsonc.get_value(rest, ("h", "e")) == [{"c": 2}]
    assert jsonc.remove_value(rest, second, done.made) == b"{}"


def test_an_entry_is_found_wherever_it_has_moved_to() -> None:
    moved = b'{"e": [{"mine": true}, {"c": 1}, 7]}'
    assert jsonc.remove_value(moved, ("e", entry_step({"c": 1}))) == b'{"e": [{"mine": true}, 7]}'
    assert jsonc.get_value(moved, ("e", entry_step({"c": 2}))) is MISSING


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(NotEditable, match="overlap"):
        jsonc.set_values(b"", {("a",): {}, ("a", "b"): 1})


@pytest.mark.parametrize("length", range(4))
def test_an_object_of_blanks_is_the_same_after_keys_came_and_went_in_any_order(length: int) -> None:
    keys: dict[KeyPath, Value] = {("a",): None, ("b", "c"): None, ("d",): [1]}
    for blanks in product((" ", "\t", "\n", "\r\n"), repeat=length):
        before = f"{{{''.join(blanks)}}}".encode()
        edited = jsonc.set_values(before, keys)
        for order in permutations(keys):
            content = edited.content
            for path in order:
                content = jsonc.remove_value(content, path, edited.made)
            assert content == before, order
