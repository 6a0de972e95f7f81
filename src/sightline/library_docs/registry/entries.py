"""One library of the registry: its addresses, its import names, and the version that was the newest.

The edge between JSON and typed values: every field is checked, and an unknown one is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, cast

from sightline.library_docs.libraries import LibraryId, python_name
from sightline.library_docs.registry.addresses import (
    AllowedPlace,
    InvalidAddress,
    checked_address,
    place_of,
    raw_files_of,
    require_registrable,
)

ADDRESS_FIELDS: Final = ("docs", "homepage", "repo", "changelog", "llms_txt", "inventory")
_LIST_FIELDS: Final = ("imports", "aliases")
_FLAG_FIELDS: Final = ("secondary", "stale")
_FIELDS: Final = frozenset({"version", *ADDRESS_FIELDS, *_LIST_FIELDS, *_FLAG_FIELDS})

_PYPI_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?\Z")
_NPM_NAME = re.compile(r"(?:@[A-Za-z0-9~-][\w.~-]*/)?[A-Za-z0-9~-][\w.~-]*\Z", re.ASCII)
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_-]{0,79}\Z")
_IMPORT = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_ALIAS = re.compile(r"[a-z0-9][a-z0-9 .+#-]{0,58}[a-z0-9+#]\Z")
_LONGEST_NPM_NAME = 214
_LONGEST_LIST = 40


class InvalidEntry(ValueError):
    """A row that is no entry; the message names the key, the field and the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A library as the registry knows it; `version` was the newest when the snapshot was made.

    `imports` are reviewed unless `are_imports_assumed`: then it is the name itself, which is right for most packages.
    `is_secondary` is a package that shares its import names with one that is meant more often. `is_stale` rows were
    kept from an older snapshot. `is_private` rows come from a person's own file.
    """

    library: LibraryId
    version: str | None = None
    docs: str | None = None
    homepage: str | None = None
    repo: str | None = None
    changelog: str | None = None
    llms_txt: str | None = None
    inventory: str | None = None
    imports: tuple[str, ...] = ()
    are_imports_assumed: bool = False
    aliases: tuple[str, ...] = ()
    is_secondary: bool = False
    is_stale: bool = False
    is_private: bool = False

    def addresses(self) -> tuple[str, ...]:
        """Every address of the entry, the best for reading first."""
        found = (self.llms_txt, self.docs, self.homepage, self.inventory, self.changelog, self.repo)
        return tuple(dict.fromkeys(address for address in found if address))

    def allowed_places(self) -> tuple[AllowedPlace, ...]:
        """What may be read on the web for this library, and for no other."""
        places = [place_of(address) for address in self.addresses()]
        if self.repo:
            places.append(raw_files_of(self.repo))
        return tuple(sorted({place for place in places if place}))


def parse_entry(key: str, row: object, *, is_private: bool = False, is_fully_checked: bool = True) -> Entry:
    """The entry of one row; raises `InvalidEntry`.

    Without the full check a host is not compared with the list of public suffixes: for what was fully checked before.
    """
    library = parse_key(key)
    fields = _fields(key, row)
    addresses = {name: _address(key, name, fields.get(name), is_private=is_private) for name in ADDRESS_FIELDS}
    if is_fully_checked and not is_private:
        _require_registrable_hosts(key, addresses)
    imports = _names(key, fields, "imports", _IMPORT)
    return Entry(
        library=library,
        version=_version(key, fields.get("version")),
        imports=imports or assumed_imports(library),
        are_imports_assumed=not imports,
        aliases=_names(key, fields, "aliases", _ALIAS),
        is_secondary=_flag(key, fields, "secondary"),
        is_stale=_flag(key, fields, "stale"),
        is_private=is_private,
        **addresses,
    )


def entry_row(entry: Entry) -> dict[str, object]:
    """The row of an entry, as `parse_entry` takes it; nothing that is empty or assumed is written."""
    row: dict[str, object] = {name: getattr(entry, name) for name in ("version", *ADDRESS_FIELDS)}
    row["imports"] = None if entry.are_imports_assumed else list(entry.imports)
    row["aliases"] = list(entry.aliases)
    row["secondary"] = entry.is_secondary
    row["stale"] = entry.is_stale
    return {name: value for name, value in row.items() if value}


def assumed_imports(library: LibraryId) -> tuple[str, ...]:
    """What a package is most likely imported as: its own name."""
    if library.ecosystem == "npm":
        return (library.name,)
    name = library.name.replace("-", "_")
    return (name,) if name.isidentifier() else ()


def parse_key(key: str) -> LibraryId:
    """The library of a key such as `pypi:click`; raises `InvalidEntry` unless the name is in its normal form."""
    ecosystem, _, name = key.partition(":")
    if ecosystem == "pypi" and _PYPI_NAME.match(name) and name == python_name(name):
        return LibraryId("pypi", name)
    if ecosystem == "npm" and len(name) <= _LONGEST_NPM_NAME and _NPM_NAME.match(name):
        return LibraryId("npm", name)
    raise InvalidEntry(f"`{key[:80]}` is not the id of a package")


def _fields(key: str, row: object) -> dict[str, object]:
    if not isinstance(row, dict):
        raise InvalidEntry(f"`{key}` is not a table")
    fields = cast("dict[str, object]", row)
    if unknown := sorted(str(name) for name in fields.keys() - _FIELDS):
        raise InvalidEntry(f"`{key}` has an unknown field: {unknown[0][:40]}")
    return fields


def _address(key: str, name: str, value: object, *, is_private: bool) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidEntry(f"`{key}`: `{name}` is not a string")
    try:
        return checked_address(value, is_private=is_private)
    except InvalidAddress as reason:
        raise InvalidEntry(f"`{key}`: `{name}` {reason}") from None


def _require_registrable_hosts(key: str, addresses: dict[str, str | None]) -> None:
    for name, address in addresses.items():
        if address:
            try:
                require_registrable(address)
            except InvalidAddress as reason:
                raise InvalidEntry(f"`{key}`: `{name}` {reason}") from None


def _version(key: str, value: object) -> str | None:
    if value is None or (isinstance(value, str) and _VERSION.match(value)):
        return value
    raise InvalidEntry(f"`{key}`: `version` is not a version")


def _names(key: str, fields: dict[str, object], field: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
    value = fields.get(field, ())
    if not isinstance(value, list | tuple) or len(cast("list[object]", value)) > _LONGEST_LIST:
        raise InvalidEntry(f"`{key}`: `{field}` is not a short list")
    names = cast("list[object]", value)
    for name in names:
        if not isinstance(name, str) or len(name) > 200 or not pattern.match(name):
            raise InvalidEntry(f"`{key}`: `{field}` holds something that is no name")
    return tuple(cast("list[str]", names))


def _flag(key: str, fields: dict[str, object], field: str) -> bool:
    value = fields.get(field, False)
    if not isinstance(value, bool):
        raise InvalidEntry(f"`{key}`: `{field}` is neither true nor false")
    return value
