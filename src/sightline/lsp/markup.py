"""Text in the forms that LSP gives it: a string, a MarkupContent, a MarkedString, or a list of them."""

from __future__ import annotations

from typing import Any, cast


def markup_text(value: Any) -> str | None:
    """The text, as it was written; None if there is none."""
    if isinstance(value, list):
        parts = [markup_text(each) for each in cast("list[Any]", value)]
        return "\n".join(part for part in parts if part) or None
    if isinstance(value, dict):
        value = cast("dict[str, Any]", value).get("value")
    text = str(value or "").replace("\xa0", " ").strip()
    return text or None
