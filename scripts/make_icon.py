"""The icon of the plugin and of the bundle, drawn by arithmetic: an eye on a line, as a PNG.

`make_icon.py` writes it to every place that needs one; a test holds the files against this drawing.
"""

from __future__ import annotations

import math
import struct
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = ("plugin/.claude-plugin/icon.png", "packaging/mcpb/icon.png")
SIZE = 512

Colour = tuple[float, float, float, float]
_GROUND: Colour = (31, 111, 120, 1)
_WHITE: Colour = (247, 250, 249, 1)
_PUPIL: Colour = (17, 43, 48, 1)


def icon() -> bytes:
    """The PNG; the same bytes each time."""
    half = SIZE / 2
    rows = bytearray()
    for row in range(SIZE):
        rows.append(0)  # no filter
        for column in range(SIZE):
            rows += bytes(_pixel(column + 0.5 - half, row + 0.5 - half))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    parts = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(bytes(rows), 9)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _pixel(x: float, y: float) -> tuple[int, int, int, int]:
    """Layers from the ground up, each mixed in by how much of the pixel it covers."""
    layers = (
        (_covered(_rounded_square(x, y)), _GROUND),
        (_covered(max(abs(y) - 7, abs(x) - 214)), _WHITE),
        (_covered(_lens(x, y)), _WHITE),
        (_covered(math.hypot(x, y) - 66), _GROUND),
        (_covered(math.hypot(x, y) - 34), _PUPIL),
        (_covered(math.hypot(x - 16, y + 16) - 12), _WHITE),
    )
    red = green = blue = alpha = 0.0
    for share, colour in layers:
        red, green, blue = (old + (new - old) * share for old, new in zip((red, green, blue), colour, strict=False))
        alpha = alpha + (1 - alpha) * share
    return round(red), round(green), round(blue), round(alpha * 255)


def _covered(distance: float) -> float:
    """From the distance to an edge, negative inside, to the covered share of a pixel."""
    return min(1.0, max(0.0, 0.5 - distance))


def _rounded_square(x: float, y: float) -> float:
    dx, dy = abs(x) - 152, abs(y) - 152
    return math.hypot(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - 96


def _lens(x: float, y: float) -> float:
    """Where two circles overlap: an eye of 340 by 220."""
    return math.hypot(x, abs(y) + 76) - 186


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main() -> None:
    content = icon()
    for place in PLACES:
        (ROOT / place).write_bytes(content)
        sys.stdout.write(f"written: {place}\n")


if __name__ == "__main__":
    main()
