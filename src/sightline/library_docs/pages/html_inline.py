"""Inline HTML as Markdown: emphasis, code, links, images, formulas.

Markdown's own signs are not escaped inside a line: the readers of this text read it as it stands, and `*args` has to
stay `*args`. What would start a block at the beginning of a line is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from sightline.library_docs.pages.html_code import inline_code
from sightline.library_docs.pages.html_elements import INLINE_TAGS, Element, children_of, element_of
from sightline.library_docs.pages.html_math import formula_of
from sightline.library_docs.pages.html_noise import is_hidden, is_noise, is_stray_link

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

Wrap = Callable[[str], str]
DEEPEST = 70
_SPACES = re.compile(r"\s+")
_BLOCK_START = re.compile(
    r"#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|\d{1,9}(?=[.)](?:\s|$))|`{3,}(?=[^`]*$)|~{3,}|<(?=[A-Za-z/!?])|=+\s*$|"
    r"[-*_](?:\s*[-*_])*\s*$|\[[^\]]*\]:|[|:-][\s|:-]*$|\+\+\+"
)
_MARKS = {
    "strong": "**",
    "b": "**",
    "em": "*",
    "i": "*",
    "var": "*",
    "cite": "*",
    "del": "~~",
    "s": "~~",
    "strike": "~~",
}
_LONGEST_SAMPLE = 200
_MOST_SAMPLES = 5
_LEAST_HIDDEN_WORDS = 4


@dataclass(slots=True)
class HiddenText:
    """Text that the page hides from its readers: how many elements, and how some of them begin."""

    count: int = 0
    samples: list[str] = field(default_factory=list[str])

    def add(self, text: str) -> None:
        words = text.split()
        if len(words) < _LEAST_HIDDEN_WORDS:
            return
        self.count += 1
        if len(self.samples) < _MOST_SAMPLES:
            self.samples.append(" ".join(words)[:_LONGEST_SAMPLE])


class InlineWriter:
    """Writes inline text; keeps what was hidden."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.hidden = HiddenText()

    def is_left_out(self, element: Element) -> bool:
        """Whether an element is furniture or hidden; hidden text is counted."""
        if is_noise(element.tag, element.attributes, element.classes):
            return True
        if not is_hidden(element.attributes, element.classes):
            return False
        self.hidden.add(element.node.text(deep=True, separator=" "))
        return True

    def children(self, node: LexborNode, depth: int, *, in_link: bool = False) -> str:
        """The inline text of everything under a node, not yet tidied."""
        if depth > DEEPEST:
            return _SPACES.sub(" ", node.text(deep=True, separator=" "))
        return "".join(self.piece(child, depth + 1, in_link=in_link) for child in children_of(node))

    def piece(self, node: LexborNode, depth: int, *, in_link: bool = False) -> str:
        """The inline text of one node."""
        if node.is_text_node:
            return _collapsed(node.text_content or "")
        element = element_of(node)
        if (formula := formula_of(element)) is not None:
            return formula
        if element.tag == "input":
            return _checkbox(element)
        if self.is_left_out(element):
            return ""
        return self._element(element, depth, in_link)

    def _element(self, element: Element, depth: int, in_link: bool) -> str:
        match element.tag:
            case "br":
                return "\n"
            case "code" | "kbd" | "samp" | "tt" | "pre":
                return _around(element.node.text(deep=True), inline_code)
            case "img":
                return _image(element, in_link)
            case "a":
                return self._link(element, depth, in_link)
            case tag:
                return _styled(tag, self.children(element.node, depth, in_link=in_link))

    def _link(self, element: Element, depth: int, in_link: bool) -> str:
        text = self.children(element.node, depth, in_link=True)
        href = element.get("href").strip()
        if is_stray_link(text, href):
            return ""
        target = absolute_link(self.base_url, href) if href else None
        if in_link or target is None or not text.strip():
            return text
        return _around(text, lambda inner: f"[{_balanced(_SPACES.sub(' ', inner))}]({target})")


def _collapsed(text: str) -> str:
    return text if text.isalnum() else _SPACES.sub(" ", text)


def tidy(text: str) -> str:
    """Inline text as a paragraph: one space between words, no line that starts a block by accident."""
    if "\n" not in text:
        line = " ".join(text.split())
        return _escaped(line) if line else ""
    lines = [" ".join(line.split()) for line in text.split("\n")]
    return "\n".join([_escaped(line) for line in lines if line])


def one_line(text: str) -> str:
    """Inline text for a place that has one line only."""
    return " ".join(text.split())


def absolute_link(base_url: str, href: str) -> str | None:
    """The link's full address; None where it leads nowhere a reader could go. One into the page itself stays short."""
    try:
        if href.startswith("#"):
            target = href
        else:
            target = urljoin(base_url, href)
            if urlsplit(target).scheme not in {"http", "https", "mailto"}:
                return None
    except ValueError:
        return None
    return re.sub(r"[\s()<>]", lambda found: f"%{ord(found[0]) & 0xFF:02X}", target)


def _escaped(line: str) -> str:
    found = _BLOCK_START.match(line)
    if not found:
        return line
    if found[0].isdigit():
        return f"{found[0]}\\{line[found.end() :]}"
    return f"\\{line}"


def _around(text: str, wrap: Wrap) -> str:
    """Wraps the words and leaves the blanks around them outside."""
    inner = text.strip()
    if not inner:
        return " " if text else ""
    before = " " if text[0].isspace() else ""
    after = " " if text[-1].isspace() else ""
    return f"{before}{wrap(inner)}{after}"


def _image(element: Element, in_link: bool) -> str:
    alt = one_line(element.get("alt"))
    return alt if in_link or not alt else f"[image: {alt}]"


def _checkbox(element: Element) -> str:
    if element.get("type") != "checkbox" or "task-list-item-checkbox" not in element.classes:
        return ""
    return "[x] " if "checked" in element.attributes else "[ ] "


def _raised(text: str, sign: str) -> str:
    inner = text.strip()
    return f"{sign}{inner}" if inner.isalnum() else text


def _balanced(text: str) -> str:
    depth = 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if depth < 0:
            break
    return text if depth == 0 else text.replace("[", "\\[").replace("]", "\\]")


def _styled(tag: str, text: str) -> str:
    if mark := _MARKS.get(tag):
        return _around(text, lambda inner: f"{mark}{inner}{mark}")
    if tag in {"sup", "sub"}:
        return _raised(text, "^" if tag == "sup" else "_")
    if tag == "q":
        return f"“{text.strip()}”"
    return text if tag in INLINE_TAGS else f" {text} "
