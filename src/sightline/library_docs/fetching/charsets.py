"""From bytes to text: what the document says about itself first, what its bytes can be next, a guess last.

Only character sets of the web are taken from a document's word; Python knows codecs that do far more than decode.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_LOOKED_AT = 4096
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{2,40})", re.I)
_XML = re.compile(rb"\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]{2,40})[\"']", re.I)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_FALLBACK = "cp1252"
# What pages call these is read as Windows-1252, as browsers do.
_READ_AS_FALLBACK = frozenset({"ascii", "iso8859-1", "cp1252"})
_MANY_BYTES = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "shift_jis", "cp932", "euc_jp", "iso2022_jp"}
    | {"gb2312", "gbk", "gb18030", "big5", "big5hkscs", "euc_kr", "cp949"}
)
_ONE_BYTE = frozenset(
    {f"cp125{n}" for n in range(9)}
    | {f"iso8859-{n}" for n in range(2, 17) if n != 12}
    | {"koi8-r", "koi8-u", "cp866", "mac-roman", "mac-cyrillic", "cp874", "tis-620"}
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, how it was read, and whether that was a guess or lost characters."""

    text: str
    charset: str
    guessed: bool = False
    lossy: bool = False


def decode(body: bytes, declared: str | None, *, is_markup: bool) -> Decoded:
    """The text of a document, by byte order mark, declaration, UTF-8, and Windows-1252 at last."""
    for mark, charset in _BOMS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], charset)
    charset = _known(declared) or (_declared_inside(body) if is_markup else None)
    if charset is not None and not (charset in _ONE_BYTE and _is_telling_utf8(body)):
        return _decoded(body, charset)
    try:
        return Decoded(body.decode("utf-8"), "utf-8", guessed=charset is not None)
    except UnicodeDecodeError:
        return Decoded(body.decode(_FALLBACK, "replace"), _FALLBACK, guessed=True)


def looks_binary(body: bytes, declared: str | None) -> bool:
    """Whether bytes that are called text hold a NUL, which no text but UTF-16 does."""
    wide = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or (_known(declared) or "").startswith("utf-16")
    return not wide and b"\0" in body[:_LOOKED_AT]


def _decoded(body: bytes, charset: str) -> Decoded:
    try:
        return Decoded(body.decode(charset), charset)
    except UnicodeDecodeError:
        return Decoded(body.decode(charset, "replace"), charset, lossy=True)


def _is_telling_utf8(body: bytes) -> bool:
    """Whether the bytes are UTF-8 with something beyond ASCII: next to impossible by chance in a one-byte text."""
    try:
        return not body.isascii() and bool(body.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def _declared_inside(body: bytes) -> str | None:
    found = _XML.match(body[:_LOOKED_AT]) or _META.search(body[:_LOOKED_AT])
    charset = _known(found[1].decode("ascii")) if found else None
    # A declaration that could be read as ASCII is not in UTF-16, whatever it says.
    return "utf-8" if charset is not None and charset.startswith("utf-16") else charset


def _known(name: str | None) -> str | None:
    if not name:
        return None
    try:
        charset = codecs.lookup(name.strip().strip("\"'")).name
    except (LookupError, ValueError):
        return None
    if charset in _READ_AS_FALLBACK:
        return _FALLBACK
    return charset if charset in _MANY_BYTES or charset in _ONE_BYTE else None
