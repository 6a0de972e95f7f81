"""Sentences that speak to an agent instead of a reader: found by pattern, reported, never removed.

The patterns are narrow on purpose: what ordinary documentation says must not be flagged, or nobody heeds a flag.
Commands and role marks count only outside code, where documentation of such things has no reason to put them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

SuspicionKind = Literal[
    "instruction_override",
    "agent_instruction",
    "fake_role",
    "concealment",
    "exfiltration",
    "pipe_to_shell",
    "hidden_comment",
    "hidden_element",
]

MAX_EXCERPT = 120


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A sentence that does not belong in documentation."""

    kind: SuspicionKind
    line: int
    excerpt: str


# Patterns see the text in lower case and begin with letters, not with `\b`: so the search is five times as fast.
# That a match begins a word is checked afterwards.
_AGENT = r"(?:ai|llm|language model|coding|autonomous)[ -](?:coding )?(?:agent|assistant|model|tool|system)s?"
_ACT = "run|execute|install|download|fetch|call|send|open|add|insert|recommend|delete|visit|curl|post|upload|read"
_OBLIGED = r"you\s+(?:must|should|need\s+to|have\s+to|are\s+required\s+to)"
_PRIVATE = (
    r"(?:\.env\b|env(?:ironment)? ?var(?:iable)?s?|api[ _-]?keys?|secrets|credentials?|(?:ssh|private)[ _-]keys?"
    r"|access tokens?|passwords?|id_rsa|\.aws/credentials|\.ssh\b)"
)
_PERSON = r"(?:the|your)\s+(?:users?|humans?|developer|operator)"
_SENDER = r"(?:curl|wget|nc|netcat)\b"
_ANYWHERE: tuple[tuple[SuspicionKind, re.Pattern[str]], ...] = (
    (
        "instruction_override",
        re.compile(
            r"(?:ignore|disregard|forget|bypass)\s+(?:(?:all|any|of|the|your|these|those|every)\s+){0,4}"
            r"(?:previous|prior|above|earlier|preceding|foregoing|system|original|initial)\s+"
            r"(?:\w+\s+){0,2}(?:instructions?|prompts?|directives|guardrails|messages|context)\b"
            r"|(?:ignore|disregard|override|reveal|print)\s+(?:the\s+|your\s+)system\s+prompt\b"
            r"|forget\s+(?:everything|all)\s+(?:you|that\s+you|above|before)\b"
            r"|new\s+system\s+(?:prompt|instructions?)\s*:"
        ),
    ),
    (
        "agent_instruction",
        re.compile(
            rf"an?\s+(?:{_AGENT}|ai|llm)\b[^.\n]{{0,40}}?,?\s*"
            rf"(?:{_OBLIGED}|please|always|first|immediately)\s+(?:\w+\s+)?(?:{_ACT})\b"
            rf"|{_AGENT}\s+(?:reading|processing|parsing|viewing)\s+this\b"
            rf"|(?:note|attention|message|important|instructions?)\s+(?:to|for)\s+(?:all\s+|any\s+|the\s+)?"
            rf"(?:{_AGENT}|ais?|llms?)\s*[:!,]"
            rf"|before\s+(?:answering|responding|replying)(?:\s+to\s+the\s+user)?,?\s+(?:you\s+(?:must|should)\s+)?"
            rf"(?:always\s+|first\s+)?(?:{_ACT})\b"
        ),
    ),
    (
        "concealment",
        re.compile(
            r"(?:do\s+not|don['\u2019]?t|never)\s+"
            rf"(?:tell|inform|(?:reveal|mention)\s+(?:this|it|that)\s+to)\s+{_PERSON}\b"
            rf"|without\s+(?:telling|informing)\s+{_PERSON}\b"
            rf"|without\s+{_PERSON}(?:['\u2019]s)?\s+(?:knowledge|knowing|noticing)\b"
        ),
    ),
    (
        "exfiltration",
        re.compile(
            rf"(?:send|post|upload|exfiltrate|transmit|forward|leak|report)\b[^.\n]{{0,40}}?{_PRIVATE}[^\n]{{0,40}}?"
            r"\s(?:to|at|via)\s+(?:https?://|the\s+following\s+(?:url|address|endpoint|server)|[\w.+-]{1,64}@[\w-]{1,64}\.)"
            rf"|(?:cat|base64|tar)\s(?=[^\n|]{{0,120}}{_PRIVATE})[^\n|]{{0,160}}\|\s*{_SENDER}"
            rf"|(?:printenv|env)\s*\|\s*{_SENDER}"
        ),
    ),
)
_IN_PROSE: tuple[tuple[SuspicionKind, re.Pattern[str]], ...] = (
    (
        "pipe_to_shell",
        re.compile(
            r"(?:curl|wget|iwr|irm|invoke-(?:webrequest|restmethod))\b[^|\n]{1,200}\|\s*(?:sudo\s+)?"
            r"(?:(?:ba|z|da|k|fi)?sh|iex|python3?|perl|node|invoke-expression)\b"
        ),
    ),
    (
        "fake_role",
        re.compile(
            r"^[ \t>*#]*(?:system|assistant|developer)[ \t]*:[ \t]*\**[ \t]*you\s+(?:are|must|will|should)\b"
            r"|<\|(?:im_start|im_end|system|assistant|start_header_id)\|>|\[/?inst\]|</?system-(?:reminder|prompt|message)>"
            r"|<(?:important|system)>(?=[^<]{0,200}\b(?:you|must|always|never)\b)",
            re.M,
        ),
    ),
    (
        "hidden_element",
        re.compile(
            r"<\w+\b[^<>]{0,200}\bstyle\s*=\s*[\"'][^\"'<>]{0,200}"
            r"(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d]))"
        ),
    ),
)
_COMMENT = re.compile(r"<!--((?:(?!<!--).){1,4000}?)-->", re.S)
_COMMENT_TO_AGENT = re.compile(
    r"\b(?:ais?|llms?|agents?|assistants?|chatbot|claude|copilot|codex|gemini|chatgpt|cursor)\b.{0,200}?"
    rf"\b(?:must|should|always|never|please|ignore|{_ACT})\b"
    rf"|\b{_OBLIGED}\s+(?:\w+\s+)?(?:{_ACT})\b|https?://[^\s|]+\s*\|\s*(?:ba|z)?sh\b",
    re.S,
)
_CODE = re.compile(
    r"^(?P<mark>[ \t>]*(?:`{3,}+|~{3,}+))[^\n]*+\n.*?(?:^(?P=mark)[`~]*[ \t]*$|\Z)"
    r"|<pre\b.*?(?:</pre>|\Z)|<code\b.*?(?:</code>|\Z)"
    r"|^(?: {4}|\t|[ ]{2,3}\$ )[^\n]*$|(?<!`)(?P<ticks>`++)[^\n]{1,300}?(?<!`)(?P=ticks)(?!`)",
    re.M | re.S,
)
# Full-width forms, and the letters of other scripts that pass for Latin ones.
_LOOK_ALIKES = {0xFF01 + n: 0x21 + n for n in range(94)} | dict(
    zip(
        map(ord, "аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅαεικορτυνΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"),
        map(ord, "aeopcyxijshdqwABEKMHOPCTXIJSaeikoptuvABEZHIKMNOPTYX"),
        strict=True,
    )
)
_LOOK_ALIKE = re.compile("[\u0370-\u052f\uff01-\uff5e]")


