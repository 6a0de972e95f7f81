"""Branches that are not taken by this version or on this platform are not there; undecided ones are."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.library_docs.installed.dead_branches import Running, without_dead_branches
from sightline.library_docs.libraries import LibraryId
from tests.library_docs.installed.handmade import docs_of, environment, make_distribution

HERE = Running((3, 11), "linux")


def left_in(text: str) -> list[str]:
    """Names that are assigned or defined in what is left."""
    tree = ast.parse(without_dead_branches(text, HERE))
    found = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return found + [
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


@pytest.mark.parametrize(
    ("test", "is_taken"),
    [
        ("sys.version_info >= (3, 11)", True),
        ("sys.version_info >= (3, 12)", False),
        ("sys.version_info > (3, 11)", True),
        ("sys.version_info <= (3, 11)", False),
        ("sys.version_info[:2] == (3, 11)", True),
        ("sys.version_info[0] == 2", False),
        ("sys.version_info < (3,)", False),
        ("not sys.version_info >= (3, 12)", True),
        ("sys.platform == 'win32'", False),
        ("sys.platform.startswith('linux')", True),
        ("os.name == 'nt' or sys.version_info < (3, 9)", False),
        ("os.name == 'posix' and FLAG", None),
        ("os.name == 'nt' and FLAG", False),
        ("sys.version_info >= (3, 11, 4)", None),
        ("sys.version_info >= MINIMUM", None),
        ("FLAG", None),
    ],
)
def test_a_test_is_decided_only_where_it_can_be(test: str, is_taken: bool | None) -> None:
    text = f"import os, sys\nif {test}:\n    yes = 1\nelse:\n    no = 1\n"
    assert left_in(text) == {True: ["yes"], False: ["no"], None: ["yes", "no"]}[is_taken]


def test_elif_classes_and_decorators_are_followed_and_lines_keep_their_numbers() -> None:
    text = (
        "import sys\n"
        "if sys.platform == 'win32':\n    @x\n    @y\n    def a():\n        pass\n"
        "elif sys.version_info >= (3, 9):\n    def b(): ...\nelif FLAG:\n    c = 1\nelse:\n    d = 1\n"
        "class E:\n    if sys.version_info >= (3, 12):\n        def f(self): ...\n    def g(self): ...\n"
        "try:\n    if sys.version_info < (3, 8): h = 1\nexcept ImportError:\n    i = 1\n"
        "def j():\n    if sys.version_info < (3, 8):\n        k = 1\n"
    )
    assert sorted(left_in(text)) == ["E", "b", "g", "h", "i", "j", "k"]
    done = without_dead_branches(text, HERE)
    assert done.count("\n") == text.count("\n")
    assert done.split("\n")[16:] == text.split("\n")[16:]


def test_what_is_decided_is_what_the_interpreter_decides() -> None:
    here = Running((sys.version_info.major, sys.version_info.minor), sys.platform)
    versions = [(3, minor) for minor in range(8, 16)] + [(2, 7), (3,), (4, 0)]
    tests = [f"sys.version_info {sign} {version}" for sign in ("<", "<=", ">", ">=", "==") for version in versions]
    code = "import sys\n" + "\n".join(
        f"if {test}:\n    y{at} = 1\nelse:\n    n{at} = 1" for at, test in enumerate(tests)
    )
    kept = without_dead_branches(code, here)
    show = "\nprint(sorted(name for name in dir() if name[0] in 'yn'))"
    run = [
        subprocess.run([sys.executable, "-c", each + show], capture_output=True, check=True) for each in (code, kept)
    ]
    assert run[0].stdout == run[1].stdout
    tree = ast.parse(kept)
    assert len([node for node in ast.walk(tree) if isinstance(node, ast.Assign)]) == len(tests)


def test_a_function_has_the_signature_of_the_branch_that_is_taken(tmp_path: Path) -> None:
    text = (
        "import sys\nif sys.version_info >= (3, 12):\n    def turn(a, *, fast): 'New.'\n"
        "    def new(): ...\nelse:\n    def turn(a): 'Old.'\n"
    )
    make_distribution(tmp_path, "widget", "1.0", {"widget/__init__.py": text})
    library = tmp_path / "base" / "python3.12"
    library.mkdir(parents=True)
    docs = docs_of(tmp_path, environment(tmp_path, standard_library=library))
    older = library.with_name("python3.11")
    older.mkdir()
    of_older = docs_of(tmp_path, environment(tmp_path, standard_library=older))
    widget = LibraryId("pypi", "widget")

    assert "def turn(a, *, fast)" in docs.topic(widget, "widget.turn").passages[0].text
    assert "def turn(a)\n" in of_older.topic(widget, "widget.turn").passages[0].text
    assert of_older.topic(widget, "widget.new").is_name_found is False
