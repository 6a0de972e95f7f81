"""YAML frontmatter of Markdown files: split without losing a byte, read as YAML 1.2, and written anew.

`---` on the first line opens it and `---` on a line of its own closes it; anything else is body.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sightline.frozen import frozen
from sightline.sync.formats.failures import Malformed, WouldDamage
from sightline.sync.formats.splices import body_start, decode, encode
from sightline.sync.formats.values import Value, same_value
from sightline.sync.formats.yaml_reader import load_yaml
from sightline.sync.formats.yaml_text import yaml_lines

_OPENING = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(r"^---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)


@frozen
class Parts:
    """A file in order: what is before the YAML, the YAML, the closing line, the body. Joined, they are the file."""

    opening: bytes
    yaml: bytes
    closing: bytes
    body: bytes

    @property
    def is_present(self) -> bool:
        return bool(self.closing)

    @property
    def body_line(self) -> int:
        """The line, from 1, on which the body begins."""
        return _lines(self.opening + self.yaml + self.closing) + 1


def split(content: bytes) -> Parts:
    """Take a file apart; raises `Malformed` for frontmatter that is opened and not closed."""
    text = decode(content)
    start = body_start(text)
    opening = _OPENING.match(text, start)
    if opening is None:
        return Parts(encode(text[:start]), b"", b"", encode(text[start:]))
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise Malformed(1, 1, "the frontmatter is not closed by a line `---`")
    first, second, third = opening.end(), closing.start(), closing.end()
    return Parts(*(encode(piece) for piece in (text[:first], text[first:second], text[second:third], text[third:])))


def join(parts: Parts) -> bytes:
    """The file as it was, or with another part in it."""
    return parts.opening + parts.yaml + parts.closing + parts.body


def read(content: bytes) -> Mapping[str, Value]:
    """What the frontmatter says, empty if there is none; raises `Malformed` with the line in the file."""
    parts = split(content)
    return load_yaml(decode(parts.yaml), first_line=2) if parts.is_present else {}


def render(values: Mapping[str, Value], body: str) -> bytes:
    """A whole file, keys in the given order; raises `Unrenderable`.

    What is written is read again and compared, but for what cannot be read in two ways: reading takes most of the time.
    """
    text = "".join(f"{line}\n" for line in yaml_lines(values, ""))
    is_certain = all(_is_certain(key) and _is_certain(value) for key, value in values.items())
    if not is_certain and not same_value(load_yaml(text, first_line=2), values):
        raise WouldDamage("the rendered frontmatter does not say what it should")
    return encode(f"---\n{text}---\n{body}" if values else body)


def _is_certain(value: Value) -> bool:
    """Words and printable ASCII in JSON's quotes, which are YAML's as well."""
    return isinstance(value, bool) or (isinstance(value, str) and value.isascii() and value.isprintable())


def _lines(content: bytes) -> int:
    return len(re.findall(rb"\r\n|\n|\r", content))
