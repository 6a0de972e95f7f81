"""What Python manifests declare: `pyproject.toml` in its dialects, `setup.cfg`, `Pipfile`, conda's pip part."""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from sightline.library_docs.libraries import python_name
from sightline.library_docs.resolving.declared import Declared
from sightline.library_docs.resolving.manifest_files import ManifestFiles, Table, table_in, text_of, texts_in
from sightline.library_docs.resolving.python_requirements import read_requirement

_ENVIRONMENT_ITEM = re.compile(r"^(?P<indent>\s*)-\s*(?P<item>[^#\n]*)")


def read_pyproject(files: ManifestFiles, path: Path) -> list[Declared] | None:
    """None unless the file declares a project; settings of tools alone make no manifest."""
    document = files.toml(path)
    if document is None:
        return None
    tools = table_in(document, "tool")
    if not ({"project", "dependency-groups"} & document.keys() or {"poetry", "pdm", "uv"} & tools.keys()):
        return None
    lines = [*_standard(document), *_pdm_and_uv(tools)]
    return [*requirements(files, path, lines), *_poetry(files, path, table_in(tools, "poetry"))]


def requirements(files: ManifestFiles, path: Path, lines: list[str]) -> Iterator[Declared]:
    """A declaration for each requirement; what is no requirement becomes a warning."""
    for line in lines:
        requirement = read_requirement(line)
        if requirement is None:
            files.warn(path, None, f"not a requirement: {line[:80]}")
            continue
        yield Declared("pypi", python_name(requirement.name), requirement.version, None, files.shown(path))


def _standard(document: Table) -> Iterator[str]:
    project = table_in(document, "project")
    yield from texts_in(project.get("dependencies"))
    for group in table_in(project, "optional-dependencies").values():
        yield from texts_in(group)
    for group in table_in(document, "dependency-groups").values():
        yield from texts_in(group)


def _pdm_and_uv(tools: Table) -> Iterator[str]:
    for group in table_in(tools, "pdm", "dev-dependencies").values():
        yield from (line for line in texts_in(group) if not line.startswith("-e"))
    yield from texts_in(table_in(tools, "uv").get("dev-dependencies"))


def _poetry(files: ManifestFiles, path: Path, poetry: Table) -> Iterator[Declared]:
    tables = [table_in(poetry, "dependencies"), table_in(poetry, "dev-dependencies")]
    for group in table_in(poetry, "group").values():
        if isinstance(group, dict):
            tables.append(table_in(cast("Table", group), "dependencies"))
    for table in tables:
        yield from _by_name(files, path, table, skipped="python")


def _by_name(files: ManifestFiles, path: Path, table: Table, skipped: str | None = None) -> Iterator[Declared]:
    for name, value in table.items():
        if name != skipped:
            yield Declared("pypi", python_name(name), _version_in(value), None, files.shown(path))


def _version_in(value: object) -> str | None:
    """The version request of a table's value; None where it differs between environments."""
    if isinstance(value, dict):
        table = cast("Table", value)
        return text_of(table.get("version")) or text_of(table.get("git")) or text_of(table.get("path"))
    return text_of(value)


def read_setup_cfg(files: ManifestFiles, path: Path) -> list[Declared] | None:
    """None unless the file says what is required."""
    text = files.text(path)
    if text is None:
        return None
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.MissingSectionHeaderError as reason:
        files.warn(path, reason.lineno, "a line stands before the first section")
        return None
    except configparser.ParsingError as reason:
        files.warn(path, reason.errors[0][0] if reason.errors else None, "a line cannot be parsed")
        return None
    except configparser.Error as reason:
        files.warn(path, None, f"cannot be parsed: {reason.message}")
        return None
    lines = parser.get("options", "install_requires", fallback="").splitlines()
    if parser.has_section("options.extras_require"):
        for _, value in parser.items("options.extras_require"):
            lines += value.splitlines()
    lines = [line.strip() for line in lines if line.strip() and not line.strip().startswith(("#", "file:"))]
    return list(requirements(files, path, lines)) if parser.has_section("options") else None


def read_pipfile(files: ManifestFiles, path: Path) -> list[Declared] | None:
    document = files.toml(path)
    if document is None:
        return None
    tables = (table_in(document, "packages"), table_in(document, "dev-packages"))
    return [declared for table in tables for declared in _by_name(files, path, table)]


def read_environment_yml(files: ManifestFiles, path: Path) -> list[Declared] | None:
    """Only the `pip:` part: the other names are conda's, which are not those of the package index."""
    text = files.text(path)
    if text is None:
        return None
    lines: list[str] = []
    pip_indent: int | None = None
    for line in text.split("\n"):
        match = _ENVIRONMENT_ITEM.match(line)
        indent = len(match["indent"]) if match else len(line) - len(line.lstrip())
        if pip_indent is not None and line.strip() and indent <= pip_indent:
            pip_indent = None
        if match and match["item"].strip() == "pip:":
            pip_indent = indent
        elif match and pip_indent is not None and not match["item"].startswith("-"):
            lines.append(match["item"].strip().strip("'\""))
    return list(requirements(files, path, lines)) if lines else None
