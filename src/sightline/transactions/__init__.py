"""All-or-nothing writing of many files, with a journal that survives a crash. Knows bytes and paths; no tool."""

from __future__ import annotations

from sightline.transactions.disk import Disk
from sightline.transactions.entries import FileChange
from sightline.transactions.failures import (
    Busy,
    Conflict,
    NotRestored,
    Refused,
    StaleContent,
    TransactionFailed,
    WriteFailed,
)
from sightline.transactions.file_transactions import Applied, Ending, FileTransactions, Recovered
from sightline.transactions.lock import hold_lock

__all__ = [
    "Applied",
    "Busy",
    "Conflict",
    "Disk",
    "Ending",
    "FileChange",
    "FileTransactions",
    "NotRestored",
    "Recovered",
    "Refused",
    "StaleContent",
    "TransactionFailed",
    "WriteFailed",
    "hold_lock",
]
