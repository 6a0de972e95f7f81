"""Carrying plans out, as one transaction with state and backup; taking them back; one at a time."""

from __future__ import annotations

from sightline.sync.applying.debounce import Debounce
from sightline.sync.applying.failures import (
    HomeIsProject,
    NoSuchBackup,
    NotWritten,
    SecretsDetected,
    StalePlan,
    StateDamaged,
    SyncBusy,
    SyncFailed,
    TargetsRefused,
)
from sightline.sync.applying.places import SyncPlaces
from sightline.sync.applying.rolling_back import RollbackConflict, RolledBack
from sightline.sync.applying.syncing import AppliedPlan, MadePlan, SourceView, Syncing, SyncSettings, SyncWish

__all__ = [
    "AppliedPlan",
    "Debounce",
    "HomeIsProject",
    "MadePlan",
    "NoSuchBackup",
    "NotWritten",
    "RollbackConflict",
    "RolledBack",
    "SecretsDetected",
    "SourceView",
    "StalePlan",
    "StateDamaged",
    "SyncBusy",
    "SyncFailed",
    "SyncPlaces",
    "SyncSettings",
    "SyncWish",
    "Syncing",
    "TargetsRefused",
]
