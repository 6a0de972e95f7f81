"""How Sightline itself is doing: the tools that are always there."""

from sightline.status.service import StatusService
from sightline.status.tools import TOOLS

__all__ = ["TOOLS", "StatusService"]
