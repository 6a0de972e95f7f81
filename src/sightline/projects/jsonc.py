"""JSON with comments and trailing commas, as `pyrightconfig.json` and others are written."""

from __future__ import annotations

import json
import re
from typing import Any

_TOKENS = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL)


def parse_jsonc(text: str) -> Any:
    """The value; raises `ValueError` if the text is not JSON even without its comments."""
    return json.loads(_TOKENS.sub(_kept, text.removeprefix("\ufeff")))


def _kept(token: re.Match[str]) -> str:
    return token[0] if token[0].startswith('"') else " "
