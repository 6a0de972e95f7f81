"""A sync of the hard project, and its rollback, killed at its write points: all old or all new at the next start."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sync.end_to_end.desk import quick_folder
from tests.sync.formats.effort import IS_FULL

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("work", ["apply", "rollback"])
def test_a_killed_sync_is_all_old_or_all_new_at_the_next_start(work: str) -> None:
    """Every point in the long form; here a few of them, over the whole length."""
    stride = 1 if IS_FULL else 90
    with quick_folder() as folder:
        command = [sys.executable, "-m", "tests.sync.end_to_end.crash_driver", work, str(folder), str(stride)]
        done = subprocess.run(command, cwd=REPOSITORY, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    sys.stdout.write(f"{work}: {figures}\n")
    assert figures["killed"] >= figures["points"] // stride
    assert figures["old"] + figures["new"] == figures["killed"]
    assert min(figures["old"], figures["new"], figures["interrupted"]) > 0, figures
