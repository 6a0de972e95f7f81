"""Pages in the shapes that documentation generators write, in words of our own: one file per generator."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "generated"
FILLER = "The lantern keeps a steady flame while the wind turns around the tower, and the keeper notes the hour. " * 3
GENERATORS = tuple(sorted(path.stem for path in FOLDER.glob("*.html")))


def generated(name: str) -> str:
    """The page of a generator."""
    return (FOLDER / f"{name}.html").read_text(encoding="utf-8").replace("FILLER", FILLER)
