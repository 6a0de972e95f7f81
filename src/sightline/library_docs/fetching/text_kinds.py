"""Which answers are documents in text, and which of them are only dressed up as one."""

from __future__ import annotations

import re

from sightline.library_docs.fetching.charsets import looks_binary
from sightline.library_docs.fetching.fetched import Doubt
from sightline.library_docs.fetching.web_addresses import WebAddress

_TEXT_TYPES = frozenset(
    {"application/json", "application/markdown", "application/toml", "application/x-markdown", "application/xhtml+xml"}
    | {"application/xml", "application/yaml", "application/x-yaml"}
)
_ENDLESS_OR_CODE = frozenset({"text/css", "text/event-stream", "text/javascript"})
_UNTOLD_TYPES = frozenset({"", "application/octet-stream", "binary/octet-stream"})
_TEXT_ENDINGS = (".markdown", ".md", ".mdx", ".rst", ".txt")
_MARKUP = re.compile(rb"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_FOREIGN_STARTS = (b"%PDF-", b"\x89PNG", b"PK\x03\x04", b"\x1f\x8b", b"GIF8", b"\xff\xd8\xff", b"\x7fELF", b"wOF")

_TITLE = re.compile(r"<(title|h1)\b[^>]{0,300}>(.{0,300}?)</\1", re.I | re.S)
_NOT_FOUND = re.compile(
    r"^\W*(?:error\W+)?404\b|\b(?:page|document) (?:was |could )?not (?:be )?found\b|\bnot found\W*$", re.I
)
_LOGIN_TITLE = re.compile(r"^\W*(?:sign|log) ?in\b|\b(?:sign|log) in to\b|^\W*just a moment\b", re.I)
_START_PAGE = re.compile(r"/(?:index(?:\.\w+)?|home)?")
_LOGIN_PATH = re.compile(r"/(?:login|log-in|signin|sign-in|sso|oauth2?|auth)(?:/|$)", re.I)


def text_type(content_type: str, path: str, body: bytes, charset: str | None) -> str | None:
    """The media type to read a body by; None if it is no text."""
    kind = content_type
    if kind in _UNTOLD_TYPES:
        if kind and not path.lower().endswith(_TEXT_ENDINGS):
            return None
        kind = "text/html" if _MARKUP.match(body) else "text/plain"
    if not _is_text_type(kind) or body.startswith(_FOREIGN_STARTS) or looks_binary(body, charset):
        return None
    return kind


def may_be_text(content_type: str, path: str) -> bool:
    """Whether a body of this type is worth receiving."""
    if content_type in _UNTOLD_TYPES:
        return not content_type or path.lower().endswith(_TEXT_ENDINGS)
    return _is_text_type(content_type)


def is_markup(content_type: str) -> bool:
    """Whether the text declares its own charset, as HTML and XML do."""
    return content_type == "text/html" or content_type.endswith("xml")


def doubts_about(text: str, content_type: str, asked: WebAddress, final: WebAddress) -> set[Doubt]:
    """Signs that a successful answer is not the document: nothing, an error page, a login, the start page."""
    doubts: set[Doubt] = set()
    if not text.strip():
        doubts.add("empty")
    if final.path == "/" and final.host == asked.host and not _START_PAGE.fullmatch(asked.path):
        doubts.add("redirected_to_root")
    if final != asked and _LOGIN_PATH.search(final.path) and not _LOGIN_PATH.search(asked.path):
        doubts.add("looks_like_login")
    for headline in _headlines(text, content_type):
        if _NOT_FOUND.search(headline):
            doubts.add("looks_like_not_found")
        if _LOGIN_TITLE.search(headline):
            doubts.add("looks_like_login")
    return doubts


def _headlines(text: str, content_type: str) -> list[str]:
    if is_markup(content_type):
        return [" ".join(found[2].split()) for found in _TITLE.finditer(text[:200_000])][:2]
    first = text.lstrip("\ufeff \t\r\n#")[:200].partition("\n")[0]
    return [first] if len(text) < 2000 else []


def _is_text_type(kind: str) -> bool:
    if kind in _ENDLESS_OR_CODE:
        return False
    return kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith(("+json", "+xml"))
