"""Code intelligence: what the engines know about a project's code, as tools."""

from sightline.code.service import CodeService
from sightline.code.tools import TOOLS

__all__ = ["TOOLS", "CodeService"]
