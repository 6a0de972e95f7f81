"""The `sync` tools."""

from __future__ import annotations

from sightline.sync.tools.get_sync_status import GET_SYNC_STATUS
from sightline.sync.tools.sync_all import SYNC_ALL
from sightline.sync.tools.sync_target import SYNC_TARGET
from sightline.tool import AnyTool

TOOLS: tuple[AnyTool, ...] = (SYNC_ALL, SYNC_TARGET, GET_SYNC_STATUS)
