"""The status tools, in the order in which they are listed."""

from sightline.status.tools.get_current_config import GET_CURRENT_CONFIG
from sightline.status.tools.health_check import HEALTH_CHECK
from sightline.tool import AnyTool

TOOLS: tuple[AnyTool, ...] = (HEALTH_CHECK, GET_CURRENT_CONFIG)
