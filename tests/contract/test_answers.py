"""Properties of the envelope that hold for any output, shown with a tool made for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.answers import Answer, Limits, failure, success
from sightline.contract import Evidence, Notice, Outcome
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.tool import Call, Hints, Tool, ToolInput, cut_list, record


@record
class Lines:
    note: str
    lines: list[str]


@dataclass
class Nothing:
    pass


async def _run(_service: Nothing, _call: Call, _args: ToolInput) -> Outcome[Lines]:
    raise AssertionError("only its record is used here")


TOOL = Tool(
    name="list_lines",
    title="List lines",
    description="Lists lines.",
    toolset="code",
    input=ToolInput,
    output=Lines,
    run=_run,
    render=lambda output: "\n".join([f"{len(output.lines)} lines: {output.note}", *output.lines]),
    hints=Hints(read_only=True),
    cut=cut_list("lines", narrower="ask for less"),
)

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]), max_size=200)
long_words = words.map(lambda text: text * 40)


def _answer(lines: list[str], limits: Limits, note: str = "note", **more: Any) -> Answer:
    outcome = Outcome(output=Lines(note=note, lines=lines), evidence=Evidence(method="test"), **more)
    return success(TOOL, {"project": "p"}, "/root/of/project", outcome, limits)


@given(st.lists(words, max_size=300), st.integers(1_000, 20_000), words | long_words)
@settings(deadline=None, max_examples=150)
def test_no_answer_is_longer_than_its_cap(lines: list[str], chars: int, note: str) -> None:
    answer = _answer(lines, Limits(chars), note)
    assert len(answer.text.encode()) <= chars
    assert len(answer.json().encode()) <= chars
    assert all(line in answer.text for line in answer.data.get("lines", []))


@given(st.lists(words, max_size=100), st.integers(1_000, 20_000), st.none() | st.integers(1, 50))
@settings(deadline=None, max_examples=100)
def test_what_is_shown_is_counted_and_what_is_cut_is_said(lines: list[str], chars: int, most: int | None) -> None:
    data = _answer(lines, Limits(chars, most)).data
    assert data["returned_results"] == len(data["lines"])
    assert data["total_estimate"] == len(lines)
    assert data["lines"] == lines[: len(data["lines"])] or data["truncated"]
    assert data["truncated"] == (len(data["lines"]) < len(lines)) or "text_elided" in str(data["warnings"])


def test_one_more_result_would_not_have_fitted() -> None:
    lines = [f"line number {number}" for number in range(1_000)]
    shown = _answer(lines, Limits(3_000)).data["returned_results"]
    assert 100 < shown < 1_000
    assert len(_answer(lines, Limits(1_000_000, shown + 1)).json()) > 3_000 - 20


def test_a_single_result_that_is_too_long_is_elided_not_dropped() -> None:
    answer = _answer(["x" * 50_000], Limits(1_000))
    assert answer.data["returned_results"] == 1
    assert "more characters" in answer.data["lines"][0]
    assert answer.data["truncated"]
    assert answer.data["warnings"][-1]["kind"] == "text_elided"


def test_a_cut_answer_says_how_to_get_the_rest() -> None:
    answer = _answer(["x" * 100] * 100, Limits(2_000))
    assert "for the rest ask for less" in answer.text


def test_a_warning_is_in_both_forms_with_its_data() -> None:
    notice = Notice("position_adjusted", "moved to the nearest name", {"line": 7})
    answer = _answer([], Limits(5_000), warnings=(notice,))
    assert answer.data["warnings"] == [{"kind": "position_adjusted", "message": "moved to the nearest name", "line": 7}]
    assert "warning (position_adjusted): moved to the nearest name [line=7]" in answer.text


@given(long_words, st.integers(1_000, 5_000))
@settings(deadline=None, max_examples=60)
def test_a_failure_keeps_the_cap_too(message: str, chars: int) -> None:
    error = ToolFailure(ErrorKind.TIMEOUT, message, NextStep("doc", message), data={"said": message})
    answer = failure("list_lines", {"x": message}, "/root" + "/folder" * 300, error, chars)
    assert not answer.ok
    assert len(answer.text.encode()) <= chars
    assert len(answer.json().encode()) <= chars
    assert answer.data["error"]["message"] in answer.text
    assert answer.data["next_steps"][0]["message"] in answer.text


def test_a_failure_carries_everything_in_both_forms() -> None:
    step = NextStep("tool", "look there", tool="find_symbol", arguments={"query": "Client"})
    error = ToolFailure(
        ErrorKind.SERVER_STARTING, "not ready", step, retryable=True, retry_after_ms=500, code=7, data={"at": 3}
    )
    answer = failure("list_lines", {}, str(Path("/r")), error, 5_000)
    assert answer.data["error"] == {
        "kind": "server_starting",
        "message": "not ready",
        "retryable": True,
        "retry_after_ms": 500,
        "code": 7,
        "data": {"at": 3},
    }
    for words_of_it in ("error server_starting: not ready", "500 ms", "code: 7", '"at":3', "look there", "find_symbol"):
        assert words_of_it in answer.text
