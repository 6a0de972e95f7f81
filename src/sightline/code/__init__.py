"""Code intelligence: what the engines know about a project's code, as tools."""

from sightline.code.language_servers import LanguageServers
from sightline.code.pulled_check import warm_up
from sightline.code.service import CodeService, open_service
from sightline.code.tools import TOOLS

__all__ = ["TOOLS", "CodeService", "LanguageServers", "open_service", "warm_up"]
