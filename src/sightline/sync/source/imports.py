"""Instruction text with its `@path` imports expanded, as parts that remember where they come from.

An import that stands alone is replaced by the file's text. One inside a sentence keeps its path there, and the text
follows the paragraph. Text from outside the project is private, and so is all that it imports.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.model import TextPart
from sightline.sync.model_values import ItemKind, Provenance
from sightline.sync.source.markdown_text import Line, read_lines
from sightline.sync.source.reading import MAX_TEXT_BYTES, Reading, Unreadable

MAX_HOPS = 4
MAX_EXPANDED_CHARS = 4_000_000

_IMPORT = re.compile(r"(?<!\S)@((?:[^\s\\]|\\ )+)")
_PATH_START = re.compile(r"~/|\.{0,2}/|[A-Za-z0-9._-]")
_ALONE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?@(?:[^\s\\]|\\ )+[ \t]*\r?\n?")
_LOCAL_NAME = "CLAUDE.local.md"


@frozen
class _Origin:
    """The file whose text is being expanded, and how we came to it."""

    provenance: Provenance
    is_private: bool
    is_outside: bool
    chain: tuple[Path, ...]
    targets: frozenset[str] | None = None


def expand_imports(
    reading: Reading, text: str, provenance: Provenance, *, kind: ItemKind = ItemKind.INSTRUCTIONS
) -> tuple[TextPart, ...]:
    """The parts of a text that starts at the provenance's line."""
    text = _others_text(text)
    private = not provenance.scope.is_committed
    origin = _Origin(provenance, private, False, (reading.files.resolve(provenance.file),))
    if "@" not in text and "<!--" not in text:
        whole = TextPart(text, provenance, private, real_file=origin.chain[0])
        return (whole,) if text else ()
    return tuple(_merged(_Expansion(reading, kind).parts(text, origin)))


def _others_text(text: str) -> str:
    """Without our own blocks: `CLAUDE.md` is often a link to `AGENTS.md`, or imports it, and we write there."""
    if "<!-- sightline:begin" not in text:
        return text
    from sightline.sync.formats.marked_block import without_blocks

    return without_blocks(text.encode()).decode()


