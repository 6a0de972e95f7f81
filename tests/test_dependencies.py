"""Whoever installs Sightline gets every library that it imports: the tests' own environment has more."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PARTS = {"mcp-types": "mcp", "psycopg-pool": "psycopg"}
"""Released together with the one that brings them."""


def test_every_library_that_is_imported_is_a_declared_dependency() -> None:
    declared = set(_declared())
    providers = packages_distributions()
    missing = {
        f"{file.relative_to(ROOT)}: {module}"
        for file in (ROOT / "src/sightline").rglob("*.py")
        for module in _libraries(file)
        if not declared & {_PARTS.get(_normal(name), _normal(name)) for name in providers.get(module, ())}
    }
    assert missing == set()


def _declared() -> Iterator[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in (
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ):
        yield _normal(re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0])


def _libraries(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module]
        for name in names:
            top = name.partition(".")[0]
            if top != "sightline" and top not in sys.stdlib_module_names:
                yield top


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
