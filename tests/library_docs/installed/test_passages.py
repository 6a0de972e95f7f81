"""Passages for a topic: split at headings, ranked the same way every time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.library_docs.documents import Document
from sightline.library_docs.installed.passages import rank, split
from sightline.library_docs.installed.words import query_words, stem, words_of


def document(text: str, title: str = "Title", address: str = "pkg:pypi/x@1#README.md") -> Document:
    return Document(address, title, text, "readme", "installed")


def test_a_document_is_split_at_headings_with_the_ones_above() -> None:
    text = "intro\n\n# One\n\ntext\n\n## Two ##\n\nmore\n\nThree\n-----\nend\n\n# Four\nlast"

    found = [(passage.line, passage.heading) for passage in split(document(text))]

    assert found == [(1, ""), (3, "One"), (7, "One > Two"), (11, "One > Three"), (15, "Four")]


def test_headings_in_fenced_code_are_not_headings() -> None:
    text = "# A\n````md\n```\n# not one\n```\n# nor this\n````\n# B\n"

    assert [passage.heading for passage in split(document(text))] == ["A", "B"]


def test_restructured_text_is_split_at_underlines() -> None:
    text = "=====\nTitle\n=====\n\nText\n\nSection\n-------\n\nMore\n\n| a | b |\n--------\n"

    assert [passage.heading for passage in split(document(text)) if passage.heading] == ["Title", "Title > Section"]


@given(
    st.lists(st.sampled_from(["# a", "## b", "```", "~~~~", "text", "====", "----", "", "- x", "| a |"]), max_size=30)
)
def test_every_line_with_text_is_in_exactly_one_passage(lines: list[str]) -> None:
    text = "\n".join(lines)

    kept = "\n".join(passage.text for passage in split(document(text)))

    assert [line for line in kept.split("\n") if line.strip()] == [line for line in lines if line.strip()]


def test_identifiers_are_found_whole_and_in_parts() -> None:
    assert set(words_of("HTTPClient.send_all")) >= {"http", "client", "send", "all", "httpclient.send_all", "send_all"}
    assert set(words_of("useEffect")) == {"use", "effect", "useeffect"}
    assert query_words("how to use the router") == ["router"]
    assert query_words("how to") == ["how", "to"]
    assert stem("routes") == stem("route") == stem("routing")


def test_the_passage_about_the_topic_comes_first() -> None:
    text = "# Intro\nA route is mentioned once.\n# Routing errors\nWhat a `RouteError` means.\n# Other\nNothing.\n"

    ranked = rank("route errors", split(document(text)), limit=5)

    assert ranked[0].heading == "Routing errors"
    assert [passage.heading for passage in ranked] == ["Routing errors", "Intro"]
    assert ranked[0].score > ranked[1].score


@pytest.mark.parametrize("topic", ["", "???", "zebra", "the"])
def test_without_a_shared_word_there_is_no_passage(topic: str) -> None:
    assert rank(topic, split(document("# A\nplain text\n")), limit=5) == ()


def test_the_order_does_not_depend_on_the_order_of_documents() -> None:
    documents = [document("# Same\nsame words\n", address=f"pkg:pypi/x@1#{name}.md") for name in "cab"]

    one = rank("same", [passage for each in documents for passage in split(each)], limit=3)
    two = rank("same", [passage for each in reversed(documents) for passage in split(each)], limit=3)

    assert one == two
    assert [passage.address[-4:] for passage in one] == ["a.md", "b.md", "c.md"]


def test_a_long_passage_is_cut_and_says_so() -> None:
    found = list(split(document("# A\n" + "word " * 5_000)))

    assert found[0].is_cut
    assert len(found[0].text) == 6_000
