"""Passages: every line in one of them, none too long, names taken apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sightline.library_docs.pages.lines import split_lines
from sightline.library_docs.store.passages import TARGET_CHARACTERS, identifier_parts, passages_of
from sightline.library_docs.store.queries import query_of, snippet_of


def test_passages_start_at_headings_and_know_their_path() -> None:
    found = passages_of("Lamp", "intro\n\n# Lamp\n\na\n\n## Wick\n\nb\n")
    assert [(one.line, one.heading) for one in found] == [(1, "Lamp"), (3, "Lamp"), (7, "Lamp > Wick")]
    assert found[2].body == "## Wick\n\nb"


def test_the_title_stands_above_headings_that_lack_it() -> None:
    assert [one.heading for one in passages_of("Lamp", "# Other\n\nx")] == ["Lamp > Other"]
    assert [one.heading for one in passages_of("", "# Other\n\nx")] == ["Other"]


def test_long_sections_are_cut_between_paragraphs_and_not_in_code() -> None:
    paragraph = "word " * 300
    code = "```\n" + "\n\n".join("x = 1" for _ in range(200)) + "\n```"
    found = passages_of("", f"{paragraph}\n\n{paragraph}\n\n{paragraph}\n\n{code}\n")
    assert len(found) == 2
    assert found[0].body.count("word") == 900
    assert found[1].body.strip().startswith("```")
    assert found[1].body.endswith("```")


def test_a_long_line_is_cut() -> None:
    found = passages_of("", "x" * 20_000)
    assert "".join(one.body for one in found) == "x" * 20_000
    assert {one.line for one in found} == {1}


def test_a_long_heading_is_not_repeated_in_every_passage_below_it() -> None:
    long = " ".join(f"word{number}" for number in range(2_000))
    found = passages_of(long, f"# {long}\n\n" + "\n\n".join(f"## {number}\n\nx" for number in range(50)))
    assert max(len(one.heading) for one in found) < 1_000
    assert "word1999" in " ".join(one.body for one in found)


def test_equal_bodies_have_equal_digests() -> None:
    first, second, third = passages_of("", "# A\nsame\n# A\nsame\n\n# A\nother")
    assert first.digest == second.digest != third.digest


def test_names_are_taken_apart() -> None:
    assert (
        identifier_parts("useEffect HTTPServer getHTTP2Response plain snake_case A")
        == "use effect http server get http 2 response"
    )
    assert identifier_parts("Lamp lamp LAMP") == ""


def test_code_that_is_longer_than_a_passage_is_opened_again_in_the_next_one() -> None:
    code = [f"line_{number} = {number}" for number in range(1_000)]
    text = "\n".join(["# Code", "", "```python", *code, "```", "", "After."])
    found = passages_of("", text)
    assert len(found) > 2
    assert all(one.body.startswith("```python\nline_") for one in found[1:])
    lines = split_lines(text)
    assert [one.body.split("\n")[1] for one in found[1:]] == [lines[one.line] for one in found[1:]]


def test_a_snippet_from_the_middle_of_code_is_code() -> None:
    code = [f"line_{number} = {number}" for number in range(1_000)]
    passage = passages_of("", "\n".join(["```python", *code, "```"]))[1]
    wanted = passage.body.split("\n")[40]
    offset, snippet = snippet_of(passage.body, query_of(wanted))
    assert snippet.startswith("```python\n")
    assert snippet.endswith("\n```")
    assert wanted in snippet
    assert passage.body.split("\n")[offset] == snippet.split("\n")[1]


@given(st.lists(st.text(alphabet="ab#`~ \n", max_size=4000), max_size=6))
def test_every_line_is_in_a_passage_and_none_is_too_long(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    lines = split_lines(text)
    found = passages_of("", text)
    assert all(len(one.body) <= 6 * TARGET_CHARACTERS for one in found)
    bodies = [one.body if one.body.split("\n")[0] in lines[one.line - 1] else _rest(one.body) for one in found]
    assert "".join(bodies).replace("\n", "").replace(" ", "") == "".join(lines).replace(" ", "")


def _rest(body: str) -> str:
    """Without the line that opens code again."""
    return body.partition("\n")[2]
