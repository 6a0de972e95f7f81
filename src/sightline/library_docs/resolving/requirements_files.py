"""`requirements.txt` and its like, with the files that they include: bounded, and inside the root."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sightline.library_docs.libraries import python_name
from sightline.library_docs.resolving.declared import Declared
from sightline.library_docs.resolving.manifest_files import ManifestFiles
from sightline.library_docs.resolving.python_requirements import PythonRequirement, read_requirement

MOST_FILES = 30
_INCLUDE = re.compile(r"(?:-r|--requirement)[\s=]*(?P<file>\S+)")
_EGG = re.compile(r"[#&]egg=(?P<name>[A-Za-z0-9._-]+)")
_COMMENT = re.compile(r"(?:^|\s)#.*\Z")
_PIN = re.compile(r"===?\s*(?P<version>[0-9][^\s,*]*)\Z")


def requirements_files_in(folder: Path) -> list[Path]:
    """The requirement files of a folder: `requirements.txt` first, then the others by name."""
    found = {*folder.glob("*requirements*.txt"), *folder.glob("requirements*.in"), *folder.glob("requirements/*.txt")}
    return sorted(found, key=lambda path: (path.name != "requirements.txt", path.as_posix()))[:MOST_FILES]


def read_requirements_files(files: ManifestFiles, paths: list[Path]) -> list[Declared]:
    """The requirements of all `paths` and of what they include, each file once."""
    seen: set[Path] = set()
    waiting = list(reversed(paths))
    found: list[Declared] = []
    while waiting:
        path = waiting.pop().resolve()
        if path in seen:
            continue
        if len(seen) == MOST_FILES:
            files.warn(path, None, f"more than {MOST_FILES} requirement files; the rest is not read")
            break
        seen.add(path)
        if (text := files.text(path)) is not None:
            found += _declared(files, path, text, waiting)
    return found


def _declared(files: ManifestFiles, path: Path, text: str, waiting: list[Path]) -> Iterator[Declared]:
    for number, line in _logical_lines(text):
        if include := _INCLUDE.match(line):
            included = path.parent / include["file"]
            if not included.is_file():
                files.warn(path, number, f"includes a file that does not exist: {include['file']}")
            waiting.append(included)
            continue
        if line.startswith("-") and not line.startswith(("-e", "--editable")):
            continue
        requirement = _requirement_in(line)
        if requirement is None:
            if not line.startswith(("-e", "--editable", ".", "/", "http", "git+", "file:")):
                files.warn(path, number, f"not a requirement: {line[:80]}")
            continue
        pin = _PIN.match(requirement.version or "")
        version = pin["version"] if pin else None
        yield Declared("pypi", python_name(requirement.name), requirement.version, version, files.shown(path))


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    held, first = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        first = first if held else number
        held += line
        if held.endswith("\\"):
            held = held[:-1] + " "
            continue
        if stripped := _COMMENT.sub("", held).strip():
            yield first, stripped
        held = ""


def _requirement_in(line: str) -> PythonRequirement | None:
    if egg := _EGG.search(line):
        return PythonRequirement(egg["name"])
    if line.startswith(("-", ".", "/")) or re.match(r"[\w+]+:", line):
        return None
    return read_requirement(line)
