"""Documents that are open at the server: only those that it does not read by itself, and not many.

An opened document belongs to us: the server ignores the disk until we tell it. So each one is compared with the
disk before every question.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sightline.lsp.session import Session
from sightline.lsp.uris import uri_of

MOST_OPEN = 20


@dataclass(slots=True)
class _Open:
    """`is_pretended` if the server is shown a text that is not the disk's, `for_long` if it stays open after that."""

    text: str
    version: int = 1
    is_pretended: bool = False
    for_long: bool = True


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
        text = _read(path) if known is None else known.text
        if text is None:
            return
        if known is None:
            await self._tell_open(path, text)
            known = _Open(text)
        self._open[path] = known
        await self._close_surplus(but=path)

    async def _close_surplus(self, but: str) -> None:
        """Close the longest unused beyond the limit; never one that the server is shown with another text."""
        surplus = max(0, len(self._open) - MOST_OPEN)
        closable = [path for path, each in self._open.items() if path != but and not each.is_pretended]
        for path in closable[:surplus]:
            await self.close(path)

    async def touch(self, path: str) -> int | None:
        """Make the server look at a file anew; the version that it is told, None if the file is gone."""
        known = self._open.get(path)
        await self.open(path)
        now = self._open.get(path)
        if now is not None and now is known:
            await self._change(path, now, now.text)
        return now.version if now else None

    async def refresh(self) -> None:
        """Tell the server about open documents that changed or went."""
        for path, document in list(self._open.items()):
            if document.is_pretended:
                continue
            text = _read(path)
            if text is None:
                await self.close(path)
            elif text != document.text:
                await self._change(path, document, text)

    async def pretend(self, path: str, text: str) -> None:
        """Show the server another text than the disk's, until `back_to_disk`.

        As a change of an open document: Pyright takes what it is opened with for the disk's, and keeps what it knew
        of the files that import it.
        """
        document = self._open.get(path)
        if document is None:
            document = self._open[path] = _Open(_read(path) or "", for_long=False)
            await self._tell_open(path, document.text)
        document.is_pretended = True
        await self._change(path, document, text)

    async def back_to_disk(self, path: str) -> None:
        document = self._open.get(path)
        if document is None or not document.is_pretended:
            return
        document.is_pretended = False
        if (text := _read(path)) is not None:
            await self._change(path, document, text)
        if text is None or not document.for_long:
            await self.close(path)

    async def _tell_open(self, path: str, text: str) -> None:
        language = self.session.launch.spec.language_id(path)
        item = {"uri": uri_of(path), "languageId": language, "version": 1, "text": text}
        await self.session.notify("textDocument/didOpen", {"textDocument": item})

    async def _change(self, path: str, document: _Open, text: str) -> None:
        document.text, document.version = text, document.version + 1
        identifier = {"uri": uri_of(path), "version": document.version}
        change = {"textDocument": identifier, "contentChanges": [{"text": text}]}
        extra = self.session.launch.spec.diagnostics.change_extra
        await self.session.notify("textDocument/didChange", {**change, **extra})

    async def close(self, path: str) -> None:
        if self._open.pop(path, None):
            await self.session.notify("textDocument/didClose", {"textDocument": {"uri": uri_of(path)}})


def _read(path: str) -> str | None:
    try:
        return Path(path).read_bytes().decode("utf-8-sig", errors="replace")
    except OSError:
        return None
