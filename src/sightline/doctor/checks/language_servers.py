"""Every language server that is found is really started; what a project needs and is missing is named."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sightline import code
from sightline.children import Children
from sightline.code.catalogue import catalogue
from sightline.code.server_probe import Probe, greet_all
from sightline.doctor.finding import Finding, error, ok, warning
from sightline.doctor.languages import find_languages
from sightline.doctor.subject import Subject
from sightline.lsp.pool import PoolLimits, open_pool
from sightline.lsp.server_spec import ServerSpec
from sightline.lsp.versions import is_older
from sightline.projects.search_paths import SearchPaths


async def check_language_servers(subject: Subject) -> list[Finding]:
    known = catalogue(subject.settings.code)
    languages = find_languages(subject.root, subject.settings.code)
    async with open_servers(subject) as servers:
        probes = await greet_all(known.specs, servers)
    files = {each.spec.id: each.label for each in languages.found if not each.is_data}
    asked_for = {*subject.settings.code.servers, *known.linter_ids, known.default.id}
    found: list[Finding] = []
    unused: list[str] = []
    for spec, probe in zip(known.specs, probes, strict=True):
        is_wanted = spec.id in files or spec.id in asked_for
        if probe.installed == "missing" and not is_wanted:
            unused.append(spec.id)
        else:
            found += _judged(spec, probe, subject, is_asked_for=spec.id in asked_for, files=files.get(spec.id))
    if unused:
        found.append(ok(f"not installed, and not needed here: {', '.join(unused)}"))
    if not languages.is_complete:
        found.append(ok("the project is too large to look at whole: more languages may be in it"))
    return found


@asynccontextmanager
async def open_servers(subject: Subject) -> AsyncGenerator[code.LanguageServers]:
    """Language servers of nobody's session, ended with the block."""
    settings = subject.settings.code
    limits = PoolLimits(settings.pool_size, settings.memory_budget_mb, settings.idle_timeout_s)
    with Children() as children:
        async with open_pool(limits, code.warm_up) as pool:
            paths = SearchPaths(children, subject.environment)
            yield code.LanguageServers(pool, children, settings, paths, subject.environment, subject.places.cache)


def _judged(
    spec: ServerSpec, probe: Probe, subject: Subject, *, is_asked_for: bool, files: str | None
) -> list[Finding]:
    needed = f"; it would serve {files}" if files else ""
    install = f"`{spec.install}`" if spec.install else f"put `{spec.command}` on the PATH"
    if probe.installed == "missing":
        judge = error if is_asked_for else warning
        return [judge(f"{spec.id} is not installed{needed}", f"install it: {install}")]
    if probe.installed != "answers":
        judge = error if is_asked_for or files else warning
        return [
            judge(
                f"{spec.id} is installed and does not start: {probe.reason or 'no answer'}",
                f"install it again: {install}",
            )
        ]
    found = [ok(f"{spec.id} {probe.version or '(tells no version)'} answers{f', for {files}' if files else ''}")]
    if is_older(probe.version, spec.oldest):
        found.append(warning(f"{spec.id} {probe.version} is older than {spec.oldest}", f"update it: {install}"))
    if files and spec.runs_project_code and not subject.settings.code.run_project_code:
        message = f"{spec.id} runs code of the project it serves, which is switched off, so {files} are not served"
        found.append(warning(message, "`code.run_project_code = true` in the user settings, if you trust the project"))
    return found
