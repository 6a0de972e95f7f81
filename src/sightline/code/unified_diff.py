"""Unified diffs, read and applied exactly, as `git diff` and `diff -u` write them. Texts in, texts out; no files.

What is tolerated, because callers that are models cannot see it or miscount it: line numbers that are off (a hunk
is looked for and must fit in exactly one place), line ends (an added line gets the file's own), a missing
`\\ No newline at end of file`, an empty line in place of a context line of one space. What is not: content that
differs, and hunks with another number of lines than their header says, which may have been cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_SHOWN_PLACES = 5

Newline = Literal["", "\n", "\r\n"]


class DiffUnreadable(Exception):
    """The text is not a unified diff, or one of a kind that cannot be applied; `line` is counted in the diff."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(f"line {line} of the diff: {reason}")
        self.line = line


class HunkMisfit(Exception):
    """A hunk has no place in the text, or several; `missing` is a line that it needs and the text has not."""

    def __init__(self, hunk: Hunk, reason: str, missing: str | None = None) -> None:
        super().__init__(f"hunk {hunk.number} (line {hunk.line} of the diff): {reason}")
        self.hunk = hunk
        self.missing = missing


@dataclass(frozen=True, slots=True)
class HunkLine:
    """A line of a hunk without its line end; `newline` is empty where the text ends without one."""

    mark: str
    text: str
    newline: Newline


@dataclass(frozen=True, slots=True)
class Hunk:
    """One change in a file; `number` and `line` say where it is in the diff."""

    number: int
    line: int
    old_start: int
    lines: tuple[HunkLine, ...]

    @property
    def old(self) -> list[str]:
        """The lines that it needs."""
        return [each.text for each in self.lines if each.mark != "+"]

    @property
    def ends_the_text(self) -> bool:
        return any(not each.newline for each in self.lines)


@dataclass(slots=True)
class FilePatch:
    """What a diff does to one file; `path` is None where the diff has no header that names one."""

    line: int
    path: str | None = None
    change: Literal["edit", "create", "delete"] = "edit"
    moved_from: str | None = None
    hunks: list[Hunk] = field(default_factory=list[Hunk])


def newline_of(text: str) -> Newline | None:
    """The line end that most lines of a text have; None if it has none."""
    with_return = text.count("\r\n")
    without = text.count("\n") - with_return
    if not with_return and not without:
        return None
    return "\r\n" if with_return > without else "\n"


def parse_diff(diff: str) -> list[FilePatch]:
    """The files of a diff in order; raises `DiffUnreadable`. Text between the files is passed over."""
    reader = _Reader(diff.removesuffix("\n").split("\n"))
    reader.read()
    if not reader.patches:
        raise DiffUnreadable("there is no hunk; one begins like `@@ -1,3 +1,4 @@`", 1)
    return reader.patches


def apply_hunks(text: str, hunks: Sequence[Hunk]) -> str:
    """The new text; raises `HunkMisfit`."""
    old, finder = _lines_with_ends(text), _Finder.of(text)
    newline = newline_of(text)
    new: list[str] = []
    done = 0
    for hunk in hunks:
        start = finder.place_of(hunk, done)
        new += old[done:start]
        done = start
        for line in hunk.lines:
            if line.mark == "+":
                new.append(line.text + (newline or line.newline if line.newline else ""))
                continue
            if line.mark == " ":
                new.append(old[done])
            done += 1
    new += old[done:]
    return "".join([*(_ended(line, newline) for line in new[:-1]), *new[-1:]])


def _ended(line: str, newline: Newline | None) -> str:
    """A last line without an end, to which lines were added."""
    return line if line.endswith("\n") else line + (newline or "\n")


def _lines_with_ends(text: str) -> list[str]:
    *ended, last = text.split("\n")
    return [*(f"{line}\n" for line in ended), *([last] if last else [])]


