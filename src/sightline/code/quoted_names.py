"""Which files hold a name in quotes, such as `cast("Item", x)`: an index that is kept beside the reports."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

_LETTER = rb"A-Za-z_\x80-\xff"  # of a name in UTF-8
_TYPE_IN_QUOTES = re.compile(rb"""["']([%b][%b\d.\[\], |]{0,200})["']""" % (_LETTER, _LETTER))
_NAME = re.compile(rb"[%b][%b\d]*" % (_LETTER, _LETTER))


@dataclass(slots=True)
class QuotedNames:
    """The names that stand in quotes, by file; a file is read once, until it is forgotten."""

    _known: dict[str, frozenset[bytes]] = field(default_factory=dict[str, frozenset[bytes]])

    def files_with(self, name: str, files: Iterable[str]) -> list[str]:
        """The files in which the name stands in quotes."""
        wanted = name.encode()
        return sorted(path for path in files if wanted in self._names(path))

    def forget(self, files: Iterable[str]) -> None:
        for path in files:
            self._known.pop(path, None)

    def _names(self, path: str) -> frozenset[bytes]:
        if path not in self._known:
            try:
                found = _TYPE_IN_QUOTES.findall(Path(path).read_bytes())
            except OSError:
                return frozenset()
            self._known[path] = frozenset(word for text in found for word in _NAME.findall(text))
        return self._known[path]
