"""How documentation of one version fits another."""

from __future__ import annotations

import pytest

from sightline.library_docs.libraries import Ecosystem
from sightline.library_docs.versions import VersionMatch, version_match


@pytest.mark.parametrize(
    ("ecosystem", "wanted", "described", "verdict"),
    [
        ("pypi", "2.31.0", "2.31.0", "exact"),
        ("pypi", "2.31", "2.31.0", "exact"),
        ("pypi", "1.0rc1", "1.0.0-rc.1", "exact"),
        ("pypi", "2.31.0", "2.32.5", "compatible"),
        ("pypi", "2.31.0", "3.0", "other"),
        ("pypi", "0.27.0", "0.28.1", "other"),
        ("pypi", "0.27.0", "0.27.9", "compatible"),
        ("pypi", "2.31.0", "2", "compatible"),
        ("pypi", "2.31.0", None, "unknown"),
        ("pypi", None, "2.31.0", "unknown"),
        ("pypi", "2.31.0", "latest", "unknown"),
        ("npm", "1.15.10", "v1.15.10", "exact"),
        ("npm", "1.15.10", "1.15.9", "compatible"),
        ("npm", "2.0.0-rc.10", "2.0.0-rc.2", "compatible"),
        ("npm", "18.3.1", "19.0.0", "other"),
        ("npm", "1.0.0+build.5", "1.0.0", "exact"),
        ("python", "3.11.7", "3.11", "compatible"),
        ("python", "3.11.7", "3.14.0", "compatible"),
    ],
)
def test_versions_are_compared_by_the_rules_of_their_ecosystem(
    ecosystem: Ecosystem, wanted: str | None, described: str | None, verdict: VersionMatch
) -> None:
    assert version_match(ecosystem, wanted, described) == verdict
