"""Which lines of a Markdown text are code or comment, by CommonMark, and whether a text ends inside of either."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
# Without any of these there is no fence, no HTML and no indented code: most texts need no parser.
_BLOCK_MARKS = ("```", "~~~", "<", "    ", "\t")
# A comment that is a line of its own is a block that begins and ends there, whatever stands around it.
_COMMENT_LINE = re.compile(r"^<!--(?:(?!-->)[^\r\n])*-->[ ]*(?=\r|\n|\Z)", re.MULTILINE)
_FENCE_END = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*")


def split_lines(text: str) -> list[str]:
    """Lines with their ends, as Markdown counts them: form feeds and the like end no line."""
    return _LINE.findall(text)


@dataclass(slots=True)
class CodeLines:
    """The lines inside of code blocks and fences, and those inside a comment that began on a line above; from 0."""

    text: str
    fenced: set[int] = field(init=False, default_factory=set[int])
    commented: set[int] = field(init=False, default_factory=set[int])

    def __post_init__(self) -> None:
        lines = split_lines(self.text)
        for kind, _markup, start, end in _blocks(self.text):
            if kind in ("fence", "code_block"):
                self.fenced.update(range(start, end))
            elif lines[start].lstrip(" ").startswith("<!--"):
                self.commented.update(range(start + 1, end))


def open_end(text: str) -> int | None:
    """The line, from 1, that opens a fence or a comment which the text does not close."""
    lines = split_lines(text)
    for kind, markup, start, end in _blocks(text):
        if end < len(lines) and any(line.strip() for line in lines[end:]):
            continue
        if kind == "fence" and not _closes(lines[end - 1], markup, is_first=end - 1 == start):
            return start + 1
        if kind == "html_block" and lines[start].lstrip(" ").startswith("<!--") and "-->" not in lines[end - 1]:
            return start + 1
    return None


def _closes(line: str, markup: str, *, is_first: bool) -> bool:
    found = _FENCE_END.fullmatch(line.rstrip("\r\n"))
    return not is_first and found is not None and found.group(1).startswith(markup)


def _blocks(text: str) -> list[tuple[str, str, int, int]]:
    """Kind, fence, first line and line after the last of each code block and HTML block."""
    rest = _COMMENT_LINE.sub("", text)
    if not any(mark in rest for mark in _BLOCK_MARKS):
        return []
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").disable("inline")
    kinds = ("fence", "code_block", "html_block")
    return [
        (token.type, token.markup, token.map[0], token.map[1])
        for token in parser.parse(text)
        if token.type in kinds and token.map is not None
    ]
