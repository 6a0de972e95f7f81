"""Arguments that do not fit, and the words in which that is said."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.arguments import nearest, parameter_names, parse_arguments
from sightline.errors import ErrorKind, ToolFailure
from sightline.tool import LongToolInput, param, record


@record
class Place:
    line: int = param("line", ge=1)


@record
class Sample(LongToolInput):
    path: str = param("path", max_length=100)
    level: Literal["low", "high"] | None = param("level", default=None)
    version: str | None = param("version", default=None, pattern=r"^3\.\d+$")
    deep: bool = param("deep", default=False)
    names: list[str] = param("names", default=(), max_length=3)
    place: Place | None = param("place", default=None)


def refusal(**arguments: Any) -> str:
    with pytest.raises(ToolFailure) as caught:
        parse_arguments(Sample, arguments)
    failure = caught.value
    assert failure.kind is ErrorKind.INVALID_PARAMS
    assert "`path`" in failure.next_steps[0].message, "the remedy lists the parameters"
    assert "pydantic" not in failure.message
    assert "http" not in failure.message
    assert len(failure.message) < 1000
    return failure.message


def test_arguments_that_fit_become_the_record() -> None:
    parsed = parse_arguments(Sample, {"path": "a", "max_results": 5, "names": ["x"], "place": {"line": 2}})

    assert (parsed.path, parsed.max_results, parsed.names, parsed.place) == ("a", 5, ["x"], Place(line=2))
    assert (parsed.project, parsed.level, parsed.deep) == (None, None, False)


def test_null_means_left_out() -> None:
    assert parse_arguments(Sample, {"path": "a", "max_results": None}) == Sample(path="a")
    assert refusal(path=None) == "`path`: is required"


def test_whole_numbers_may_come_as_text_or_with_a_point() -> None:
    assert parse_arguments(Sample, {"path": "a", "max_results": "7"}).max_results == 7
    assert parse_arguments(Sample, {"path": "a", "max_results": 7.0}).max_results == 7


def test_an_unknown_argument_is_named_with_the_nearest_known_one() -> None:
    assert refusal(paht="a") == "unknown argument: `paht` (did you mean `path`?)"
    assert refusal(path="a", qqqqqqqq=1) == "unknown argument: `qqqqqqqq`"


def test_many_or_long_unknown_arguments_do_not_swell_the_message() -> None:
    assert "and 995 more" in refusal(**{f"zz{number}": 1 for number in range(1000)})
    assert "…" in refusal(**{"z" * 1_000_000: 1})


def test_a_missing_argument_is_named() -> None:
    assert refusal(max_results=5) == "`path`: is required"


def test_all_mistakes_are_told_at_once() -> None:
    message = refusal(path=1, max_results="many", level="middle")

    assert "`path`: must be a string; got int" in message
    assert "`max_results`: must be an integer; got str" in message
    assert "`level`: must be 'low' or 'high'" in message


@pytest.mark.parametrize("value", [1, 1.5, True, ["a"], {"a": 1}])
def test_a_string_is_not_made_of_other_things(value: Any) -> None:
    assert refusal(path=value) == f"`path`: must be a string; got {type(value).__name__}"


@pytest.mark.parametrize("value", [True, "five", "", [1], {"a": 1}])
def test_an_integer_is_not_made_of_other_things(value: Any) -> None:
    assert refusal(path="a", max_results=value) == f"`max_results`: must be an integer; got {type(value).__name__}"


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 1e300, "9" * 1_000_000], ids=["nan", "inf", "1e300", "text"]
)
def test_numbers_that_are_none_are_refused_in_our_words(value: Any) -> None:
    message = refusal(path="a", max_results=value)

    assert message.startswith("`max_results`: must be ")
    assert "parse" not in message


@pytest.mark.parametrize("value", [10**5000, 10**400, 100_001], ids=["enormous", "huge", "large"])
def test_a_number_over_its_limit_is_answered_with_the_limit(value: int) -> None:
    message = refusal(path="a", max_results=value)

    assert message.startswith("`max_results`: must be less than or equal to")
    assert message.endswith("100000")


@pytest.mark.parametrize("value", [0, -1, -(10**5000)], ids=["zero", "negative", "enormous"])
def test_a_number_under_its_limit_is_answered_with_the_limit(value: int) -> None:
    assert refusal(path="a", max_results=value) == "`max_results`: must be greater than or equal to 1"


def test_a_fraction_is_no_whole_number() -> None:
    assert refusal(path="a", max_results=1.5) == "`max_results`: must be a whole number; got 1.5"


def test_a_megabyte_of_text_is_answered_with_the_limit_and_its_length() -> None:
    assert refusal(path="x" * 1_000_000) == "`path`: at most 100 characters or items; got 1,000,000"


@pytest.mark.parametrize("name", ["max_results", "level", "version", "deep", "names", "place"])
def test_a_megabyte_of_text_is_nowhere_repeated(name: str) -> None:
    assert refusal(path="a", **{name: "x" * 1_000_000}).startswith(f"`{name}`")


def test_a_text_that_does_not_match_is_answered_with_the_pattern() -> None:
    assert refusal(path="a", version="2.7") == r"`version`: must match ^3\.\d+$"
    assert refusal(path="a", version="3.9\n") == r"`version`: must match ^3\.\d+$"


def test_a_choice_is_answered_with_the_choices() -> None:
    assert refusal(path="a", level="HIGH") == "`level`: must be 'low' or 'high'"


@pytest.mark.parametrize("value", ["maybe", 2, [], {}])
def test_a_switch_is_true_or_false(value: Any) -> None:
    assert refusal(path="a", deep=value) == f"`deep`: must be true or false; got {type(value).__name__}"


def test_lists_and_objects_are_checked_inside() -> None:
    assert refusal(path="a", names="x") == "`names`: must be a list; got str"
    assert refusal(path="a", names=["x", 1]) == "`names.1`: must be a string; got int"
    assert refusal(path="a", names=list("abcd")) == "`names`: at most 3 characters or items; got 4"
    assert refusal(path="a", place={"line": 0}) == "`place.line`: must be greater than or equal to 1"
    assert refusal(path="a", place={}) == "`place.line`: is required"
    assert refusal(path="a", place=[1]) == "`place`: must be an object; got list"


def test_an_unknown_name_inside_an_object_is_refused() -> None:
    assert "`place.colum`" in refusal(path="a", place={"line": 1, "colum": 2})


def test_a_text_that_is_not_unicode_is_refused() -> None:
    assert refusal(path="\ud800").startswith("`path`: must be a valid string")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*parameter_names(Sample), "x"]), _JSON))
def test_any_json_is_parsed_or_refused_in_our_words(arguments: dict[str, Any]) -> None:
    try:
        parsed = parse_arguments(Sample, arguments)
    except ToolFailure:
        refusal(**arguments)
    else:
        assert parsed.path == arguments["path"]


def test_the_nearest_name_is_near() -> None:
    assert nearest("sevrity", ["path", "severity"]) == "severity"
    assert nearest("anything", ["path", "severity"]) is None
    assert nearest("path", []) is None
