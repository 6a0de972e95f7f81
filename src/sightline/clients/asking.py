"""What a client itself says of the entry: its own command is run, and its words are read. Nothing is written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sightline.children import ChildFailed, CompletedChild
from sightline.clients.client import NAME, Inquiry, Scope
from sightline.clients.programs import ClientProgram
from sightline.clients.registration import program_in
from sightline.sync.formats.values import Value

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LISTED = re.compile(rf"\W*{NAME}(?=[:\s]|$)")

_LINES_PER_SERVER = 4

Verdict = Literal["connected", "listed", "waiting", "failed", "unknown"]

_WORDS: tuple[tuple[Verdict, re.Pattern[str]], ...] = (
    ("waiting", re.compile(r"pending approval|disabled|not trusted", re.IGNORECASE)),
    ("failed", re.compile(r"failed|disconnected|blocked|no mcp server|✘|✗", re.IGNORECASE)),
    ("connected", re.compile(r"connected|✔|✓", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Reply:
    """`connected`: the client started it. `listed`: it has read the entry. `waiting`: for a person's approval.

    `said` is the line that tells so, in the client's own words.
    """

    verdict: Verdict
    said: str

    @property
    def is_bad(self) -> bool:
        return self.verdict == "failed"


async def ask(program: ClientProgram, scope: Scope, wanted: Mapping[str, Value]) -> Reply:
    """The client's reply; `unknown` where it has no command to ask, or its command does not end."""
    inquiry = program.client.inquiry
    if inquiry is None:
        return Reply("unknown", "it has no command to ask")
    try:
        reply = read_reply(inquiry, await program.run(inquiry.arguments), wanted)
        if reply.is_bad and not inquiry.is_json:
            # A first start is the slowest, and a client may give up soon: once more before it is called bad.
            reply = read_reply(inquiry, await program.run(inquiry.arguments), wanted)
    except ChildFailed as error:
        return Reply("unknown", str(error))
    is_hidden = inquiry.hides_untrusted and scope == "project" and reply.verdict == "failed"
    return Reply("waiting", f"it does not read this project's file yet: {reply.said}") if is_hidden else reply


def read_reply(inquiry: Inquiry, ended: CompletedChild, wanted: Mapping[str, Value]) -> Reply:
    """From what a client printed to what it means."""
    out = ended.stdout.decode("utf-8", errors="replace")
    if inquiry.is_json:
        return _by_json(out, ended, wanted)
    # Gemini CLI lists on stderr. OpenCode puts the reason of a failure on the lines below.
    lines = [_COLOURS.sub("", line).strip(" │●\t") for line in f"{out}\n{ended.stderr}".splitlines()]
    about = next((number for number, line in enumerate(lines) if _LISTED.match(line)), None)
    if about is None or ended.exit_code != 0:
        return Reply("failed", next((line for line in reversed(lines) if line), "it does not list the entry"))
    told = [line for line in lines[about : about + _LINES_PER_SERVER] if line]
    return _by_words(told, program_in(wanted))


def _by_words(lines: list[str], program: str) -> Reply:
    """The first line that says anything; the program's path does not count as words."""
    for line in lines:
        for verdict, pattern in _WORDS:
            if pattern.search(line.replace(program, "")):
                return Reply(verdict, line)
    return Reply("listed", lines[0])


def _by_json(out: str, ended: CompletedChild, wanted: Mapping[str, Value]) -> Reply:
    try:
        known: Any = json.loads(out)
        transport = known["transport"]
        command, args = transport["command"], transport["args"]
    except (ValueError, KeyError, TypeError):
        said = (ended.stderr or out).strip().splitlines()
        return Reply("failed", said[-1] if said else f"it ended with {ended.exit_code} and said nothing")
    if (command, args) != (wanted["command"], wanted["args"]):
        return Reply("failed", f"it has read another entry: {command} {' '.join(args)}")
    if known.get("enabled") is False:
        return Reply("waiting", "the entry is switched off")
    return Reply("listed", f"{command} {' '.join(args)}")
