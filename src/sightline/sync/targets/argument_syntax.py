"""The text of a command or skill in pieces: words, arguments, shell commands, files; by Claude Code's rules.

Code fences and spans are text like any other for arguments, as they are for Claude Code; only files are not looked for
in fences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from sightline.frozen import frozen

PieceKind = Literal["text", "all", "nth", "named", "dollar", "shell", "file", "claude"]

_KINDS: tuple[tuple[str, PieceKind], ...] = (
    ("script", "shell"),
    ("shell", "shell"),
    ("escaped", "dollar"),
    ("claude", "claude"),
    ("all", "all"),
    ("named", "named"),
    ("file", "file"),
    ("index", "nth"),
    ("nth", "nth"),
)


@frozen
class Piece:
    """A run of text. `value` is the index of `nth`, the name of `named` and `claude`, the command, or the path."""

    kind: PieceKind
    text: str
    value: str = ""

    @property
    def index(self) -> int:
        return int(self.value)


def pieces_of(body: str, names: Sequence[str] = ()) -> list[Piece]:
    """The pieces in order; joined, their texts are the body."""
    from sightline.sync.formats.markdown_code import CodeLines

    pattern = _pattern(names)
    fenced = CodeLines(body).fenced if "@" in body else set[int]()
    pieces: list[Piece] = []
    at = 0
    for match in pattern.finditer(body):
        piece = _piece(match, names)
        if piece is None or (piece.kind == "file" and body.count("\n", 0, match.start()) in fenced):
            continue
        if match.start() > at:
            pieces.append(Piece("text", body[at : match.start()]))
        pieces.append(piece)
        at = match.end()
    if at < len(body):
        pieces.append(Piece("text", body[at:]))
    return pieces


def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    named = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    word = rf"ARGUMENTS|\d+{'|' + named if named else ''}"
    return re.compile(
        rf"^```!\s*\n(?P<script>.*?)^```[ \t]*$"
        rf"|!`(?P<shell>[^`\n]+)`"
        rf"|(?<!\\)\\\$(?={word})(?P<escaped>)"
        rf"|\$\{{(?P<claude>CLAUDE_[A-Z_]+)\}}"
        rf"|\$ARGUMENTS\[(?P<index>\d+)\]|\$(?P<all>ARGUMENTS)(?![A-Za-z0-9_])|\$(?P<nth>\d+)"
        + (rf"|\$(?P<named>{named})(?![A-Za-z0-9_])" if named else r"|(?P<named>(?!))")
        + r"|(?<![\w`@])@(?P<file>(?:~/|\.{0,2}/)?[\w-][\w./-]*[\w-])",
        re.MULTILINE | re.DOTALL,
    )


def _piece(match: re.Match[str], names: Sequence[str]) -> Piece | None:
    group, kind = next(pair for pair in _KINDS if match[pair[0]] is not None)
    value = match[group].strip()
    if kind == "file" and "/" not in value and "." not in value:
        return None
    if kind == "named":
        value = str(list(names).index(value))
    return Piece(kind, match[0], value)
