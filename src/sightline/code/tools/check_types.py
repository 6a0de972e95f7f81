"""`check_types`: what the type checker says about a file or a folder."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from sightline.code.checkpoints import CheckedPath
from sightline.code.diagnostics import (
    SEVERITIES,
    Diagnostic,
    Severity,
    Verdict,
    at_least,
    count_by_severity,
    diagnostic_lines,
    verdict_of,
)
from sightline.code.served import Served
from sightline.code.server_trouble import in_trouble
from sightline.code.service import CodeService
from sightline.code.type_checks import CheckResult
from sightline.contract import Evidence, Notice, Outcome
from sightline.errors import invalid_params
from sightline.projects import Interpreter
from sightline.projects.python_versions import PythonVersion, required_python
from sightline.source_files import read_source
from sightline.tool import Call, Hints, LongToolInput, Tool, cut_list, output_field, param, record

_SHOWN = 5


@record
class CheckTypesInput(LongToolInput):
    path: str = param("File or folder, from the project root; `.`: all of it", max_length=4096)
    python_version: str | None = param(
        "Check for this Python, e.g. `3.12`", default=None, pattern=r"^3\.([0-9]|1[0-5])$"
    )
    severity: Severity | None = param("Least severity to list", default=None)
    since: str | None = param(
        "Only what is new or gone since this `checkpoint`, or `last`",
        default=None,
        max_length=40,
    )
    fixes: bool = param("Add the server's quick fixes, as diffs; for one file", default=False)


@record
class CheckTypesOutput:
    verdict: Verdict = output_field("`unknown`: nothing was proved")
    summary: str
    files_analyzed: int
    error_count: int
    warning_count: int
    information_count: int
    time_ms: int
    diagnostics: list[Diagnostic]
    checkpoint: str | None = output_field("To compare with later, as `since`", default=None)
    since: str | None = None
    fixed: list[Diagnostic] | None = output_field(default=None, brief=True)
    unchanged_count: int | None = None


async def run(service: CodeService, call: Call, args: CheckTypesInput) -> Outcome[CheckTypesOutput]:
    path = call.paths.resolve(args.path)
    notices: tuple[Notice, ...]
    if path.is_dir():
        served, languages = service.router.of_folder(path, call)
        notices = languages.notices(served)
    else:
        served = service.router.of_file(path, call, args.path)
        notices = _examine(path, args.path)
    version = served.python.python_version(args.python_version) if served.python else None
    if args.fixes and path.is_dir():
        raise invalid_params("`fixes` are for one file", "name a file, or leave `fixes` out")
    if args.python_version and served.spec.id != "pyright":
        raise invalid_params("`python_version` works only with Pyright, for Python", "leave `python_version` out")
    result = await service.type_checker.check(path, served, version, call, fixes=args.fixes)
    result, silent = await service.linters.added_to(result, path, call, fixes=args.fixes)
    is_doubtful = any(each.kind == "nested_environments" for each in notices)
    output, compared = _compared(_output(result, args, is_doubtful=is_doubtful), result, args, service, call)
    return Outcome(
        output=output,
        evidence=_evidence(result, served, version, call, path),
        warnings=(
            *notices,
            *in_trouble(served.spec.id, result.trouble),
            *_left_out(served, result),
            *silent,
            *compared,
            *_environment_notices(served, version, args),
        ),
        server_id=result.server_id,
    )


def _left_out(served: Served, result: CheckResult) -> tuple[Notice, ...]:
    if not result.left_out:
        return ()
    shown = ", ".join(result.left_out[:_SHOWN])
    message = f"{served.spec.id} does not check {_counted(len(result.left_out), 'file')} here, such as {shown}"
    return (Notice("files_left_out", message),)


def _compared(
    output: CheckTypesOutput, result: CheckResult, args: CheckTypesInput, service: CodeService, call: Call
) -> tuple[CheckTypesOutput, tuple[Notice, ...]]:
    """The answer with its checkpoint, and held against an earlier one if that was asked for."""
    if output.verdict == "unknown":
        return output, ()
    path = call.paths.resolve(args.path)
    check = CheckedPath(
        call.client,
        call.root,
        path,
        " ".join([result.server_id or "command", args.python_version or "", *result.linters]),
    )
    earlier = service.checkpoints.find(args.since, check) if args.since else None
    now = service.checkpoints.keep(check, result.diagnostics)
    output = replace(output, checkpoint=now.id)
    if args.since is None:
        return output, ()
    if earlier is None:
        message = f"no earlier check of this path is known as `{args.since}`; everything is listed"
        return output, (Notice("no_baseline", message),)
    found = earlier.compared_with(result.diagnostics, path)
    summary = f"{len(found.introduced)} new, {len(found.fixed)} gone, {found.unchanged_count} as before"
    return replace(
        output,
        summary=f"{summary} since {earlier.id}; now {output.summary}",
        diagnostics=at_least(found.introduced, args.severity or "information"),
        since=earlier.id,
        fixed=found.fixed,
        unchanged_count=found.unchanged_count,
    ), ()


def _examine(path: Path, shown: str) -> tuple[Notice, ...]:
    if read_source(path, shown).is_utf8:
        return ()
    message = f"`{shown}` is not UTF-8; its other bytes are read as replacement characters"
    return (Notice("not_utf8", message),)


def _output(result: CheckResult, args: CheckTypesInput, *, is_doubtful: bool) -> CheckTypesOutput:
    counts = count_by_severity(result.diagnostics)
    verdict = verdict_of(counts) if result.files_analyzed and not result.unreached else "unknown"
    if (result.silent or result.trouble or is_doubtful) and verdict == "clean":
        verdict = "unknown"
    return CheckTypesOutput(
        verdict=verdict,
        summary=_summary(result, counts, args.path),
        files_analyzed=result.files_analyzed,
        error_count=counts["error"],
        warning_count=counts["warning"],
        information_count=counts["information"],
        time_ms=round(result.seconds * 1000),
        diagnostics=at_least(result.diagnostics, args.severity or "information"),
    )


def _summary(result: CheckResult, counts: Counter[Severity], path: str) -> str:
    shown = path if len(path) <= 200 else path[:200] + "…"
    if result.unreached:
        done = result.files_analyzed
        again = "ask again, it goes on from there" if done else "ask again"
        return f"only {done} of {done + result.unreached} files were checked in time; {again}"
    if not result.files_analyzed:
        return f"nothing was checked: no source files at `{shown}`, or the configuration excludes them"
    found = ", ".join(_counted(counts[severity], severity) for severity in SEVERITIES)
    return f"{found} in {_counted(result.files_analyzed, 'file')}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 or noun == "information" else f"{count} {noun}s"


def _evidence(result: CheckResult, served: Served, version: PythonVersion | None, call: Call, path: Path) -> Evidence:
    python: dict[str, str | None] = {}
    if served.python and version and served.tells_interpreter:
        interpreter = served.python.interpreter
        python = {
            "interpreter": _shown_interpreter(interpreter, call),
            "interpreter_reason": interpreter.reason,
            "python_version": version.version,
            "python_version_reason": version.reason,
            "why_not_the_server": result.fallback_reason,
        }
    return Evidence(
        method=result.method,
        engine=served.spec.id,
        engine_version=result.engine_version,
        scope=f"{_counted(result.files_analyzed, 'file')} at {call.paths.display(path)}",
        details={
            "project_root": call.paths.display(served.root),
            **python,
            "linters": ", ".join(result.linters) or None,
        },
    )


def _shown_interpreter(interpreter: Interpreter, call: Call) -> str | None:
    """Relative inside the project; absolute elsewhere, because an environment is public."""
    path = interpreter.path
    return path and (call.paths.display(path) if path.is_relative_to(call.root) else str(path))


def _environment_notices(served: Served, version: PythonVersion | None, args: CheckTypesInput) -> tuple[Notice, ...]:
    if served.python is None or version is None:
        return ()
    notices = [Notice("environment_passed_over", message) for message in served.python.interpreter.passed_over]
    required = required_python(served.root)
    if required and version.version and not args.python_version and _older(version.version, required):
        message = f"checked for Python {version.version}, but the project requires {required} or later"
        notices.append(Notice("python_version_mismatch", message))
    return tuple(notices)


def _older(version: str, required: str) -> bool:
    found = re.match(r"3\.(\d+)", version)
    return bool(found) and int(found[1]) < int(required.partition(".")[2])


def render(output: CheckTypesOutput) -> str:
    head = f"{output.verdict}: {output.summary} ({output.time_ms} ms)"
    lines = [head, *diagnostic_lines(output.diagnostics)]
    if output.fixed:
        lines += ["", "gone:", *diagnostic_lines(output.fixed)]
    if output.checkpoint:
        lines.append(f"checkpoint: {output.checkpoint}")
    return "\n".join(lines)


CHECK_TYPES = Tool(
    name="check_types",
    title="Check types",
    description=(
        "Check a file or folder for errors as it is on disk now, in any language. Use after edits and before saying "
        "that code works; `verdict` is `clean` only if it was proved."
    ),
    toolset="code",
    input=CheckTypesInput,
    output=CheckTypesOutput,
    run=run,
    render=render,
    hints=Hints(read_only=True),
    is_core=True,
    cut=cut_list(
        "diagnostics",
        narrower="ask for a smaller `path`, `severity=error`, or larger `max_results` and `max_total_chars`",
    ),
    default_max_results=100,
    example={"path": "."},
)
