"""All checks, in the order in which they are told, and what `--fix` does with their findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sightline.doctor.checks.clients import check_clients
from sightline.doctor.checks.interpreter import check_interpreter
from sightline.doctor.checks.language_servers import check_language_servers
from sightline.doctor.checks.runtime import check_runtime
from sightline.doctor.checks.settings import check_roots, check_settings, check_trust
from sightline.doctor.checks.storage import check_cache, check_folders, check_journal, check_records, check_registry
from sightline.doctor.checks.sync import check_sync
from sightline.doctor.finding import Check, Finding, error
from sightline.doctor.subject import Subject
from sightline.errors import SettingsError

CHECKS: tuple[Check, ...] = (
    Check("runtime", check_runtime),
    Check("settings", check_settings),
    Check("roots", check_roots),
    Check("trust", check_trust),
    Check("interpreter", check_interpreter),
    Check("language servers", check_language_servers),
    Check("folders", check_folders),
    Check("journal", check_journal),
    Check("docs cache", check_cache),
    Check("docs registry", check_registry),
    Check("sync", check_sync),
    Check("registrations", check_records),
    Check("clients", check_clients),
)


@dataclass(frozen=True, slots=True)
class Report:
    """Findings by check, and what was done about them."""

    findings: Sequence[tuple[str, Finding]]
    done: Sequence[str] = ()

    @property
    def is_well(self) -> bool:
        """Warnings are for a person to weigh; only errors are an illness."""
        return all(finding.level != "error" for _, finding in self.findings)

    def count(self, level: str) -> int:
        return sum(finding.level == level for _, finding in self.findings)


async def examine(subject: Subject, checks: Sequence[Check] = CHECKS, *, is_fixing: bool = False) -> Report:
    """Run the checks; with `is_fixing` mend what is safe to mend, and look at that again."""
    findings: list[tuple[str, Finding]] = []
    done: list[str] = []
    for check in checks:
        found = await _findings(check, subject)
        if is_fixing and any(each.fix for each in found):
            done += [_fixed(each) for each in found if each.fix]
            found = await _findings(check, subject)
        findings += [(check.name, each) for each in found]
    return Report(findings, done)


async def _findings(check: Check, subject: Subject) -> list[Finding]:
    try:
        return await check.run(subject)
    except SettingsError as failure:  # one that shows only where it is used, such as a linter that nobody knows
        return [error(failure.message, failure.hint or "mend the setting")]


def _fixed(finding: Finding) -> str:
    if finding.fix is None:
        return ""
    failure = finding.fix.run()
    return f"could not {finding.fix.label}: {failure}" if failure else f"done: {finding.fix.label}"
