"""Any bytes at all give an answer or a failure of ours; no library's exception comes through."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.sync.formats import frontmatter, jsonc, marked_block, toml_tables
from sightline.sync.formats.failures import FormatFailed
from tests.sync.formats.effort import thorough

PIECES = st.lists(
    st.sampled_from(
        [
            '"', "'", "{", "}", "[", "]", ":", ",", "=", ".", "#", "//", "/*", "*/", "\n", "\r\n", "\r", " ", "a", "1",
            "-", "---\n", '"""', "'''", "\\", "\ufeff", "\x00", "é", "true", "1979-05-27", "!!int ", "&a ", "*a", "? ",
            "|\n", "<<: ", "```", "~~~", "<!-- sightline:begin x -->", "<!-- sightline:end x -->", "\u2028", "1e999",
            "%", "@", "!!set ", "!!omap ", "!!float ", "!!timestamp ", "!!pairs ", "!!merge ", "!!bool ", "- ", "a: ",
        ]
    ),
    max_size=25,
)  # fmt: skip
CONTENTS = st.binary(max_size=40) | PIECES.map(lambda pieces: "".join(pieces).encode())


def _yaml(content: bytes) -> object:
    return frontmatter.read(b"---\n" + content + b"\n---\n")


def _jsonc(content: bytes) -> object:
    return jsonc.set_value(content, ("o", "p"), 1)


def _toml(content: bytes) -> object:
    return toml_tables.set_value(content, ("o", "p"), 1)


def _block(content: bytes) -> object:
    return marked_block.put_block(content, "own", "text")


@pytest.mark.parametrize("read", [_yaml, _jsonc, _toml, _block])
@thorough
@given(CONTENTS)
def test_any_bytes_give_an_answer_or_a_typed_failure(read: Callable[[bytes], object], content: bytes) -> None:
    try:
        answer = read(content)
    except FormatFailed as failure:
        answer = str(failure)
    assert answer is not None


@pytest.mark.parametrize("read", [_yaml, _jsonc, _toml, _block])
@pytest.mark.parametrize("piece", [b"[", b"{", b"a: [", b"{a=", b"> ", b"- ", b"a = [", b'{"a":'])
def test_endless_nesting_ends_in_an_answer_or_a_typed_failure(read: Callable[[bytes], object], piece: bytes) -> None:
    for content in (piece * 2000, b"a: " + piece * 2000, b"a = " + piece * 2000):
        try:
            answer = read(content)
        except FormatFailed as failure:
            answer = str(failure)
        assert answer is not None
