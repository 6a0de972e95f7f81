"""One reading of the source: files within size limits, and a record of what was read and what went wrong.

The readers of the kinds put their findings here. Nothing is executed, and nothing is read twice.
"""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sightline.sync.files import Files, walk
from sightline.sync.model_values import InputFile, ItemKind, Problem, Provenance, UnknownKey
from sightline.sync.secret_shapes import shown_name
from sightline.sync.source.json_text import JsonText, MalformedJson, Pointer, parse_json
from sightline.sync.source.places import SourcePlaces

MAX_TEXT_BYTES = 4_000_000
MAX_STATE_BYTES = 100_000_000
MAX_SKILL_FILE_BYTES = 10_000_000
MAX_SKILL_BYTES = 50_000_000
MAX_ENTRIES = 20_000
_STATE_TRIES = 5
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR})

NOTHING: frozenset[ItemKind] = frozenset()


@dataclass(slots=True)
class Reading:
    """What this reading has found so far."""

    places: SourcePlaces
    pause: Callable[[], None]
    files: Files
    problems: list[Problem] = field(default_factory=list[Problem])
    unknown_keys: list[UnknownKey] = field(default_factory=list[UnknownKey])
    inputs: dict[Path, InputFile] = field(default_factory=dict[Path, InputFile])

    def warn(self, file: Path, line: int, message: str) -> None:
        self.problems.append(Problem(file, line, message))

    def block(self, file: Path, line: int, message: str, *kinds: ItemKind, items: frozenset[str] = frozenset()) -> None:
        self.problems.append(Problem(file, line, message, frozenset(kinds), items))

    def report_unknown(self, key: str, place: str, provenance: Provenance) -> None:
        self.unknown_keys.append(UnknownKey(shown_name(key), place, provenance))

    def bytes_of(self, file: Path, limit: int) -> bytes | None:
        """The content, or none if there is no such file; raises `Unreadable`."""
        try:
            if not self.files.is_file(file):
                if self.files.is_symlink(file) or self.files.exists(file):
                    raise Unreadable("is no regular file, or a link that leads nowhere")
                return self._note(file, None)
            content = self.files.read(file, limit + 1)
        except OSError as error:
            if error.errno in _ABSENT:
                return self._note(file, None)
            raise Unreadable(f"cannot be read: {error.strerror or 'unknown error'}") from None
        if len(content) > limit:
            raise Unreadable(f"is larger than {limit:,} bytes")
        return self._note(file, content)

    def _note(self, file: Path, content: bytes | None) -> bytes | None:
        self.inputs[file] = InputFile(file, None if content is None else hashlib.sha256(content).hexdigest())
        return content

    def text_of(self, file: Path, *kinds: ItemKind, items: frozenset[str] = frozenset()) -> str | None:
        """The text without its byte order mark, or none; what cannot be read is a problem for these kinds or items."""
        try:
            content = self.bytes_of(file, MAX_TEXT_BYTES)
            return None if content is None else content.decode("utf-8-sig")
        except Unreadable as error:
            self.block(file, 1, f"the file {error}", *kinds, items=items)
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            self.block(file, line, "the file is not UTF-8 text", *kinds, items=items)
        return None

    def json_of(self, file: Path, *kinds: ItemKind) -> JsonText | None:
        """The parsed file, or none; a malformed one is a problem for these kinds."""
        text = self.text_of(file, *kinds)
        if text is None:
            return None
        try:
            parsed = parse_json(text)
        except MalformedJson as error:
            self.block(file, error.line, f"not valid JSON: {error.message}", *kinds)
            return None
        self._report_duplicates(file, parsed)
        return parsed

    def state_of(self, is_wanted: Callable[[Pointer], bool], *kinds: ItemKind) -> JsonText | None:
        """The state file, which a running Claude Code rewrites: a torn text is read again a few times."""
        file = self.places.state_file
        problem = "the file is empty"
        line = 1
        for attempt in range(_STATE_TRIES):
            if attempt:
                self.pause()
            try:
                content = self.bytes_of(file, MAX_STATE_BYTES)
                if content is None:
                    return None
                parsed = parse_json(content.decode("utf-8-sig"), is_wanted)
            except Unreadable as error:
                problem = f"the file {error}"
            except UnicodeDecodeError:
                problem = "the file is not UTF-8 text"
            except MalformedJson as error:
                problem, line = f"not valid JSON: {error.message}", error.line
            else:
                self._report_duplicates(file, parsed)
                return parsed
        self.block(file, line, problem, *kinds)
        return None

    def _report_duplicates(self, file: Path, parsed: JsonText) -> None:
        for pointer in parsed.duplicates:
            shown = ".".join(str(name) for name in pointer)
            self.warn(file, parsed.line_of(*pointer), f"`{shown}` is given twice; the last one counts")

    def files_below(self, folder: Path, *kinds: ItemKind) -> Iterator[Path]:
        """Every file below a folder, sorted, links followed, no folder twice; too many are a problem for the kinds."""
        entered: set[Path] = set()
        count = 0
        self.check_link(folder, *kinds)
        walked = walk(self.files, folder, follows_links=True, on_error=lambda error: self._unlisted(error, kinds))
        for place, folders, names in walked:
            real = self.files.resolve(place)
            if real in entered:
                folders.clear()
                continue
            entered.add(real)
            for name in names:
                count += 1
                if not is_writable_name(name):
                    self.block(place, 1, "the name of a file in this folder is not UTF-8 text", *kinds)
                    continue
                if count > MAX_ENTRIES:
                    self.block(folder, 1, f"more than {MAX_ENTRIES:,} files", *kinds)
                    return
                yield place / name

    def check_link(self, folder: Path, *kinds: ItemKind, items: frozenset[str] = frozenset()) -> None:
        """A link that leads nowhere may be a disk that is not there: no reason to remove what came from it."""
        if self.files.is_symlink(folder) and not self.files.exists(folder):
            self.block(folder, 1, "the link leads nowhere", *kinds, items=items)

    def _unlisted(self, error: OSError, kinds: tuple[ItemKind, ...]) -> None:
        if error.errno not in _ABSENT:
            self.block(Path(error.filename), 1, "the folder cannot be read", *kinds)


def is_writable_name(name: str) -> bool:
    """Whether a file's name is text; one of other bytes could be shown and stored by nobody."""
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


class Unreadable(Exception):
    """A file that exists and cannot be used; the message continues `the file …`."""
