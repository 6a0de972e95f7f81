"""What every server is asked, through the tools, on a project that nobody changes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.driving import ALL, DRIVEN, WITH_FUNCTION, Bakery, bakery_of, offers, require
from tests.servers.sample import column_after, line_of
from tests.support.marked_processes import marking

QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "declaration": ("go_to_definition", {"kind": "declaration"}),
    "implementation": ("go_to_definition", {"kind": "implementation"}),
    "references": ("find_references", {}),
    "calls": ("get_call_hierarchy", {}),
    "rename": ("rename_symbol", {"new_name": "another"}),
    "signature": ("get_signature", {}),
    "symbol": ("find_symbol", {}),
}
FINDS_NO_ABSTRACT_CLASS = "pyrefly"  # 1.4.0 offers `implementation`, and answers nothing for an abstract class


@pytest.fixture(scope="module")
async def bakery(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Bakery]:
    """One application for all questions to a server."""
    async with bakery_of(require(request.param), tmp_path_factory.mktemp(request.param)) as opened:
        yield opened


every_server = pytest.mark.parametrize("bakery", ALL, indirect=True)
every_server_of_code = pytest.mark.parametrize("bakery", WITH_FUNCTION, indirect=True)


@pytest.mark.parametrize("server_id", WITH_FUNCTION)
async def test_references_are_complete_at_the_first_call_and_no_process_is_left(server_id: str, tmp_path: Path) -> None:
    driven = require(server_id)
    with marking() as mark:
        async with bakery_of(driven, tmp_path) as bakery:
            assert await bakery.references() == driven.sample.uses(bakery.root)
            assert mark.processes()
        assert await mark.left_behind() == []


@every_server
async def test_a_wrong_file_has_its_error_at_the_right_line(bakery: Bakery) -> None:
    file, piece = bakery.sample.broken

    verdict, lines = await bakery.verdict(file)

    assert verdict in {"errors", "warnings"}
    assert line_of(bakery.root / file, piece) in lines


@every_server
async def test_a_file_in_order_is_clean(bakery: Bakery) -> None:
    assert await bakery.verdict(bakery.sample.user) == ("clean", set())


@every_server_of_code
async def test_a_hover_tells_the_signature(bakery: Bakery) -> None:
    found = await bakery.call("get_hover", **use(bakery))

    assert bakery.sample.hover in f"{found['type']} {found['documentation']}"


@every_server_of_code
async def test_a_definition_is_found_in_another_file(bakery: Bakery) -> None:
    found = await bakery.call("go_to_definition", **use(bakery))

    assert bakery.at_home()["file"] in {each["file"] for each in found["definitions"]}


@every_server
async def test_an_outline_names_what_a_file_holds(bakery: Bakery) -> None:
    file, name = bakery.sample.outline

    found = await bakery.call("get_outline", file=file)

    assert name in {each["name"] for each in found["symbols"]}


@every_server_of_code
async def test_a_symbol_is_found_by_its_name(bakery: Bakery) -> None:
    found = await bakery.call("find_symbol", query=bakery.sample.function)

    assert bakery.sample.home in {each["file"] for each in found["symbols"]}


@every_server_of_code
async def test_a_name_is_completed(bakery: Bakery) -> None:
    place = use(bakery)
    column = column_after(bakery.root / place["file"], place["line"], bakery.sample.function)

    found = await bakery.call("get_completions", file=place["file"], line=place["line"], column=column)

    assert any(bakery.sample.function in each["label"] for each in found["items"])


@pytest.mark.parametrize("bakery", [name for name in WITH_FUNCTION if offers(name, "signature")], indirect=True)
async def test_a_call_has_its_signature(bakery: Bakery) -> None:
    place = use(bakery)
    column = column_after(bakery.root / place["file"], place["line"], bakery.sample.function) + 1

    found = await bakery.call("get_signature", file=place["file"], line=place["line"], column=column)

    assert [each for each in found["signatures"] if each["parameters"]]


@pytest.mark.parametrize(
    "bakery",
    [
        name
        for name in ALL
        if DRIVEN[name].sample.interface and offers(name, "implementation") and name != FINDS_NO_ABSTRACT_CLASS
    ],
    indirect=True,
)
async def test_an_implementation_is_found(bakery: Bakery) -> None:
    assert bakery.sample.interface
    file, interface, implementation = bakery.sample.interface
    place = {"file": file, "line": line_of(bakery.root / file, interface), "symbol": "Oven"}

    found = await bakery.call("go_to_definition", kind="implementation", **place)

    assert line_of(bakery.root / file, implementation) in {each["line"] for each in found["definitions"]}


@pytest.mark.parametrize("bakery", [name for name in ALL if offers(name, "calls")], indirect=True)
async def test_callers_are_found_level_by_level(bakery: Bakery) -> None:
    found = await bakery.call("get_call_hierarchy", depth=2, **bakery.at_home())

    assert {each["name"].partition("(")[0] for each in found["calls"]} >= set(bakery.sample.callers)


@pytest.mark.parametrize(
    ("bakery", "question"),
    [(name, question) for name in ALL for question in sorted(DRIVEN[name].lacks & QUESTIONS.keys())],
    indirect=["bakery"],
)
async def test_what_a_server_lacks_is_unsupported_and_has_a_next_step(bakery: Bakery, question: str) -> None:
    tool, arguments = QUESTIONS[question]

    answer = await bakery.ask(tool, **place_for(question, bakery), **arguments)

    assert not answer.ok
    assert answer.data["error"]["kind"] == "unsupported"
    assert answer.data["next_steps"]


def use(bakery: Bakery) -> dict[str, Any]:
    """A place where the sample's function is called."""
    sample = bakery.sample
    line = max(line for file, line in sample.uses(bakery.root) if file == sample.user)
    return {"file": sample.user, "line": line, "symbol": sample.function}


def place_for(question: str, bakery: Bakery) -> dict[str, Any]:
    """What a tool must be told, however little the file holds."""
    if question == "symbol":
        return {"query": "loaf"}
    if question != "signature" and bakery.sample.function:
        return use(bakery)
    file, name = bakery.sample.outline
    return first_place(bakery.root / file, file, name.removeprefix("."))


def first_place(path: Path, file: str, name: str) -> dict[str, Any]:
    """Where a name first stands in a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if name in text)
    return {"file": file, "line": line, "column": lines[line - 1].index(name) + 1}
