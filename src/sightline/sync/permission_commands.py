"""Shell commands as Claude Code's permission check sees them: split into parts, unwrapped, redirections apart.

It reads text and runs nothing. Where the text is too clever to be sure of, it says so, and the caller must ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sightline.frozen import frozen

_SEPARATOR = re.compile(r"&&|\|\||\|&|;;|[;|&\n]")
_ANY_SEPARATOR = re.compile(r"[;|&\n(){}`'\"]")
_REDIRECTION = re.compile(r"(?:\d*|&)(?:>>|>\||>&|<&|<>|>|<)(?:&?\d+-?(?=\s|$)|-(?=\s|$))?")
_GRAMMAR = re.compile(r"(?:(?:!|if|then|elif|else|while|until|do)(?:\s+|$)|[({]\s*)+")
_COMPOUND = re.compile(r"(?:for|case|select|function|fi|done|esac|coproc|\[\[)(?:\s|$)|[\w-]+\s*\(\s*\)")
_QUOTING = re.compile(r"['\"\\]")
_HARMLESS_FILES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})

_ASSIGNMENT = re.compile(
    r"([A-Za-z_][A-Za-z0-9_]*)\+?=((?:[^\s'\"\\]|\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\")*)(?:\s+|$)", re.DOTALL
)
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_./:,@%+-]*|'[A-Za-z0-9_./:,@%+ -]*'|\"[A-Za-z0-9_./:,@%+ -]*\"")
# Variables that cannot change what a program does to files or which code it runs.
SAFE_VARIABLES = frozenset(
    {
        "CGO_ENABLED",
        "COLORTERM",
        "FORCE_COLOR",
        "GOARCH",
        "GOOS",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "NODE_ENV",
        "NO_COLOR",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONUNBUFFERED",
        "RUST_BACKTRACE",
        "RUST_LOG",
        "TERM",
        "TZ",
    }
)
_WRAPPERS = (
    re.compile(
        r"timeout(?:\s+(?:-k\s*\S+|-s\s*\S+|--(?:signal|kill-after)=\S+|--\w[\w-]*|-v))*\s+\d+(?:\.\d+)?[smhd]?\s+"
    ),
    re.compile(r"time(?:\s+-p)?\s+"),
    re.compile(r"nice(?:\s+(?:-n\s*-?\d+|--adjustment=-?\d+|-\d+))?\s+(?!-)"),
    re.compile(r"nohup\s+(?!-)"),
    re.compile(r"stdbuf(?:\s+(?:-[ioe]\s*\w+|--(?:input|output|error)=\w+))+\s+"),
    re.compile(r"(?:command|builtin|noglob)\s+(?!-)"),
    re.compile(r"xargs\s+(?!-)"),
)


@frozen
class CommandLine:
    """A command line in parts; `writes` and `reads` are the files that it redirects into and from.

    `is_doubtful` if it holds substitutions, groups or quotes that do not close: then nothing of it can be allowed, and
    `suspects` are further texts that could be commands, for rules that forbid.
    """

    parts: tuple[str, ...]
    writes: tuple[str, ...]
    reads: tuple[str, ...]
    suspects: tuple[str, ...]
    is_doubtful: bool


def split_command(command: str) -> CommandLine:
    """The simple commands of a line, those inside of substitutions included."""
    command = command.replace("\\\n", "")
    pieces, inner, doubtful = _cut(command)
    parts: list[str] = []
    writes: list[str] = []
    reads: list[str] = []
    for piece in pieces:
        bare, written, read = _without_redirections(piece)
        bare, is_plain = _without_grammar(bare.strip())
        doubtful = doubtful or not is_plain
        writes.extend(written)
        reads.extend(read)
        if bare:
            parts.append(bare)
    for text in inner:
        nested = split_command(text)
        parts.extend(nested.parts)
        writes.extend(nested.writes)
        reads.extend(nested.reads)
    doubtful = doubtful or bool(inner)
    suspects = [text for piece in _ANY_SEPARATOR.split(command) if (text := piece.strip())] if doubtful else []
    return CommandLine(tuple(parts), tuple(writes), tuple(reads), tuple(suspects), doubtful)


def _without_grammar(part: str) -> tuple[str, bool]:
    """The command behind negations, groups and keywords, and whether there were none."""
    grammar = _GRAMMAR.match(part)
    if grammar is None:
        return part.rstrip(")} ") or part, _COMPOUND.match(part) is None
    return part[grammar.end() :].rstrip(")} "), False


def _cut(command: str) -> tuple[list[str], list[str], bool]:
    """The text between separators, the texts of substitutions, and whether something is beyond this reader."""
    pieces: list[str] = []
    inner: list[str] = []
    doubtful = False
    start = at = 0
    while at < len(command):
        if (end := _end_of_quote(command, at)) is not None:
            if end < 0:
                return [*pieces, command[start:]], inner, True
            inner.extend(_substitutions(command[at:end]) if command[at] == '"' else ())
            at = end
        elif (opening := _opening(command, at)) is not None:
            doubtful = True
            end = _end_of_substitution(command, at + len(opening), "`" if opening == "`" else ")")
            inner.append(command[at + len(opening) : end])
            at = end + 1
        elif command[at] in "(){}" and _is_group(command, at):
            doubtful = True
            at += 1
        elif (match := _separator(command, at)) is not None:
            pieces.append(command[start:at])
            start = at = match.end()
        else:
            at += 1
    return [*pieces, command[start:]], inner, doubtful or "<<" in command


def _end_of_quote(command: str, at: int) -> int | None:
    """Where the quoted text ends that starts here; -1 if it does not end, none if nothing is quoted here."""
    character = command[at]
    if character == "\\":
        return at + 2 if at + 1 < len(command) else -1
    if character == "'":
        end = command.find("'", at + 1)
        return end + 1 if end >= 0 else -1
    if character == '"':
        match = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL).match(command, at)
        return match.end() if match else -1
    return None


def _opening(command: str, at: int) -> str | None:
    return next((mark for mark in ("$(", "<(", ">(", "`") if command.startswith(mark, at)), None)


def _end_of_substitution(command: str, at: int, closing: str) -> int:
    depth = 1
    while at < len(command):
        if closing == ")" and (end := _end_of_quote(command, at)) is not None:
            if end < 0:
                return len(command)
            at = end
            continue
        depth += (closing == ")" and command[at] == "(") - (command[at] == closing)
        if depth == 0:
            return at
        at += 1
    return len(command)


def _substitutions(quoted: str) -> Iterator[str]:
    """What a double-quoted text runs."""
    at = 0
    while at < len(quoted):
        if quoted[at] == "\\":
            at += 2
            continue
        opening = "$(" if quoted.startswith("$(", at) else "`" if quoted[at] == "`" else ""
        if opening:
            end = _end_of_substitution(quoted, at + len(opening), "`" if opening == "`" else ")")
            yield quoted[at + len(opening) : end]
            at = end
        at += 1


def _is_group(command: str, at: int) -> bool:
    """Braces inside of words (`{a,b}`, `${x}`) group nothing."""
    if command[at] in "()":
        return True
    before = command[at - 1] if at else " "
    after = command[at + 1] if at + 1 < len(command) else " "
    return (before.isspace() or before in ";&|") and (after.isspace() or after in ";&|")


def _separator(command: str, at: int) -> re.Match[str] | None:
    match = _SEPARATOR.match(command, at)
    if match is None or match[0] not in {"&", "|"}:
        return match
    # In `2>&1`, `&>file` and `>|file` the sign belongs to a redirection.
    before = command[at - 1] if at else " "
    after = command[at + 1] if at + 1 < len(command) else " "
    is_redirection = before in "<>" or (match[0] == "&" and after == ">")
    return None if is_redirection else match


def _without_redirections(piece: str) -> tuple[str, list[str], list[str]]:
    """The text without its redirections, the files that they write, and those that they read."""
    kept: list[str] = []
    written: list[str] = []
    read: list[str] = []
    at = 0
    while at < len(piece):
        if (end := _end_of_quote(piece, at)) is not None and end > 0:
            kept.append(piece[at:end])
            at = end
            continue
        match = _REDIRECTION.match(piece, at) if at == 0 or piece[at] in "<>" or piece[at - 1].isspace() else None
        if match is None:
            kept.append(piece[at])
            at += 1
            continue
        at = match.end()
        if not match[0][-1].isdigit() and not match[0].endswith("-"):
            word, at = _word(piece, at)
            if word and word not in _HARMLESS_FILES:
                (written if ">" in match[0] else read).append(word)
    return "".join(kept), written, read


def _word(piece: str, at: int) -> tuple[str, int]:
    while at < len(piece) and piece[at].isspace():
        at += 1
    start = at
    while at < len(piece) and not piece[at].isspace():
        end = _end_of_quote(piece, at)
        at = end if end is not None and end > 0 else at + 1
    return piece[start:at].strip("'\""), at


def forms_past_anything(part: str) -> tuple[str, ...]:
    """The part, and what is left of it past any variables and wrappers: what deny and ask rules see.

    Each also with its quotes and backslashes taken off, so that `\\rm` and `'rm'` do not slip past a rule.
    """
    forms = [part]
    while shorter := _past_wrapper(forms[-1]) or _past_assignment(forms[-1], only_safe=False):
        forms.append(shorter)
    bare = [" ".join(words_of(form)) for form in forms]
    return tuple(dict.fromkeys(form for form in (*bare, *forms) if form))


def forms_past_safe(part: str) -> tuple[str, ...]:
    """The part, and what is left past variables known to be safe, then past wrappers: what allow rules see."""
    forms = [part]
    while shorter := _past_assignment(forms[-1], only_safe=True):
        forms.append(shorter)
    while shorter := _past_wrapper(forms[-1]):
        forms.append(shorter)
    return tuple(forms)


def _past_wrapper(part: str) -> str:
    for wrapper in _WRAPPERS:
        match = wrapper.match(part)
        if match:
            return part[match.end() :]
    return ""


def _past_assignment(part: str, *, only_safe: bool) -> str:
    match = _ASSIGNMENT.match(part)
    if match is None:
        return ""
    if only_safe and (match[1] not in SAFE_VARIABLES or not _PLAIN_VALUE.fullmatch(match[2])):
        return ""
    return part[match.end() :]


def words_of(part: str) -> list[str]:
    """The words of a simple command, quotes taken off; an empty list if they do not close."""
    if not _QUOTING.search(part):
        return part.split()
    import shlex

    try:
        return shlex.split(part)
    except ValueError:
        return []
