"""From the edits that a caller proposes to the texts that files would have. Files are read, nothing is written.

Edits are carried out in order, in memory: each sees the files as the ones before it left them, so a file may be
edited twice, moved and then edited, or deleted and then created anew. An edit of a file that is gone by then is
refused. All replacements of one edit are looked for in the text before that edit, and may not overlap.

Callers send `\\n`; a file keeps its own line ends and its byte order mark. Whether a text ends with a line end is as
given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from sightline.code.line_mapping import LineMapping
from sightline.code.text_replacements import Replacement, nearest_line, no_match, replaced, with_newlines
from sightline.code.unified_diff import (
    DiffUnreadable,
    FilePatch,
    HunkMisfit,
    apply_hunks,
    newline_of,
    parse_diff,
)
from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params
from sightline.paths import PathPolicy
from sightline.source_files import MAX_SOURCE_BYTES, read_source
from sightline.tool import param, record

MAX_CHANGES = 1_000
"""Edits of one call; one with several replacements or hunks counts as that many."""
MAX_CHARACTERS = 20_000_000
"""Of the edits and of the files that they touch, taken together."""

_WAYS = ("content", "replacements", "diff", "delete", "move_to")
_LONGEST_SHOWN = 120
_MARKED_LINE = re.compile("^([ +-]?)\ufeff", re.MULTILINE)


@record
class EditInput:
    """One edit of a file: exactly one of `content`, `replacements`, `diff`, `delete` and `move_to`."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    file: str | None = param("File; not needed with a `diff`", default=None, max_length=4096)
    content: str | None = param("Whole new text, also of a new file", default=None)
    replacements: list[Replacement] | None = param("Parts to replace, none overlapping", default=None)
    diff: str | None = param("Unified diff", default=None)
    delete: bool | None = param("Delete the file", default=None)
    move_to: str | None = param("New path of the file", default=None, max_length=4096)


@dataclass(frozen=True, slots=True)
class ProposedFile:
    """A file that the edits touch: its text on disk and its text after them, None where it does not exist.

    Texts have the file's own line ends and no byte order mark; `is_marked` says that one goes before them. `origin`
    is the file on disk that this one continues: itself, where it was before a move, or None for a new file.
    """

    path: Path
    before: str | None
    after: str | None
    is_marked: bool
    origin: Path | None

    @property
    def is_changed(self) -> bool:
        return self.before != self.after


def propose(edits: Sequence[EditInput], paths: PathPolicy) -> list[ProposedFile]:
    """The files that the edits touch, in order of first mention; raises `ToolFailure` that names the edit."""
    _require_bounded(edits)
    drafts = _Drafts(paths, sum(_size(edit) for edit in edits))
    for index, edit in enumerate(edits):
        try:
            drafts.index = index
            _carry_out(edit, drafts)
        except ToolFailure as failure:
            raise _with_place(failure, index, edit) from None
    return list(drafts.files())


def moves(files: Iterable[ProposedFile]) -> dict[Path, Path]:
    """Where files went, by where they were."""
    return {each.origin: each.path for each in files if each.origin not in (None, each.path) and each.after is not None}


def line_mappings(files: Sequence[ProposedFile]) -> dict[Path, LineMapping]:
    """By the path before the edits, for every file that goes on, be it elsewhere."""
    before = {each.path: each.before for each in files}
    return {
        each.origin: LineMapping.between(old, each.after)
        for each in files
        if each.origin is not None and each.after is not None and (old := before[each.origin]) is not None
    }


@dataclass(slots=True)
class _Draft:
    """A file as the edits so far leave it: its text, or the failure of whoever needs one."""

    before: str | None
    after: str | ToolFailure
    is_marked: bool = False
    origin: Path | None = None


