"""JSON with comments and trailing commas, as `pyrightconfig.json` and others are written."""

from __future__ import annotations

import json
import re
from typing import Any

_COMMENT = r"//[^\n]*+|(?>/\*.*?(?:\*/|\Z))"  # atomic: a comment never grows or shrinks to make the rest fit
_TOKENS = re.compile(rf'"(?:\\.|[^"\\])*+"|{_COMMENT}|,(?=(?:\s|{_COMMENT})*+[}}\]])', re.DOTALL)


def parse_jsonc(text: str) -> Any:
    """The value; raises `ValueError` if the text is not JSON even without its comments."""
    try:
        return json.loads(_TOKENS.sub(_kept, text.removeprefix("\ufeff")))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _kept(token: re.Match[str]) -> str:
    return token[0] if token[0].startswith('"') else " "
