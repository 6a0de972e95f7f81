"""Which Python version a project is checked for, and why.

The call says it, else Pyright's configuration, else the interpreter; `requires-python` only where none of them
tells, because the `pyright` command does not look at it, and a check must find what the command finds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sightline.projects.interpreters import NOWHERE, Interpreter
from sightline.projects.pyright_settings import PyrightSettings, read_toml, table_at

_LOWER_BOUND = re.compile(r"(?:>=|~=|==)\s*(3\.\d+)")


@dataclass(frozen=True, slots=True)
class PythonVersion:
    """A version such as `3.12` and where it comes from; `is_given` if Pyright has to be told."""

    version: str | None
    reason: str
    is_given: bool = False


def choose_python_version(
    asked: str | None, settings: PyrightSettings, interpreter: Interpreter, root: Path
) -> PythonVersion:
    if asked:
        return PythonVersion(asked, "asked for", is_given=True)
    if settings.python_version:
        return PythonVersion(settings.python_version, f"`pythonVersion` in {settings.file}")
    if interpreter.path and interpreter.version:
        return PythonVersion(interpreter.version, "the interpreter's")
    required = required_python(root)
    if interpreter.reason == NOWHERE and required:
        return PythonVersion(required, "`requires-python`", is_given=True)
    return PythonVersion(None, "the interpreter's")


def required_python(root: Path) -> str | None:
    """The lowest version that `requires-python` allows."""
    value = table_at(read_toml(root / "pyproject.toml"), "project").get("requires-python")
    found = _LOWER_BOUND.search(value) if isinstance(value, str) else None
    return found[1] if found else None
