"""`check_edit`: what a change would break, before it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio.to_thread

from sightline.arguments import parse_arguments
from sightline.code.diagnostics import Diagnostic, Verdict, count_by_severity, diagnostic_lines, verdict_of
from sightline.code.edit_checks import EditCheck, Proposal
from sightline.code.proposed_edits import MAX_CHANGES, EditInput, propose
from sightline.code.served import Served
from sightline.code.service import CodeService
from sightline.contract import Evidence, Notice, Outcome
from sightline.errors import invalid_params
from sightline.paths import PathPolicy
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, param, record

_SHOWN_UNREACHED = 10


@record
class CheckEditInput(LongToolInput):
    edits: list[EditInput] | None = param(
        "The edit: changes of files that belong together", default=None, max_length=MAX_CHANGES
    )
    candidates: list[list[dict[str, Any]]] | None = param(
        "Versions of one edit, each like `edits`, to be ranked", default=None, max_length=10
    )
    fixes: bool = param("Add the server's quick fixes to what is new", default=False)


@record
class Ranked:
    """One version of the edit."""

    candidate: int
    verdict: Verdict
    new_errors: int
    new_warnings: int
    fixed: int


@record
class Covered:
    """What was looked at, of all that the edit can reach."""

    edited: int
    dependents_checked: int
    dependents: int
    not_reached: list[str] | None = None


@record
class CheckEditOutput:
    verdict: Verdict = output_field("Of what is new; `unknown`: nothing was proved")
    summary: str
    introduced: list[Diagnostic] = output_field(
        "As `diagnostics` of `check_types`; places in the new texts", brief=True
    )
    fixed: list[Diagnostic] = output_field("As `introduced`; places in the old texts", brief=True)
    unchanged_count: int
    covered: Covered
    ranking: list[Ranked] | None = output_field(
        "Best first; the rest of the answer is about the best", default=None, brief=True
    )


async def run(service: CodeService, call: Call, args: CheckEditInput) -> Outcome[CheckEditOutput]:
    versions = _versions(args)
    proposals = [await anyio.to_thread.run_sync(propose, edits, call.paths) for edits in versions]
    served = _server_of(proposals, service, call)
    checks = await service.edit_checker.check(served, proposals, call, fixes=args.fixes)
    order = sorted(range(len(checks)), key=lambda index: (_badness(checks[index]), index))
    best = checks[order[0]]
    ranking = [_ranked(index, checks[index]) for index in order] if args.candidates else None
    return Outcome(
        output=_output(best, ranking, call.paths),
        evidence=Evidence(
            method=best.method,
            engine=served.spec.id,
            scope=f"{best.edited} edited files, {best.dependents_checked} of {best.dependents} dependents",
            details={"project_root": call.paths.display(served.root)},
        ),
        warnings=_notices(proposals[order[0]], served, call),
        server_id=served.spec.id,
    )


def _versions(args: CheckEditInput) -> Sequence[Sequence[EditInput]]:
    if (args.edits is None) == (args.candidates is None):
        raise invalid_params("give `edits` or `candidates`, one of them", "`edits` is a list of changes")
    versions = [args.edits] if args.edits is not None else _candidates(args.candidates or [])
    if not versions or not all(versions):
        raise invalid_params("there is no edit to check", "name at least one file and its change")
    return versions


def _candidates(given: list[list[dict[str, Any]]]) -> list[list[EditInput]]:
    """Their form is checked here: in the schema it would stand twice."""
    return [[parse_arguments(EditInput, edit) for edit in edits] for edits in given]


def _server_of(proposals: Sequence[Proposal], service: CodeService, call: Call) -> Served:
    """The one server of all edited files; raises `ToolFailure`."""
    paths = [each.path for proposal in proposals for each in proposal]
    found = {
        (served.spec.id, served.root): served
        for path in paths
        for served in [service.router.of_file(path, call, call.paths.display(path))]
    }
    if len(found) > 1:
        names = ", ".join(sorted(f"{server_id} in {call.paths.display(root)}" for server_id, root in found))
        raise invalid_params(f"the edits belong to several projects or languages: {names}", "check them one by one")
    return next(iter(found.values()))


def _badness(check: EditCheck) -> tuple[bool, int, int, int]:
    counts = count_by_severity(check.delta.introduced)
    return check.unknown_because is not None, counts["error"], counts["warning"], -len(check.delta.fixed)


def _verdict(check: EditCheck) -> Verdict:
    return "unknown" if check.unknown_because else verdict_of(count_by_severity(check.delta.introduced))


def _ranked(index: int, check: EditCheck) -> Ranked:
    counts = count_by_severity(check.delta.introduced)
    return Ranked(
        candidate=index,
        verdict=_verdict(check),
        new_errors=counts["error"],
        new_warnings=counts["warning"],
        fixed=len(check.delta.fixed),
    )


def _output(check: EditCheck, ranking: list[Ranked] | None, paths: PathPolicy) -> CheckEditOutput:
    return CheckEditOutput(
        verdict=_verdict(check),
        summary=_summary(check),
        introduced=[_shown(each, paths) for each in check.delta.introduced],
        fixed=[_shown(each, paths) for each in check.delta.fixed],
        unchanged_count=check.delta.unchanged_count,
        covered=Covered(
            edited=check.edited,
            dependents_checked=check.dependents_checked,
            dependents=check.dependents,
            not_reached=[paths.display(Path(path)) for path in check.unreached[:_SHOWN_UNREACHED]] or None,
        ),
        ranking=ranking,
    )


def _summary(check: EditCheck) -> str:
    reach = f"{check.dependents_checked} of {check.dependents} dependents checked"
    if check.unknown_because:
        return f"not proved: {check.unknown_because} ({reach})"
    found = check.delta
    return f"{len(found.introduced)} new, {len(found.fixed)} fixed, {found.unchanged_count} as before; {reach}"


def _shown(found: Diagnostic, paths: PathPolicy) -> Diagnostic:
    return replace(found, file=paths.display(Path(found.file)), message=found.message.replace(f"{paths.root}/", ""))


def _notices(proposal: Proposal, served: Served, call: Call) -> tuple[Notice, ...]:
    notices: list[Notice] = []
    if not any(each.is_changed for each in proposal):
        notices.append(Notice("nothing_changes", "the edit leaves every file as it is"))
    if served.python is None and served.root != call.root and served.root.is_relative_to(call.root):
        shown = call.paths.display(served.root)
        message = f"only files of the project in `{shown}` were checked; others that import it were not"
        notices.append(Notice("one_project", message))
    return tuple(notices)


def render(output: CheckEditOutput) -> str:
    covered = output.covered
    lines = [
        f"{output.verdict}: {output.summary}",
        f"covered: {covered.edited} edited, {covered.dependents_checked} of {covered.dependents} dependents",
        f"unchanged: {output.unchanged_count}",
    ]
    for each in output.ranking or []:
        lines.append(
            f"  candidate {each.candidate}: {each.verdict}, {each.new_errors} new errors, {each.new_warnings} new "
            f"warnings, {each.fixed} fixed"
        )
    if output.introduced:
        lines += ["", "new:", *diagnostic_lines(output.introduced)]
    if output.fixed:
        lines += ["", "fixed:", *diagnostic_lines(output.fixed)]
    if output.covered.not_reached:
        lines += ["", "not reached: " + ", ".join(output.covered.not_reached)]
    return "\n".join(lines)


CHECK_EDIT = Tool(
    name="check_edit",
    title="Check an edit",
    description=(
        "What an edit would break, across all files that depend on it, before it is written: new and fixed problems. "
        "Nothing is changed on disk."
    ),
    toolset="code",
    input=CheckEditInput,
    output=CheckEditOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    is_core=True,
    cut=cut_list("introduced", narrower="ask with larger `max_results` and `max_total_chars`"),
    default_max_results=100,
    example={
        "edits": [
            {
                "file": "shop/catalogue.py",
                "replacements": [{"old_text": "def find(self, ", "new_text": "def find(self, exact: bool, "}],
            }
        ]
    },
)
