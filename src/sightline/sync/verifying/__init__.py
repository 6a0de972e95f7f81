"""Asks a target's own CLI, in a trial home, whether it starts with what is planned and has understood it."""

from __future__ import annotations

from sightline.sync.verifying.programs import CHECKED_TARGETS, known_answer
from sightline.sync.verifying.results import Finding, Verification, VerificationStatus

__all__ = ["CHECKED_TARGETS", "Finding", "Verification", "VerificationStatus", "known_answer"]
