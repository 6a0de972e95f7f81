"""What a CLI answers arrives whole, whatever it does with its output."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sightline.children import Children
from sightline.sync.verifying.asking import CannotAsk, Cli, DoesNotStart
from sightline.sync.verifying.neutral import Neutral
from sightline.sync.verifying.trial import Trial

pytestmark = pytest.mark.anyio
ANSWER = json.dumps(["x" * 300_000])
LEAVES_EARLY = "os.set_blocking(1, False)\ntry:\n  while rest: rest = rest[os.write(1, rest):]\nexcept OSError: pass\n"


def cli(folder: Path, children: Children, code: str) -> Cli:
    program, project = folder / "opencode", folder / "trial/project"
    project.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\nimport os, sys\nrest = {ANSWER!r}.encode()\n{code}\nos._exit(0)\n")
    program.chmod(0o755)
    trial = Trial(folder / "trial", ())
    trial.write({})
    return Cli(children, program, trial, Neutral(), {"PATH": "/usr/bin:/bin"}, 60.0)


async def test_one_that_leaves_before_a_pipe_has_taken_its_answer(tmp_path: Path) -> None:
    with Children() as children:
        asked = cli(tmp_path, children, LEAVES_EARLY)

        assert await asked.start_json("debug", "config") == json.loads(ANSWER)
        assert asked.asked == ["opencode debug config"]


async def test_one_that_fails_says_why_on_its_output(tmp_path: Path) -> None:
    with Children() as children, pytest.raises(DoesNotStart, match="bad key"):
        await cli(tmp_path, children, "print('bad key'); sys.exit(1)").start_json("debug")


async def test_one_that_answers_with_something_else(tmp_path: Path) -> None:
    with Children() as children, pytest.raises(CannotAsk, match="something else than JSON"):
        await cli(tmp_path, children, "print('hello', flush=True)").start_json("debug")
