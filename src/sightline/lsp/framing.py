"""LSP's base protocol without I/O: bytes in, messages out.

Lengths are bytes, not characters. A header block ends with an empty line; `Content-Length` is the only header
that matters. Output that is no header (a server that prints) is set aside, never fatal. A frame over the cap is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_END_OF_HEADERS = b"\r\n\r\n"
_LENGTH = b"content-length:"
_LONGEST_HEADERS = 16_384


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
            except ValueError:
                self._set_aside(body)

    def _read_headers(self) -> bool:
        """Find the next header block; False if more bytes are needed."""
        while self._length is None:
            start = self._buffer.lower().find(_LENGTH)
            end = self._buffer.find(_END_OF_HEADERS, max(start, 0))
            if start < 0 or end < 0:
                self._trim(start)
                return False
            self._set_aside(bytes(self._buffer[:start]))
            self._length = _parsed_length(bytes(self._buffer[start:end]))
            del self._buffer[: end + len(_END_OF_HEADERS)]
            if self._length is not None and self._length > self.max_bytes:
                raise FrameTooLarge(f"a message of {self._length:,} bytes; the cap is {self.max_bytes:,}")
        return True

    def _trim(self, start: int) -> None:
        """Without a header in sight, keep only as much as could become one."""
        surplus = (len(self._buffer) if start < 0 else start) - _LONGEST_HEADERS
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


def _parsed_length(headers: bytes) -> int | None:
    value = headers.split(b"\r\n")[0][len(_LENGTH) :].strip()
    return int(value) if value.isdigit() else None
