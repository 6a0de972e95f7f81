"""`check_types` on real projects with the real Pyright: what it finds, and what it calls it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import anyio
import click
import pytest
from tests.code.checking import BY_COMMAND, check, make_project

from sightline.code.pyright_command import find_entry_file, find_node

pytestmark = pytest.mark.anyio

ALL_SEVERITIES = '{"reportUnusedVariable": "warning", "reportUnusedImport": "information"}'


async def test_each_severity_is_counted_and_the_gravest_makes_the_verdict(tmp_path: Path) -> None:
    root = make_project(
        tmp_path / "app",
        {
            "pyrightconfig.json": ALL_SEVERITIES,
            "a.py": "import os\ndef f() -> int:\n    unused = 1\n    return ''\n",
        },
    )

    answer = await check(root)

    assert answer.ok
    found = answer.data
    assert found["verdict"] == "errors"
    assert (found["error_count"], found["warning_count"], found["information_count"]) == (1, 1, 1)
    assert (found["files_analyzed"], found["summary"]) == (1, "1 error, 1 warning, 1 information in 1 file")
    assert [(each["line"], each["severity"]) for each in found["diagnostics"]] == [
        (1, "information"),
        (3, "warning"),
        (4, "error"),
    ]
    assert found["diagnostics"][2] == {
        "file": "a.py",
        "line": 4,
        "column": 12,
        "end_line": 4,
        "end_column": 14,
        "severity": "error",
        "message": found["diagnostics"][2]["message"],
        "rule": "reportReturnType",
    }
    assert 'is not assignable to return type "int"' in found["diagnostics"][2]["message"]
    assert "a.py" in answer.text
    assert "4:12-4:14 error" in answer.text


async def test_severity_shortens_the_list_but_changes_neither_counts_nor_verdict(tmp_path: Path) -> None:
    root = make_project(
        tmp_path / "app",
        {"pyrightconfig.json": ALL_SEVERITIES, "a.py": "import os\ndef f() -> None:\n    unused = 1\n"},
    )

    found = (await check(root, severity="warning")).data
    gravest = (await check(root, severity="error")).data

    assert [each["severity"] for each in found["diagnostics"]] == ["warning"]
    assert (found["verdict"], found["warning_count"], found["information_count"]) == ("warnings", 1, 1)
    assert (gravest["verdict"], gravest["warning_count"], gravest["diagnostics"]) == ("warnings", 1, [])


async def test_code_without_findings_is_clean_and_the_evidence_says_how_we_know(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"a.py": "x: int = 1\n", "package/b.py": "y: str = ''\n"})

    found = (await check(root, **BY_COMMAND)).data

    assert (found["verdict"], found["diagnostics"], found["files_analyzed"]) == ("clean", [], 2)
    assert found["evidence"]["method"] == "command"
    assert found["evidence"]["engine"] == "pyright"
    assert found["evidence"]["scope"] == "2 files at ."
    assert found["evidence"]["interpreter_reason"] == "python on PATH"


async def test_one_file_is_checked_alone_and_shown_relative_to_the_root(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"bad.py": "x: int = ''\n", "package/worse.py": "y: int = ''\n"})

    found = (await check(root, (root / "package" / "worse.py").as_uri())).data

    assert found["files_analyzed"] == 1
    assert [each["file"] for each in found["diagnostics"]] == ["package/worse.py"]


async def test_the_python_version_that_is_asked_for_changes_the_result(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"a.py": "match 1:\n    case _:\n        pass\n"})

    old = (await check(root, python_version="3.9")).data
    new = (await check(root, python_version="3.12")).data

    assert (old["verdict"], old["evidence"]["python_version"]) == ("errors", "3.9")
    assert "3.10 or newer" in old["diagnostics"][0]["message"]
    assert (new["verdict"], new["evidence"]["python_version_reason"]) == ("clean", "asked for")


async def test_columns_count_characters_whatever_stands_before_them(tmp_path: Path) -> None:
    lines = {
        "ascii.py": "x: int = ''\n",
        "emoji.py": "s = '😀😀é模'; x: int = ''\n",
        "mark.py": "\ufeffx: int = ''\n",
        "mark_and_emoji.py": "\ufeffs = '😀'; x: int = ''\ns = '😀'; x: int = ''\n",
        "line_ends.py": "a = '😀'\r\nb = '\u2028'; x: int = ''\rs = '😀'; y: int = ''\n",
        "ending_inside.py": "x: int = '😀😀'  # after\n",
    }
    root = make_project(tmp_path / "app", lines)

    found = (await check(root)).data

    wanted: set[tuple[str, int, int, int]] = set()
    for name, text in lines.items():
        shown = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        for number, line in enumerate(shown.split("\n"), start=1):
            if "int = " in line:
                start = line.index("int = ") + len("int = ")
                wanted.add((name, number, start + 1, line.rindex("'") + 2))
    got = {(each["file"], each["line"], each["column"], each["end_column"]) for each in found["diagnostics"]}
    assert got == wanted


async def test_a_file_that_is_not_utf8_is_checked_with_a_warning_and_right_columns(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {})
    root.mkdir()
    (root / "latin.py").write_bytes("s = 'éé'; x: int = ''\n".encode("latin-1"))

    found = (await check(root, "latin.py")).data

    assert [notice["kind"] for notice in found["warnings"]] == ["not_utf8"]
    assert [(each["column"], each["end_column"]) for each in found["diagnostics"]] == [(20, 22)]


@pytest.mark.parametrize("path", [".", "empty"])
async def test_nothing_to_check_is_unknown_and_never_clean(tmp_path: Path, path: str) -> None:
    root = make_project(tmp_path / "app", {"empty/readme.txt": ""})

    answer = await check(root, path)

    assert (answer.data["verdict"], answer.data["files_analyzed"]) == ("unknown", 0)
    assert "nothing was checked" in answer.text


async def test_a_file_that_the_configuration_excludes_is_unknown_and_never_clean(tmp_path: Path) -> None:
    files = {"pyrightconfig.json": '{"exclude": ["skip"]}', "skip/a.py": "x: int = ''\n", "b.py": ""}
    root = make_project(tmp_path / "app", files)

    found = (await check(root, "skip/a.py")).data

    assert found["verdict"] == "unknown"
    assert "the configuration excludes them" in found["summary"]


async def test_a_nested_project_is_checked_by_its_own_configuration(tmp_path: Path) -> None:
    root = make_project(
        tmp_path / "app",
        {
            "pyproject.toml": "[tool.pyright]\nreportUnusedVariable = 'error'\n",
            "libs/inner/pyproject.toml": "[tool.pyright]\nreportUnusedVariable = 'warning'\nextraPaths = ['more']\n",
            "libs/inner/more/helper.py": "VALUE = 1\n",
            "libs/inner/a.py": "import helper\ndef f() -> None:\n    unused = helper.VALUE\n",
        },
    )

    found = (await check(root, "libs/inner/a.py")).data

    assert found["evidence"]["project_root"] == "libs/inner"
    assert (found["verdict"], found["warning_count"]) == ("warnings", 1)
    assert found["diagnostics"][0]["file"] == "libs/inner/a.py"


async def test_findings_are_those_of_the_command_and_a_long_check_tells_that_it_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "app"
    shutil.copytree(Path(click.__file__).parent, root / "click", ignore=shutil.ignore_patterns("__pycache__"))
    told: list[tuple[float, str | None]] = []

    async def progress(done: float, /, total: float | None = None, message: str | None = None) -> None:
        told.append((done, message))

    answer = await check(root, progress=progress, max_total_chars=2_000_000, max_results=100_000, **BY_COMMAND)

    command = [
        str(find_node()),
        str(find_entry_file()),
        "--outputjson",
        "--pythonversion",
        BY_COMMAND["python_version"],
    ]
    direct = json.loads((await anyio.run_process(command, cwd=root, check=False)).stdout)
    assert direct["generalDiagnostics"], "a comparison of nothing proves nothing"
    assert sorted(map(_comparable, answer.data["diagnostics"])) == sorted(
        _comparable(_one_based(each, root)) for each in direct["generalDiagnostics"]
    )
    assert answer.data["files_analyzed"] == direct["summary"]["filesAnalyzed"]
    if answer.data["time_ms"] > 1500:
        assert told[0] == (1, "pyright is checking . (1 s)")


def _one_based(raw: dict[str, Any], root: Path) -> dict[str, Any]:
    """Click's lines with findings are ASCII, so that one is all there is to add."""
    start, end = raw["range"]["start"], raw["range"]["end"]
    return {
        "file": str(Path(raw["file"]).relative_to(root)),
        "line": start["line"] + 1,
        "column": start["character"] + 1,
        "end_line": end["line"] + 1,
        "end_column": end["character"] + 1,
        "severity": raw["severity"],
        "message": raw["message"].replace("\xa0", " "),
        "rule": raw.get("rule"),
    }


def _comparable(diagnostic: dict[str, Any]) -> str:
    return json.dumps({"rule": None, **diagnostic}, sort_keys=True)
