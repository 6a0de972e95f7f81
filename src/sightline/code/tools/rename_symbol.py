"""`rename_symbol`: a rename that is shown and proved before it is written, and written whole or not at all."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sightline.code.diagnostics import Diagnostic, Verdict, count_by_severity, diagnostic_lines, verdict_of
from sightline.code.leftovers import Leftover
from sightline.code.navigation import Candidate, Target, View, find_target
from sightline.code.other_projects import elsewhere_notice
from sightline.code.overrides import Spot
from sightline.code.places import PlaceInput
from sightline.code.renames import MOST_LEFTOVERS, RenamePlan, stale_plan
from sightline.code.service import CodeService
from sightline.code.tools.disambiguation import candidate_lines
from sightline.contract import Notice, Outcome
from sightline.errors import invalid_params
from sightline.tool import Call, Hints, Tool, cut_list, output_field, param, record
from sightline.wording import counted

_CONTEXT_LINES = 1
_SHOWN_SPOTS = 10


@record
class RenameInput(PlaceInput):
    new_name: str = param("The new name", max_length=200)
    apply: bool = param("Write it; needs the `plan_id` of the preview", default=False)
    plan_id: str | None = param("From the preview", default=None, max_length=64)


@record
class RenamedFile:
    file: str
    edits: int


@record
class RenameOutput:
    verdict: Verdict = output_field("Of what would be new; `unknown`: nothing was proved")
    summary: str
    applied: bool
    plan_id: str | None = None
    files: list[RenamedFile] = output_field(brief=True)
    introduced: list[Diagnostic] = output_field(brief=True)
    leftovers: list[Leftover] = output_field("Where the old name still stands; not touched", brief=True)
    diff: str
    needs_disambiguation: bool | None = None
    candidates: list[Candidate] | None = output_field(default=None, brief=True)


async def run(service: CodeService, call: Call, args: RenameInput) -> Outcome[RenameOutput]:
    if args.apply and not args.plan_id:
        raise invalid_params("`apply` needs a `plan_id`", "ask without `apply` first, look at the plan, then apply it")
    target = await find_target(service.navigator, call, args)
    view = target.view
    if target.found is None:
        return Outcome(output=_undecided(target), evidence=view.evidence("no place was chosen"))
    if target.found.notices:
        raise invalid_params(target.found.notices[0].message, "a rename takes no near misses: give the exact place")
    plan = await service.renamer.plan(view, target.found.place, args.new_name)
    if args.apply and plan.id != args.plan_id:
        raise stale_plan("the plan is not the one that was shown, because something changed since")
    surprise = await service.renamer.apply(plan, view) if args.apply else None
    return Outcome(
        output=_output(plan, view, is_applied=args.apply),
        evidence=view.evidence(
            f"{counted(len(plan.files), 'file')}, {plan.dependents_checked} of {counted(plan.dependents, 'dependent')}",
            cross_check="references and a text scan",
        ),
        warnings=(*_notices(plan, view), *([Notice("not_as_planned", surprise)] if surprise else [])),
        server_id=view.server_id,
    )


def _undecided(target: Target) -> RenameOutput:
    return RenameOutput(
        verdict="unknown",
        summary="several symbols fit; name one of them",
        applied=False,
        files=[],
        introduced=[],
        leftovers=[],
        diff="",
        needs_disambiguation=True,
        candidates=list(target.candidates),
    )


def _output(plan: RenamePlan, view: View, *, is_applied: bool) -> RenameOutput:
    introduced = [replace(each, file=view.paths.display(Path(each.file))) for each in plan.delta.introduced]
    return RenameOutput(
        verdict=_verdict(plan),
        summary=_summary(plan, is_applied=is_applied),
        applied=is_applied,
        plan_id=plan.id,
        files=[RenamedFile(file=view.paths.display(each.path), edits=len(each.spans)) for each in plan.files],
        introduced=introduced,
        leftovers=[each for _, each in plan.leftovers][:MOST_LEFTOVERS],
        diff=_diff(plan, view),
    )


def _verdict(plan: RenamePlan) -> Verdict:
    if plan.unknown_because or plan.missed or plan.captured or plan.parted or plan.untied or plan.elsewhere:
        return "unknown"
    return verdict_of(count_by_severity(plan.delta.introduced))


def _summary(plan: RenamePlan, *, is_applied: bool) -> str:
    done = "renamed" if is_applied else "would rename"
    where = f"{counted(plan.count, 'place')} in {counted(len(plan.files), 'file')}"
    what = f"{done} `{plan.old_name}` to `{plan.new_name}` at {where}"
    new, gone = len(plan.delta.introduced), len(plan.delta.fixed)
    proof = (
        f"not proved: {plan.unknown_because}" if plan.unknown_because else f"{counted(new, 'problem')} new, {gone} gone"
    )
    more = "more than " if len(plan.leftovers) > MOST_LEFTOVERS else ""
    left = min(len(plan.leftovers), MOST_LEFTOVERS)
    return f"{what}; {proof}; the old name stands at {more}{counted(left, 'other place')}"


def _diff(plan: RenamePlan, view: View) -> str:
    parts: list[str] = []
    for each in plan.files:
        name = view.paths.display(each.path)
        old, new = each.before.splitlines(), each.after.splitlines()
        parts += difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", n=_CONTEXT_LINES, lineterm="")
    return "\n".join(parts)


def _notices(plan: RenamePlan, view: View) -> list[Notice]:
    notices: list[Notice] = []
    if plan.missed:
        notices.append(Notice("references_missed", f"the server would not rename: {_shown(plan.missed, view)}"))
    if plan.captured:
        message = f"`{plan.new_name}` would mean something else there: {_shown(plan.captured, view)}"
        notices.append(Notice("name_captured", message))
    if plan.parted:
        message = f"these override it or are overridden by it, and keep the old name: {_shown(plan.parted, view)}"
        notices.append(Notice("overrides_parted", message))
    if plan.untied:
        message = f"keywords that the server ties to nothing may mean it, and stay: {_shown(plan.untied, view)}"
        notices.append(Notice("keywords_untied", message))
    notices += elsewhere_notice(plan.old_name, plan.elsewhere, view.call)
    return notices


def _shown(spots: Sequence[Spot], view: View) -> str:
    shown = [f"{view.paths.display(Path(file))}:{line}:{column}" for file, line, column in spots[:_SHOWN_SPOTS]]
    return ", ".join(shown) + (f" and {len(spots) - _SHOWN_SPOTS} more" if len(spots) > _SHOWN_SPOTS else "")


def render(output: RenameOutput) -> str:
    lines = [f"{output.verdict}: {output.summary}"]
    if output.candidates:
        return "\n".join([*lines, *candidate_lines(output.candidates)])
    if not output.applied:
        lines.append(f"plan_id: {output.plan_id} (nothing is written yet; apply with `apply=true` and this id)")
    if output.introduced:
        lines += ["", "new problems:", *diagnostic_lines(output.introduced)]
    lines += [f"  {each.file}: {counted(each.edits, 'edit')}" for each in output.files]
    lines += ["", output.diff]
    if output.leftovers:
        lines += ["", "the old name still stands here (not touched):"]
        lines += [f"  {each.file}:{each.line}:{each.column} {each.kind}: {each.preview}" for each in output.leftovers]
    return "\n".join(lines)


RENAME_SYMBOL = Tool(
    name="rename_symbol",
    title="Rename a symbol",
    description=(
        "Rename a function, class, method or variable everywhere. Shows a proved plan first; with `apply` and its "
        "`plan_id` it is written, all files or none."
    ),
    toolset="code",
    input=RenameInput,
    output=RenameOutput,
    run=run,
    render=render,
    hints=Hints(read_only=False, destructive=True, idempotent=False),
    cut=cut_list("leftovers", narrower="ask with larger `max_results` and `max_total_chars`"),
    default_max_results=50,
    example={"symbol": "Catalogue.find", "new_name": "look_up"},
)
