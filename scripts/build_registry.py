"""Build the bundled registry from reviewed lists of names and what the ordinary package clients say about them.

For maintainers; never run at install or run time. With `--answers` the clients' answers are kept in a file and used
again, so that a build can be repeated to the byte. A name that fails keeps its old row, marked as stale.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from package_addresses import inventory_folder, npm_addresses, python_addresses
from package_clients import Clients, ask_npm, ask_pip, ask_pip_for_versions

from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.registry.entries import Entry, InvalidEntry, entry_row, parse_entry
from sightline.library_docs.registry.snapshots import (
    InvalidSnapshot,
    encode_snapshot,
    parse_snapshot,
    state_of,
)
from sightline.library_docs.registry.stored_pair import DATA_NAME, load_pair, save_pair

ROOT = Path(__file__).resolve().parent.parent
NAMES = ROOT / "scripts" / "registry_names"
BUNDLED = ROOT / "src" / "sightline" / "library_docs" / "registry" / "bundled"

Row = dict[str, Any]
Answers = dict[str, dict[str, dict[str, Any]]]


def main() -> int:
    options = _options()
    answers = _answers(options)
    old = _old_entries(options.out)
    entries: list[Entry] = []
    failed: list[str] = []
    for key, row in _rows(options.names, answers):
        entry = _entry(key, row) if row is not None else None
        if entry is None:
            failed.append(key)
            entry = _kept(old, key)
        if entry:
            entries.append(entry)
    data = encode_snapshot(options.generated_at[:10].replace("-", "."), options.generated_at, entries)
    snapshot = parse_snapshot(data)
    save_pair(options.out, data, state_of(data, snapshot, options.generated_at))
    sys.stdout.write(f"{len(entries)} libraries, {len(data):,} bytes in {options.out / DATA_NAME}\n")
    sys.stdout.writelines(f"no answer: {key}\n" for key in failed)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generated-at", required=True, help="the time to write, such as 2026-01-31T12:00:00Z")
    parser.add_argument("--names", type=Path, default=NAMES, help="folder of the reviewed lists")
    parser.add_argument("--out", type=Path, default=BUNDLED, help="folder of the pair of files")
    parser.add_argument(
        "--answers", type=Path, help="keep the clients' answers in this file, and use them if it exists"
    )
    parser.add_argument("--pip", default=f"{shlex.quote(sys.executable)} -m pip", help="the command that is pip")
    parser.add_argument("--npm", default="npm", help="the command that is npm")
    return parser.parse_args()


def _answers(options: argparse.Namespace) -> Answers:
    if options.answers and options.answers.exists():
        return json.loads(options.answers.read_bytes())
    clients = Clients(tuple(shlex.split(options.pip)), tuple(shlex.split(options.npm)))
    python = _names(options.names / "pypi.txt")
    found = ask_pip(clients, python)
    found |= ask_pip(clients, [name for name in python if name not in found], "win_amd64")
    found |= ask_pip_for_versions(clients, [name for name in python if name not in found])
    answers: Answers = {"pypi": found, "npm": ask_npm(clients, _names(options.names / "npm.txt"))}
    if options.answers:
        options.answers.write_text(json.dumps(answers, sort_keys=True, indent=1), encoding="utf-8")
    return answers


def _rows(folder: Path, answers: Answers) -> Iterator[tuple[str, Row | None]]:
    """Every name of the lists with its row, or without one if no client knew it."""
    imports, secondary = _imports(folder / "imports.txt")
    aliases = {key: text.split(", ") for key, text in _table(folder / "aliases.txt").items()}
    llms, inventories = _table(folder / "llms_addresses.txt"), _table(folder / "inventories.txt")
    for ecosystem, addresses_of in (("pypi", python_addresses), ("npm", npm_addresses)):
        for name in _names(folder / f"{ecosystem}.txt"):
            key = f"{ecosystem}:{name}"
            if (answer := answers[ecosystem].get(name)) is None:
                yield key, None
                continue
            row: Row = {"version": answer["version"], **addresses_of(answer)}
            row["llms_txt"] = llms.get(key)
            row["inventory"] = inventories.get(key) or inventory_folder(row.get("docs"))
            row["aliases"] = aliases.get(key, [])
            row["imports"] = imports.get(name, []) if ecosystem == "pypi" else []
            row["secondary"] = ecosystem == "pypi" and name in secondary
            yield key, {field: value for field, value in row.items() if value}


def _entry(key: str, row: Row) -> Entry | None:
    try:
        return parse_entry(key, row)
    except InvalidEntry as reason:
        sys.stderr.write(f"left out: {reason}\n")
        return None


def _old_entries(folder: Path) -> Mapping[LibraryId, Entry]:
    try:
        old = load_pair(folder)
    except InvalidSnapshot as reason:
        sys.stderr.write(f"the old registry is not used: {reason}\n")
        old = None
    return {entry.library: entry for entry in old.entries} if old else {}


def _kept(old: Mapping[LibraryId, Entry], key: str) -> Entry | None:
    ecosystem, _, name = key.partition(":")
    entry = old.get(LibraryId("npm" if ecosystem == "npm" else "pypi", name))
    return parse_entry(key, entry_row(entry) | {"stale": True}) if entry else None


def _names(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8").split("\n") if line and not line.startswith("#")]


def _table(file: Path) -> dict[str, str]:
    return {key: value for key, _, value in (line.partition(" = ") for line in _names(file))}


def _imports(file: Path) -> tuple[dict[str, list[str]], frozenset[str]]:
    found: dict[str, list[str]] = {}
    secondary: set[str] = set()
    for line in _names(file):
        name, sign, *imports = line.split()
        found[name] = imports
        if sign == "~":
            secondary.add(name)
    return found, frozenset(secondary)


if __name__ == "__main__":
    raise SystemExit(main())
