"""Which project settings files a person has approved, by their content.

A project file comes with a repository. Trust is bound to the root and to the file's bytes: another checkout,
or one changed byte, and it has to be given again. One file per root, replaced atomically.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path


def content_digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class TrustStore:
    """The approvals of one user."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def is_trusted(self, root: Path, content: bytes) -> bool:
        try:
            record = json.loads(self._record(root).read_bytes())
        except (OSError, ValueError):
            return False
        return record == {"root": str(root), "sha256": content_digest(content)}

    def grant(self, root: Path, content: bytes) -> None:
        import tempfile

        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        record = json.dumps({"root": str(root), "sha256": content_digest(content)})
        with tempfile.NamedTemporaryFile("w", dir=self._folder, delete=False, encoding="utf-8") as draft:
            draft.write(record)
        Path(draft.name).replace(self._record(root))

    def revoke(self, root: Path) -> bool:
        """Take the approval back; False if there was none."""
        try:
            self._record(root).unlink()
        except FileNotFoundError:
            return False
        return True

    def _record(self, root: Path) -> Path:
        return self._folder / f"{content_digest(os.fsencode(root))[:32]}.json"