@dataclass(frozen=True, slots=True)
class _Finder:
    """Finds where hunks fit. `text` has each line with a line end before and behind it, so that one search does."""

    lines: list[str]
    text: str

    @classmethod
    def of(cls, text: str) -> _Finder:
        lines = [line.removesuffix("\n") for line in _lines_with_ends(text.replace("\r\n", "\n"))]
        return cls(lines, "\n".join(["", *lines, ""]))

    def place_of(self, hunk: Hunk, done: int) -> int:
        """The index of its first line; at the stated line, or else at the only one behind `done` that fits."""
        needed = hunk.old
        stated = hunk.old_start - 1 if needed else hunk.old_start
        if self._fits(hunk, needed, stated, done):
            return stated
        if not needed:
            raise HunkMisfit(hunk, f"it adds lines behind line {stated}, which is not there or already passed")
        places = list(islice(self._places(hunk, needed, done), _SHOWN_PLACES + 1))
        if len(places) > 1:
            shown = ", ".join(str(place + 1) for place in places[:_SHOWN_PLACES])
            more = " and more" if len(places) > _SHOWN_PLACES else ""
            raise HunkMisfit(hunk, f"it does not fit at line {hunk.old_start}, but at lines {shown}{more}")
        if not places:
            raise self._misfit(hunk, needed, done)
        return places[0]

    def _fits(self, hunk: Hunk, needed: list[str], start: int, done: int) -> bool:
        end = start + len(needed)
        if start < done or end > len(self.lines) or (hunk.ends_the_text and end < len(self.lines)):
            return False
        return self.lines[start:end] == needed

    def _places(self, hunk: Hunk, needed: list[str], done: int) -> Iterator[int]:
        if hunk.ends_the_text:
            start = len(self.lines) - len(needed)
            yield from [start] if self._fits(hunk, needed, start, done) else []
            return
        wanted = "\n".join(["", *needed, ""])
        line, last = done, sum(len(each) + 1 for each in self.lines[:done])
        at = self.text.find(wanted, last)
        while at >= 0:
            line, last = line + self.text.count("\n", last, at), at
            yield line
            at = self.text.find(wanted, at + 1)

    def _misfit(self, hunk: Hunk, needed: list[str], done: int) -> HunkMisfit:
        there = set(self.lines)
        missing = next((line for line in needed if line not in there), None)
        if missing is not None:
            return HunkMisfit(hunk, f"the file has no line `{missing.strip()[:200]}`", missing)
        if hunk.ends_the_text:
            return HunkMisfit(hunk, "it says that the file ends with it, and these lines are not at the end")
        behind = f" behind line {done}, where the hunk before it ends" if done else ""
        return HunkMisfit(hunk, f"its lines are in the file, but not next to one another in this order{behind}")