class _Expansion:
    """The expansion of one file; holds how much text may still come."""

    def __init__(self, reading: Reading, kind: ItemKind) -> None:
        self.reading = reading
        self.kind = kind
        self.left = MAX_EXPANDED_CHARS

    def parts(self, text: str, origin: _Origin) -> Iterator[TextPart]:
        waiting: list[TextPart] = []
        for line in read_lines(text):
            if not line.text.strip() and not line.is_code:
                yield from _set_apart(waiting)
                waiting = []
            shown, imported = self._line(line, origin)
            if shown:
                yield _part(shown, line, origin)
            if shown and imported:
                waiting.extend(imported)
            else:
                yield from imported
        yield from _set_apart(waiting)

    def _line(self, line: Line, origin: _Origin) -> tuple[str, list[TextPart]]:
        """The line as it stays, and the text that it brings in; a line that is one import does not stay."""
        imported: list[TextPart] = []
        if line.is_code or "@" not in line.text:
            return line.text, imported

        def taken(match: re.Match[str]) -> str:
            if line.is_code_at(match.start()):
                return match[0]
            parts = self._import(match[1], line, origin)
            if parts is None:
                return match[0]
            imported.extend(parts)
            return match[1]

        shown = _IMPORT.sub(taken, line.text)
        is_alone = shown != line.text and _ALONE.fullmatch(line.text) is not None
        return "" if is_alone else shown, imported

    def _import(self, written: str, line: Line, origin: _Origin) -> list[TextPart] | None:
        """The parts of the imported file, or none if this is no import after all."""
        name = written.replace("\\ ", " ").partition("#")[0]
        if not _PATH_START.match(name):
            return None
        file = self._resolve(name, origin)
        number = origin.provenance.line + line.number - 1
        if file is None or not self._may_be_file(file):
            if "/" in name or Path(name).suffix:
                self.reading.warn(origin.provenance.file, number, f"the import `@{written}` leads to no file")
            return None
        real = self.reading.files.resolve(file)
        if real in origin.chain:
            # Its text is there already; left as it is, a target that knows imports would follow it.
            self.reading.warn(origin.provenance.file, number, f"the import `@{written}` leads back to itself")
            return []
        if len(origin.chain) > MAX_HOPS:
            message = f"the import `@{written}` is more than {MAX_HOPS} hops deep; Claude Code does not follow it"
            self.reading.warn(origin.provenance.file, number, message)
            return None
        return self._imported_parts(file, real, line, origin)

    def _resolve(self, name: str, origin: _Origin) -> Path | None:
        if name.startswith("~/"):
            return self.reading.places.home / name[2:]
        try:
            return origin.provenance.file.parent / name
        except ValueError:
            return None

    def _imported_parts(self, file: Path, real: Path, line: Line, origin: _Origin) -> list[TextPart] | None:
        text = self._text(file)
        if text is None:
            return None
        text = _others_text(text)
        self.left -= len(text)
        if self.left < 0:
            message = f"the imports bring in more than {MAX_EXPANDED_CHARS:,} characters"
            self.reading.block(origin.chain[0], 1, message, self.kind)
            return None
        project = self.reading.files.resolve(self.reading.places.project)
        outside = origin.is_outside or not real.is_relative_to(project)
        private = origin.is_private or outside or real.name == _LOCAL_NAME
        provenance = Provenance(file, 1, origin.provenance.scope, origin.provenance.plugin)
        targets = line.targets if origin.targets is None else origin.targets
        parts = list(self.parts(text, _Origin(provenance, private, outside, (*origin.chain, real), targets)))
        if parts and not parts[-1].text.endswith("\n"):
            parts[-1] = replace(parts[-1], text=parts[-1].text + "\n")
        return parts

    def _may_be_file(self, file: Path) -> bool:
        """Whether there is a file, or something that only reading can tell; any word can stand behind an `@`."""
        try:
            return self.reading.files.is_file(file)
        except ValueError:
            return False
        except OSError as error:
            return error.errno not in (errno.ENAMETOOLONG, errno.ELOOP)

    def _text(self, file: Path) -> str | None:
        try:
            content = self.reading.bytes_of(file, MAX_TEXT_BYTES)
        except Unreadable as error:
            self.reading.block(file, 1, f"the imported file {error}", self.kind)
            return None
        if content is None or b"\0" in content:
            self.reading.warn(file, 1, "the imported file is not text; Claude Code does not import it")
            return None
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.reading.block(file, 1, "the imported file is not UTF-8 text", self.kind)
            return None


def _part(text: str, line: Line, origin: _Origin) -> TextPart:
    provenance = origin.provenance.at_line(origin.provenance.line + line.number - 1)
    targets = origin.targets if origin.targets is not None else line.targets
    return TextPart(text, provenance, origin.is_private, origin.is_outside, targets, origin.chain[-1])


def _set_apart(parts: list[TextPart]) -> Iterator[TextPart]:
    """Text that follows a paragraph, with a blank line before it."""
    if parts:
        yield replace(parts[0], text="\n" + parts[0].text)
        yield from parts[1:]


def _merged(parts: Iterator[TextPart]) -> Iterator[TextPart]:
    """Neighbours that differ in nothing but their line become one part."""
    pending: TextPart | None = None
    texts: list[str] = []
    for part in parts:
        if pending is not None and _key(pending) == _key(part):
            texts.append(part.text)
            continue
        if pending is not None:
            yield replace(pending, text="".join(texts))
        pending, texts = part, [part.text]
    if pending is not None:
        yield replace(pending, text="".join(texts))


def _key(part: TextPart) -> tuple[object, ...]:
    return part.provenance.file, part.is_private, part.is_outside_project, part.targets
