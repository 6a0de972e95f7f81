"""A server's edit of many files, made into new texts in memory; what cannot be carried out exactly is refused."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.lsp.uris import path_of
from sightline.positions import column_from_utf16

_NO_TEXTS: Mapping[str, str] = MappingProxyType({})
_MARK = codecs.BOM_UTF8.decode()
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Span:
    """A replaced piece of one line: 1-based line, character columns of its start and its end, its new text."""

    line: int
    start: int
    end: int
    text: str = ""

    @property
    def growth(self) -> int:
        return len(self.text) - (self.end - self.start)


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file with its text on disk and its new one; `spans` are the replaced pieces in the old text."""

    path: Path
    before: str
    after: str
    spans: tuple[Span, ...]

    @property
    def old_bytes(self) -> bytes:
        return self.before.encode()

    @property
    def new_bytes(self) -> bytes:
        return self.after.encode()


def edited_files(
    edit: Mapping[str, Any], *, replaced: str = "", texts: Mapping[str, str] = _NO_TEXTS
) -> list[EditedFile]:
    """The files of a `WorkspaceEdit`, in which every piece is expected to hold `replaced`; raises `ToolFailure`.

    `texts` by path stand for what is on disk.
    """
    changes: defaultdict[Path, list[Any]] = defaultdict(list)
    for uri, edits in _text_edits(edit):
        changes[path_of(uri)] += edits
    return [_edited(path, changes[path], replaced, texts.get(str(path))) for path in sorted(changes)]


def _text_edits(edit: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Both forms; an operation on whole files is refused, because dropping it would leave the rest wrong."""
    if edit.get("documentChanges"):
        for change in edit["documentChanges"]:
            if "kind" in change:
                raise _refused(f"the server wants to {change['kind']} a file, which is not done here")
            yield change["textDocument"]["uri"], change["edits"]
        return
    yield from (edit.get("changes") or {}).items()


def _edited(path: Path, edits: Sequence[Any], replaced: str, known: str | None) -> EditedFile:
    try:
        before = path.read_bytes().decode("utf-8") if known is None else known
    except (OSError, UnicodeDecodeError) as error:
        raise _refused(f"`{path.name}` cannot be read as UTF-8: {error}") from None
    offsets = _line_offsets(before)
    pieces = sorted((_piece(before, offsets, each, replaced) for each in edits), key=lambda piece: piece[:2])
    after, end, spans = "", 0, list[Span]()
    for start, stop, text in pieces:
        if start < end:
            raise _refused(f"the server's changes of `{path.name}` overlap")
        after += before[end:start] + text
        end = stop
        spans.append(_span(offsets, start, stop, before, text))
    return EditedFile(path, before, after + before[end:], tuple(spans))


def _piece(text: str, offsets: Sequence[int], edit: Mapping[str, Any], replaced: str) -> tuple[int, int, str]:
    """Start, end and new text. Some servers count a byte order mark as a character, some do not see it."""
    shifts = (0, 1, -1) if text.startswith(_MARK) and edit["range"]["start"]["line"] == 0 else (0,)
    for shift in shifts:
        start = _offset(text, offsets, edit["range"]["start"], shift)
        end = _offset(text, offsets, edit["range"]["end"], shift)
        if replaced in text[start:end]:
            return start, end, str(edit["newText"])
    raise _refused("the server's changes do not fit the files on disk")


def _line_offsets(text: str) -> list[int]:
    """Where each line begins, and where the text ends; the protocol knows three ways to end a line, and no others."""
    return [0, *(found.end() for found in _LINE_END.finditer(text)), len(text) + 1]


def _offset(text: str, offsets: Sequence[int], position: Mapping[str, int], shift: int) -> int:
    line = position["line"]
    if line + 1 >= len(offsets):
        return len(text)
    content = text[offsets[line] : offsets[line + 1]].rstrip("\r\n")
    return offsets[line] + column_from_utf16(content, max(0, position["character"] + shift)) - 1


def _span(offsets: Sequence[int], start: int, stop: int, before: str, text: str) -> Span:
    line = bisect_right(offsets, start) - 1
    mark = int(line == 0 and before.startswith(_MARK))
    return Span(line + 1, start - offsets[line] + 1 - mark, stop - offsets[line] + 1 - mark, text)


def _refused(reason: str) -> ToolFailure:
    return ToolFailure(ErrorKind.UNSUPPORTED, reason, NextStep("doc", "nothing was written; make this change by hand"))
