"""The icon is what the script draws, and what those who show it ask for."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.plugin.repository import ROOT

PLACES = ("plugin/.claude-plugin/icon.png", "packaging/mcpb/icon.png")


def pixels(content: bytes) -> bytes:
    """What is shown; the compressed bytes may differ between versions of zlib."""
    start = content.index(b"IDAT")
    (length,) = struct.unpack(">I", content[start - 4 : start])
    return zlib.decompress(content[start + 4 : start + 4 + length])


def test_every_icon_is_the_drawing(tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "make_icon.py"
    for place in (script, *(tmp_path / each for each in PLACES)):
        place.parent.mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "make_icon.py", script)
    subprocess.run([sys.executable, script], check=True, timeout=60, capture_output=True)
    for place in PLACES:
        drawn = pixels((tmp_path / place).read_bytes())
        assert pixels((ROOT / place).read_bytes()) == drawn, f"{place}: run scripts/make_icon.py"


@pytest.mark.parametrize("place", PLACES)
def test_an_icon_is_a_square_png_of_512(place: str) -> None:
    content = (ROOT / place).read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", content[16:24]) == (512, 512)
