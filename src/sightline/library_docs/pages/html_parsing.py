"""Parsing HTML from strangers: what would cost a parser time or memory without bound is refused first."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MOST_TAGS = 300_000
DEEPEST = 2000
MOST_REOPENED = 3_000_000
_BLOCK_TAG = re.compile(
    r"<(/?)(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|td|th|tr|dt|dd|option)\b)[a-z]",
    re.IGNORECASE,
)
_FORMATTING_TAG = re.compile(
    r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s>/])", re.IGNORECASE
)


class HtmlTooTangled(Exception):
    """The page is nested so deeply, or has so many open formats, that parsing would take too long."""


def parse_html(html: str) -> LexborHTMLParser:
    """The document; raises `HtmlTooTangled`.

    A parser looks through all open elements at each new one, and opens unclosed formats (`<b>`) again in each
    paragraph: both are quadratic, so that 5 MB of either would take hours. The number of tags bounds the rest.
    """
    if html.count("<") > MOST_TAGS:
        raise HtmlTooTangled
    if _deepest(_BLOCK_TAG, html) > DEEPEST or _deepest(_FORMATTING_TAG, html) * html.count("<") > MOST_REOPENED:
        raise HtmlTooTangled
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        return LexborHTMLParser(html.replace("\0", "\ufffd").encode("utf-8", "replace").decode())
    except SelectolaxError as error:
        raise HtmlTooTangled from error


def _deepest(tag: re.Pattern[str], html: str) -> int:
    return max(accumulate(-1 if slash else 1 for slash in tag.findall(html)), default=0)
