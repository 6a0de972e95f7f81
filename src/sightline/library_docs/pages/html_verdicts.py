"""Pages that arrive with success and are no documentation: soft 404s, logins, empty shells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

Verdict = Literal["ok", "not_found", "login", "challenge", "script_shell", "empty", "malformed"]

_SHORT = 1500
_SHELL = 250
_NOT_FOUND = re.compile(
    r"\W*(?:error\s*)?(?:404\b|page (?:was )?not found|not found\b|(?:this )?page (?:does not|doesn.t) exist|"
    r"page (?:is )?(?:missing|gone|unavailable)|we (?:could not|couldn.t|can.t) find)",
    re.IGNORECASE,
)
_NOT_FOUND_END = re.compile(r"(?:page not found|404(?: not found)?|not found \(404\))\W*$", re.IGNORECASE)
_LOGIN = re.compile(r"\W*(?:log ?in|sign ?in|sign ?on|authentication required|access denied|unauthori[sz]ed)\b", re.I)
_CHALLENGE = re.compile(r"just a moment|checking your browser|attention required|are you (?:a )?human|captcha", re.I)
_NEEDS_SCRIPT = re.compile(
    r"(?:enable|requires?|needs?|turn on|without)\s+java ?script|javascript (?:is )?(?:required|disabled)", re.I
)
_ROOTS = "#root, #app, #__next, #__nuxt, #___gatsby, [data-reactroot], app-root"


def judge(tree: LexborHTMLParser, title: str, markdown: str) -> Verdict:
    """What a page is, by its title, its text and its form; a long text is documentation, whatever it is called."""
    if len(markdown) > _SHORT:
        return "ok"
    heading = markdown.lstrip("# ").split("\n", 1)[0]
    if any(_NOT_FOUND.match(text) or _NOT_FOUND_END.search(text) for text in (title, heading) if text):
        return "not_found"
    if _CHALLENGE.search(title) or (len(markdown) < _SHELL and _CHALLENGE.search(markdown)):
        return "challenge"
    if tree.css_first("input[type=password]") or _LOGIN.match(title) or _LOGIN.match(heading):
        return "login"
    if len(markdown) < _SHELL and _is_shell(tree, markdown):
        return "script_shell"
    return "ok" if _has_words(markdown) else "empty"


def _is_shell(tree: LexborHTMLParser, markdown: str) -> bool:
    if _NEEDS_SCRIPT.search(markdown):
        return True
    noscript = tree.css_first("body noscript")
    if noscript and _NEEDS_SCRIPT.search(noscript.text(deep=True)):
        return True
    root = tree.css_first(_ROOTS)
    return root is not None and tree.css_first("script") is not None and len(root.text(deep=True).strip()) < 50


def _has_words(markdown: str) -> bool:
    return any(character.isalnum() for character in markdown)
