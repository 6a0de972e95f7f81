"""Documents that are open at the server: only those that it does not read by itself, and not many.

An opened document belongs to us: the server ignores the disk until we tell it. So each one is compared with the
disk before every question.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sightline.lsp.session import Session
from sightline.lsp.uris import uri_of

_MOST = 20


@dataclass(slots=True)
class _Open:
    text: str
    version: int = 1


@dataclass(slots=True)
class Documents:
    """The open documents of one session, the longest unused first."""

    session: Session
    _open: dict[str, _Open] = field(default_factory=dict[str, _Open])

    @property
    def count(self) -> int:
        return len(self._open)

    async def open(self, path: str) -> None:
        """Make the server know a file, as it is on disk now."""
        known = self._open.pop(path, None)
        text = _read(path)
        if text is None:
            return
        if known is None:
            language = self.session.launch.spec.language
            item = {"uri": uri_of(path), "languageId": language, "version": 1, "text": text}
            await self.session.notify("textDocument/didOpen", {"textDocument": item})
            known = _Open(text)
        self._open[path] = known
        while len(self._open) > _MOST:
            await self.close(next(iter(self._open)))

    async def refresh(self) -> None:
        """Tell the server about open documents that changed or went."""
        for path, document in list(self._open.items()):
            text = _read(path)
            if text is None:
                await self.close(path)
            elif text != document.text:
                document.text, document.version = text, document.version + 1
                identifier = {"uri": uri_of(path), "version": document.version}
                change = {"textDocument": identifier, "contentChanges": [{"text": text}]}
                await self.session.notify("textDocument/didChange", change)

    async def close(self, path: str) -> None:
        if self._open.pop(path, None):
            await self.session.notify("textDocument/didClose", {"textDocument": {"uri": uri_of(path)}})


def _read(path: str) -> str | None:
    try:
        return Path(path).read_bytes().decode("utf-8-sig", errors="replace")
    except OSError:
        return None
