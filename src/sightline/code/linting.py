"""Linters: servers that add their findings to a type check, where a person has chosen them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sightline.code.diagnostics import in_reading_order
from sightline.code.served import Router, Served
from sightline.code.type_checks import CheckResult, TypeChecker
from sightline.contract import Notice
from sightline.errors import ToolFailure
from sightline.tool import Call


@dataclass(frozen=True, slots=True)
class Linters:
    """The linters of the settings, each asked after the type checker."""

    router: Router
    checker: TypeChecker

    async def added_to(
        self, result: CheckResult, path: Path, call: Call, *, fixes: bool
    ) -> tuple[CheckResult, tuple[Notice, ...]]:
        """The result with what linters found, their rules named after them; a linter that is silent is told of.

        Its files count as unreached then: nobody has proved them clean.
        """
        notices: list[Notice] = []
        for served in self.router.linters_of(path, call):
            try:
                found = await self.checker.check(path, served, None, call, fixes=fixes)
            except ToolFailure as failure:
                message = f"{served.spec.id} did not answer: {failure.message}"
                notices.append(Notice("linter_silent", message))
                result = replace(result, silent=(*result.silent, served.spec.id))
                continue
            result = _joined(result, found, served)
        return result, tuple(notices)


def _joined(result: CheckResult, found: CheckResult, served: Served) -> CheckResult:
    name = served.spec.id
    findings = [replace(each, rule=f"{name}:{each.rule}" if each.rule else name) for each in found.diagnostics]
    return replace(
        result,
        diagnostics=in_reading_order([*result.diagnostics, *findings]),
        seconds=result.seconds + found.seconds,
        unreached=max(result.unreached, found.unreached),
        linters=(*result.linters, f"{name} {found.engine_version or ''}".strip()),
    )