@dataclass(slots=True)
class _Drafts:
    """The files that were touched so far, in memory; `index` is of the edit that is being carried out."""

    paths: PathPolicy
    characters: int
    index: int = 0
    by_path: dict[Path, _Draft] = field(default_factory=dict[Path, _Draft])

    def files(self) -> Iterator[ProposedFile]:
        for path, each in self.by_path.items():
            after = each.after if isinstance(each.after, str) else None
            if each.before is not None or after is not None:
                yield ProposedFile(path, each.before, after, each.is_marked, each.origin)

    def at(self, name: str) -> _Draft:
        """The file of this name, which need not exist."""
        try:
            path, absence = self.paths.resolve_file(name), None
        except ToolFailure as failure:
            if failure.kind is not ErrorKind.FILE_NOT_FOUND:
                raise
            path, absence = _path_of_new(name, self.paths), failure
        if path not in self.by_path:
            self.by_path[path] = _Draft(None, absence) if absence else self._read(path, name)
        return self.by_path[path]

    def existing(self, name: str) -> tuple[_Draft, str]:
        """The file of this name and its text; raises `ToolFailure` if it does not exist, or no longer."""
        draft = self.at(name)
        if isinstance(draft.after, ToolFailure):
            raise draft.after
        return draft, draft.after

    def write(self, draft: _Draft, text: str) -> None:
        draft.after = _checked_text(text)

    def remove(self, draft: _Draft, name: str) -> None:
        message = f"`{name}` is gone: edits[{self.index}] deletes or moves it"
        draft.after = _conflict(message, "edit it before that, or under its new path")

    def _read(self, path: Path, name: str) -> _Draft:
        source = read_source(path, name)
        if not source.is_utf8:
            raise invalid_params(f"`{name}` is not UTF-8", "convert it to UTF-8 first; other encodings are not edited")
        self.characters += len(source.text)
        if self.characters > MAX_CHARACTERS:
            raise _too_much("the edits and the files that they touch")
        return _Draft(source.text, source.text, source.is_marked, path)


def _carry_out(edit: EditInput, drafts: _Drafts) -> None:
    given = [way for way in _WAYS if _is_given(way, edit)]
    if len(given) != 1:
        found = ", ".join(f"`{way}`" for way in given) or "none"
        raise invalid_params(f"an edit has exactly one of its ways; got {found}", _ways_remedy())
    if edit.diff:
        for patch in _patches(edit.diff, edit.file):
            _apply_patch(patch, edit.file or patch.path or "", drafts)
        return
    if not edit.file:
        raise invalid_params("`file` is missing", "name the file; only a `diff` can name its files itself")
    if edit.content is not None:
        _replace_all(edit.file, edit.content, drafts)
    elif edit.replacements:
        draft, text = drafts.existing(edit.file)
        drafts.write(draft, replaced(text, edit.replacements))
    elif edit.move_to:
        _move(edit.file, edit.move_to, drafts)
    else:
        drafts.remove(drafts.existing(edit.file)[0], edit.file)


def _is_given(way: str, edit: EditInput) -> bool:
    """An empty text is a content; all else that is empty is padding."""
    value = getattr(edit, way)
    return value is not None if way == "content" else bool(value)


def _replace_all(file: str, content: str, drafts: _Drafts) -> None:
    draft = drafts.at(file)
    newline = newline_of(draft.after) if isinstance(draft.after, str) else None
    draft.is_marked |= content.startswith("\ufeff")
    drafts.write(draft, with_newlines(content.removeprefix("\ufeff"), newline))


def _move(file: str, target: str, drafts: _Drafts) -> None:
    source, text = drafts.existing(file)
    draft = drafts.at(target)
    if isinstance(draft.after, str):
        raise _conflict(f"`{target}` exists already", "delete it by an edit before this one, or choose another path")
    drafts.remove(source, file)
    draft.after, draft.is_marked = text, source.is_marked
    draft.origin, source.origin = source.origin, None


def _patches(diff: str, file: str | None) -> list[FilePatch]:
    try:
        patches = parse_diff(_MARKED_LINE.sub(r"\1", diff))
    except DiffUnreadable as error:
        raise invalid_params(f"`diff`: {error}", "send a unified diff, or `replacements`") from None
    if file and (len(patches) > 1 or patches[0].moved_from):
        message = f"`diff` changes {len(patches)} files, or moves one, but `file` names one"
        raise invalid_params(message, "leave `file` out: the diff names its files")
    if not file and any(patch.path is None for patch in patches):
        raise invalid_params("`diff` has no header that names its file", "give `file`, or `---` and `+++` lines")
    return patches


