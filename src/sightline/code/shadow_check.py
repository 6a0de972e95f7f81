"""A check of a project as it would be after files come, go or move: in a copy, by the command.

A server that is shown an edit does not see new or missing files, because it looks for modules on disk. So the
source files are copied to a folder of our own, with the edit made there; the project itself is not touched.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import anyio.to_thread

from sightline.code.diagnostics import Diagnostic
from sightline.code.engine_diagnostics import from_command
from sightline.code.proposed_edits import ProposedFile
from sightline.code.pyright_command import CheckRequest, PyrightCommand
from sightline.code.source_lines import SourceLines
from sightline.file_changes import FileChanges
from sightline.projects import Project

_MARK = "\ufeff"


def why_no_shadow(project: Project) -> str | None:
    """A copy elsewhere would mean something else where the configuration reaches out of the project."""
    settings, root = project.settings, project.root.path
    if settings.venv or settings.venv_path:
        return "its configuration names an environment by a path"
    outside = [path for path in (*settings.search_paths, *settings.files) if not path.is_relative_to(root)]
    return "its configuration reaches outside the project" if outside else None


async def check_in_shadow(
    command: PyrightCommand, project: Project, tree: FileChanges, proposed: Sequence[ProposedFile]
) -> tuple[list[Diagnostic], int]:
    """The diagnostics of the edited project, by the paths of the real one, and of how many files.

    `tree` has its files and folders: an empty folder is a package, too.
    """
    root, folders = project.root.path, list(tree.folders)
    files = [*tree.files, *_hidden_files(project)]
    with tempfile.TemporaryDirectory(prefix="sightline-") as folder:
        shadow = await anyio.to_thread.run_sync(_copied, root, Path(folder), (files, folders), proposed)
        report = await command.check(CheckRequest(root=shadow, interpreter=project.interpreter.path))
        found = [_at_home(each, shadow, root) for _, each in from_command(report.diagnostics, SourceLines())]
    return found, report.files_analyzed


def _hidden_files(project: Project) -> Iterator[str]:
    """What the configuration needs and the tree of sources does not hold: what it extends, stubs in hidden folders."""
    yield from (str(file) for file in project.settings.files)
    for path in project.settings.search_paths:
        if any(part.startswith(".") for part in path.relative_to(project.root.path).parts):
            yield from (str(file) for file in path.rglob("*") if file.is_file())


def _copied(
    root: Path, folder: Path, tree: tuple[Sequence[str], Sequence[str]], proposed: Sequence[ProposedFile]
) -> Path:
    shadow = folder.resolve() / root.name
    touched = {each.path for each in proposed}
    files, folders = tree
    for name in folders:
        (shadow / Path(name).relative_to(root)).mkdir(parents=True, exist_ok=True)
    for name in files:
        if Path(name) not in touched:
            target = shadow / Path(name).relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(name, target)
    for each in proposed:
        if each.after is not None:
            target = shadow / each.path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(((_MARK if each.is_marked else "") + each.after).encode())
    return shadow


def _at_home(found: Diagnostic, shadow: Path, root: Path) -> Diagnostic:
    file = Path(found.file)
    here = root / file.relative_to(shadow) if file.is_relative_to(shadow) else file
    return replace(found, file=str(here), message=found.message.replace(str(shadow), str(root)))
