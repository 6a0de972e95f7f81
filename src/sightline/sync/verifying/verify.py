"""Verification by the target's own CLI: before a write with what is planned, after it with what is there.

It runs a program that the person has installed, never one of the project, in a trial that is gone afterwards.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from anyio import to_thread

from sightline.children import Children
from sightline.frozen import frozen
from sightline.sync.formats.failures import FormatFailed
from sightline.sync.outputs import Rendered, TargetPlaces
from sightline.sync.secrets import SecretValues, holds_secret, leaks
from sightline.sync.verifying.asking import CannotAsk, Cli, DoesNotStart, trial_environment
from sightline.sync.verifying.checker import Checker
from sightline.sync.verifying.leftovers import trial_folder
from sightline.sync.verifying.neutral import Neutral
from sightline.sync.verifying.programs import is_inside, program_of
from sightline.sync.verifying.results import Finding, Verification
from sightline.sync.verifying.trial import Trial, TrialRoot, collect
from sightline.sync.verifying.wanted import Wanted

TIMEOUT_S = 60.0
_VERSION = re.compile(r"\d+\.\d+\.\d+\S{0,40}")


@frozen
class _Question:
    """One verification: who is asked, about what, and in which environment."""

    target: str
    checker: Checker
    program: Path
    places: TargetPlaces
    rendered: Rendered
    children: Children
    timeout_s: float
    secrets: SecretValues = field(repr=False)

    @property
    def roots(self) -> tuple[TrialRoot, ...]:
        return self.checker.roots(self.places)


async def verify(
    target: str,
    rendered: Rendered,
    places: TargetPlaces,
    children: Children,
    *,
    planned: Mapping[Path, bytes | None] | None = None,
    secrets: SecretValues | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Verification:
    """Ask the CLI of a target about its files as they are, with `planned` ones (none for a removed file) over them.

    The CLI is searched for on the `PATH` of the places' variables. `timeout_s` holds for each of a few commands.
    """
    program = program_of(target, places)
    if isinstance(program, Verification):
        return program
    checker = _checker(target)
    question = _Question(target, checker, program, places, rendered, children, timeout_s, secrets or SecretValues())
    after = await _ask(question, planned or {})
    if after.status == "refused" and (not planned or (await _ask(question, {})).status == "refused"):
        finding = Finding("", f"it does not start with the files as they are now{', either' if planned else ''}")
        return Verification(target, "unknown", after.version, (finding, *after.findings), after.asked)
    return after


def _outside(search_path: str, project: Path) -> str:
    """The search path without folders of the project: a script's interpreter, such as `node`, is looked up in it."""
    folders = [each for each in search_path.split(os.pathsep) if Path(each).is_absolute()]
    return os.pathsep.join(each for each in folders if not is_inside(Path(each), project))


def _checker(target: str) -> Checker:
    if target == "codex":
        from sightline.sync.verifying.codex import CodexChecker

        return CodexChecker()
    if target == "gemini":
        from sightline.sync.verifying.gemini import GeminiChecker

        return GeminiChecker()
    from sightline.sync.verifying.opencode import OpenCodeChecker

    return OpenCodeChecker()


async def _ask(question: _Question, planned: Mapping[Path, bytes | None]) -> Verification:
    contents = await to_thread.run_sync(collect, question.roots, planned)
    async with trial_folder() as folder:
        trial = Trial(folder, question.roots)
        neutral, wanted = Neutral(), Wanted(question.rendered, contents)
        try:
            harmless = question.checker.harmless(wanted, trial, neutral)
        except FormatFailed as error:
            finding = Finding("", f"one of its files cannot be read, so it was not asked: {error}")
            return Verification(question.target, "unknown", findings=(_shown(finding, question.secrets),))
        await to_thread.run_sync(trial.write, harmless)
        return await _answer(question, trial, neutral, wanted)


async def _answer(question: _Question, trial: Trial, neutral: Neutral, wanted: Wanted) -> Verification:
    variables = question.places.variables
    search_path = _outside(variables.get("PATH", ""), question.places.project)
    environment = {
        **question.checker.environment(wanted),
        **trial_environment(trial, question.program, search_path, variables),
    }
    cli = Cli(question.children, question.program, trial, neutral, environment, question.timeout_s)
    version = ""
    try:
        version = await _version(cli)
        findings = await question.checker.check(cli, wanted)
    except DoesNotStart as error:
        finding = _shown(Finding("", trial.shown(neutral.original(str(error)))), question.secrets)
        return Verification(question.target, "refused", version, (finding,), tuple(cli.asked))
    except CannotAsk as error:
        return Verification(question.target, "unknown", version, (Finding("", str(error)),), tuple(cli.asked))
    except RecursionError:
        finding = Finding("", "its answer is nested too deeply to be read")
        return Verification(question.target, "unknown", version, (finding,), tuple(cli.asked))
    shown = [_shown(finding, question.secrets) for finding in findings]
    is_known = version.startswith(question.checker.versions)
    if not is_known:
        shown.append(Finding("", f"the answers of version {version or '?'} are not known for sure"))
    status = "verified" if not findings else "failed" if is_known else "unknown"
    return Verification(question.target, status, version, tuple(shown), tuple(cli.asked))


async def _version(cli: Cli) -> str:
    done = await cli.run("--version")
    found = _VERSION.search(done.stdout.decode("utf-8", errors="replace"))
    return found[0] if found else ""


def _shown(finding: Finding, secrets: SecretValues) -> Finding:
    """What a CLI says may quote a file; a message with a secret in it is not passed on."""
    if not holds_secret(finding.message) and not leaks(finding.message, secrets):
        return finding
    return Finding(finding.place, "its message is not shown, since it holds a secret", finding.item_id)
