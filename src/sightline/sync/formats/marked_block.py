"""An owned block in a Markdown file, between two HTML comments that carry its id.

Text outside the block keeps every byte, and is restored to the byte when the block goes. Marks that do not fit
together are refused with their line. Look-alikes of marks in the content are escaped by a backslash (reversibly);
content that leaves a code fence or a comment open is refused, because the text below would change its meaning.
"""

from __future__ import annotations

import re

from sightline.frozen import frozen
from sightline.sync.formats.failures import DamagedMarks, Unrenderable
from sightline.sync.formats.markdown_code import CodeLines, open_end, split_lines
from sightline.sync.formats.splices import body_start, decode, encode, line_ending, newline_before

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MARK = re.compile(r"<!-- sightline:(begin|end) ([A-Za-z0-9][A-Za-z0-9._-]*) -->[ \t]*")
_NEARLY = re.compile(r"[ \t]*<!--[ \t]*sightline:[ \t]*(?:begin|end)\b")
_TO_ESCAPE = re.compile(r"(<!--[ \t]*sightline\\*):(?=[ \t]*(?:begin|end)\b)")
_ESCAPED = re.compile(r"(<!--[ \t]*sightline\\*)\\:(?=[ \t]*(?:begin|end)\b)")


@frozen
class Block:
    """A block of the file: offsets of the whole, marks and last line end included; its content, with `\\n` ends."""

    id: str
    start: int
    end: int
    line: int
    content: str


@frozen
class _Mark:
    is_begin: bool
    id: str
    line: int
    start: int
    end: int


def find_blocks(content: bytes) -> tuple[Block, ...]:
    """Every block, in order; raises `DamagedMarks`."""
    text = decode(content)
    blocks: list[Block] = []
    begin: _Mark | None = None
    for mark in _marks(text):
        if mark.is_begin:
            if begin is not None:
                raise DamagedMarks(mark.line, f"block `{mark.id}` begins inside block `{begin.id}`")
            if any(block.id == mark.id for block in blocks):
                raise DamagedMarks(mark.line, f"block `{mark.id}` is there twice")
            begin = mark
            continue
        if begin is None or begin.id != mark.id:
            raise DamagedMarks(mark.line, f"block `{mark.id}` ends where it has not begun")
        blocks.append(Block(mark.id, begin.start, mark.end, begin.line, _plain(text[begin.end : mark.start])))
        begin = None
    if begin is not None:
        raise DamagedMarks(begin.line, f"block `{begin.id}` has no end")
    return tuple(blocks)


def find_block(content: bytes, block_id: str) -> Block | None:
    """The block with this id; raises `DamagedMarks`."""
    return next((block for block in find_blocks(content) if block.id == block_id), None)


def put_block(content: bytes, block_id: str, inner: str) -> bytes:
    """Replace the block in its place, or add it at the end; raises `DamagedMarks` and `Unrenderable`."""
    if not _ID.fullmatch(block_id):
        raise Unrenderable(f"not an id for a block: `{block_id}`")
    if (line := open_end(inner)) is not None:
        raise Unrenderable(f"line {line} of the content opens a code fence or a comment that is never closed")
    text = decode(content)
    eol = line_ending(text)
    rendered = _rendered(block_id, inner, eol)
    found = find_block(content, block_id)
    if found is not None:
        last = text[newline_before(text, found.end) : found.end]
        changed = text[: found.start] + rendered + last + text[found.end :]
    elif len(text) == body_start(text):
        changed = text + rendered + eol
    elif text[-1] in "\r\n":
        changed = text + eol + rendered + eol
    else:
        changed = text + eol + eol + rendered
    after = encode(changed)
    if find_block(after, block_id) is None:
        raise DamagedMarks(1, f"block `{block_id}` could not be found again")
    return after


def remove_block(content: bytes, block_id: str) -> bytes:
    """Take the block out with the empty line above it; unchanged if there is none. Raises `DamagedMarks`."""
    found = find_block(content, block_id)
    if found is None:
        return content
    text = decode(content)
    start = found.start
    if start > body_start(text):
        above = newline_before(text, start)
        start = above if above == body_start(text) or text[above - 1] in "\r\n" else start
    is_unended = found.end == len(text) and text[-1] not in "\r\n"
    before = text[:start]
    if is_unended and start > body_start(text):
        before = before[: newline_before(before, len(before))]
    return encode(before + text[found.end :])


def without_blocks(content: bytes) -> bytes:
    """What others have written there; unchanged if marks are damaged, since nobody can tell then what is whose."""
    try:
        for block in find_blocks(content):
            content = remove_block(content, block.id)
    except DamagedMarks:
        return content
    return content


def _marks(text: str) -> list[_Mark]:
    marks: list[_Mark] = []
    code: CodeLines | None = None
    at = body_start(text)
    for number, line in enumerate(split_lines(text[at:])):
        if _NEARLY.match(line):
            code = code or CodeLines(text[body_start(text) :])
            marks.append(_mark(line, number, at, code))
        at += len(line)
    return marks


def _mark(line: str, number: int, at: int, code: CodeLines) -> _Mark:
    if number in code.fenced:
        raise DamagedMarks(number + 1, "a mark of a block stands inside a code fence")
    if number in code.commented:
        raise DamagedMarks(number + 1, "a mark of a block stands inside a comment")
    found = _MARK.fullmatch(line.rstrip("\r\n"))
    if found is None:
        raise DamagedMarks(number + 1, "a mark of a block is not alone on its line or not spelt right")
    return _Mark(found.group(1) == "begin", found.group(2), number + 1, at, at + len(line))


def _rendered(block_id: str, inner: str, eol: str) -> str:
    escaped = _TO_ESCAPE.sub(r"\1\\:", "\n".join(line.rstrip("\r\n") for line in split_lines(inner)).rstrip("\n"))
    lines = [f"<!-- sightline:begin {block_id} -->", *escaped.split("\n"), f"<!-- sightline:end {block_id} -->"]
    return eol.join(lines)


def _plain(inner: str) -> str:
    lines = "\n".join(line.rstrip("\r\n") for line in split_lines(inner))
    return _ESCAPED.sub(r"\1:", lines)
