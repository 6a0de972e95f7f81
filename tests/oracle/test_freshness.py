"""Answers are as fresh as those of processes just started. `SIGHTLINE_ORACLE=full` makes the whole run: minutes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.oracle.freshness import LAYOUTS, Layout, run_oracle

pytestmark = pytest.mark.anyio

IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"
SEED = int(os.environ.get("SIGHTLINE_ORACLE_SEED", "3"))


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("layout", LAYOUTS if IS_FULL else LAYOUTS[:1] + LAYOUTS[-1:], ids=lambda layout: layout.name)
async def test_after_every_edit_answers_are_those_of_fresh_processes(
    tmp_path: Path, layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = SEED + LAYOUTS.index(layout)

    summary = await run_oracle(layout, tmp_path, edits=50 if IS_FULL else 3, seed=seed)

    with capsys.disabled():
        sys.stdout.write(f"\n{summary}\n")
    assert summary.compared_findings, "a comparison of nothing proves nothing"
    assert summary.names_across_files, "references in one file alone prove little"
    assert not summary.differences, str(summary)
