"""What `package.json` declares."""

from __future__ import annotations

import re
from pathlib import Path

from sightline.library_docs.resolving.declared import Declared
from sightline.library_docs.resolving.manifest_files import ManifestFiles, table_in

_TABLES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_ALIAS = re.compile(r"npm:(?P<name>(?:@[^/@]+/)?[^@]+)(?:@(?P<range>.*))?\Z")


def read_package_json(files: ManifestFiles, path: Path) -> list[Declared] | None:
    """None for a file that only marks a folder, with neither a name nor dependencies."""
    document = files.json(path)
    if document is None or not ("name" in document or any(table in document for table in _TABLES)):
        return None
    found: dict[str, Declared] = {}
    for table in _TABLES:
        for name, value in table_in(document, table).items():
            if isinstance(value, str):
                found.setdefault(name, _declared(name, value, files.shown(path)))
    return list(found.values())


def _declared(name: str, specifier: str, file: str) -> Declared:
    if alias := _ALIAS.match(specifier):
        return Declared("npm", alias["name"], alias["range"], None, file, known_as=name)
    return Declared("npm", name, specifier, None, file)
