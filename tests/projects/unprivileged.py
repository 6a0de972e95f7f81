"""Being a user who may not read everything, in a test that runs as root."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65534


@contextmanager
def open_folder() -> Generator[Path]:
    """A folder that everybody may enter, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="sightline-")).resolve()
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def without_privileges() -> Generator[None]:
    """Give up root's right to read everything; nothing to give up for any other user.

    The real user changes too, because `access()` asks for that one; the saved one brings us back.
    """
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(_NOBODY, _NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
