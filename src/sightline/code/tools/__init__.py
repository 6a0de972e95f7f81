"""The code tools, in the order in which they are listed."""

from sightline.code.tools.check_types import CHECK_TYPES
from sightline.tool import AnyTool

TOOLS: tuple[AnyTool, ...] = (CHECK_TYPES,)
