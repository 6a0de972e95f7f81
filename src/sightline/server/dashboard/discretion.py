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
# As long as a secret can be: what is shown keeps this far from where the scan ended.
_MARGIN = 4_000
_SCANNED = 16_000
_TURNS_TEXT = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
NOT_SHOWN = "(a text with a secret is not shown)"


@dataclass(frozen=True, slots=True)
class Discretion:
    """The served project, and the folders that calls may reach."""

    root: Path
    allowed: tuple[Path, ...]

    def text(self, text: str) -> str:
        """The text, cut if it is long; what would turn the order of what stands after it is spelt out."""
        whole = redacted(without_secrets(text[:_SCANNED]), self.root, self.allowed)
        if holds_secret(whole):
            return NOT_SHOWN
        # Cut only now: half of a secret has no shape by which it could be known.
        longest = _LONGEST if len(text) <= _SCANNED else max(0, min(_LONGEST, len(whole) - _MARGIN))
        shown = _TURNS_TEXT.sub(lambda match: f"\\u{ord(match[0]):04x}", whole[:longest])
        return shown + ("…" if len(text) > _SCANNED or len(whole) > longest else "")

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
