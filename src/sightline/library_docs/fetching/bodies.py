"""From the bytes on the wire to the bytes of the document, never more than a cap of either."""

from __future__ import annotations

import zlib
from typing import Protocol

STEP = 65536
ACCEPTED_ENCODINGS = "gzip, deflate"


class TooLarge(Exception):
    """More bytes than the cap, as sent or as unpacked."""


class BadEncoding(Exception):
    """Packed in a way that was not offered, broken, or cut short; `cut` tells the last one."""

    def __init__(self, message: str, *, cut: bool = False) -> None:
        super().__init__(message)
        self.cut = cut


class _Unpacker(Protocol):
    def feed(self, data: bytes, room: int) -> bytes: ...

    def finish(self) -> None: ...


class Body:
    """Collects a document while it arrives; raises as soon as it is over the cap."""

    def __init__(self, encoding: str, cap: int) -> None:
        self._unpacker = _unpacker_for(encoding)
        self._cap = cap
        self._received = 0
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def received(self) -> int:
        """Bytes as they were sent."""
        return self._received

    def add(self, data: bytes) -> None:
        """Take what arrived. Raises TooLarge or BadEncoding."""
        self._received += len(data)
        if self._received > self._cap:
            raise TooLarge(f"over {self._cap} bytes")
        unpacked = self._unpacker.feed(data, self._cap - self._size + 1)
        self._size += len(unpacked)
        if self._size > self._cap:
            raise TooLarge(f"over {self._cap} bytes when unpacked")
        self._parts.append(unpacked)

    def whole(self) -> bytes:
        """The document, once everything has arrived. Raises BadEncoding if the end is missing."""
        if self._received:
            self._unpacker.finish()
        return b"".join(self._parts)


class _Plain:
    def feed(self, data: bytes, room: int) -> bytes:
        return data

    def finish(self) -> None:
        return None


class _Deflated:
    """gzip with any number of members, or deflate with or without its zlib frame."""

    def __init__(self, *window_bits: int) -> None:
        self._window_bits = window_bits
        self._inflater = zlib.decompressobj(window_bits[0])
        self._begun = False

    def feed(self, data: bytes, room: int) -> bytes:
        try:
            return self._feed(data, room)
        except zlib.error as error:
            raise BadEncoding(f"cannot be unpacked: {error}") from error

    def finish(self) -> None:
        if not self._inflater.eof:
            raise BadEncoding("the packed document is cut short", cut=True)

    def _feed(self, data: bytes, room: int) -> bytes:
        parts: list[bytes] = []
        while data and room > 0:
            if self._inflater.eof:
                self._inflater = zlib.decompressobj(self._window_bits[0])
            part = self._step(data, min(room, STEP))
            room -= len(part)
            parts.append(part)
            data = self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail
        return b"".join(parts)

    def _step(self, data: bytes, room: int) -> bytes:
        try:
            part = self._inflater.decompress(data, room)
        except zlib.error:
            if self._begun or len(self._window_bits) == 1:
                raise
            self._inflater = zlib.decompressobj(self._window_bits[1])
            part = self._inflater.decompress(data, room)
        self._begun = True
        return part


def _unpacker_for(encoding: str) -> _Unpacker:
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip":
            return _Deflated(zlib.MAX_WBITS | 16)
        case "deflate":
            return _Deflated(zlib.MAX_WBITS, -zlib.MAX_WBITS)
        case other:
            raise BadEncoding(f"encoding that was not offered: {other[:60]}")
