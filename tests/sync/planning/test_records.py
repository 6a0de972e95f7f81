"""Digests stand for values: they tell apart what the formats tell apart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.sync.formats.values import same_value
from sightline.sync.planning.records import file_digest, value_digest
from sightline.sync.planning.wanted import block_digest
from tests.sync.formats.effort import thorough

SMALL = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 0.0, -0.0, 1.0, float("nan"), "", "1", "true", "map"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b", "map"]), inner, max_size=2),
    max_leaves=4,
)


@thorough
@given(SMALL, SMALL, st.booleans())
def test_values_are_the_same_when_their_digests_are(one: Any, other: Any, ordered: bool) -> None:
    is_same = value_digest(one, ordered=ordered) == value_digest(other, ordered=ordered)
    assert is_same is same_value(one, other, ordered=ordered)


@pytest.mark.parametrize("ordered", [True, False])
def test_the_order_of_keys_counts_where_it_has_a_meaning(ordered: bool) -> None:
    one, other = ({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert (value_digest(one, ordered=ordered) == value_digest(other, ordered=ordered)) is not ordered


def test_only_whether_a_file_may_be_run_counts_of_its_mode() -> None:
    assert file_digest(b"x", 0o644) == file_digest(b"x", 0o600) == file_digest(b"x", None)
    assert file_digest(b"x", 0o755) == file_digest(b"x", 0o700) != file_digest(b"x", 0o644)


def test_line_ends_do_not_count_in_a_block() -> None:
    assert block_digest("a\r\nb\r\n") == block_digest("a\nb") == block_digest("a\nb\n\n") != block_digest("a b")
