"""What a person at the dashboard may read of texts that others wrote: no secret, no path from outside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sightline.redaction import redacted, without_secrets
from sightline.sync.secrets import holds_secret

_LONGEST = 2_000
_TURNS_TEXT = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
NOT_SHOWN = "(a text with a secret is not shown)"


@dataclass(frozen=True, slots=True)
class Discretion:
    """The served project, and the folders that calls may reach."""

    root: Path
    allowed: tuple[Path, ...]

    def text(self, text: str) -> str:
        """The text, cut if it is long; what would turn the order of what stands after it is spelt out."""
        shown = redacted(without_secrets(text[:_LONGEST]), self.root, self.allowed)
        shown = _TURNS_TEXT.sub(lambda match: f"\\u{ord(match[0]):04x}", shown)
        return NOT_SHOWN if holds_secret(shown) else shown + ("…" if len(text) > _LONGEST else "")

    def value(self, value: Any) -> Any:
        """A JSON value, of which every text is made fit to be read."""
        return self._texts_of(without_secrets(value))

    def _texts_of(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            pairs = cast("Mapping[str, Any]", value).items()
            return {self.text(str(name)): self._texts_of(item) for name, item in pairs}
        if isinstance(value, list):
            return [self._texts_of(item) for item in cast("list[Any]", value)]
        return value
