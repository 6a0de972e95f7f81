"""Where a key stands between last applied, wanted and present."""

from __future__ import annotations

import pytest

from sightline.sync.formats.three_way import Action, Choice, Standing, classify, classify_all, decide
from sightline.sync.formats.values import MISSING, Missing, Value


@pytest.mark.parametrize(
    ("applied", "wanted", "present", "standing"),
    [
        (MISSING, 1, MISSING, Standing.NEW),
        (MISSING, 1, 1, Standing.CONVERGED),
        (MISSING, 1, 2, Standing.FOREIGN_COLLISION),
        (1, 1, 1, Standing.CLEAN),
        (1, 2, 1, Standing.PENDING),
        (1, 1, 2, Standing.DRIFT),
        (1, 1, MISSING, Standing.DRIFT),
        (1, 2, 2, Standing.CONVERGED),
        (1, 2, 3, Standing.CONFLICT),
        (1, 2, MISSING, Standing.CONFLICT),
        (1, MISSING, 1, Standing.ORPHAN),
        (1, MISSING, 2, Standing.ORPHAN_DRIFTED),
        (1, MISSING, MISSING, Standing.CONVERGED),
        (None, None, None, Standing.CLEAN),
        (1, True, 1, Standing.PENDING),
        (1, 1, 1.0, Standing.DRIFT),
    ],
)
def test_every_combination_has_one_standing(
    applied: Value | Missing, wanted: Value | Missing, present: Value | Missing, standing: Standing
) -> None:
    assert classify(applied, wanted, present) is standing


def test_a_key_that_is_not_ours_has_no_standing() -> None:
    with pytest.raises(ValueError, match="not ours"):
        classify(MISSING, MISSING, 1)


def test_the_order_of_keys_counts_where_it_has_a_meaning() -> None:
    one, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    assert classify(one, one, other) is Standing.CLEAN
    assert classify(one, one, other, ordered=True) is Standing.DRIFT


def test_only_what_nobody_else_touched_is_done_unasked() -> None:
    assert {standing: decide(standing) for standing in Standing} == {
        Standing.NEW: Action.WRITE,
        Standing.CLEAN: Action.NOTHING,
        Standing.PENDING: Action.WRITE,
        Standing.CONVERGED: Action.NOTHING,
        Standing.ORPHAN: Action.DELETE,
        Standing.ORPHAN_DRIFTED: Action.ASK,
        Standing.FOREIGN_COLLISION: Action.ASK,
        Standing.DRIFT: Action.ASK,
        Standing.CONFLICT: Action.ASK,
    }
    assert all(standing.is_automatic == (decide(standing) is not Action.ASK) for standing in Standing)


def test_a_person_keeps_or_takes() -> None:
    for standing in (Standing.FOREIGN_COLLISION, Standing.DRIFT, Standing.CONFLICT):
        assert decide(standing, Choice.KEEP) is Action.NOTHING
        assert decide(standing, Choice.TAKE) is Action.WRITE
    assert decide(Standing.ORPHAN_DRIFTED, Choice.KEEP) is Action.NOTHING
    assert decide(Standing.ORPHAN_DRIFTED, Choice.TAKE) is Action.DELETE


def test_wanted_keys_come_in_their_order_and_then_those_that_go() -> None:
    keys = classify_all({("x",): 1, ("b",): 1}, {("b",): 2, ("a",): 3}, {("b",): 1, ("x",): 1, ("foreign",): 0})
    assert [(key.path, key.standing) for key in keys] == [
        (("b",), Standing.PENDING),
        (("a",), Standing.NEW),
        (("x",), Standing.ORPHAN),
    ]
