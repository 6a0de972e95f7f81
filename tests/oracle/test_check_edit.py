"""What `check_edit` says of an edit is what the command finds once it is made. `SIGHTLINE_ORACLE=full`: 200 edits."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.oracle.edit_oracle import run_oracle

pytestmark = pytest.mark.anyio

IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"
SEED = int(os.environ.get("SIGHTLINE_ORACLE_SEED", "5"))
WITHIN_S = 60 * float(os.environ.get("SIGHTLINE_ORACLE_MINUTES", "60"))
PACKAGES = {"structlog": 120, "importlinter": 60, "anyio": 20} if IS_FULL else {"h11": 6}


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("package", PACKAGES)
async def test_an_edit_would_change_what_it_changes_once_it_is_made(
    package: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = await run_oracle(package, tmp_path, edits=PACKAGES[package], seed=SEED, within_s=WITHIN_S)

    with capsys.disabled():
        sys.stdout.write(f"\n{summary}\n")
    assert set(summary.methods) == {"lsp_overlay", "shadow_copy"}
    assert summary.introduced, "edits that break nothing prove nothing"
    assert not summary.differences, str(summary)
