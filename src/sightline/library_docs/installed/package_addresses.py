"""Addresses of parts of an installed package: `pkg:pypi/click@8.3.0#README.md`, `pkg:npm/%40a/b@1.0.0#api/f`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from sightline.errors import ToolFailure, invalid_params
from sightline.library_docs.installed.contained_files import is_plain_name
from sightline.library_docs.libraries import ECOSYSTEMS, Ecosystem, LibraryId, python_name

_LONGEST = 2048
_FORM = re.compile(r"pkg:([a-z]+)/([^@#?]+)@([^@#?/]+)#([^#]+)")
_PYTHON_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_MODULE_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_NODE_NAME = re.compile(r"(?:@[A-Za-z0-9~-][\w.~-]*/)?[A-Za-z0-9~_-][\w.~-]*")
_VERSION = re.compile(r"[\w.!+~-]+")
_API = "api/"
_BY_NAME: dict[str, Ecosystem] = {name: name for name in ECOSYSTEMS}


@dataclass(frozen=True, slots=True)
class PackageAddress:
    """A part of one version of a library: a document by its name in the package, or an object after `api/`."""

    library: LibraryId
    version: str
    part: str

    def __str__(self) -> str:
        name = quote(self.library.name, safe="/")
        return f"pkg:{self.library.ecosystem}/{name}@{quote(self.version, safe='+!')}#{quote(self.part, safe='/:')}"

    @property
    def api_name(self) -> str | None:
        """The object's name, for a part of the API."""
        return self.part.removeprefix(_API) if self.part.startswith(_API) else None


def document_address(library: LibraryId, version: str, part: str) -> str:
    return str(PackageAddress(library, version, part))


def api_address(library: LibraryId, version: str, name: str) -> str:
    return str(PackageAddress(library, version, _API + name))


def is_package_address(text: str) -> bool:
    return text.startswith("pkg:")


def parse_package_address(text: str) -> PackageAddress:
    """The address that a text is; raises `ToolFailure` for any other text."""
    found = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        raise _malformed(text)
    ecosystem = _BY_NAME.get(found[1])
    name, version, part = (unquote(found[at]) for at in (2, 3, 4))
    if ecosystem is None or not is_package_name(ecosystem, name) or not _VERSION.fullmatch(version):
        raise _malformed(text)
    if not is_plain_name(part):
        raise _malformed(text)
    return PackageAddress(LibraryId(ecosystem, _normalised(ecosystem, name)), version, part)


def is_package_name(ecosystem: Ecosystem, name: str) -> bool:
    """Whether a name is one that the ecosystem allows; such a name never climbs out of a folder."""
    forms = {"pypi": _PYTHON_NAME, "npm": _NODE_NAME, "python": _MODULE_NAME}
    return len(name) <= 214 and forms[ecosystem].fullmatch(name) is not None


def _normalised(ecosystem: Ecosystem, name: str) -> str:
    return python_name(name) if ecosystem == "pypi" else name


def _malformed(text: str) -> ToolFailure:
    shown = text if len(text) <= 120 else text[:120] + "…"
    return invalid_params(
        f"`{shown}` is not a package address",
        "use an address from an earlier answer, such as `pkg:pypi/click@8.3.0#README.md`",
    )
