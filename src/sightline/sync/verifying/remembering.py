"""From what the CLIs said to what is remembered of it."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.sync.planning.records import OpenVerdict
from sightline.sync.verifying.programs import CHECKED_TARGETS
from sightline.sync.verifying.results import Verification

_MOST_FINDINGS = 20


def to_remember(verified: Mapping[str, Verification]) -> dict[str, OpenVerdict | None]:
    """By target; one that is not installed, or that nobody can ask, has said nothing."""
    return {
        name: None if each.status == "verified" else _open(each)
        for name, each in verified.items()
        if name in CHECKED_TARGETS and each.status != "not_installed"
    }


def _open(answer: Verification) -> OpenVerdict:
    said = [f"{each.place}: {each.message}" if each.place else each.message for each in answer.findings]
    more = [f"and {len(said) - _MOST_FINDINGS} more"] if len(said) > _MOST_FINDINGS else []
    return OpenVerdict(answer.status == "failed", answer.version, (*said[:_MOST_FINDINGS], *more))
