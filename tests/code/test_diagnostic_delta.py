"""Which diagnostics an edit brings, and which it takes away."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.code.diagnostic_delta import Delta, delta
from sightline.code.diagnostics import Diagnostic, Severity
from sightline.code.line_mapping import ChangedBlock, LineMapping

EDITED, OTHER = "edited.py", "other.py"


def diagnostic(
    line: int,
    message: str = "wrong",
    *,
    file: str = EDITED,
    column: int = 1,
    severity: Severity = "error",
    rule: str | None = "reportWrong",
    length: int = 1,
) -> Diagnostic:
    return Diagnostic(
        file=file,
        line=line,
        column=column,
        end_line=line,
        end_column=column + length,
        severity=severity,
        message=message,
        rule=rule,
    )


def edit(before: str, after: str) -> dict[str, LineMapping]:
    return {EDITED: LineMapping.between(before, after)}


def test_a_shifted_problem_is_not_new() -> None:
    old, new = diagnostic(2), diagnostic(3)

    assert delta([old], [new], edit("a\nb", "new\na\nb")) == Delta([], [], 1)
    assert delta([old], [old], edit("a\nb", "new\na\nb")) == Delta([old], [old], 0)


@pytest.mark.parametrize(
    "other",
    [
        diagnostic(1, "another"),
        diagnostic(1, rule="reportOther"),
        diagnostic(1, rule=None),
        diagnostic(1, severity="warning"),
        diagnostic(1, column=2),
        diagnostic(2),
        diagnostic(1, file=OTHER),
    ],
)
def test_on_an_unchanged_line_everything_but_the_end_must_agree(other: Diagnostic) -> None:
    one = diagnostic(1)

    assert delta([one], [other], {}) == Delta([other], [one], 0)
    assert delta([one], [replace(one, end_column=9)], {}) == Delta([], [], 1)


def test_on_a_changed_line_the_column_may_differ() -> None:
    old, new = diagnostic(2, column=5), diagnostic(3, column=9)

    assert delta([old], [new], edit("a\nb\nc", "a\nx\nB\nc")) == Delta([], [], 1)


def test_a_problem_does_not_pass_from_one_changed_block_to_another() -> None:
    old, new = diagnostic(1), diagnostic(3)

    assert delta([old], [new], edit("a\nstays\nc", "A\nstays\nC")) == Delta([new], [old], 0)


def test_a_problem_does_not_pass_from_a_changed_line_to_an_unchanged_one() -> None:
    old, new = diagnostic(1), diagnostic(2)

    assert delta([old], [new], edit("a\nstays", "A\nstays")) == Delta([new], [old], 0)
    assert delta([new], [old], edit("a\nstays", "A\nstays")) == Delta([old], [new], 0)


def test_of_several_alike_in_a_block_the_nearest_is_the_same() -> None:
    mappings = edit("top\na\nb\nc\nd\nend", "top\nA\nB\nC\nD\nend")
    old = diagnostic(4)

    assert delta([old], [diagnostic(2), diagnostic(5)], mappings) == Delta([diagnostic(2)], [], 1)
    assert delta([diagnostic(2), diagnostic(5)], [old], mappings) == Delta([], [diagnostic(2)], 1)


def test_what_is_near_is_counted_from_the_beginning_of_the_block() -> None:
    mappings = edit("1\n2\n3\ntop\na\nb\nc\nend", "top\nA\nB\nC\nend")

    found = delta([diagnostic(5)], [diagnostic(2), diagnostic(4)], mappings)

    assert found == Delta([diagnostic(4)], [], 1)


def test_on_one_line_of_a_block_the_nearest_column_is_the_same() -> None:
    far, near = diagnostic(1, column=20), diagnostic(1, column=6)

    assert delta([diagnostic(1, column=5)], [far, near], edit("a", "b")) == Delta([far], [], 1)


def test_the_same_problem_twice_in_one_place_counts_twice() -> None:
    one = diagnostic(1)

    assert delta([one], [one, one], {}) == Delta([one], [], 1)
    assert delta([one, one, one], [one], {}) == Delta([], [one, one], 1)


def test_a_moved_file_keeps_its_problems_though_it_was_edited() -> None:
    mappings = {EDITED: LineMapping.between("a\nb", "new\na\nb")}
    moved = {EDITED: "moved.py"}
    new = diagnostic(1, file="moved.py")

    found = delta([diagnostic(2)], [diagnostic(3, file="moved.py"), new], mappings, moved)

    assert found == Delta([new], [], 1)


def test_files_that_change_places_keep_their_own_problems() -> None:
    before = [diagnostic(1, "of one", file="1.py"), diagnostic(1, "of two", file="2.py")]
    after = [diagnostic(1, "of one", file="2.py"), diagnostic(1, "of two", file="1.py")]

    assert delta(before, after, {}, {"1.py": "2.py", "2.py": "1.py"}) == Delta([], [], 2)


def test_a_file_that_another_took_the_place_of_is_gone() -> None:
    gone, stays = diagnostic(1, file="taken.py"), diagnostic(1)
    mappings = {EDITED: LineMapping(), "taken.py": LineMapping((ChangedBlock(1, 2, 1, 2),))}

    found = delta([gone, stays], [diagnostic(1, file="taken.py")], mappings, {EDITED: "taken.py"})

    assert found == Delta([], [gone], 1)


def test_a_new_file_where_one_was_moved_away_has_new_problems_only() -> None:
    new, moved = diagnostic(1), diagnostic(1, file="moved.py")

    found = delta([diagnostic(1)], [new, moved], {EDITED: LineMapping()}, {EDITED: "moved.py"})

    assert found == Delta([new], [], 1)


def test_answers_are_in_reading_order_whatever_the_order_of_the_reports() -> None:
    found = [
        diagnostic(1, "a", file="a.py"),
        diagnostic(1, "b", file="a.py"),
        diagnostic(1, "a", file="a.py", length=5),
        diagnostic(2, file="a.py", column=1),
        diagnostic(2, file="a.py", column=10),
        diagnostic(10, file="a.py"),
        diagnostic(1, file="b.py"),
    ]
    random = Random(2)

    for _ in range(10):
        shuffled = random.sample(found, len(found))
        assert delta(shuffled, [], {}).fixed == found
        assert delta([], shuffled, {}).introduced == found


def test_thousands_of_like_problems_in_one_block_are_compared_by_their_order() -> None:
    old, new = "\n".join(f"a{each}" for each in range(5000)), "\n".join(f"b{each}" for each in range(5000))
    before = [diagnostic(line) for line in range(1, 5001)]

    found = delta(before[::-1], before[:-10], edit(old, new))

    assert found == Delta([], before[-10:], 4990)


@dataclass
class Story:
    """An edit of a text of unique lines, with diagnostics of which it is known what becomes of them."""

    old: list[str] = field(default_factory=list[str])
    new: list[str] = field(default_factory=list[str])
    before: list[Diagnostic] = field(default_factory=list[Diagnostic])
    after: list[Diagnostic] = field(default_factory=list[Diagnostic])
    gap: int = 0
    """The changed block that is being written; a line that stays ends it."""
    introduced: Counter[tuple[object, ...]] = field(default_factory=Counter[tuple[object, ...]])
    fixed: Counter[tuple[object, ...]] = field(default_factory=Counter[tuple[object, ...]])
    gap_of_old: dict[int, int] = field(default_factory=dict[int, int])
    gap_of_new: dict[int, int] = field(default_factory=dict[int, int])


GRAVE: list[Severity] = ["error", "warning"]
PROBLEM = st.tuples(st.sampled_from(["one", "two"]), st.sampled_from([1, 5, 9]), st.sampled_from(GRAVE))
PROBLEMS = st.lists(PROBLEM, max_size=3)


def at(line: int, problem: tuple[str, int, Severity]) -> Diagnostic:
    return diagnostic(line, problem[0], column=problem[1], severity=problem[2])


@st.composite
def stories(draw: st.DrawFn) -> Story:
    story = Story()
    for _ in range(draw(st.integers(0, 12))):
        match draw(st.sampled_from(["stays", "stays", "removed", "added"])):
            case "stays":
                story.old.append(f"line {len(story.old)}")
                story.new.append(story.old[-1])
                story.gap += 1
                old, new = draw(PROBLEMS), draw(PROBLEMS)
                story.before += [at(len(story.old), each) for each in old]
                story.after += [at(len(story.new), each) for each in new]
                story.fixed += Counter((at(len(story.old), each),) for each in (Counter(old) - Counter(new)).elements())
                story.introduced += Counter(
                    (at(len(story.new), each),) for each in (Counter(new) - Counter(old)).elements()
                )
            case "removed":
                story.old.append(f"line {len(story.old)}")
                story.gap_of_old[len(story.old)] = story.gap
                story.before += [at(len(story.old), each) for each in draw(PROBLEMS)]
            case _:
                story.new.append(f"new {len(story.new)}")
                story.gap_of_new[len(story.new)] = story.gap
                story.after += [at(len(story.new), each) for each in draw(PROBLEMS)]
    in_gaps_before = Counter(key for each in story.before if (key := known_as(each, story.gap_of_old))[1:])
    in_gaps_after = Counter(key for each in story.after if (key := known_as(each, story.gap_of_new))[1:])
    story.fixed += in_gaps_before - in_gaps_after
    story.introduced += in_gaps_after - in_gaps_before
    return story


def known_as(each: Diagnostic, gaps: dict[int, int]) -> tuple[object, ...]:
    """On a line that stays, itself; in a gap, what counts as the same problem."""
    return (gaps[each.line], each.severity, each.message) if each.line in gaps else (each,)


@given(stories())
def test_the_delta_is_what_was_done(story: Story) -> None:
    mappings = edit("\n".join([*story.old, "end"]), "\n".join([*story.new, "end"]))

    found = delta(story.before, story.after, mappings)

    assert Counter(known_as(each, story.gap_of_new) for each in found.introduced) == story.introduced
    assert Counter(known_as(each, story.gap_of_old) for each in found.fixed) == story.fixed


FEW_LINES = st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=12).map("\n".join)
ANYWHERE = st.lists(
    st.builds(
        diagnostic,
        st.integers(1, 13),
        st.sampled_from(["one", "two"]),
        file=st.sampled_from([EDITED, OTHER]),
        column=st.integers(1, 3),
        length=st.integers(1, 2),
    ),
    max_size=15,
)
MOVES = st.sampled_from([{}, {EDITED: "moved.py"}, {EDITED: OTHER, OTHER: EDITED}])


@given(ANYWHERE, ANYWHERE, FEW_LINES, FEW_LINES, MOVES)
def test_nothing_is_lost_and_undoing_an_edit_swaps_new_and_gone(
    before: list[Diagnostic], after: list[Diagnostic], old: str, new: str, moved: dict[str, str]
) -> None:
    mapping = LineMapping.between(old, new)
    back = LineMapping(
        tuple(ChangedBlock(each.new_start, each.new_end, each.old_start, each.old_end) for each in mapping.blocks)
    )

    there = delta(before, after, {EDITED: mapping}, moved)
    again = delta(after, before, {moved.get(EDITED, EDITED): back}, {new: old for old, new in moved.items()})

    assert there.unchanged_count == len(before) - len(there.fixed) == len(after) - len(there.introduced)
    assert Counter(there.fixed) <= Counter(before)
    assert Counter(there.introduced) <= Counter(after)
    assert (again.introduced, again.fixed) == (there.fixed, there.introduced)


@given(ANYWHERE)
def test_without_an_edit_nothing_is_new_or_gone(found: list[Diagnostic]) -> None:
    assert delta(found, found[::-1], {}) == Delta([], [], len(found))
