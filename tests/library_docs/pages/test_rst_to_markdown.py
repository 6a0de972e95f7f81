"""reStructuredText as READMEs have it, Sphinx's own words included, and text that means harm."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.library_docs.pages.outline import outline_of
from sightline.library_docs.pages.rst_to_markdown import convert_rst
from tests.library_docs.pages.markdown_reading import code_blocks


def markdown(text: str) -> str:
    return convert_rst(textwrap.dedent(text)).rstrip("\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*em* **strong** ``lit`` `title`", "*em* **strong** `lit` *title*"),
        (
            "`a link <https://x.test/a>`_ and `b`_\n\n.. _b: https://x.test/b",
            "[a link](https://x.test/a) and [b](https://x.test/b)",
        ),
        ("https://x.test/b", "https://x.test/b"),
        (
            ":class:`~lamp.Wick` :func:`trim` :ref:`the guide <guide>` :py:meth:`!Wick.cut`",
            "`Wick` `trim` the guide `Wick.cut`",
        ),
        ("|version| text", "|version| text"),
        (".. image:: x.png\n   :alt: A lamp", "[image: A lamp]"),
        (".. image:: x.png", ""),
        (".. image:: x.svg\n   :alt: build\n   :target: https://x.test/b", "[build](https://x.test/b)"),
        ("Example::\n\n    a = 1\n\n    b = 2", "Example:\n\n```\na = 1\n\nb = 2\n```"),
        (".. code-block:: python\n\n   a = 1", "```python\na = 1\n```"),
        (".. code-block:: python\n   :linenos:\n   :emphasize-lines: 1\n\n   a = 1", "```python\na = 1\n```"),
        (".. testcode::\n\n   a = 1", "```python\na = 1\n```"),
        (">>> 1 + 1\n2", "```pycon\n>>> 1 + 1\n2\n```"),
        ("- a\n- b", "- a\n- b"),
        ("- a\n\n  - c\n\n- b", "- a\n\n  - c\n\n- b"),
        ("3. a\n4. b", "3. a\n4. b"),
        ("term\n   meaning", "- **term**: meaning"),
        (":Author: Me\n:Licence: MIT", "- **Author**: Me\n- **Licence**: MIT"),
        ("-v, --verbose  talk", "- `-v`, `--verbose`: talk"),
        ("text\n\n    quoted", "text\n\n> quoted"),
        ("| one\n| two", "one\ntwo"),
        (".. note:: Mind *this*.", "> **Note**\n>\n> Mind *this*."),
        (".. admonition:: Own title\n\n   text", "> **Own title**\n>\n> text"),
        (".. versionadded:: 2.0\n   New *words*.", "> **Added in 2.0**\n>\n> New *words*."),
        (".. deprecated:: 3.1", "> **Deprecated since 3.1**"),
        (".. tab-set::\n\n   .. tab-item:: Linux\n\n      Use ``rope``.", "**Linux**\n\nUse `rope`."),
        (
            ".. automodule:: lamp.core\n   :members:",
            "`lamp.core` (reference made from the code: not part of this text)",
        ),
        (".. toctree::\n\n   a\n   b", ""),
        (".. a comment\n\ntext", "text"),
        ("== ==\nA  B\n== ==\n1  x|y\n== ==", "| A | B |\n| --- | --- |\n| 1 | x\\|y |"),
        (
            ".. list-table:: Fuels\n   :header-rows: 1\n\n   * - A\n     - B\n   * - c\n     - d",
            "**Fuels**\n\n| A | B |\n| --- | --- |\n| c | d |",
        ),
        ("See [1]_.\n\n.. [1] the note", "See [1].\n\n- [1]: the note"),
        (":math:`a^2`\n\n.. math:: b", "$a^2$\n\n$$\nb\n$$"),
        ("a\n\n----\n\nb", "a\n\n***\n\nb"),
        (".. |x| replace:: y\n\n|x| z", "y z"),
        (".. rubric:: Small", "**Small**"),
    ],
)
def test_a_piece_of_rst(text: str, expected: str) -> None:
    assert markdown(text) == expected


def test_a_grid_table_keeps_its_columns_where_cells_span() -> None:
    text = """
        +---+---+---+
        | A | B | C |
        +===+===+===+
        | d     | e |
        +---+---+---+
        | f | g | h |
        |   +---+---+
        |   | i | j |
        +---+---+---+
        """
    lines = ["| A | B | C |", "| --- | --- | --- |", "| d |  | e |", "| f | g | h |", "|  | i | j |"]
    assert markdown(text).split("\n") == lines


def test_a_table_with_code_is_written_out() -> None:
    text = """
        .. list-table::

           * - run
             - ::

                 x = 1
        """
    assert markdown(text) == "run\n\n```\nx = 1\n```"


def test_sections_keep_their_depth_and_contents_are_dropped() -> None:
    text = markdown(
        """
        =====
        Title
        =====

        .. contents::

        Part
        ----

        Sub
        ~~~

        text

        Other
        -----
        """
    )
    assert [(one.level, one.title) for one in outline_of(text)] == [(1, "Title"), (2, "Part"), (3, "Sub"), (2, "Other")]
    assert text.count("Part") == 1


def test_nothing_is_read_included_or_passed_through(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret words", encoding="utf-8")
    text = markdown(
        f"""
        .. include:: {secret}

        .. raw:: html

           <script>alert(1)</script>

        .. csv-table:: t
           :file: {secret}

        .. literalinclude:: {secret}

        .. figure:: {secret}

        end
        """
    )
    assert "secret words" not in text
    assert "<script>" not in text
    assert text.endswith("end")


def test_errors_of_the_author_leave_no_trace_and_no_output(capfd: pytest.CaptureFixture[str]) -> None:
    text = markdown("Title\n==\n\n`unclosed and **open and |gone|_\n\n.. code-block::\n\n.. note::\n")
    assert "unclosed" in text
    assert "Unknown" not in text
    assert "system" not in text.lower()
    assert capfd.readouterr() == ("", "")


def test_a_text_that_is_too_large_is_given_as_it_stands() -> None:
    text = "Title\n=====\n\n" + "words and ``more`` words\n" * 60_000
    assert convert_rst(text) == f"```rst\n{text.rstrip()}\n```\n"


def test_what_docutils_cannot_parse_is_given_as_it_stands() -> None:
    text = "\n\n".join(f"{'  ' * depth}- item" for depth in range(700))
    assert code_blocks(convert_rst(text)) == [text]


def test_an_empty_text_stays_empty() -> None:
    assert convert_rst("  \n\n") == ""


@given(st.text(alphabet="ab `*_|:.-=~>\n\t[]<>\\+'\"#\0\x0c\ud800é", max_size=200))
def test_any_text_is_borne(text: str) -> None:
    assert convert_rst(text).endswith("\n") or not text.strip() or not convert_rst(text)
