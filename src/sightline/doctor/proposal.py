"""A first `sightline.toml` for a project: what was found in it decides, and every line says why it is there.

Settings that a project may not set on its own take effect once a person trusts the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.config.schema import CodeSettings
from sightline.doctor.languages import Languages, find_languages
from sightline.projects.pyright_settings import read_toml, table_at

FILE_NAME = "sightline.toml"
_ENGINES = ("ty", "pyrefly", "basedpyright")

_HEAD = """\
# Settings of Sightline for this project. `sightline config show` tells every value in force and where it comes from.
# This file comes with the repository, so by itself it may only narrow: switch off, lower limits, leave out.
# What goes further has no effect until each person has read it and said `sightline trust`.
"""
_SERVER = """\
[server]
# toolsets = ["code", "docs"]     # groups of tools to offer: code, docs, sync
# exclude_tools = ["rename_symbol"]
# read_only = true                # hide and refuse every write
"""
_REST = """\
[docs]
# offline = true                  # never use the network: documentation of installed packages only

[output]
# max_total_chars = 8000          # shorter answers
"""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The text of the file, and whether anything in it waits for trust."""

    text: str
    languages: Languages
    needs_trust: bool


def propose(root: Path, settings: CodeSettings) -> Proposal:
    """A settings file for the project as it is now; raises `SettingsError` where the user's own cannot be used."""
    languages = find_languages(root, settings)
    manifest = read_toml(root / "pyproject.toml")
    has_python = any("python" in each.spec.languages for each in languages.found)
    linters = _linters(root, manifest) if has_python else []
    engine = _engine(root, manifest) if has_python else []
    code = ["[code]", f"# Found here: {_found(languages)}.", *linters, "# pool_size = 2", ""]
    return Proposal("\n".join([_HEAD, _SERVER, "\n".join([*code, *engine]), _REST]), languages, bool(linters))


def _found(languages: Languages) -> str:
    return ", ".join(each.label for each in languages.found) or "no files that a known language server serves"


def _linters(root: Path, manifest: Mapping[str, Any]) -> list[str]:
    if not table_at(manifest, "tool", "ruff") and not (root / "ruff.toml").exists():
        return []
    return ["# Ruff is set up here: its findings join those of `check_types`. Needs trust.", 'linters = ["ruff"]']


def _engine(root: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Only named, not chosen: another checker has other findings, and must be installed."""
    for name in _ENGINES:
        if table_at(manifest, "tool", name) or (root / f"{name}.toml").exists():
            return [
                "[code.python]",
                f'# engine = "{name}"  # it is set up here; needs trust, and `{name}` installed',
                "",
            ]
    return []
