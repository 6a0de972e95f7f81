"""Hover, definitions, references, symbols, completions and signatures, by the real Pyright."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.support.apps import app_over

from sightline.app import App

pytestmark = pytest.mark.anyio

SHAPES = '''"""Shapes."""

from typing import overload


class Shape:
    """Something with an area.

    - a **list** in Markdown
    """

    def area(self) -> float:
        """The area in square metres."""
        return 0.0


class Square(Shape):
    def __init__(self, side: float) -> None:
        self.side = side

    def area(self) -> float:
        return self.side**2


@overload
def scale(value: int, factor: int = 2) -> int: ...
@overload
def scale(value: str, factor: int = 2) -> str: ...
def scale(value: int | str, factor: int = 2) -> int | str:
    return value * factor


def unused_here() -> None: ...


def truly_unused() -> None: ...


class Other:
    def area(self) -> int:
        return 1
'''

USES = """from shapes import Square, scale

"\U0001f600"; square = Square(2.0); square.area()
total = scale(3, factor=4)
name = getattr(square, "unused_here", None)
square.
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("navigation").resolve()
    (folder / "pyproject.toml").write_text("[project]\nname = 'shapes'\n")
    (folder / "shapes.py").write_text(SHAPES)
    (folder / "uses.py").write_text(USES)
    return folder


@pytest.fixture(scope="module")
async def app(project: Path) -> AsyncGenerator[App]:
    async with app_over(project, project / ".home") as opened:
        yield opened


async def ask(app: App, tool: str, **arguments: Any) -> dict[str, Any]:
    return (await app.boundary.call(tool, arguments)).data


async def test_hover_tells_signature_and_documentation_apart(app: App) -> None:
    data = await ask(app, "get_hover", file="shapes.py", symbol="Shape")
    assert data["type"] == "class Shape()"
    assert data["documentation"].startswith("Something with an area.")
    assert "- a" in data["documentation"]
    assert (data["symbol"], data["line"], data["column"]) == ("Shape", 6, 7)


async def test_hover_on_nothing_known_is_a_success_that_says_so(app: App) -> None:
    answer = await app.boundary.call("get_hover", {"file": "shapes.py", "line": 1, "column": 5})
    assert answer.ok
    assert answer.data["type"] is None
    assert answer.text.startswith("nothing is known about shapes.py:1:")


async def test_a_position_slightly_off_is_repaired_with_a_warning(app: App) -> None:
    data = await ask(app, "get_hover", file="shapes.py", line=5, column=7)
    assert data["symbol"] == "Shape"
    assert data["warnings"][0]["kind"] == "position_adjusted"
    assert (data["warnings"][0]["line"], data["warnings"][0]["column"]) == (6, 7)


async def test_a_name_is_found_on_the_line_next_to_the_one_told(app: App) -> None:
    data = await ask(app, "get_hover", file="shapes.py", line=11, symbol="area")
    assert data["line"] == 12
    assert data["warnings"][0]["kind"] == "position_adjusted"


async def test_columns_count_characters_and_not_utf16_units(app: App) -> None:
    data = await ask(app, "go_to_definition", file="uses.py", line=3, column=15)
    assert data["definitions"][0] == {"file": "shapes.py", "line": 17, "column": 7, "preview": "class Square(Shape):"}
    references = await ask(app, "find_references", file="shapes.py", symbol="Square")
    assert {"file": "uses.py", "line": 3, "column": 15, "preview": USES.splitlines()[2]} in references["references"]


async def test_a_line_past_the_end_is_refused_with_the_number_of_lines(app: App) -> None:
    data = await ask(app, "get_hover", file="shapes.py", line=9999, column=1)
    assert data["error"]["kind"] == "invalid_params"
    assert f"{len(SHAPES.splitlines()) + 1} lines" in data["error"]["message"]


async def test_an_incomplete_place_is_refused_with_the_forms_it_may_have(app: App) -> None:
    for arguments in ({}, {"file": "shapes.py"}, {"file": "shapes.py", "line": 3}, {"symbol": " "}):
        data = await ask(app, "find_references", **arguments)
        assert data["error"]["kind"] == "invalid_params", arguments
        assert "`symbol`" in data["next_steps"][0]["message"]


async def test_several_symbols_of_a_name_are_candidates_and_none_is_chosen(app: App) -> None:
    data = await ask(app, "find_references", symbol="area")
    assert data["needs_disambiguation"]
    paths = [each["name_path"] for each in data["candidates"]]
    assert paths == ["Shape.area", "Square.area", "Other.area"]
    assert data["references"] == []
    chosen = await ask(app, "find_references", symbol="Square.area")
    assert [each["line"] for each in chosen["references"] if each["file"] == "uses.py"] == [3]


