"""How many lines of one kind are shown to a person."""

from __future__ import annotations

from sightline.cli.sync_display import folded


def test_lines_that_differ_in_a_name_alone_become_one_with_a_count() -> None:
    lines = [f"stricter: `deny:{number}` holds in every project" for number in range(12)]

    shown = folded([lines[0], "stricter: something else", *lines[1:]])

    assert len(shown) == 2
    assert shown[0].startswith("stricter: `deny:0` holds in every project (the same of 11 more: `deny:1`, `deny:2`, ")
    assert "`--full`" in shown[0]


def test_few_lines_stay_as_they_are_and_so_does_everything_laxer() -> None:
    few = [f"stricter: `{name}` asks" for name in "abc"]
    laxer = [f"laxer: `{name}` is started" for name in "abcdef"]

    assert folded([*laxer, *few]) == [*laxer, *few]


def test_lines_that_differ_in_two_names_stay_because_the_second_would_be_lost() -> None:
    lines = [f"`{name}` is hidden by `other-{name}`" for name in "abcdef"]

    assert folded(lines) == lines


def test_the_names_that_differ_are_listed_and_not_those_that_are_the_same() -> None:
    (line,) = folded([f"`{name}` is hidden by `other` in Claude Code" for name in "abcdef"])

    assert "the same of 5 more: `b`, `c`, `d`, …" in line
