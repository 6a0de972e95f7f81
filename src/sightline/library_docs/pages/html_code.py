"""Code in HTML: its text without line numbers and buttons, its language, and a fence that holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_BY_PREFIX = re.compile(r"(?:language|lang|highlight-source|highlight|brush:?)-([\w+#.-]{1,30})$")
_PLAIN_NAME = re.compile(r"[\w+#.-]{1,30}$")
_NO_LANGUAGE = frozenset(
    {"", "default", "none", "text", "plain", "plaintext", "txt", "notranslate", "undefined", "auto"}
)
_LANGUAGES_WORDS = (
    "bash c clojure console cpp csharp css dart diff docker dockerfile elixir go graphql haskell html http ini java "
    "javascript js json jsonc json5 jsx julia kotlin latex lua make makefile markdown md mdx nginx objc perl php "
    "powershell prolog proto protobuf py pycon python python3 r rs rst ruby rust scala sh shell sql svelte swift toml "
    "ts tsx typescript vue xml yaml yml zig zsh"
)
_LANGUAGES = frozenset(_LANGUAGES_WORDS.split())
_MARKERS = frozenset({"hljs", "sourceCode", "codehilite", "highlight", "code", "shiki", "prettyprint", "rouge"})
_DROPPED = (
    "button, .linenos, .lineno, .linenodiv, .line-number, .line-numbers-rows, .gutter, .copy, .copybtn, .ln, "
    "[aria-hidden=true].line-numbers, .hljs-ln-numbers, .sr-only, [data-line-number]:empty"
)
_BREAKING = frozenset({"div", "p", "li", "tr", "ol", "ul"})
_TABLE_PARTS = frozenset({"td", "tr", "tbody", "table"})
_BACKTICKS = re.compile(r"`+")


def code_text(pre: LexborNode) -> str:
    """The code as a reader would copy it; takes line numbers and buttons out of the tree."""
    for node in pre.css(_DROPPED):
        node.decompose()
    text = "".join(_lines(pre)) if pre.css_first("br, div, p, li, tr") else pre.text(deep=True)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines)


def fenced(code: str, language: str = "") -> str:
    """The code between fences that are longer than any run of backticks in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def inline_code(text: str) -> str:
    """The text as inline code, whatever backticks it holds."""
    text = " ".join(text.split())
    if not text:
        return ""
    runs = {len(run) for run in _BACKTICKS.findall(text)}
    quotes = "`" * next(size for size in range(1, len(text) + 2) if size not in runs)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{quotes}{padding}{text}{padding}{quotes}"


def language_of(pre: LexborNode) -> str:
    """The language that the element, its code or one of three elements around it declares; empty if none does."""
    for node in _declaring(pre):
        attributes = node.attributes
        for name in ("data-lang", "data-language"):
            if language := _known(attributes.get(name) or ""):
                return language
        if language := _from_classes((attributes.get("class") or "").split()):
            return language
    return ""


def _from_classes(classes: list[str]) -> str:
    for name in classes:
        if (found := _BY_PREFIX.match(name)) and (language := _known(found[1])):
            return language
    if _MARKERS.isdisjoint(classes):
        return next((name for name in classes if name in {"rust", "python", "bash"}), "")
    return next((name for name in classes if name.lower() in _LANGUAGES), "")


def _declaring(pre: LexborNode) -> Iterator[LexborNode]:
    if code := pre.css_first("code"):
        yield code
    node: LexborNode | None = pre
    left = 4
    while left and node is not None and node.tag not in {"body", "article", "main", "section", "li"}:
        yield node
        left -= node.tag not in _TABLE_PARTS  # code with line numbers stands in a table, which declares nothing
        node = node.parent


def _known(name: str) -> str:
    name = name.strip().lower()
    return "" if name in _NO_LANGUAGE or not _PLAIN_NAME.match(name) else name


def _lines(pre: LexborNode) -> Iterator[str]:
    """The text with a newline for each `<br>` and after each element that stands on a line of its own.

    Docusaurus ends lines with `<br>`, Expressive Code with nothing but the end of a `<div>`.
    """
    ends_line = True
    for node in pre.traverse(include_text=True):
        if node.is_text_node:
            text = node.text_content or ""
            yield text
            ends_line = text.endswith("\n") if text else ends_line
        elif node.tag == "br" or (node.tag in _BREAKING and not ends_line):
            yield "\n"
            ends_line = True
