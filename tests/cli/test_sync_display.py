"""How many lines of one kind are shown to a person."""

from __future__ import annotations

from sightline.cli.sync_display import folded, folded_notes
from sightline.sync.report_records import SourceNote


def test_lines_that_differ_in_a_name_alone_become_one_with_a_count() -> None:
    lines = [f"stricter: `deny:{number}` holds in every project" for number in range(12)]

    shown = folded([lines[0], "stricter: something else", *lines[1:]])

    assert len(shown) == 2
    assert shown[0].startswith("stricter: `deny:0` holds in every project (the same of 11 more: `deny:1`, `deny:2`, ")
    assert "`--full`" in shown[0]


def test_few_lines_stay_as_they_are() -> None:
    few = [f"stricter: `{name}` asks" for name in "abc"]

    assert folded(few) == few


def test_of_what_is_laxer_every_name_is_told() -> None:
    (line,) = folded([f"laxer: `{name}` is started" for name in "abcdef"])

    assert line == "laxer: `a` is started (the same of 5 more: `b`, `c`, `d`, `e`, `f`)"


def test_remarks_of_one_kind_become_one_but_for_those_that_leave_something_as_it_is() -> None:
    unknown = [SourceNote(file=f"{name}.md", line=2, message=f"`{name}` is not known") for name in "abcdef"]
    yaml = [SourceNote(file=f"{name}.md", line=1, message=f"not YAML (line {name}); read by lines") for name in "abcd"]
    unread = [SourceNote(file=f"{name}.md", line=1, message="not UTF-8", blocks=["rule:x"]) for name in "abcd"]

    shown = folded_notes([*unknown, *unread, *yaml])

    assert len(shown) == 2 + len(unread)
    assert shown[0] == "a.md:2: `a` is not known (and 5 more of this kind; `--full` lists them)"
    assert shown[-1].startswith("a.md:1: not YAML (line a); read by lines (and 3 more")


def test_lines_that_differ_in_two_names_stay_because_the_second_would_be_lost() -> None:
    lines = [f"`{name}` is hidden by `other-{name}`" for name in "abcdef"]

    assert folded(lines) == lines


def test_the_names_that_differ_are_listed_and_not_those_that_are_the_same() -> None:
    (line,) = folded([f"`{name}` is hidden by `other` in Claude Code" for name in "abcdef"])

    assert "the same of 5 more: `b`, `c`, `d`, …" in line
