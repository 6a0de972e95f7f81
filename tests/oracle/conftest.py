"""What the proofs under load and under fire share: the right answers, learnt once."""

from __future__ import annotations

import shutil
from pathlib import Path

import anyio
import pytest

from tests.conftest import EXAMPLES
from tests.oracle.truths import QUESTIONS, STATES, Sample, Truths, learn
from tests.support.apps import app_over


@pytest.fixture(scope="session")
def truths(tmp_path_factory: pytest.TempPathFactory) -> Truths:
    """Of a server that nobody disturbs."""
    folder = tmp_path_factory.mktemp("truths").resolve()
    shutil.copytree(EXAMPLES / "shop", folder / "shop")
    found = anyio.run(_learn_all, Sample.at(folder / "shop"), folder)
    by_state = {tuple(found[state, question] for question in QUESTIONS) for state in STATES}
    assert len(by_state) == len(STATES), "states that look the same prove nothing"
    return found


async def _learn_all(sample: Sample, home: Path) -> Truths:
    found: Truths = {}
    async with app_over(sample.root, home) as app:
        for state in STATES:
            sample.enter(state)
            found |= {(state, question): truth for question, truth in (await learn(app, QUESTIONS)).items()}
    return found