async def test_a_symbol_that_does_not_exist_is_no_match_with_a_next_call(app: App) -> None:
    data = await ask(app, "find_references", symbol="Shape.perimeter")
    assert data["error"]["kind"] == "no_match"
    assert data["next_steps"][0]["tool"] == "find_symbol"


async def test_references_can_leave_the_declaration_out(app: App) -> None:
    with_it = await ask(app, "find_references", symbol="scale")
    without = await ask(app, "find_references", symbol="scale", include_declaration=False)
    assert with_it["count"] > without["count"] > 0


async def test_no_reference_anywhere_is_corroborated_by_a_text_scan(app: App) -> None:
    data = await ask(app, "find_references", symbol="truly_unused")
    assert data["count"] == 1
    assert "no other file" in data["evidence"]["corroboration"]
    assert data["warnings"] == []


async def test_a_name_that_stands_in_a_string_elsewhere_is_not_called_unused(app: App) -> None:
    data = await ask(app, "find_references", symbol="unused_here")
    assert data["count"] == 1
    assert data["warnings"][0]["kind"] == "text_matches_elsewhere"
    assert "uses.py" in data["warnings"][0]["message"]


async def test_an_edit_made_just_before_the_call_is_seen(app: App, project: Path) -> None:
    before = await ask(app, "find_references", symbol="Square")
    extra = project / "extra.py"
    extra.write_text("from shapes import Square\n\nSquare(1.0)\n")
    after = await ask(app, "find_references", symbol="Square")
    assert after["count"] == before["count"] + 2
    extra.write_text("from shapes import Square\n\nSquare(1.0)\nSquare(2.0)\n")
    assert (await ask(app, "find_references", symbol="Square"))["count"] == before["count"] + 3
    extra.unlink()
    assert (await ask(app, "find_references", symbol="Square"))["count"] == before["count"]


async def test_the_standard_library_can_be_read_but_not_checked(app: App) -> None:
    place = await ask(app, "go_to_definition", file="shapes.py", line=3, symbol="overload")
    file = place["definitions"][0]["file"]
    assert file.endswith("typing.py")
    outline = await ask(app, "get_outline", file=file, depth=1, max_results=5)
    assert outline["ok"], outline
    assert outline["truncated"]
    hover = await ask(app, "get_hover", file=file, symbol="overload")
    assert hover["type"], hover
    assert (await ask(app, "check_types", path=file))["error"]["kind"] == "path_not_allowed"


async def test_other_files_outside_stay_closed(app: App) -> None:
    for file in ("/etc/passwd", dataclasses.__file__ + "/../../../../etc/hosts", "../x.py"):
        assert (await ask(app, "get_hover", file=file, line=1, column=1))["error"]["kind"] == "path_not_allowed"


async def test_implementations_are_refused_with_what_to_use_instead(app: App) -> None:
    data = await ask(app, "go_to_definition", symbol="Shape.area", kind="implementation")
    assert data["error"]["kind"] == "unsupported"
    assert "find_references" in data["next_steps"][0]["message"]


async def test_type_definition_leads_to_the_class_of_a_variable(app: App) -> None:
    data = await ask(app, "go_to_definition", file="uses.py", line=3, column=6, kind="type_definition")
    assert data["definitions"][0]["line"] == 17


async def test_context_lines_show_the_source_around_a_place(app: App) -> None:
    answer = await app.boundary.call("go_to_definition", {"symbol": "Square.area", "context_lines": 1})
    edge = await ask(app, "go_to_definition", symbol="Other", context_lines=20)
    assert answer.data["definitions"][0]["preview"] == "\ndef area(self) -> float:\n    return self.side**2"
    assert "        return self.side**2" in answer.text
    assert edge["definitions"][0]["preview"].rstrip().endswith("        return 1")


async def test_completions_after_a_dot_are_the_members(app: App) -> None:
    data = await ask(app, "get_completions", file="uses.py", line=6, column=8, trigger_character=".")
    kinds = {each["label"]: each["kind"] for each in data["items"]}
    assert kinds["area"] == "method"
    assert kinds["side"] == "variable"


async def test_completions_are_filtered_by_what_is_typed(app: App, project: Path) -> None:
    (project / "typed.py").write_text("import shapes\nshapes.Squ\n")
    data = await ask(app, "get_completions", file="typed.py", line=2, column=11)
    (project / "typed.py").unlink()
    assert [each["label"] for each in data["items"]] == ["Square"]


