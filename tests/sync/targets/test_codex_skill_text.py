"""Text for readers that substitute nothing, and the names and paths of skill folders."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.sync.targets.skill_files import (
    MAX_DESCRIPTION_CHARS,
    MAX_NAME_CHARS,
    distinct_names,
    is_safe_path,
    shown_description,
    valid_name,
)
from sightline.sync.targets.skill_text import plain_text


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("$ARGUMENTS", "<arguments>"),
        ("$ARGUMENTS[1] and $0", "<argument 2> and <argument 1>"),
        ("$version, $other", "<version>, $other"),
        (r"\$5 \$ARGUMENTS \$version \$other", r"$5 $ARGUMENTS $version \$other"),
        (r"\\$1", r"\\<argument 2>"),
        ("$ARGUMENTSX ${HOME} $$", "$ARGUMENTSX ${HOME} $$"),
        ("${CLAUDE_SKILL_DIR}/x and ${CLAUDE_SKILL_DIR}", "./x and ."),
        ("${CLAUDE_PROJECT_DIR}/x", "<project folder>/x"),
        ("${CLAUDE_SESSION_ID}", "${CLAUDE_SESSION_ID}"),
    ],
)
def test_arguments_become_words(body: str, shown: str) -> None:
    assert plain_text(body, argument_names=("version",)).text.partition("\n\nNotes:\n")[0] == shown


def test_code_blocks_stay_and_are_explained() -> None:
    body = "Do:\n\n```sh\ngo $1 \\$2 ${CLAUDE_SKILL_DIR}/x\n```\n\n    indented $0\n"
    text = plain_text(body).text
    assert text.startswith(body.rstrip())
    assert "In code blocks, `$ARGUMENTS`" in text
    assert "`${CLAUDE_SKILL_DIR}` stands for" in text


def test_commands_and_files_are_explained_where_they_mean_something() -> None:
    assert "marked `!`" in plain_text("Now !`git status`").text
    assert "marked `!`" in plain_text("```!\ngit status\n```\n").text
    assert "behind `@`" in plain_text("See @docs/a.md", is_command=True).text
    assert plain_text("See @docs/a.md, and `!x`").text == "See @docs/a.md, and `!x`"


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_name_becomes_one_that_every_reader_takes(name: str) -> None:
    valid = valid_name(name)
    assert 0 < len(valid) <= MAX_NAME_CHARS
    assert all(word.isascii() and word.isalnum() and word == word.lower() for word in valid.split("-"))
    assert valid_name(valid) == valid


def test_long_names_that_become_one_stay_two_and_short_enough() -> None:
    names = distinct_names([(f"item:{index}", "X" * 90 + str(index), Path("/p")) for index in range(3)])
    assert len(set(names.values())) == 3
    assert all(len(name) <= MAX_NAME_CHARS for name in names.values())


@pytest.mark.parametrize(
    "path", ["../x", "/x", "a/../b", "a\\b", "c:x", "con.txt", "a/nul", "x.", "a\nb", "a/b ", "\x1b"]
)
def test_paths_that_are_not_safe_everywhere(path: str) -> None:
    assert not is_safe_path(PurePosixPath(path))
    assert is_safe_path(PurePosixPath("scripts/tag.sh"))


def test_a_description_is_one_line_within_the_limit() -> None:
    assert shown_description("n", "a\n b.", "c", "") == "a b. Use when: c"
    assert shown_description("n", "", "", "\n# Head\ntext") == "Head"
    assert len(shown_description("n", "x" * 2000, "", "")) == MAX_DESCRIPTION_CHARS
