"""Commands as OpenCode's Markdown files: `$1` counts from one, nothing can be escaped, shell commands run unasked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sightline.sync.formats.failures import Unrenderable
from sightline.sync.formats.frontmatter import render
from sightline.sync.model import Command
from sightline.sync.targets.argument_syntax import Piece, pieces_of
from sightline.sync.targets.findings import Fate
from sightline.sync.targets.gemini_commands import Inexpressible

# Stands for an escaped dollar sign until the text is whole; no text has it.
_LITERAL = "\x00$"
_MARKED = re.compile(r"\x00\$(\d+|ARGUMENTS)")
_IN_SHELL = re.compile(r"\$ARGUMENTS\[(\d+)\]|\$(\d+)")

COMMAND_FATES: Mapping[str, Fate] = {
    "description": ("exact", ""),
    "name": ("exact", "the file's name counts, in both"),
    "disable-model-invocation": ("exact", "only people call commands of OpenCode"),
    "user-invocable": ("approximated", "people can always call a command of OpenCode"),
    "argument-hint": ("dropped", "OpenCode shows no hint"),
    "arguments": ("equivalent", "by their number"),
    "allowed-tools": ("dropped", "a grant is never copied"),
    "disallowed-tools": ("dropped", "OpenCode cannot limit the tools of a command"),
    "when_to_use": ("dropped", "only people call commands of OpenCode"),
    "model": ("dropped", "models have other names"),
    "effort": ("dropped", "no equivalent"),
    "context": ("dropped", "no equivalent"),
    "agent": ("dropped", "a name that OpenCode does not know would make the command fail"),
    "background": ("dropped", "no equivalent"),
    "hooks": ("dropped", "no equivalent"),
    "paths": ("dropped", "ignored in commands"),
    "shell": ("dropped", "OpenCode runs its own shell"),
    "metadata": ("dropped", "no equivalent"),
    "license": ("dropped", "no equivalent"),
    "compatibility": ("dropped", "no equivalent"),
}


def render_command(command: Command, is_allowed: Callable[[str], bool]) -> tuple[bytes, str]:
    """The file, and what of it is only near to the original; raises `Inexpressible`.

    A shell command that would have been asked about becomes a request to run it, so that it is asked about here, too.
    """
    pieces = pieces_of(command.body, command.argument_names)
    body = _with_braces("".join(_written(piece, is_allowed) for piece in pieces))
    remarks: list[str] = []
    if any(piece.kind in {"nth", "named"} for piece in pieces):
        remarks.append("the last single argument takes all that is left")
    if any(piece.kind == "dollar" for piece in pieces):
        remarks.append("a literal `$1` is written `${1}`")
    if any(piece.kind == "shell" and not _runs(piece, is_allowed) for piece in pieces):
        remarks.append("a shell command is asked for, not run before")
    try:
        return render({"description": command.description} if command.description else {}, body), "; ".join(remarks)
    except Unrenderable as error:
        raise Inexpressible(str(error)) from error


def _written(piece: Piece, is_allowed: Callable[[str], bool]) -> str:
    match piece.kind:
        case "all":
            return "$ARGUMENTS"
        case "nth" | "named":
            return f"${piece.index + 1}"
        case "shell" if _runs(piece, is_allowed):
            return f"!`{_IN_SHELL.sub(_from_one, piece.value)}`"
        case "shell":
            # Without its mark, so that OpenCode does not run it.
            command = _IN_SHELL.sub(_from_one, piece.value)
            is_long = "\n" in command or "`" in command
            return (
                f"Run this first and use its output:\n```sh\n{command}\n```" if is_long else f"(run first: `{command}`)"
            )
        case "dollar":
            return _LITERAL
        case "claude":
            raise Inexpressible(f"only Claude Code knows `{piece.text}`")
        case _:
            return piece.text


def _with_braces(body: str) -> str:
    """A literal `$1` or `$ARGUMENTS` in a form that OpenCode leaves alone; a name needs none."""
    return _MARKED.sub(r"${\1}", body).replace(_LITERAL, "$")


def _runs(piece: Piece, is_allowed: Callable[[str], bool]) -> bool:
    is_fixed = "$" not in piece.value and "`" not in piece.value and "\n" not in piece.value
    return is_fixed and is_allowed(piece.value)


def _from_one(match: re.Match[str]) -> str:
    return f"${int(match[1] or match[2]) + 1}"
