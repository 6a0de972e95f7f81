"""Which version of each package a Python lock file fixed: `uv.lock`, `poetry.lock`, `pdm.lock`, `pylock.toml`,
`Pipfile.lock`.

The TOML ones are read line by line: a tool wrote them, in one form, and a parser would take a second for each
megabyte.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

from sightline.library_docs.libraries import python_name
from sightline.library_docs.resolving.manifest_files import MAX_LOCK_BYTES, ManifestFiles, Table, table_in, text_of

PYTHON_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock")

Versions = dict[str, str | None]

_FIELD = re.compile(r"""(?P<key>name|version)\s*=\s*(["'])(?P<value>[^"']*)\2\s*(?:#.*)?\Z""")
_IS_LOCAL = re.compile(r"source\s*=\s*\{\s*(?:virtual|editable|directory)\b")
_BROKEN_FIELD = re.compile(r"(?:name|version)\s*=")


def read_python_lock(files: ManifestFiles, path: Path, member: str = ".") -> Versions | None:
    """Version by package; None for a package that is locked at several versions for several environments.

    The project itself and the members of its workspace are not packages that it uses.
    A folder below the lock's own is covered only where a uv workspace lists it as a `member`.
    """
    if path.name == "Pipfile.lock":
        return _read_pipfile_lock(files, path) if member == "." else None
    if member != "." and path.name != "uv.lock":
        return None
    text = files.text(path, MAX_LOCK_BYTES)
    if text is None or (member != "." and not re.search(rf"""(?:editable|virtual) = "{re.escape(member)}\"""", text)):
        return None
    return _read_toml_lock(files, path, text)


def _read_toml_lock(files: ManifestFiles, path: Path, text: str) -> Versions:
    versions: Versions = {}
    package: dict[str, str] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("["):
            _keep(versions, package)
            package = {} if line.strip() in {"[[package]]", "[[packages]]"} else None
        elif package is not None and (match := _FIELD.match(line)):
            package[match["key"]] = match["value"]
        elif package is not None and _IS_LOCAL.match(line):
            package = None
        elif package is not None and _BROKEN_FIELD.match(line):
            files.warn(path, number, "a name or version cannot be read")
    _keep(versions, package)
    return versions


def _keep(versions: Versions, package: dict[str, str] | None) -> None:
    if package and "name" in package and "version" in package:
        name, version = python_name(package["name"]), package["version"]
        versions[name] = version if versions.get(name, version) == version else None


def _read_pipfile_lock(files: ManifestFiles, path: Path) -> Versions | None:
    document = files.json(path, MAX_LOCK_BYTES)
    if document is None:
        return None
    versions: Versions = {}
    for section in ("develop", "default"):
        for name, value in table_in(document, section).items():
            version = text_of(cast("Table", value).get("version")) if isinstance(value, dict) else None
            if version and version.startswith("=="):
                versions[python_name(name)] = version.lstrip("=")
    return versions
