"""Asks the real OpenCode what it makes of rendered outputs; its own printed rules decide about actions.

The CLI is the one that `SIGHTLINE_OPENCODE` or the search path names; it needs neither login nor network for this.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sightline.sync.targets.opencode_wildcards import OrderedRule

OPENCODE = os.environ.get("SIGHTLINE_OPENCODE") or shutil.which("opencode")
needs_opencode = pytest.mark.skipif(
    OPENCODE is None, reason="no OpenCode: set SIGHTLINE_OPENCODE or put it on the path"
)


@dataclass(frozen=True, slots=True)
class OpenCode:
    """The CLI in a home of its own."""

    home: Path
    project: Path
    variables: Mapping[str, str]

    def run(self, *arguments: str) -> Any:
        assert OPENCODE is not None
        environment = {
            **self.variables,
            "HOME": self.home.as_posix(),
            "XDG_CONFIG_HOME": (self.home / ".config").as_posix(),
            "XDG_DATA_HOME": (self.home / ".data").as_posix(),
            "XDG_CACHE_HOME": (self.home / ".cache").as_posix(),
            "XDG_STATE_HOME": (self.home / ".state").as_posix(),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "PATH": os.environ["PATH"],
        }
        done = subprocess.run(
            [OPENCODE, "debug", *arguments, "--pure"],
            cwd=self.project,
            env=environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def rules(self, agent: str) -> list[OrderedRule]:
        """The rules that an agent is under, in their order."""
        found = self.run("agent", agent)["permission"]
        return [OrderedRule(each["permission"], each["pattern"], each["action"]) for each in found]