def _apply_patch(patch: FilePatch, name: str, drafts: _Drafts) -> None:
    if patch.moved_from:
        _move(patch.moved_from, name, drafts)
    if patch.change == "create":
        draft = drafts.at(name)
        if isinstance(draft.after, str):
            raise _conflict(f"the diff creates `{name}`, which exists", "send a diff from its present text")
        drafts.write(draft, _patched("", patch, name))
        return
    draft, text = drafts.existing(name)
    patched = _patched(text, patch, name)
    if patch.change == "edit":
        drafts.write(draft, patched)
        return
    if patched and patch.hunks:
        raise _conflict(f"the diff deletes `{name}` but does not remove all of its lines", "use `delete`")
    drafts.remove(draft, name)


def _patched(text: str, patch: FilePatch, name: str) -> str:
    try:
        return apply_hunks(text, patch.hunks)
    except HunkMisfit as error:
        hint = nearest_line(text, error.missing) if error.missing is not None else None
        raise no_match(f"`diff` does not fit `{name}`: {error}", hint) from None


def _path_of_new(name: str, paths: PathPolicy) -> Path:
    """The path of a file that the policy said does not exist, which it says only of paths inside the roots."""
    path = (paths.root / _local(name)).resolve()
    parent = next(each for each in path.parents if each.exists())
    if not parent.is_dir() or name.endswith(("/", "\\")):
        raise invalid_params(f"`{name}` cannot be the path of a file", "name a file in a folder")
    return path


def _local(name: str) -> str:
    if "://" not in name:
        return name
    from urllib.request import url2pathname

    return url2pathname(urlsplit(name).path)


def _checked_text(text: str) -> str:
    if "\0" in text:
        raise invalid_params("the new text holds a NUL character", "only source files can be edited")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise invalid_params("the new text holds half of a surrogate pair", "send whole characters") from None
    if size > MAX_SOURCE_BYTES:
        message = f"the new text has {size:,} bytes; the limit for a source file is {MAX_SOURCE_BYTES:,}"
        raise ToolFailure(ErrorKind.TOO_LARGE, message, NextStep("doc", "split the file"))
    return text


def _require_bounded(edits: Sequence[EditInput]) -> None:
    changes = sum(max(1, len(edit.replacements or ()), _parts(edit.diff or "")) for edit in edits)
    if changes > MAX_CHANGES:
        message = f"{changes:,} edits, replacements and hunks; at most {MAX_CHANGES:,} are taken at once"
        raise ToolFailure(ErrorKind.TOO_LARGE, message, NextStep("doc", "check them in parts"))
    if not edits:
        raise invalid_params("there is no edit", _ways_remedy())
    if sum(_size(edit) for edit in edits) > MAX_CHARACTERS:
        raise _too_much("the edits")


def _parts(diff: str) -> int:
    """Hunks and files, as far as can be told without reading it."""
    return diff.count("\n@@ ") + diff.count("\ndiff --git ")


def _size(edit: EditInput) -> int:
    parts = (len(each.old_text) + len(each.new_text) for each in edit.replacements or ())
    return len(edit.content or "") + len(edit.diff or "") + sum(parts)


def _too_much(what: str) -> ToolFailure:
    message = f"{what} have more than {MAX_CHARACTERS:,} characters"
    return ToolFailure(ErrorKind.TOO_LARGE, message, NextStep("doc", "check them in parts"))


def _ways_remedy() -> str:
    return "give one of " + ", ".join(f"`{way}`" for way in _WAYS)


def _conflict(message: str, remedy: str) -> ToolFailure:
    return ToolFailure(ErrorKind.CONFLICT, message, NextStep("doc", remedy))


def _with_place(failure: ToolFailure, index: int, edit: EditInput) -> ToolFailure:
    """The same failure, with the edit and its file named."""
    file = (edit.file or "")[:_LONGEST_SHOWN]
    place = f"edits[{index}]" if not file or f"`{file}" in failure.message else f"edits[{index}] of `{file}`"
    return ToolFailure(
        failure.kind,
        f"{place}: {failure.message}",
        *failure.next_steps,
        retryable=failure.retryable,
        data={"edit": index, **({"file": file} if file else {})},
    )
