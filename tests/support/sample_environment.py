"""An environment for the sample project, in which the examples of the docs tools work."""

from __future__ import annotations

import venv
from pathlib import Path


def install_click(root: Path) -> None:
    """An environment of the project's own, with a package of a few lines in it."""
    venv.create(root / ".venv", with_pip=False, symlinks=True)
    site = next((root / ".venv").glob("lib/python*/site-packages"))
    for name, text in {
        "click/__init__.py": 'def echo(message: str) -> None:\n    """Print a message."""\n',
        "click-8.1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: click\nVersion: 8.1.0\n"
        "Description-Content-Type: text/markdown\n\n# Click\n\nUse `echo`.\n" + "\nA line about commands.\n" * 200,
        "click-8.1.0.dist-info/RECORD": "click/__init__.py,,\nclick-8.1.0.dist-info/METADATA,,\n",
    }.items():
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text(text)
