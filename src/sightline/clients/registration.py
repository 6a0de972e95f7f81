"""Sightline's entry in one file of one client: whether it is there, and the bytes with and without it. Only reads."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from sightline.clients.client import Client, Format, Scope, ServerCommand, Surroundings
from sightline.clients.failures import ClientFailed, unreadable
from sightline.clients.records import Record, entry_digest
from sightline.regular_files import read_regular
from sightline.sync.formats.failures import FormatFailed, Malformed
from sightline.sync.formats.values import MISSING, Edited, KeyPath, Missing, Value, is_list, is_mapping, same_value

State = Literal["missing", "same", "different"]


class _Editor(Protocol):
    def get_value(self, content: bytes, path: KeyPath, /) -> Value | Missing: ...
    def locate(self, content: bytes, path: KeyPath, /) -> tuple[int, int] | None: ...
    def set_values(self, content: bytes, values: Mapping[KeyPath, Value], /) -> Edited: ...
    def remove_value(self, content: bytes, path: KeyPath, made: Collection[KeyPath], /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Registration:
    """A client's file as it is now, and the entry that it has; `content` is None where there is no file."""

    client: Client
    scope: Scope
    path: Path
    content: bytes | None = field(repr=False)
    entry: Value | Missing

    def state(self, wanted: Mapping[str, Value]) -> State:
        """`same` also with more keys than wanted: a timeout, variables, or what else a person has set beside ours."""
        if isinstance(self.entry, Missing):
            return "missing"
        if not is_mapping(self.entry) or address_in(self.entry) or is_switched_off(self.entry):
            return "different"
        ours = {name: value for name, value in self.entry.items() if name in wanted}
        return "same" if same_value(_without_defaults(ours), _without_defaults(wanted)) else "different"

    @property
    def line(self) -> int:
        """Where the entry stands; 0 if it is not there."""
        found = editor(self.client.format).locate(self.content or b"", self.client.key)
        return found[0] if found else 0


@dataclass(frozen=True, slots=True)
class Edit:
    """The bytes of a file before and after, None for no file, and what is to be remembered of it."""

    path: Path
    before: bytes | None = field(repr=False)
    after: bytes | None = field(repr=False)
    record: Record | None

    @property
    def is_change(self) -> bool:
        return self.before != self.after


def find_registration(client: Client, scope: Scope, around: Surroundings) -> Registration:
    """The file that has the entry, else the one that it would go to; raises `ClientFailed` where one is unreadable."""
    looked = [_look(client, scope, path) for path in client.files(scope, around)]
    there = [each for each in looked if not isinstance(each.entry, Missing)]
    existing = [each for each in looked if each.content is not None]
    return (there or existing or looked[-1:])[0]


def with_entry(found: Registration, wanted: Mapping[str, Value], known: Record | None) -> Edit:
    """The file with the entry; raises `ClientFailed` where it cannot hold one."""
    if found.state(wanted) == "same":
        return Edit(found.path, found.content, found.content, known)
    with _told(found.client, found.path):
        entry = with_own_keys(wanted, found.entry)
        edited = editor(found.client.format).set_values(found.content or b"", {found.client.key: entry})
    digest = entry_digest(wanted)
    if is_ours(found, known) and known is not None:
        return Edit(
            found.path, found.content, edited.content, Record(digest, known.made, known.is_created, known.folders)
        )
    folders = tuple(folder for folder in found.path.resolve().parents if not folder.exists())
    record = Record(digest, edited.made, found.content is None, folders)
    return Edit(found.path, found.content, edited.content, record)


def without_entry(found: Registration, known: Record | None) -> Edit:
    """The file without the entry, and without what was made for it; a file of ours that is left empty goes."""
    made = known.made if known else ()
    with _told(found.client, found.path):
        after = editor(found.client.format).remove_value(found.content or b"", found.client.key, made)
    is_gone = known is not None and known.is_created and not after.strip(b" \t\r\n\xef\xbb\xbf")
    return Edit(found.path, found.content, None if is_gone or found.content is None else after, None)


def is_ours(found: Registration, known: Record | None) -> bool:
    """Whether the entry is what we wrote, and nobody changed it since, but for keys beside ours."""
    if known is None or isinstance(found.entry, Missing):
        return False
    return known.digest in (entry_digest(found.entry), entry_digest(_ours(found.entry, found.client)))


def program_in(entry: Value | Missing) -> str:
    """The program that an entry starts, in whatever form its client has; empty if it starts none."""
    return next(iter(start_in(entry)), "")


def start_in(entry: Value | Missing) -> list[str]:
    """The program that an entry starts, with its arguments; empty if it starts none."""
    if not is_mapping(entry):
        return []
    command, args = entry.get("command"), entry.get("args")
    words: list[Value] = [*command] if is_list(command) else [command]
    words += [*args] if is_list(args) else []
    return [str(word) for word in words] if words and isinstance(words[0], str) and words[0] else []


def address_in(entry: Value | Missing) -> str:
    """The address of a service that an entry connects to, in whatever form its client has; empty if there is none."""
    values = [entry.get(name) for name in ("url", "httpUrl")] if is_mapping(entry) else []
    return next((value for value in values if isinstance(value, str) and value), "")


def with_own_keys(wanted: Mapping[str, Value], present: Value | Missing) -> Mapping[str, Value]:
    """The entry with what a person has set beside it, if theirs starts the same program; a switch is not kept."""
    if not is_mapping(present) or address_in(present) or program_in(present) != program_in(wanted):
        return wanted
    beside = {name: value for name, value in present.items() if name not in {*wanted, "enabled", "disabled"}}
    return {**wanted, **beside}


def is_switched_off(entry: Value | Missing) -> bool:
    """Whether the client has the entry and does not use it."""
    return is_mapping(entry) and (entry.get("enabled") is False or entry.get("disabled") is True)


def editor(kind: Format) -> _Editor:
    from sightline.sync.formats import jsonc, toml_tables

    return toml_tables if kind == "toml" else jsonc


def _ours(entry: Value, client: Client) -> Value:
    names = client.entry(ServerCommand("", ()))
    return {name: value for name, value in entry.items() if name in names} if is_mapping(entry) else entry


def _without_defaults(entry: Value) -> Value:
    """`type: stdio` and an empty `env` say nothing; Claude Code adds them to what it is given."""
    if not isinstance(entry, Mapping):
        return entry
    empty: Mapping[str, Value] = {}
    return {
        name: value
        for name, value in entry.items()
        if not (name == "type" and value == "stdio") and not (name == "env" and value == empty)
    }


def _look(client: Client, scope: Scope, path: Path) -> Registration:
    try:
        content = read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return Registration(client, scope, path, None, MISSING)
    except OSError as error:
        raise unreadable(path, error) from None
    with _told(client, path):
        entry = editor(client.format).get_value(content, client.key)
    return Registration(client, scope, path, content, entry)


@contextmanager
def _told(client: Client, path: Path) -> Generator[None]:
    """A failure of a format as one that names the client and its file."""
    try:
        yield
    except Malformed as error:
        message = f"{client.title} has a file that cannot be parsed: {path}:{error.line}: {error.message}"
        raise ClientFailed(message, "mend that line; nothing was written") from None
    except FormatFailed as error:
        raise ClientFailed(f"`{path}` cannot hold the entry: {error}", "mend the file; nothing was written") from None
