"""Files that are no sources and still decide what is an error: a change to one of them is seen at once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.driving import Driven, bakery_of, require
from tests.servers.sample import Change, Sample

COMMAND = {"directory": "{root}", "file": "loaf.cpp", "command": "c++ -DPIECES=3 -c loaf.cpp"}


@dataclass(frozen=True, slots=True)
class Case:
    """A project whose only source is in order until one other file changes."""

    server_id: str
    files: dict[str, str]
    source: str
    change: Change


CASES = {
    "a configuration that another one extends": Case(
        "typescript",
        {
            "tsconfig.json": '{"extends": "./tsconfig.base.json", "compilerOptions": {"noEmit": true}}',
            "tsconfig.base.json": '{"compilerOptions": {"strict": false}}',
            "loaf.ts": "export function weigh(loaf) {\n  return loaf;\n}\n",
        },
        "loaf.ts",
        Change("tsconfig.base.json", "false", "true"),
    ),
    "data that is imported": Case(
        "typescript",
        {
            "tsconfig.json": (
                '{"compilerOptions": {"strict": true, "noEmit": true, "module": "commonjs", "resolveJsonModule": true, '
                '"esModuleInterop": true}, "include": ["*.ts"]}'
            ),
            "bread.json": '{"grams": 750}',
            "loaf.ts": 'import bread from "./bread.json";\n\nexport const grams: number = bread.grams;\n',
        },
        "loaf.ts",
        Change("bread.json", "750", '"heavy"'),
    ),
    "compile commands": Case(
        "clangd",
        {"compile_commands.json": json.dumps([COMMAND]), "loaf.cpp": "int pieces = PIECES;\n"},
        "loaf.cpp",
        Change("compile_commands.json", "PIECES=3", "BITS=3"),
    ),
    "flags alone": Case(
        "clangd",
        {"compile_flags.txt": "-DPIECES=3\n", "loaf.cpp": "int pieces = PIECES;\n"},
        "loaf.cpp",
        Change("compile_flags.txt", "PIECES=3", "BITS=3"),
    ),
    "a module's own version of the language": Case(
        "gopls",
        {
            "go.mod": "module bakery.test\n\ngo 1.21\n",
            "loaf.go": "package loaf\n\nfunc Largest(a, b int) int {\n\treturn max(a, b)\n}\n",
        },
        "loaf.go",
        Change("go.mod", "go 1.21", "go 1.20"),
    ),
    "what the shell's checker leaves out": Case(
        "bash",
        {".shellcheckrc": "disable=SC2154\n", "loaf.sh": '#!/bin/bash\necho "$grams"\n'},
        "loaf.sh",
        Change(".shellcheckrc", "disable=SC2154", "disable=SC2086"),
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_a_file_that_decides_about_others_is_read_again(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    require(case.server_id)
    sample = Sample(files=case.files, user=case.source, broken=("", ""), wrong=case.change)
    async with bakery_of(Driven(case.server_id, sample), tmp_path) as bakery:
        assert (await bakery.verdict(case.source))[0] == "clean"

        bakery.change(case.change)
        assert (await bakery.verdict(case.source))[0] in {"errors", "warnings"}

        bakery.undo(case.change)
        assert (await bakery.verdict(case.source))[0] == "clean"
