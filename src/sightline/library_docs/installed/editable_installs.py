"""Packages that are installed in place: where their source is, as `.pth` files and `direct_url.json` tell."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast
from urllib.parse import unquote, urlsplit

from sightline.library_docs.installed.contained_files import FileRefused, read_inside

_LONGEST = 100_000
_FINDER = re.compile(r"__editable___\w+_finder|_\w+_editable(?:_loader)?|__editable__\w*")
_MAPPING = re.compile(r"(?m)^MAPPING\b[^=\n]*= *(\{.*\})\s*$")


def editable_folder(information: Path) -> Path | None:
    """The project folder that an editable install was made from."""
    try:
        content: object = json.loads(read_inside(information, "direct_url.json", limit=_LONGEST).text)
    except (FileRefused, ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    told = cast("dict[str, object]", content)
    details, url = told.get("dir_info"), told.get("url")
    if not isinstance(details, dict) or not isinstance(url, str):
        return None
    if cast("dict[str, object]", details).get("editable") is not True:
        return None
    return _local_folder(url)


def _local_folder(url: str) -> Path | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    local = unquote(parts.path)
    if os.name == "nt" and len(local) > 2 and local[2] == ":":
        local = local[1:]
    if "\0" in local or not os.path.isabs(local) or not os.path.isdir(local):  # noqa: PTH117, PTH112 - never raise
        return None
    return Path(local)


def added_folders(packages: Path, names: Iterable[str] | None = None) -> Iterator[Path]:
    """Folders that `.pth` files add to the search path; lines that would run code are passed over.

    `names` are the `.pth` files to look at; None means all of the folder.
    """
    for name in _pth_files(packages) if names is None else names:
        try:
            lines = read_inside(packages, name, limit=_LONGEST).text.split("\n")
        except FileRefused:
            continue
        for line in lines:
            text = line.strip()
            if not text or "\0" in text or text.startswith(("#", "import ", "import\t")):
                continue
            folder = os.path.join(packages, text)  # noqa: PTH118 - a line can be any text
            if os.path.isdir(folder):  # noqa: PTH112 - never raises
                yield Path(os.path.realpath(folder))


def is_finder(name: str) -> bool:
    """Whether a module is one that a build tool put there to find the others."""
    return _FINDER.fullmatch(name) is not None


def mapped_modules(packages: Path, names: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Modules and where they are, as the finders of setuptools tell in their text."""
    for name in names:
        try:
            text = read_inside(packages, f"{name}.py", limit=_LONGEST).text
            found = _MAPPING.search(text)
            mapping: object = ast.literal_eval(found[1]) if found else {}
        except (FileRefused, ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        for module, place in cast("dict[object, object]", mapping).items() if isinstance(mapping, dict) else ():
            if isinstance(module, str) and isinstance(place, str) and "\0" not in place:
                yield module, Path(place)


def _pth_files(packages: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(packages) if name.endswith(".pth"))  # noqa: PTH208 - names only
    except OSError:
        return []


def packages_in(folder: Path) -> Iterator[str]:
    """Names that can be imported from a folder: packages and modules at its top."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        stem, dot, ending = entry.name.partition(".")
        if not stem.isidentifier() or stem == "setup":
            continue
        is_package = os.path.isfile(os.path.join(entry.path, "__init__.py"))  # noqa: PTH113, PTH118 - never raise
        if ending in ("py", "pyi") or (not dot and is_package):
            yield stem