async def test_completions_carry_documentation_on_demand(app: App) -> None:
    arguments = {"file": "uses.py", "line": 6, "column": 8}
    plain = await ask(app, "get_completions", **arguments)
    assert not any("documentation" in each for each in plain["items"])
    documented = await ask(app, "get_completions", **arguments, include_documentation=True)
    texts = {each["label"]: each.get("documentation", "") for each in documented["items"]}
    assert "def area" in texts["area"]


async def test_a_cursor_is_never_repaired(app: App) -> None:
    data = await ask(app, "get_completions", file="uses.py", line=1, column=500)
    assert data["error"]["kind"] == "invalid_params"
    assert "column 500 is past the end" in data["error"]["message"]


async def test_signatures_name_overloads_and_the_active_parameter(app: App) -> None:
    data = await ask(app, "get_signature", file="uses.py", line=4, column=25)
    assert [each["label"] for each in data["signatures"]] == [
        "(value: int, factor: int = 2) -> int",
        "(value: str, factor: int = 2) -> str",
    ]
    assert data["active_parameter"] == 1
    assert data["signatures"][0]["parameters"] == ["value: int", "factor: int = 2"]


async def test_no_call_at_a_position_is_a_success_that_says_so(app: App) -> None:
    answer = await app.boundary.call("get_signature", {"file": "uses.py", "line": 1, "column": 1})
    assert answer.ok
    assert answer.text.startswith("no call at this position")


async def test_an_outline_nests_and_is_cut_from_its_end(app: App) -> None:
    whole = await ask(app, "get_outline", file="shapes.py", depth=2)
    assert [each["name"] for each in whole["symbols"]][:2] == ["Shape", "Square"]
    assert [each["name_path"] for each in whole["symbols"][0]["children"]] == ["Shape.area"]
    cut = await ask(app, "get_outline", file="shapes.py", depth=2, max_results=3)
    assert cut["returned_results"] == 3
    assert cut["total_estimate"] == whole["total_estimate"] > 3
    assert [each["name"] for each in cut["symbols"]] == ["Shape", "Square"]


async def test_symbols_come_exact_first_and_by_kind(app: App) -> None:
    data = await ask(app, "find_symbol", query="Square")
    assert data["symbols"][0]["name"] == "Square"
    only = await ask(app, "find_symbol", query="s", kind="class")
    assert {each["kind"] for each in only["symbols"]} == {"class"}
    assert (await ask(app, "find_symbol", query="zzzqqq"))["symbols"] == []


async def test_status_tells_what_runs_and_a_restart_ends_it(app: App) -> None:
    await ask(app, "get_hover", symbol="Shape")
    status = (await ask(app, "get_server_status"))["statuses"][0]
    assert (status["id"], status["state"], status["root"]) == ("pyright", "running", ".")
    assert status["memory_mb"] > 20
    assert status["version"].startswith("1.")
    assert (await ask(app, "restart_server"))["restarted"] == ["pyright"]
    assert (await ask(app, "get_server_status"))["statuses"] == []
    assert (await ask(app, "get_hover", symbol="Shape"))["type"] == "class Shape()"
    assert (await ask(app, "get_server_status"))["statuses"][0]["pid"] != status["pid"]


async def test_a_killed_server_is_replaced_without_the_caller_noticing(app: App) -> None:
    import psutil

    await ask(app, "get_hover", symbol="Shape")
    pid = (await ask(app, "get_server_status"))["statuses"][0]["pid"]
    psutil.Process(pid).kill()
    assert (await ask(app, "get_hover", symbol="Shape"))["type"] == "class Shape()"
    assert "1 failures" in str((await ask(app, "health_check"))["components"])


async def test_calls_at_once_share_one_server(app: App) -> None:
    import anyio

    results: list[dict[str, Any]] = []

    async def one(symbol: str) -> None:
        results.append(await ask(app, "find_references", symbol=symbol))

    await ask(app, "restart_server")
    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(one, "Square")
            tasks.start_soon(one, "scale")
    assert len({each["count"] for each in results}) == 2
    assert all(each["ok"] for each in results)
    assert len((await ask(app, "get_server_status"))["statuses"]) == 1


async def test_a_name_that_a_file_only_imports_is_taken_at_its_first_use(app: App) -> None:
    answer = await app.boundary.call("get_hover", {"file": "uses.py", "symbol": "Square"})
    member = await app.boundary.call("get_hover", {"file": "uses.py", "symbol": "square.area"})
    rename = await app.boundary.call("rename_symbol", {"file": "uses.py", "symbol": "Square", "new_name": "Rect"})

    assert answer.ok
    assert "Square" in answer.data["type"]
    assert [each["kind"] for each in answer.data["warnings"]] == ["position_adjusted"]
    assert "float" in member.data["type"]
    assert rename.data["error"]["kind"] == "invalid_params"
