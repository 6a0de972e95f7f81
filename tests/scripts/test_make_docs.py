"""The maker of the reference pages, run on a copy of the documents."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.app import ALL_TOOLS
from sightline.config.keys import all_keys
from sightline.errors import ErrorKind

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The scripts and the README in a folder of their own, with all pages made."""
    shutil.copytree(REPOSITORY / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "README.md", tmp_path)
    assert make_docs(tmp_path).returncode == 0
    return tmp_path


def test_pages_that_were_just_made_are_current(copy: Path) -> None:
    ended = make_docs(copy, "--check")

    assert (ended.returncode, ended.stdout) == (0, "")


def test_a_page_that_was_altered_is_named_and_left_as_it_is(copy: Path) -> None:
    page = copy / "docs" / "reference" / "tools.md"
    altered = page.read_text(encoding="utf-8").replace("check_types", "check_typos")
    page.write_text(altered, encoding="utf-8")

    ended = make_docs(copy, "--check")

    assert ended.returncode == 1
    assert ended.stdout == "docs/reference/tools.md: not current\n"
    assert "make docs" in ended.stderr
    assert page.read_text(encoding="utf-8") == altered


def test_a_page_that_is_missing_is_named_and_made_again(copy: Path) -> None:
    page = copy / "docs" / "reference" / "errors.md"
    page.unlink()

    assert make_docs(copy, "--check").stdout == "docs/reference/errors.md: not current\n"
    assert make_docs(copy).stdout == "written: docs/reference/errors.md\n"
    assert make_docs(copy, "--check").returncode == 0


def test_the_tool_table_of_the_readme_is_made_and_the_rest_is_kept(copy: Path) -> None:
    readme = copy / "README.md"
    made = readme.read_text(encoding="utf-8")
    readme.write_text(made.replace("| [`health_check`]", "| [`wealth_check`]"), encoding="utf-8")

    assert make_docs(copy, "--check").stdout == "README.md: not current\n"
    make_docs(copy)
    assert readme.read_text(encoding="utf-8") == made


def test_pages_are_the_same_on_a_narrow_terminal(copy: Path) -> None:
    assert make_docs(copy, "--check", COLUMNS="30").returncode == 0


def test_every_tool_key_and_error_kind_has_its_place(copy: Path) -> None:
    tools, settings, errors = (
        (copy / "docs" / "reference" / name).read_text(encoding="utf-8")
        for name in ("tools.md", "settings.md", "errors.md")
    )

    assert [name for tool in ALL_TOOLS if f"## `{(name := tool.name)}`" not in tools] == []
    assert [name for name in all_keys() if f"| `{name}` |" not in settings] == []
    assert [kind for kind in ErrorKind if f"| `{kind}` | {kind.meaning} |" not in errors] == []


def make_docs(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, root / "scripts" / "make_docs.py", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, **variables},
    )
