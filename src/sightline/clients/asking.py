"""What a client itself says of the entry: its own command is run, and its words are read. Nothing is written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sightline.children import ChildFailed, CompletedChild
from sightline.clients.client import NAME, Inquiry
from sightline.clients.programs import ClientProgram
from sightline.clients.registration import program_in
from sightline.sync.formats.values import Value

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LISTED = re.compile(rf"\b{NAME}\b")

_LINES_PER_SERVER = 4

Verdict = Literal["connected", "listed", "waiting", "failed", "unknown"]

_WORDS: tuple[tuple[Verdict, re.Pattern[str]], ...] = (
    ("waiting", re.compile(r"pending approval|disabled|not trusted", re.IGNORECASE)),
    ("failed", re.compile(r"failed|disconnected|no mcp server|✘|✗", re.IGNORECASE)),
    ("connected", re.compile(r"connected|✔|✓", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """`connected`: the client started it. `listed`: it has read the entry. `waiting`: for a person's approval.

    `said` is the line that tells so, in the client's own words.
    """

    verdict: Verdict
    said: str

    @property
    def is_bad(self) -> bool:
        return self.verdict == "failed"


async def ask(program: ClientProgram, wanted: Mapping[str, Value]) -> Answer:
    """The client's answer; `unknown` where it has no command to ask, or its command does not end."""
    inquiry = program.client.inquiry
    if inquiry is None:
        return Answer("unknown", "it has no command to ask")
    try:
        return read_answer(inquiry, await program.run(inquiry.arguments), wanted)
    except ChildFailed as error:
        return Answer("unknown", str(error))


def read_answer(inquiry: Inquiry, ended: CompletedChild, wanted: Mapping[str, Value]) -> Answer:
    """From what a client printed to what it means."""
    out = ended.stdout.decode("utf-8", errors="replace")
    if inquiry.is_json:
        return _by_json(out, ended, wanted)
    # Gemini CLI lists on stderr. OpenCode puts the reason of a failure on the lines below.
    lines = [_COLOURS.sub("", line).strip(" │●\t") for line in f"{out}\n{ended.stderr}".splitlines()]
    about = next((number for number, line in enumerate(lines) if _LISTED.search(line)), None)
    if about is None or ended.exit_code != 0:
        return Answer("failed", next((line for line in reversed(lines) if line), "it does not list the entry"))
    told = [line for line in lines[about : about + _LINES_PER_SERVER] if line]
    return _by_words(told, program_in(wanted))


def _by_words(lines: list[str], program: str) -> Answer:
    """The first line that says anything; the program's path does not count as words."""
    for line in lines:
        for verdict, pattern in _WORDS:
            if pattern.search(line.replace(program, "")):
                return Answer(verdict, line)
    return Answer("listed", lines[0])


def _by_json(out: str, ended: CompletedChild, wanted: Mapping[str, Value]) -> Answer:
    try:
        known: Any = json.loads(out)
        transport = known["transport"]
        command, args = transport["command"], transport["args"]
    except (ValueError, KeyError, TypeError):
        said = (ended.stderr or out).strip().splitlines()
        return Answer("failed", said[-1] if said else f"it ended with {ended.exit_code} and said nothing")
    if (command, args) != (wanted["command"], wanted["args"]):
        return Answer("failed", f"it has read another entry: {command} {' '.join(args)}")
    if known.get("enabled") is False:
        return Answer("waiting", "the entry is switched off")
    return Answer("listed", f"{command} {' '.join(args)}")
