"""LSP's base protocol without I/O: bytes in, messages out.

Lengths are bytes, not characters. A header block ends with an empty line; `Content-Length` is the only header
that matters. Output that is no header (a server that prints) is set aside, never fatal. A frame over the cap is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_HEADERS = re.compile(
    rb"Content-Length:[ \t]*(\d+)[ \t]*\r\n(?:(?!Content-Length)[A-Za-z-]+:[^\r\n]*\r\n)*\r\n", re.IGNORECASE
)
_LONGEST_HEADERS = 16_384
_MOST_DIGITS = 12


class FrameTooLarge(Exception):
    """The server announced a message over the cap."""


@dataclass(slots=True)
class Decoder:
    """Splits a server's output into messages; what is not a message is counted and kept for a look."""

    max_bytes: int
    stray: bytearray = field(default_factory=bytearray)
    _buffer: bytearray = field(default_factory=bytearray)
    _length: int | None = None

    def feed(self, data: bytes) -> Iterator[Any]:
        """The messages that are complete now; raises `FrameTooLarge`. A body that is not JSON is stray output."""
        self._buffer += data
        while self._read_headers() and self._length is not None and len(self._buffer) >= self._length:
            body = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            self._length = None
            try:
                yield json.loads(body)
            except (ValueError, RecursionError):
                self._set_aside(body)

    def _read_headers(self) -> bool:
        """Find the next header block; False if more bytes are needed."""
        while self._length is None:
            found = _HEADERS.search(self._buffer)
            if found is None:
                self._trim()
                return False
            self._set_aside(bytes(self._buffer[: found.start()]))
            digits = bytes(found[1])
            if len(digits) > _MOST_DIGITS or int(digits) > self.max_bytes:
                raise FrameTooLarge(f"a message of {int(digits[:15]):,} bytes; the cap is {self.max_bytes:,}")
            self._length = int(digits)
            del self._buffer[: found.end()]
        return True

    def _trim(self) -> None:
        """Without a whole header in sight, keep only as much as could become one."""
        surplus = len(self._buffer) - _LONGEST_HEADERS
        if surplus > 0:
            self._set_aside(bytes(self._buffer[:surplus]))
            del self._buffer[:surplus]

    def _set_aside(self, noise: bytes) -> None:
        self.stray += noise
        del self.stray[:-_LONGEST_HEADERS]


def encode(message: Any) -> bytes:
    """A message as a frame."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
