"""The reference pages and the tool table of the README, made from the code.

`make_docs.py` writes what is not current. `make_docs.py --check` writes nothing, names what is not current and
exits with 1 if there is any.
"""

from __future__ import annotations

import sys
from pathlib import Path

from reference.commands import commands_page
from reference.error_kinds import error_kinds_page
from reference.servers import servers_page
from reference.settings import settings_page
from reference.tools import tools_page, with_tool_table

ROOT = Path(__file__).resolve().parent.parent
README = "README.md"


def made_documents(root: Path) -> dict[str, str]:
    """Every document that is made from the code, as it should be, by its path."""
    return {
        "docs/reference/tools.md": tools_page(),
        "docs/reference/settings.md": settings_page(),
        "docs/reference/errors.md": error_kinds_page(),
        "docs/reference/cli.md": commands_page(),
        "docs/reference/servers.md": servers_page(),
        README: with_tool_table((root / README).read_text(encoding="utf-8")),
    }


def outdated(root: Path) -> dict[str, str]:
    """The documents that are missing or differ from what the code says."""
    return {name: text for name, text in made_documents(root).items() if _content(root / name) != text}


def _content(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def write(root: Path, documents: dict[str, str]) -> None:
    for name, text in documents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"written: {name}\n")


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: make_docs.py [--check]\n")
        return 2
    documents = outdated(ROOT)
    if not arguments:
        write(ROOT, documents)
        return 0
    for name in documents:
        sys.stdout.write(f"{name}: not current\n")
    if documents:
        sys.stderr.write("hint: run `make docs` and commit the result\n")
    return 1 if documents else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
