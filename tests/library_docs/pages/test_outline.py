"""Headings, wherever and however they are written, and nothing that only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.library_docs.pages.lines import split_lines
from sightline.library_docs.pages.outline import Heading, outline_of, short_outline, slug_of


def titles(text: str) -> list[tuple[int, int, str]]:
    return [(heading.line, heading.level, heading.title) for heading in outline_of(text)]


def test_all_levels_and_forms_count() -> None:
    text = "# One\n## Two ##\n   ### Three\n#### Four\n##### Five\n###### Six\n#\tTab\n\nSetext\none\n===\n\nTwo\n---\n"
    assert titles(text) == [
        (1, 1, "One"),
        (2, 2, "Two"),
        (3, 3, "Three"),
        (4, 4, "Four"),
        (5, 5, "Five"),
        (6, 6, "Six"),
        (7, 1, "Tab"),
        (9, 1, "Setext one"),
        (13, 2, "Two"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "#no space",
        "####### seven",
        "    # indented code",
        "\\# escaped",
        "```\n# in code\n```",
        "````\n```\n# still in code\n```\n````",
        "```\n# never closed",
        "~~~ python\n``` \n# in code\n~~~",
        "> # in a quotation",
        "<!--\n# in a comment\n-->",
        "<!-- <h2>in a comment</h2> -->",
        "<pre>\n<h2>in code</h2>\n</pre>",
        "<h2>never closed",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert titles(text) == []


def test_a_heading_after_a_longer_fence_counts() -> None:
    assert titles("````\n```\n````\n# After") == [(4, 1, "After")]


def test_front_matter_is_skipped_and_lines_are_kept() -> None:
    assert titles("---\ntitle: x\n# comment\n---\n# Real") == [(5, 1, "Real")]
    assert titles('+++\ntitle = "x"\n# comment\n+++\n# Real') == [(5, 1, "Real")]


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert titles("---\n\nSome words\n---\n") == [(3, 2, "Some words")]
    assert titles("---\ntitle: never closed\n\n# Real") == [(4, 1, "Real")]


def test_empty_front_matter_is_skipped() -> None:
    assert titles("---\n---\n# Real") == [(3, 1, "Real")]


def test_headings_in_lists_and_in_html_count() -> None:
    text = '- item\n\n  ## In a list\n\n<div>\n<h2 id="own">An <b>HTML</b>\n&amp; heading</h2>\n</div>\n'
    assert titles(text) == [(3, 2, "In a list"), (6, 2, "An HTML & heading")]
    assert outline_of(text)[1].anchor == "own"


def test_titles_are_plain_text() -> None:
    text = "# The `run` *method* of [Lamp](x.md) &amp; ![icon](i.png) {#own-id}"
    assert outline_of(text) == (Heading(1, 1, "The run method of Lamp & icon", "own-id"),)


def test_anchors_are_slugs_that_differ() -> None:
    text = "# What's new?\n# Usage\n# Usage\n# Usage\n# snake_case Ünïcode"
    assert [heading.anchor for heading in outline_of(text)] == [
        "whats-new",
        "usage",
        "usage-1",
        "usage-2",
        slug_of("snake_case Ünïcode"),
    ]


def test_line_numbers_agree_with_the_splitter_for_odd_line_ends() -> None:
    text = "a\x0c\u2028b\r\n# One\r\rx\x0c# no\n# Two"
    lines = split_lines(text)
    assert [lines[heading.line - 1] for heading in outline_of(text)] == ["# One", "# Two"]


@given(st.text(alphabet="# \n\r\t`~-=>a<h2>/*_[](){}&\x0c\u2028", max_size=300))
def test_any_text_has_an_outline_within_its_lines(text: str) -> None:
    total = len(split_lines(text))
    found = [heading.line for heading in outline_of(text)]
    assert found == sorted(found)
    assert all(1 <= line <= total for line in found)


def test_a_short_outline_is_whole() -> None:
    outline = short_outline(outline_of("# A\n## B\n"))
    assert (outline.text, outline.shown, outline.total, outline.omitted) == ("1: # A\n2: ## B", 2, 2, None)


def test_the_deepest_levels_are_dropped_in_turn() -> None:
    text = "".join(f"# A{number}\n## B\n### C\n#### D\n" for number in range(20))
    outline = short_outline(outline_of(text))
    assert outline.shown == 40
    assert "### C" not in outline.text
    assert outline.omitted == "40 of 80 headings are left out: those below level 2"


def test_an_outline_of_one_level_is_cut_at_its_end() -> None:
    outline = short_outline(outline_of("".join(f"## Heading {number}\n" for number in range(70))))
    assert outline.shown == 50
    assert outline.text.endswith("50: ## Heading 49")
    assert outline.omitted == "20 of 70 headings are left out: those below level 2, and the last ones of the rest"


@given(st.lists(st.tuples(st.integers(1, 6), st.text(min_size=1, max_size=400)), max_size=80))
def test_a_short_outline_keeps_its_limits(headings: list[tuple[int, str]]) -> None:
    made = [Heading(number, level, title, "") for number, (level, title) in enumerate(headings, start=1)]
    outline = short_outline(made)
    assert outline.shown <= 50
    assert len(outline.text) <= 4000
    assert (outline.omitted is None) == (outline.shown == len(made))
