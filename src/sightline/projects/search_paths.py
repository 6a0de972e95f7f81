"""Where the packages and the standard library of an interpreter lie, for reading only.

For an environment that is read from its folders. For the `python` on the user's PATH the interpreter is asked, once,
as Pyright does: it is the user's own. An interpreter of the project is never run here.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from sightline.children import ChildFailed, Children
from sightline.projects.environments import Environment
from sightline.projects.interpreters import ON_PATH, Interpreter

_QUESTION = "import json, sysconfig; print(json.dumps(sorted(set(sysconfig.get_paths().values()))))"
_WANTED_S = 5.0
_LONGEST = 20_000


class SearchPaths:
    """The readable folders of interpreters; what had to be asked is remembered."""

    def __init__(self, children: Children, variables: Mapping[str, str]) -> None:
        self._children = children
        self._variables = variables
        self._on_path: tuple[Path, ...] | None = None
        self._of_environments: dict[Environment, tuple[Path, ...]] = {}

    async def of(self, interpreter: Interpreter) -> tuple[Path, ...]:
        if environment := interpreter.environment:
            if environment not in self._of_environments:
                self._of_environments[environment] = tuple(path.resolve() for path in environment.packages)
            return self._of_environments[environment]
        if interpreter.reason != ON_PATH:
            return ()
        if self._on_path is None:
            self._on_path = await self._asked()
        return self._on_path

    async def _asked(self) -> tuple[Path, ...]:
        path = self._variables.get("PATH", "")
        python = shutil.which("python3", path=path) or shutil.which("python", path=path)
        if python is None or not Path(python).is_absolute():
            return ()
        return await folders_of(Path(python), self._children, cwd=Path(python).parent)


async def folders_of(
    python: Path, children: Children, *, cwd: Path, variables: Mapping[str, str] | None = None
) -> tuple[Path, ...]:
    """The folders that an interpreter of the user's names when it runs in `cwd`; none if it does not answer."""
    try:
        ended = await children.run(
            [str(python), "-I", "-c", _QUESTION],
            cwd=cwd,
            timeout_s=_WANTED_S,
            max_output_bytes=_LONGEST,
            environment=variables,
        )
        folders: list[str] = json.loads(ended.stdout)
    except (ChildFailed, ValueError):
        return ()
    return _resolved(folders)


def _resolved(folders: list[str]) -> tuple[Path, ...]:
    return tuple(Path(folder).resolve() for folder in folders if Path(folder).name not in ("bin", "include"))
