"""A section of a page: the lines from a heading to the next one that is not below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sightline.library_docs.pages.outline import Heading, slug_of

SEPARATOR = " > "
_NEAREST = 5


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its path of ancestors, and the first and last line that it governs."""

    heading: Heading
    path: str
    first_line: int
    last_line: int


class SectionNotFound(Exception):
    """No heading of the page fits; `nearest` are paths that look like what was asked for."""

    def __init__(self, wanted: str, nearest: Sequence[str]) -> None:
        super().__init__(f"no section `{wanted}`")
        self.wanted = wanted
        self.nearest = tuple(nearest)


class SectionAmbiguous(Exception):
    """Several headings fit; a path (`A > B`) or an anchor (`#b-1`) names one of them."""

    def __init__(self, wanted: str, candidates: Sequence[Section]) -> None:
        super().__init__(f"{len(candidates)} sections are called `{wanted}`")
        self.wanted = wanted
        self.candidates = tuple(candidates)


def sections_of(headings: Sequence[Heading], total_lines: int) -> tuple[Section, ...]:
    """Every heading with the lines that it governs."""
    lasts: dict[int, int] = {}
    open_ones: list[int] = []
    for index, heading in enumerate(headings):
        while open_ones and headings[open_ones[-1]].level >= heading.level:
            lasts[open_ones.pop()] = heading.line - 1
        open_ones.append(index)
    paths = heading_paths(headings)
    return tuple(
        Section(heading, path, heading.line, lasts.get(index, total_lines))
        for index, (heading, path) in enumerate(zip(headings, paths, strict=True))
    )


def heading_paths(headings: Sequence[Heading]) -> Iterator[str]:
    """For each heading the titles of its ancestors and its own."""
    ancestors: list[Heading] = []
    for heading in headings:
        while ancestors and ancestors[-1].level >= heading.level:
            ancestors.pop()
        ancestors.append(heading)
        yield SEPARATOR.join(one.title for one in ancestors)


def find_section(headings: Sequence[Heading], total_lines: int, wanted: str) -> Section:
    """The section that a title, an anchor (`#slug`) or a path (`A > B`) names.

    Raises `SectionNotFound`, or `SectionAmbiguous` where the words fit several headings.
    """
    sections = sections_of(headings, total_lines)
    for fitting in _fitting(sections, wanted.strip()):
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise SectionAmbiguous(wanted, fitting)
    raise SectionNotFound(wanted, _nearest(sections, wanted))


def _fitting(sections: Sequence[Section], wanted: str) -> Iterator[list[Section]]:
    """What fits, from the strictest reading to the loosest."""
    if not wanted.strip("# >"):
        return
    if wanted.startswith("#"):
        anchor = wanted.lstrip("#").strip()
        yield [one for one in sections if one.heading.anchor == anchor]
        wanted = anchor
    yield [one for one in sections if wanted in {one.heading.title, one.path}]
    folded = _folded(wanted)
    yield [one for one in sections if folded in {_folded(one.heading.title), _folded(one.path)}]
    yield [one for one in sections if (f"{SEPARATOR}{_folded(one.path)}").endswith(f"{SEPARATOR}{folded}")]
    yield [one for one in sections if one.heading.anchor == wanted]
    yield [one for one in sections if slug_of(one.heading.title) == slug_of(wanted) != ""]


def _folded(path: str) -> str:
    return SEPARATOR.join(" ".join(part.split()).strip("`").casefold() for part in path.split(">"))


def _nearest(sections: Sequence[Section], wanted: str) -> list[str]:
    from rapidfuzz import fuzz, process

    titles = [one.heading.title.casefold() for one in sections]
    last = wanted.rsplit(">", maxsplit=1)[-1].strip("# ").casefold()
    found = process.extract(last, titles, scorer=fuzz.WRatio, limit=_NEAREST, score_cutoff=40)
    return [sections[index].path for _, _, index in found] or [one.path for one in sections[:_NEAREST]]
