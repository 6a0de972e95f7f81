"""Commands as Gemini CLI's TOML files: `{{args}}`, `!{command}`, `@{file}`; no single arguments and no escapes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sightline.sync.formats.failures import Unrenderable
from sightline.sync.formats.whole_files import render_toml
from sightline.sync.model import Command
from sightline.sync.targets.argument_syntax import Piece, pieces_of
from sightline.sync.targets.findings import Fate

_RESERVED = re.compile(r"\{\{args\}\}|[!@]\{")
_ARGUMENT = re.compile(r"\$(?:\d|ARGUMENTS\[)")

COMMAND_FATES: Mapping[str, Fate] = {
    "description": ("exact", ""),
    "name": ("exact", "the file's name counts, in both"),
    "disable-model-invocation": ("exact", "only people call commands of Gemini CLI"),
    "user-invocable": ("approximated", "people can always call a command of Gemini CLI"),
    "argument-hint": ("dropped", "Gemini CLI shows no hint"),
    "arguments": ("approximated", "named by their number in the text"),
    "allowed-tools": ("dropped", "a grant is never copied"),
    "disallowed-tools": ("dropped", "Gemini CLI cannot limit the tools of a command"),
    "when_to_use": ("dropped", "only people call commands of Gemini CLI"),
    "model": ("dropped", "models have other names"),
    "effort": ("dropped", "no equivalent"),
    "context": ("dropped", "no equivalent"),
    "agent": ("dropped", "no equivalent"),
    "background": ("dropped", "no equivalent"),
    "hooks": ("dropped", "no equivalent"),
    "paths": ("dropped", "ignored in commands"),
    "shell": ("dropped", "Gemini CLI runs its own shell"),
    "metadata": ("dropped", "no equivalent"),
    "license": ("dropped", "no equivalent"),
    "compatibility": ("dropped", "no equivalent"),
}


class Inexpressible(ValueError):
    """The item cannot be said in the target's form; the message says why."""


def render_command(command: Command) -> tuple[bytes, str]:
    """The TOML file, and what of the text is only near to the original; raises `Inexpressible`."""
    pieces = pieces_of(command.body, command.argument_names)
    prompt = "".join(_written(piece) for piece in pieces)
    singles = sorted({piece.index for piece in pieces if piece.kind in {"nth", "named"}})
    if singles and not any(piece.kind == "all" for piece in pieces):
        prompt = f"{prompt.rstrip()}\n\nArguments, in order: {{{{args}}}}\n"
    values = {"description": command.description} if command.description else {}
    try:
        content = render_toml({**values, "prompt": prompt})
    except Unrenderable as error:
        raise Inexpressible(str(error)) from error
    return content, "single arguments are described, not filled in" if singles else ""


def _written(piece: Piece) -> str:
    match piece.kind:
        case "all":
            return "{{args}}"
        case "nth" | "named":
            return f"(argument {piece.index + 1})"
        case "dollar":
            return "$"
        case "shell":
            return _shell(piece.value)
        case "file" if not piece.value.startswith(("~", "/")):
            return f"@{{{piece.value}}}"
        case "claude":
            raise Inexpressible(f"only Claude Code knows `{piece.text}`")
        case _:
            if _RESERVED.search(piece.text):
                raise Inexpressible("Gemini CLI would act on a fixed text with `{{args}}`, `!{` or `@{`")
            return piece.text


def _shell(command: str) -> str:
    if _ARGUMENT.search(command):
        raise Inexpressible("a shell command in the text takes a single argument")
    if not _is_balanced(command) or _RESERVED.search(command):
        raise Inexpressible("a shell command in the text has braces that Gemini CLI would misread")
    return f"!{{{command.replace('$ARGUMENTS', '{{args}}')}}}"


def _is_balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    return depth == 0
