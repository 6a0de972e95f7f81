"""An owned block in Markdown: the text around it is nobody's but its owner's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.sync.formats.failures import DamagedMarks, Unrenderable
from sightline.sync.formats.marked_block import find_block, find_blocks, put_block, remove_block
from tests.sync.formats.effort import thorough

BEGIN, END = "<!-- sightline:begin rules -->", "<!-- sightline:end rules -->"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"{BEGIN}\ntext\n{END}\n"),
        ("# Mine\n", f"# Mine\n\n{BEGIN}\ntext\n{END}\n"),
        ("# Mine", f"# Mine\n\n{BEGIN}\ntext\n{END}"),
        ("\ufeff# Mine\r\n\r\n", f"\ufeff# Mine\r\n\r\n\r\n{BEGIN}\r\ntext\r\n{END}\r\n"),
        ("\n", f"\n\n{BEGIN}\ntext\n{END}\n"),
    ],
)
def test_a_block_goes_to_the_end_and_comes_off_without_a_trace(before: str, after: str) -> None:
    assert put_block(before.encode(), "rules", "text") == after.encode()
    assert remove_block(after.encode(), "rules") == before.encode()


def test_a_block_is_replaced_in_its_place() -> None:
    content = f"above\n{BEGIN}\nold\nlines\n{END}\nbelow".encode()
    assert put_block(content, "rules", "new\n") == f"above\n{BEGIN}\nnew\n{END}\nbelow".encode()


def test_no_block_is_nothing_to_find_and_nothing_to_remove() -> None:
    content = f"text `{BEGIN}` in a line\n".encode()
    assert find_block(content, "rules") is None
    assert remove_block(content, "rules") == content


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (f"a\n{BEGIN}\nb\n", 2, "no end"),
        (f"a\n{END}\n", 2, "not begun"),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", 2, "begins inside"),
        (f"{BEGIN}\n{END}\n\n{BEGIN}\n{END}\n", 4, "twice"),
        (f"{BEGIN}\n<!-- sightline:end other -->\n{END}\n", 2, "not begun"),
        (f"```\n{BEGIN}\n{END}\n```\n", 2, "code fence"),
        (f"~~~~~ x\n~~~\n{BEGIN}\n{END}\n~~~~~\n", 3, "code fence"),
        (f"a\n\n    {BEGIN}\n", 3, "code fence"),
        (f"  {BEGIN}\n{END}\n", 1, "not alone"),
        (f"{BEGIN} more\n{END}\n", 1, "not alone"),
        ("<!-- sightline:begin -->\n", 1, "not alone"),
        (f"<!-- open\n{BEGIN}\n{END}\n", 2, "inside a comment"),
    ],
)
def test_damaged_marks_are_refused_with_their_line(content: str, line: int, words: str) -> None:
    for act in (find_blocks, _put, _remove):
        with pytest.raises(DamagedMarks, match=words) as caught:
            act(content.encode())
        assert caught.value.line == line


def _put(content: bytes) -> bytes:
    return put_block(content, "rules", "x")


def _remove(content: bytes) -> bytes:
    return remove_block(content, "rules")


def test_a_longer_fence_closes_what_a_shorter_one_cannot() -> None:
    content = f"````\n```\n````\n\n{BEGIN}\nx\n{END}\n".encode()
    assert find_block(content, "rules") is not None


def test_a_fence_inside_a_list_item_ends_with_the_item() -> None:
    content = f"- item\n  ```\n  code\n\n{BEGIN}\nx\n{END}\n".encode()
    assert find_block(content, "rules") is not None


@pytest.mark.parametrize("content", ["```\ncode", "<!-- never closed\n"])
def test_a_file_that_ends_in_code_or_a_comment_takes_no_block(content: str) -> None:
    with pytest.raises(DamagedMarks):
        put_block(content.encode(), "rules", "x")


@pytest.mark.parametrize("inner", ["```\ncode", "a\n~~~~\n~~~\n", "x\n\n<!-- open"])
def test_content_that_leaves_something_open_is_refused(inner: str) -> None:
    with pytest.raises(Unrenderable):
        put_block(b"", "rules", inner)


def test_an_id_that_could_close_the_comment_is_refused() -> None:
    for block_id in ("", "a b", "-->", "a\n"):
        with pytest.raises(Unrenderable):
            put_block(b"", block_id, "x")


def test_marks_inside_the_content_are_kept_apart_and_read_back_as_they_were() -> None:
    inner = f"```\n{BEGIN}\n{END}\n```\n\n<!-- sightline\\:end rules -->\n  <!-- sightline:end rules -->"
    content = put_block(b"mine\n", "rules", inner)
    block = find_block(content, "rules")
    assert block is not None
    assert block.content == inner
    assert remove_block(content, "rules") == b"mine\n"


LINES = st.sampled_from(
    [
        "text",
        "",
        "```",
        "~~~~",
        "- item",
        "  more",
        "> quote",
        "    code",
        "<!-- c -->",
        "<!--",
        "-->",
        BEGIN,
        END,
        "# é",
    ]
)
TEXTS = st.tuples(st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda parts: parts[1].join(parts[0]) + (parts[1] if parts[2] else "")
)


@thorough
@given(TEXTS, TEXTS, TEXTS, st.booleans())
def test_blocks_in_any_text_change_nothing_around_them(foreign: str, one: str, other: str, is_marked: bool) -> None:
    content = ("\ufeff" if is_marked else "").encode() + foreign.encode()
    try:
        first = put_block(content, "one", one)
        second = put_block(first, "two", other)
    except (DamagedMarks, Unrenderable):
        return
    block = find_block(second, "one")
    assert block is not None
    assert block.content == one.replace("\r\n", "\n").rstrip("\n")
    assert put_block(second, "one", one) == second
    changed = put_block(second, "one", "changed")
    assert remove_block(remove_block(changed, "two"), "one") == content
    assert remove_block(remove_block(changed, "one"), "two") == content
