"""Each client as a fixture of its own name, all of a test with the same empty home."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.programs import Program, installed


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def claude(home: Path) -> Program:
    return installed("claude", home)


@pytest.fixture
def codex(home: Path) -> Program:
    return installed("codex", home)


@pytest.fixture
def gemini(home: Path) -> Program:
    return installed("gemini", home)


@pytest.fixture
def opencode(home: Path) -> Program:
    return installed("opencode", home)


@pytest.fixture
def inspector(home: Path) -> Program:
    return installed("mcp-inspector", home)


@pytest.fixture
def conformance(home: Path) -> Program:
    return installed("conformance", home)


@pytest.fixture
def mcpb(home: Path) -> Program:
    return installed("mcpb", home)