class _Reader:
    """Goes through the lines of a diff once; `at` is the index of the next one."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.patches: list[FilePatch] = []

    def read(self) -> None:
        while self.at < len(self.lines):
            line = self.lines[self.at].removesuffix("\r")
            if line.startswith("diff --git "):
                self.patches.append(FilePatch(self.at + 1, _path_of_git_line(line.removeprefix("diff --git "))))
            elif line.startswith("@@"):
                self._add_hunk()
                continue
            elif line.startswith("--- "):
                self._take_names(line)
            elif self.patches and not self.patches[-1].hunks:
                self._take_git_header(self.patches[-1], line)
            self.at += 1

    def _take_names(self, line: str) -> None:
        if not self._is_file_header(self.at):
            raise DiffUnreadable("`---` without `+++` on the next line", self.at + 1)
        if not self.patches or self.patches[-1].hunks:
            self.patches.append(FilePatch(self.at + 1))
        patch = self.patches[-1]
        self.at += 1
        old, new = _named(line), _named(self.lines[self.at].removesuffix("\r"))
        if not self.lines[self.at + 1 : self.at + 2] or not self.lines[self.at + 1].startswith("@@"):
            raise DiffUnreadable("no hunk on the next line; one begins like `@@ -1,3 +1,4 @@`", self.at + 1)
        old, new = _without_prefixes(old, new)
        patch.path = old if new == "/dev/null" else new
        patch.change = "create" if old == "/dev/null" else "delete" if new == "/dev/null" else patch.change

    def _take_git_header(self, patch: FilePatch, line: str) -> None:
        if line.startswith("new file mode "):
            patch.change = "create"
        elif line.startswith("deleted file mode "):
            patch.change = "delete"
        elif line.startswith("rename from "):
            patch.moved_from = _unquoted(line.removeprefix("rename from "))
        elif line.startswith("rename to "):
            patch.path = _unquoted(line.removeprefix("rename to "))
        elif line.startswith(("copy from ", "Binary files ", "GIT binary patch")):
            raise DiffUnreadable("copies and binary changes are not supported", self.at + 1)

    def _add_hunk(self) -> None:
        if not self.patches:
            self.patches.append(FilePatch(self.at + 1))
        hunks = self.patches[-1].hunks
        hunks.append(self._read_hunk(len(hunks) + 1))

    def _read_hunk(self, number: int) -> Hunk:
        header = self.at
        found = _HUNK.match(self.lines[header])
        if not found:
            raise DiffUnreadable("a hunk needs its lines and counts, like `@@ -1,3 +1,4 @@`", header + 1)
        left = {"-": int(found[2] or 1), "+": int(found[4] or 1)}
        lines: list[HunkLine] = []
        self.at += 1
        while left["-"] or left["+"] or self._is_marked("\\"):
            if self._is_marked("\\") and lines:
                lines[-1] = HunkLine(lines[-1].mark, lines[-1].text, "")
            else:
                lines.append(self._read_line(left, found, header))
            self.at += 1
        if self._goes_on():
            raise self._miscounted(found, header)
        _require_ends_last(lines, header + 1)
        return Hunk(number, header + 1, int(found[1]), tuple(lines))

    def _read_line(self, left: dict[str, int], found: re.Match[str], header: int) -> HunkLine:
        line = self.lines[self.at] if self.at < len(self.lines) else None
        mark = "?" if line is None else line.removesuffix("\r")[:1] or " "
        for side in "-+" if mark == " " else mark:
            if not left.get(side):
                raise self._miscounted(found, header)
            left[side] -= 1
        text = (line or "")[1:]
        return HunkLine(mark, text.removesuffix("\r"), "\r\n" if text.endswith("\r") else "\n")

    def _is_marked(self, marks: str) -> bool:
        return self.at < len(self.lines) and self.lines[self.at][:1] in tuple(marks)

    def _is_file_header(self, at: int) -> bool:
        names = self.lines[at : at + 2]
        return len(names) == 2 and names[0].startswith("--- ") and names[1].startswith("+++ ")

    def _goes_on(self) -> bool:
        """A hunk's line where none is due; `-- ` alone begins the signature of a mailed patch."""
        return self._is_marked(" +-") and not self._is_file_header(self.at) and self.lines[self.at] != "-- "

    def _miscounted(self, found: re.Match[str], header: int) -> DiffUnreadable:
        below: list[str] = []
        for at in range(header + 1, len(self.lines)):
            line = self.lines[at].removesuffix("\r")
            if line[:1] not in ("", *" +-\\") or self._is_file_header(at):
                break
            below.append(line)
        while below and not below[-1]:
            below.pop()
        marks = [line[:1] or " " for line in below]
        old, new = (sum(mark in (" ", side) for mark in marks) for side in "-+")
        right = f"@@ -{found[1]},{old} +{found[3]},{new} @@"
        reason = f"`{found[0]}` does not agree with the lines below it: some are missing, or it should be `{right}`"
        return DiffUnreadable(reason, header + 1)


def _require_ends_last(lines: Sequence[HunkLine], header: int) -> None:
    for side in "-+":
        own = [each for each in lines if each.mark in (" ", side)]
        if any(not each.newline for each in own[:-1]):
            raise DiffUnreadable("`\\ No newline at end of file` before the last line of this hunk", header)


def _named(line: str) -> str:
    """The path of a `---` or `+++` line; a time stamp may follow behind a tab."""
    return _unquoted(line[4:].partition("\t")[0].strip())


def _without_prefixes(old: str, new: str) -> tuple[str, str]:
    if old.startswith(("a/", "/dev/null")) and new.startswith(("b/", "/dev/null")):
        return old.removeprefix("a/"), new.removeprefix("b/")
    return old, new


def _path_of_git_line(names: str) -> str | None:
    """Of `a/x b/x`: git writes no other names for a file that is empty, or of which only the mode changed."""
    middle = len(names) // 2
    old, new = _without_prefixes(_unquoted(names[:middle]), _unquoted(names[middle + 1 :]))
    return new if old == new else None


def _unquoted(name: str) -> str:
    """A path as git quotes it where it has special characters."""
    if not (len(name) > 1 and name[0] == name[-1] == '"'):
        return name
    quoted = name[1:-1].encode("utf-8", errors="replace")

    def plain(found: re.Match[bytes]) -> bytes:
        return bytes([int(found[1], 8) & 255]) if len(found[1]) == 3 else _ESCAPED.get(found[1], found[1])

    return _ESCAPE.sub(plain, quoted).decode("utf-8", errors="replace")
