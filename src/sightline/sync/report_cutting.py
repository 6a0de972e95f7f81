"""The first part of a sync's answer where all of it is too long, for every target alike.

Files that change come first, then what of the source could not be read, then the keys in files, what is lost, other
notes on the source, and the diff. Conflicts, problems, security and the steps that are left to the user are never cut.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, zip_longest

from sightline.sync.report_records import TargetReport
from sightline.sync.tools.sync_answer import SyncOutput

Reports = dict[str, TargetReport]


def size_of(output: SyncOutput) -> int:
    """How many files, keyed files, losses, notes on the source and lines of the diff there are."""
    reports = output.targets.values()
    changes = [change for report in reports for change in report.changes]
    losses = sum(len(report.losses) for report in reports)
    keyed = sum(1 for change in changes if change.keys)
    return len(changes) + keyed + losses + len(output.source) + len(output.diff.splitlines())


def first_of(output: SyncOutput, count: int) -> SyncOutput:
    """The answer with only so many of them."""
    shares = _shares({name: len(each.changes) for name, each in output.targets.items()}, count)
    left = count - sum(shares.values())
    unread = [note for note in output.source if note.blocks][: max(0, left)]
    left -= len(unread)
    targets: Reports = {}
    for name, report in output.targets.items():
        targets[name], left = _with_changes(report, shares[name], left)
    shares = _shares({name: len(each.losses) for name, each in targets.items()}, left)
    targets = {name: replace(each, losses=each.losses[: shares[name]]) for name, each in targets.items()}
    left -= sum(shares.values())
    others = [note for note in output.source if not note.blocks][: max(0, left)]
    lines = output.diff.splitlines(keepends=True)[: max(0, left - len(others))]
    return replace(output, targets=targets, source=[*unread, *others], diff="".join(lines))


def _with_changes(report: TargetReport, count: int, left: int) -> tuple[TargetReport, int]:
    """The first changes, with the keys of as many of them as there is room for."""
    changes = report.changes[:count]
    keyed = [index for index, change in enumerate(changes) if change.keys]
    for index in keyed[left:]:
        changes[index] = replace(changes[index], keys=None)
    return replace(report, changes=changes), max(0, left - len(keyed))


def _shares(sizes: dict[str, int], count: int) -> dict[str, int]:
    """How many of `count` each one gets, by turns."""
    turns = chain.from_iterable(zip_longest(*([name] * size for name, size in sizes.items())))
    taken = [name for name in turns if name is not None][: max(0, count)]
    return {name: taken.count(name) for name in sizes}
