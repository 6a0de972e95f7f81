"""`sightline hover|def|refs|outline|symbols|complete`, by the real Pyright."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sightline.cli.navigation_commands import place_arguments
from tests.cli.command_line import CommandLine

CODE = 'class Shape:\n    """A shape."""\n\n    def area(self) -> float:\n        return 1.0\n\n\nShape().area()\n'


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("shapes.py:4:9", {"file": "shapes.py", "line": 4, "column": 9}),
        ("shapes.py:4:area", {"file": "shapes.py", "line": 4, "symbol": "area"}),
        ("shapes.py:Shape.area", {"file": "shapes.py", "symbol": "Shape.area"}),
        ("Shape.area", {"symbol": "Shape.area"}),
        ("shapes.py", {"file": "shapes.py"}),
    ],
)
def test_a_place_is_read_in_each_of_its_forms(text: str, arguments: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "shapes.py").write_text(CODE)
    assert place_arguments(text, tmp_path) == arguments


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["hover", "shapes.py:Shape"], "A shape."),
        (["def", "shapes.py:8:area"], "  4:9 def area(self) -> float:"),
        (["refs", "Shape.area"], "2 references in 1 file"),
        (["outline", "shapes.py"], "  area (method) Shape.area 4:9-5"),
        (["symbols", "Shape", "--kind", "class"], "  Shape (class) shapes.py:1:7"),
        (["complete", "shapes.py:8:9"], "  area (method)"),
    ],
    ids=["hover", "def", "refs", "outline", "symbols", "complete"],
)
def test_each_command_shows_its_answer_and_not_how_it_is_known(
    sightline: CommandLine, command: list[str], shown: str
) -> None:
    sightline.write("shapes.py", CODE)
    ended = sightline.run(*command)
    assert ended.code == 0, ended.err
    assert shown in ended.out.splitlines()
    assert "evidence:" not in ended.out
    assert "\x1b" not in ended.out


def test_a_place_that_does_not_exist_is_an_error_with_its_next_step(sightline: CommandLine) -> None:
    sightline.write("shapes.py", CODE)
    ended = sightline.run("refs", "Circle")
    assert (ended.code, ended.out) == (3, "")
    assert "error no_match" in ended.err
    assert "find_symbol" in ended.err
    assert "call:" not in ended.err, "what was asked is known to the one who typed it"


def test_a_line_of_documentation_that_looks_like_evidence_is_shown(sightline: CommandLine) -> None:
    sightline.write(
        "shapes.py", 'def area() -> int:\n    """Size.\n\n    results: in square metres\n    """\n    return 1\n'
    )
    ended = sightline.run("hover", "area")
    assert "results: in square metres" in ended.out
