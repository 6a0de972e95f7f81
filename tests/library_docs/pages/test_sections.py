"""Sections by title, anchor and path."""

from __future__ import annotations

import pytest

from sightline.library_docs.pages.outline import outline_of
from sightline.library_docs.pages.sections import Section, SectionAmbiguous, SectionNotFound, find_section

TEXT = """# Guide
intro
## Install
pip
### Linux
rope
## Usage
### Linux
chain
### `run()`
go
# Other
end
"""


def section(wanted: str) -> Section:
    return find_section(outline_of(TEXT), 13, wanted)


@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        ("Install", (3, 6)),
        ("install", (3, 6)),
        ("Guide", (1, 11)),
        ("#usage", (7, 11)),
        ("#linux", (5, 6)),
        ("#linux-1", (8, 9)),
        ("linux-1", (8, 9)),
        ("Usage > Linux", (8, 9)),
        ("Guide > Usage > Linux", (8, 9)),
        ("guide>install>linux", (5, 6)),
        ("run()", (10, 11)),
        ("`run()`", (10, 11)),
        ("## Other", (12, 13)),
    ],
)
def test_a_section_is_found_and_has_its_lines(wanted: str, lines: tuple[int, int]) -> None:
    found = section(wanted)
    assert (found.first_line, found.last_line) == lines


def test_the_path_names_all_ancestors() -> None:
    assert section("#linux-1").path == "Guide > Usage > Linux"


def test_a_title_that_two_sections_have_is_not_guessed_at() -> None:
    with pytest.raises(SectionAmbiguous) as caught:
        section("Linux")
    assert [one.path for one in caught.value.candidates] == ["Guide > Install > Linux", "Guide > Usage > Linux"]


@pytest.mark.parametrize("wanted", ["instal", "Gide > Instal", "#instalation"])
def test_no_section_names_the_nearest(wanted: str) -> None:
    with pytest.raises(SectionNotFound) as caught:
        section(wanted)
    assert caught.value.nearest[0] == "Guide > Install"


@pytest.mark.parametrize("wanted", ["", "  ", "#", ">"])
def test_nothing_is_no_section(wanted: str) -> None:
    with pytest.raises(SectionNotFound):
        section(wanted)


def test_a_page_without_headings_has_no_nearest_section() -> None:
    with pytest.raises(SectionNotFound) as caught:
        find_section((), 3, "x")
    assert caught.value.nearest == ()
