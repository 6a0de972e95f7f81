"""Puts rendered outputs on disk and asks the real Codex CLI what it makes of them.

The CLI is the one that `SIGHTLINE_CODEX` or the search path names; it needs neither login nor network for this.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sightline.sync.formats import jsonc, marked_block, toml_tables
from sightline.sync.outputs import OwnedBlock, OwnedFile, OwnedKeys, Rendered

CODEX = os.environ.get("SIGHTLINE_CODEX") or shutil.which("codex")
needs_codex = pytest.mark.skipif(CODEX is None, reason="no Codex CLI: set SIGHTLINE_CODEX or put `codex` on the path")


def materialise(rendered: Rendered) -> None:
    """Write every output, into what is there."""
    for output in rendered.outputs:
        output.path.parent.mkdir(parents=True, exist_ok=True)
        present = output.path.read_bytes() if output.path.exists() else b""
        match output:
            case OwnedFile():
                output.path.write_bytes(output.content)
                output.path.chmod(output.mode)
            case OwnedKeys(format="toml"):
                output.path.write_bytes(toml_tables.set_values(present, output.values).content)
            case OwnedKeys():
                output.path.write_bytes(jsonc.set_values(present, output.values).content)
            case OwnedBlock():
                output.path.write_bytes(marked_block.put_block(present, output.block_id, output.text))


@dataclass(frozen=True, slots=True)
class Codex:
    """The CLI in a home of its own, started in a folder that it trusts."""

    home: Path
    project: Path

    @property
    def codex_home(self) -> Path:
        return self.home / ".codex"

    def trust(self) -> None:
        config = self.codex_home / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        present = config.read_bytes() if config.exists() else b""
        path = ("projects", self.project.as_posix(), "trust_level")
        config.write_bytes(toml_tables.set_value(present, path, "trusted"))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        assert CODEX is not None
        environment = {
            "HOME": self.home.as_posix(),
            "CODEX_HOME": self.codex_home.as_posix(),
            "PATH": os.environ["PATH"],
        }
        return subprocess.run(
            [CODEX, *arguments],
            cwd=self.project,
            env=environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )

    def servers(self) -> dict[str, Any]:
        done = self.run("mcp", "list", "--json")
        assert done.returncode == 0, done.stderr
        return {server["name"]: server for server in json.loads(done.stdout)}

    def prompt(self) -> str:
        """Everything that the model would read, as one text."""
        done = self.run("debug", "prompt-input", "x")
        assert done.returncode == 0, done.stderr
        return "\n".join(_strings(json.loads(done.stdout)))

    def decision(self, rules: Sequence[Path], words: Sequence[str]) -> str:
        """The strictest decision of the files, empty if no rule matches."""
        named = [part for file in rules for part in ("--rules", file.as_posix())]
        done = self.run("execpolicy", "check", *named, "--", *words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout).get("decision", "")


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:  # pyright: ignore[reportUnknownVariableType]
                yield from _strings(item)
        case dict():
            for item in value.values():  # pyright: ignore[reportUnknownVariableType]
                yield from _strings(item)
        case _:
            return


def listed_skills(prompt: str) -> set[str]:
    """The skills that the model may call by itself, without those that Codex brings along."""
    text = prompt.partition("### Available skills")[2].partition("</skills_instructions>")[0]
    found = re.findall(r"^- (\S+): .*\(file: (\S+)/SKILL\.md\)$", text, re.MULTILINE)
    system = re.findall(r"^- `(r\d+)` = `[^`]*/skills/\.system`", prompt, re.MULTILINE)
    return {name for name, place in found if place.partition("/")[0] not in system}


def listed_agents(prompt: str) -> set[str]:
    text = prompt.partition("Available roles:")[2]
    return set(re.findall(r"^(\S[^\n]*): \{$", text, re.MULTILINE)) - {"default", "explorer", "worker"}