def find_suspicions(text: str) -> list[Suspicion]:
    """All suspicious sentences, by line."""
    latin = folded(text)
    prose = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), latin)
    found = [pair for kind, pattern in _ANYWHERE for pair in _matches(kind, pattern, latin)]
    found += [pair for kind, pattern in _IN_PROSE for pair in _matches(kind, pattern, prose)]
    found += [pair for pair in _matches("hidden_comment", _COMMENT, prose) if _COMMENT_TO_AGENT.search(pair[0][1])]
    line_ends = [end.start() for end in re.finditer("\n", text)] if found else []
    found.sort(key=lambda pair: pair[0].start())
    return [Suspicion(kind, bisect_left(line_ends, at.start()) + 1, _excerpt(text, at)) for at, kind in found]


def _matches(kind: SuspicionKind, pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], SuspicionKind]]:
    for found in pattern.finditer(text):
        if not (text[found.start() - 1 : found.start()].isalnum() and found[0][0].isalnum()):
            yield found, kind


def folded(text: str) -> str:
    """The text in lower case and in Latin look-alikes, character for character."""
    latin = text.translate(_LOOK_ALIKES) if _LOOK_ALIKE.search(text) else text
    lowered = latin.lower()
    # A few capitals, such as the dotted I of Turkish, have no small form of one character.
    return lowered if len(lowered) == len(text) else "".join(c if len(c.lower()) != 1 else c.lower() for c in latin)


def _excerpt(text: str, found: re.Match[str]) -> str:
    excerpt = " ".join(text[found.start() : found.end()].split())
    return excerpt if len(excerpt) <= MAX_EXCERPT else f"{excerpt[: MAX_EXCERPT - 1]}\u2026"
