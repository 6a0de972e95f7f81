"""reStructuredText as Markdown, for READMEs. Nothing is read, included or fetched on the text's behalf.

What docutils does not know (Sphinx's directives and roles) degrades to readable text. What it cannot parse at all is
given as it stands, between fences.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, cast

from sightline.library_docs.pages.html_code import fenced
from sightline.library_docs.pages.lines import normal_text
from sightline.library_docs.pages.rst_blocks import RstWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from docutils import nodes

_LARGEST = 1_000_000
_SETTINGS: dict[str, Any] = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 3,  # errors stay in the tree, where the text of unknown directives is
    "halt_level": 6,
    "traceback": True,  # raise: otherwise docutils writes to stderr and exits
    "syntax_highlight": "none",
    "smart_quotes": False,
    "doctitle_xform": False,
    "sectsubtitle_xform": False,
    "docinfo_xform": False,
    "line_length_limit": 10_000_000,
    "pep_references": None,
    "rfc_references": None,
    "embed_stylesheet": False,
    "input_encoding": "unicode",
}


def convert_rst(text: str) -> str:
    """The text as Markdown; never raises."""
    text = normal_text(text).replace("\v", " ").replace("\f", " ")
    if not text.strip():
        return ""
    markdown = _converted(text, 0) if len(text) <= _LARGEST else None
    if markdown is None:
        return fenced(text.strip("\n"), "rst") + "\n"
    return f"{markdown}\n" if markdown else ""


def _converted(text: str, depth: int) -> str | None:
    from docutils import ApplicationError

    try:
        document = _parsed(text)
        return RstWriter(lambda inner: _converted(inner, depth + 1) if depth < 4 else None).document(document)
    except (ApplicationError, ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RecursionError):
        return None  # docutils trusts its input here and there
    except (TypeError, ValueError):
        return None


def _parsed(text: str) -> nodes.document:
    from docutils import core

    settings = {**_SETTINGS, "warning_stream": io.StringIO(), "_disable_config": True}
    publish = cast("Callable[..., nodes.document]", core.publish_doctree)  # type: ignore[reportUnknownMemberType] - untyped
    return publish(text, settings_overrides=settings)
