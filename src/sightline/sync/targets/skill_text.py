"""The text of a skill or command for readers that substitute nothing: arguments become words, the rest gets notes.

Code blocks are left as they are, byte for byte; the notes say what stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from sightline.frozen import frozen
from sightline.sync.formats.markdown_code import CodeLines, split_lines

_PLACEHOLDER = re.compile(
    r"(?P<slashes>\\*)\$(?:ARGUMENTS(?:\[(?P<index>\d+)\])?(?!\w)|(?P<number>\d+)"
    r"|(?P<name>[A-Za-z_]\w*)|\{(?P<variable>CLAUDE_\w+)\}(?P<slash>/?))"
)
_COMMAND = re.compile(r"(?<![\w`!])!`[^`\n]+`")
_COMMAND_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})!")
_FILE = re.compile(r"(?<![\w`@/])@(?:~?/|\.{1,2}/)?[\w-][\w./-]*[\w-]")
_NOTES = {
    "arguments": "`<arguments>` stands for everything that the user wrote behind the name of this skill.",
    "argument": "`<argument N>` stands for the Nth word of what the user wrote behind the name of this skill.",
    "named": "Names in angle brackets stand for the words that the user wrote behind the name, in this order: {names}.",
    "appended": "What the user wrote behind the name of this skill belongs to it as its arguments.",
    "fenced": "In code blocks, `$ARGUMENTS` stands for all arguments and `$0`, `$1`, ... for single ones, from 0 on.",
    "hint": "Expected arguments: {hint}",
    "folder": "Paths that begin with `./` start at the folder of this file.",
    "fenced folder": "In code blocks, `${{CLAUDE_SKILL_DIR}}` stands for the folder of this file.",
    "project": "`<project folder>` stands for the root folder of the project.",
    "command": "Run each command that is marked `!` first, and put its output in its place.",
    "file": "A path behind `@` names a file to read first.",
    "variable": "Variables that begin with `CLAUDE_` are not set here.",
}


@frozen
class PlainText:
    """The text with its notes; `changes` are the names of what had to be said otherwise."""

    text: str
    changes: frozenset[str]


def plain_text(
    body: str, *, argument_names: Collection[str] = (), hint: str = "", is_command: bool = False
) -> PlainText:
    """The body without substitutions; a command also takes arguments if it does not name them."""
    changes: set[str] = set()
    text = body
    if _holds_something(body, argument_names, is_command):
        fenced = CodeLines(body).fenced
        text = "".join(
            _fenced_line(line, changes, argument_names)
            if number in fenced
            else _line(line, changes, argument_names, is_command)
            for number, line in enumerate(split_lines(body))
        )
    if is_command and not changes & {"arguments", "argument", "named", "fenced"}:
        changes.add("appended")
    if hint:
        changes.add("hint")
    notes = [
        note.format(names=", ".join(argument_names), hint=" ".join(hint.split()))
        for key, note in _NOTES.items()
        if key in changes
    ]
    if notes:
        text = f"{text.rstrip()}\n\nNotes:\n" + "".join(f"- {note}\n" for note in notes)
    return PlainText(text, frozenset(changes))


def _holds_something(body: str, names: Collection[str], is_command: bool) -> bool:
    """Whether anything in the text means something to Claude Code; if not, it need not be parsed."""
    if any(match["name"] is None or match["name"] in names for match in _PLACEHOLDER.finditer(body)):
        return True
    return "```!" in body or "~~~!" in body or bool(_COMMAND.search(body) or (is_command and _FILE.search(body)))


def _line(line: str, changes: set[str], names: Collection[str], is_command: bool) -> str:
    if _COMMAND.search(line):
        changes.add("command")
    if is_command and _FILE.search(line):
        changes.add("file")
    return _PLACEHOLDER.sub(lambda match: _replaced(match, changes, names), line)


def _fenced_line(line: str, changes: set[str], names: Collection[str]) -> str:
    if _COMMAND_FENCE.match(line):
        changes.add("command")
    for match in _PLACEHOLDER.finditer(line):
        if match["variable"] == "CLAUDE_SKILL_DIR":
            changes.add("fenced folder")
        elif match["variable"]:
            changes.add("variable")
        elif match["name"] is None or match["name"] in names:
            changes.add("fenced")
    return line


def _replaced(match: re.Match[str], changes: set[str], names: Collection[str]) -> str:
    slashes, name, variable = match["slashes"], match["name"], match["variable"]
    if variable:
        return slashes + _variable(match, variable, changes)
    if name is not None and name not in names:
        return match[0]
    if len(slashes) % 2:
        changes.add("escape")
        return match[0][1:]
    position = match["index"] or match["number"]
    if name is not None:
        changes.add("named")
        return f"{slashes}<{name}>"
    if position is not None:
        changes.add("argument")
        return f"{slashes}<argument {int(position) + 1}>"
    changes.add("arguments")
    return f"{slashes}<arguments>"


def _variable(match: re.Match[str], variable: str, changes: set[str]) -> str:
    if variable == "CLAUDE_SKILL_DIR":
        changes.add("folder")
        return f".{match['slash']}"
    if variable == "CLAUDE_PROJECT_DIR":
        changes.add("project")
        return f"<project folder>{match['slash']}"
    changes.add("variable")
    return match[0][len(match["slashes"]) :]
