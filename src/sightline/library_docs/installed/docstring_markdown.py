"""Docstrings as Markdown: the author's words are kept; sections, parameter lists and examples become readable.

Understands the Google, NumPy and Sphinx styles by their marks, line by line, so that text in no style stays as it is.
"""

from __future__ import annotations

import re
from inspect import cleandoc

_LONGEST = 60_000
_SECTIONS = (
    "args|arguments|parameters|params|other parameters|keyword args|keyword arguments|returns|return|yields|yield|"
    "raises|warns|warnings|attributes|examples|example|notes|note|references|see also|methods|receives|usage|"
    "warning|todo"
)
_LISTS = frozenset(
    {"args", "arguments", "parameters", "params", "other parameters", "attributes", "raises", "keyword args",
     "keyword arguments", "returns", "yields", "warns"}
)  # fmt: skip
_GOOGLE = re.compile(rf"(?i)({_SECTIONS}):\s*$")
_UNDERLINED = re.compile(r"[-=~^]{3,}\s*$")
_FIELD = re.compile(
    r":(param|parameter|arg|argument|key|keyword|type|raises?|except|returns?|rtype|var|ivar|cvar)\b([^:\n]{0,200}):\s?(.*)"
)
_ROLE = re.compile(r":(?:[a-z]+:){0,2}[a-z]+:`~?([^`<\n]{1,200})(?:<[^`\n]{0,200}>)?`")
_LITERAL = re.compile(r"``([^`\n]{1,300})``")
_DIRECTIVE = re.compile(r"( *)\.\. ([\w-]+)::\s*(.*)")
_GOOGLE_ITEM = re.compile(
    r"(\*{0,2}\w[\w.\[\], *]{0,80}?)(?: ?\(([^()\n]{0,200}(?:\([^()]*\)[^()\n]{0,100})?)\))?:\s+(.*)"
)
_NUMPY_ITEM = re.compile(r"(\*{0,2}[\w.*, ]{1,80}?)\s*:\s*(.+)$")


def docstring_to_markdown(text: str) -> str:
    """The docstring as Markdown."""
    lines = cleandoc(text.replace("\0", "\ufffd")[:_LONGEST]).split("\n")
    done: list[str] = []
    section = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        if heading := _heading(lines, at):
            section, taken = heading
            done.extend(["", f"**{section}**", ""])
            at += taken
        elif line.lstrip().startswith(">>>"):
            at = _take_example(lines, at, done)
        elif (directive := _DIRECTIVE.match(line)) or line.rstrip().endswith("::"):
            at = _take_block(lines, at, directive, done)
        else:
            done.append(_line(line, section))
            at += 1
    if len(text) > _LONGEST:
        done.append(f"\n(cut: the docstring has {len(text):,} characters)")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(done)).strip("\n")


def first_sentence(text: str) -> str:
    """The docstring's summary: its first paragraph up to a full stop."""
    head = cleandoc(text[:4_000].replace("\0", "\ufffd")).partition("\n\n")[0]
    plain = _inline(" ".join(head.split()))
    end = re.search(r"[.!?](?= [A-Z`]|$)", plain)
    return (plain[: end.end()] if end else plain)[:240]


def _heading(lines: list[str], at: int) -> tuple[str, int] | None:
    line = lines[at]
    if found := _GOOGLE.fullmatch(line.rstrip()):
        return found[1].capitalize(), 1
    following = lines[at + 1] if at + 1 < len(lines) else ""
    if line.strip() and _UNDERLINED.fullmatch(following.strip()) and len(following.strip()) >= len(line.strip()) - 3:
        return line.strip()[:100], 2
    return None


def _take_example(lines: list[str], at: int, done: list[str]) -> int:
    """A session in the interpreter, up to the next empty line, as code."""
    block: list[str] = []
    while at < len(lines) and lines[at].strip():
        block.append(lines[at])
        at += 1
    done.extend(_fenced(block, "pycon"))
    return at


def _take_block(lines: list[str], at: int, directive: re.Match[str] | None, done: list[str]) -> int:
    """An indented block after `::` or a directive: code as code, a note under its name."""
    line = lines[at]
    indent = len(line) - len(line.lstrip())
    block, after = _indented(lines, at + 1, indent)
    kind = directive[2] if directive else ""
    if directive and kind not in ("code-block", "code", "sourcecode", "doctest", "highlight"):
        done.extend(["", f"**{kind.capitalize()}**: {_inline(directive[3])}".rstrip(": "), ""])
        done.extend(_inline(each.strip()) for each in block)
        return after
    if not directive:
        opening = line.rstrip()[:-1].rstrip() if line.strip() != "::" else ""
        done.append(_inline(opening.rstrip(":") + ":" if opening else ""))
    options = [each for each in block if not re.match(r"\s*:[\w-]+:", each)]
    language = directive[3].strip()[:20] if directive else "python"
    done.extend(_fenced(options, re.sub(r"[^\w+-]", "", language) or "python") if any(map(str.strip, options)) else [])
    return after


def _indented(lines: list[str], at: int, indent: int) -> tuple[list[str], int]:
    block: list[str] = []
    while at < len(lines) and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > indent):
        block.append(lines[at])
        at += 1
    while block and not block[-1].strip():
        block.pop()
    return block, at


def _fenced(block: list[str], language: str) -> list[str]:
    """Code between fences that are longer than any run of backticks in it."""
    body = cleandoc("\n" + "\n".join(block))
    longest = max((len(run) for run in re.findall(r"`{3,}", body)), default=2)
    fence = "`" * (longest + 1)
    return ["", fence + language, *body.split("\n"), fence, ""]


def _line(line: str, section: str) -> str:
    if found := _FIELD.match(line.strip()):
        return _field(found[1], found[2].strip(), found[3])
    indent = len(line) - len(line.lstrip())
    listed = section.lower() in _LISTS
    if not listed or not line.strip():
        return _inline(line)
    if indent == 0 and (found := _NUMPY_ITEM.fullmatch(line.rstrip())):
        return f"- `{found[1].strip()}` ({_inline(found[2])}):"
    if 0 < indent <= 4 and (found := _GOOGLE_ITEM.fullmatch(line.strip())):
        kind = f" ({_inline(found[2])})" if found[2] else ""
        return f"- `{found[1]}`{kind}: {_inline(found[3])}"
    return ("  " if indent else "") + _inline(line.strip()) if indent else _inline(line)


def _field(kind: str, name: str, text: str) -> str:
    if kind.startswith(("return", "rtype")):
        return f"- {'return type' if kind == 'rtype' else 'returns'}: {_inline(text)}"
    if kind.startswith(("raise", "except")):
        return f"- raises `{name}`: {_inline(text)}"
    *types, plain = name.split() or [""]
    shown = f" ({' '.join(types)})" if types else ""
    return f"- `{plain}`{' type' if kind == 'type' else ''}{shown}: {_inline(text)}"


def _inline(text: str) -> str:
    return _LITERAL.sub(r"`\1`", _ROLE.sub(r"`\1`", text))
