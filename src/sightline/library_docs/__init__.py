"""Documentation of libraries at the version that is installed: offline first, then the web."""

from __future__ import annotations

from sightline.library_docs.opening import open_docs
from sightline.library_docs.tools import TOOLS

__all__ = ["TOOLS", "open_docs"]
