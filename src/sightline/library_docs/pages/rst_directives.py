"""Directives that docutils does not know, mostly Sphinx's: what a reader can use of them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from sightline.library_docs.pages.html_code import fenced
from sightline.library_docs.pages.markdown_text import quoted

_HEAD = re.compile(r"\.\.\s+(?:\|[^|]*\|\s+)?([\w:+.-]+?)::(?:[ \t]+(.*))?$")
_OPTION = re.compile(r"\s+:[\w-]+:")
_CODE = {
    "code": "",
    "code-block": "",
    "sourcecode": "",
    "testcode": "python",
    "testoutput": "text",
    "doctest": "pycon",
    "ipython": "python",
    "prompt": "bash",
    "graphviz": "dot",
}
_BOXES = {
    "seealso": "See also",
    "todo": "To do",
    "versionadded": "Added in",
    "versionchanged": "Changed in",
    "versionremoved": "Removed in",
    "deprecated": "Deprecated since",
    "topic": "",
    "dropdown": "",
    "details": "",
}
_DROPPED = frozenset(
    {
        "figure",
        "image",
        "toctree",
        "highlight",
        "currentmodule",
        "module",
        "index",
        "only",
        "include",
        "raw",
        "meta",
        "tabularcolumns",
    }
)


@dataclass(frozen=True, slots=True)
class _Directive:
    name: str
    argument: str
    body: str


def unknown_directive(source: str, convert: Callable[[str], str | None]) -> list[str]:
    """The blocks for a directive: its code, its text under a title, or a line that says what stood there."""
    directive = _parsed(source)
    if directive is None:
        return []
    short = directive.name.rpartition(":")[2]
    if short in _DROPPED:
        return []
    if short in _CODE:
        language = _CODE[short] or "".join(re.findall(r"[\w+#.-]", directive.argument))
        return [fenced(directive.body, language)] if directive.body else []
    body = convert(directive.body) if directive.body.strip() else ""
    if short in _BOXES:
        title = f"{_BOXES[short]} {directive.argument}".strip()
        return [quoted("\n\n".join(filter(None, [f"**{title}**" if title else "", body])))]
    if short.startswith("auto"):
        return (
            [f"`{directive.argument}` (reference made from the code: not part of this text)"]
            if directive.argument
            else []
        )
    title = f"**{directive.argument}**" if directive.argument and body else directive.argument
    return [block for block in (title, body) if block]


def _parsed(source: str) -> _Directive | None:
    lines = source.split("\n")
    head = _HEAD.match(lines[0].strip())
    if head is None:
        return None
    rest = lines[1:]
    while rest and _OPTION.match(rest[0]):
        rest.pop(0)
    return _Directive(head[1], (head[2] or "").strip(), textwrap.dedent("\n".join(rest)).strip("\n"))
