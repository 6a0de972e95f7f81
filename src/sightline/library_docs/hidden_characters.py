"""Characters that a reader cannot see and a model can: found, counted, and taken out.

Kept are joiners inside emoji and inside scripts that need them (Arabic, Indic, Khmer and others), one variation
selector after a symbol or an ideograph, and the tags of the three flags that are made of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Literal

HiddenKind = Literal[
    "control_characters",
    "zero_width_characters",
    "bidi_controls",
    "tag_characters",
    "variation_selectors",
    "soft_hyphens",
    "invisible_characters",
]


@dataclass(frozen=True, slots=True)
class HiddenCharacters:
    """How many of a kind were taken out, and where the first one was, in the text with its line ends made plain."""

    kind: HiddenKind
    count: int
    line: int


_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
_TERMINAL_CODE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\))")
_FLAG = re.compile("\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
                   "|\U000e0077\U000e006c\U000e0073)\U000e007f")  # fmt: skip
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
_ZERO_WIDTH = frozenset("\u200b\u200c\u200d\u2060\ufeff\u180e")
_JOINERS = frozenset("\u200c\u200d")
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_SCRIPTS_WITH_JOINERS = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bff\ufb50-\ufdff\ufe70-\ufefc]"
)
_EMOJI = re.compile("[\u00a9\u00ae\u200d\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff]")
_TAKES_A_SELECTOR = re.compile(
    "[#*0-9\u00a9\u00ae\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\u3400-\u9fff\uf900-\ufaff"
    "\U0001f000-\U0001faff\U00020000-\U000323af]"
)
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")


def without_hidden(text: str) -> tuple[str, tuple[HiddenCharacters, ...]]:
    """The text that a reader sees, with line feeds as its only line ends, and what was taken out."""
    text = _LINE_END.sub("\n", text.removeprefix("\ufeff"))
    if not _HIDDEN.search(text):
        return text, ()
    counts: Counter[HiddenKind] = Counter()
    first_at: dict[HiddenKind, int] = {}
    flags = {at for found in _FLAG.finditer(text) for at in range(found.start(), found.end())}

    def shown(found: re.Match[str]) -> str:
        at = found.start()
        if len(found[0]) == 1 and (at in flags or _is_legitimate(text, at)):
            return found[0]
        if found[0] == "\f":
            return ""
        kind = _hidden_kind(found[0][0])
        counts[kind] += 1
        first_at.setdefault(kind, at)
        return "\ufffd" if unicodedata.category(found[0][0]) == "Cs" else ""

    visible = re.sub(f"{_TERMINAL_CODE.pattern}|{_HIDDEN.pattern}", shown, text)
    return visible, tuple(
        HiddenCharacters(kind, count, text.count("\n", 0, first_at[kind]) + 1) for kind, count in counts.items()
    )


def _is_legitimate(text: str, at: int) -> bool:
    """Whether an invisible character does its proper work between its neighbours."""
    character, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if character in _JOINERS and _SCRIPTS_WITH_JOINERS.match(before):
        return after not in _JOINERS
    if character == "\u200d":
        return bool(_EMOJI.match(before) and before != "\u200d" and _EMOJI.match(after))
    if "\ufe00" <= character <= "\ufe0f":
        return bool(_TAKES_A_SELECTOR.match(before)) or unicodedata.category(before or " ") in ("So", "Sm", "Sk")
    if "\U000e0100" <= character <= "\U000e01ef":
        return bool(_IDEOGRAPH.match(before))
    return "\u180b" <= character <= "\u180d" and "\u1800" <= before <= "\u18af" and not "\u180b" <= before <= "\u180f"


def _hidden_kind(character: str) -> HiddenKind:
    if character in _ZERO_WIDTH:
        return "zero_width_characters"
    if character in _BIDI:
        return "bidi_controls"
    if "\U000e0000" <= character <= "\U000e007f":
        return "tag_characters"
    if "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
        return "variation_selectors"
    if character == "\u00ad":
        return "soft_hyphens"
    return "control_characters" if unicodedata.category(character) in ("Cc", "Cs") else "invisible_characters"
