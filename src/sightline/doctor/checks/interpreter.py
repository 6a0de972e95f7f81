"""The Python that a project's code is checked against, and why that one."""

from __future__ import annotations

from pathlib import Path

from sightline.doctor.finding import Finding, ok, warning
from sightline.doctor.languages import find_languages
from sightline.doctor.subject import Subject
from sightline.projects import Surroundings, find_project
from sightline.projects.environments import read_environment
from sightline.projects.interpreters import NOWHERE


async def check_interpreter(subject: Subject) -> list[Finding]:
    if not any("python" in each.spec.languages for each in find_languages(subject.root, subject.settings.code).found):
        return [ok("no Python code is here")]
    broken = _broken_environments(subject)
    around = Surroundings(subject.environment, subject.home)
    project = find_project(subject.root, within=subject.root, around=around)
    chosen = project.interpreter
    remedy = "make an environment of your own: `python -m venv .venv`, and ignore it in git"
    found = [*broken, *(warning(f"passed over: {each}", remedy) for each in chosen.passed_over)]
    if chosen.reason == NOWHERE:
        remedy = "install Python, or make `.venv` in the project"
        return [*found, warning("no Python was found for this project: packages are not known", remedy)]
    if chosen.path is not None and not chosen.path.exists():
        remedy = "make the environment again"
        return [*found, warning(f"the interpreter does not exist: {chosen.path} ({chosen.reason})", remedy)]
    version = project.python_version()
    place = str(chosen.path) if chosen.path else "the Python that Pyright finds"
    told = f"{version.version}, by {version.reason}" if version.version else f"{version.reason}"
    return [*found, ok(f"{place}, because: {chosen.reason}"), ok(f"Python version of checks: {told}")]


def _broken_environments(subject: Subject) -> list[Finding]:
    """Environments that would count if they worked: the search passes over them and has nothing to say of them."""
    found: list[Finding] = []
    activated = subject.environment.get("VIRTUAL_ENV")
    if activated and not Path(activated).is_dir():
        remedy = "`deactivate` in the shell, or make the environment again"
        found.append(warning(f"VIRTUAL_ENV names a folder that does not exist: {activated}", remedy))
    places = {subject.root / ".venv", subject.root / "venv", *([Path(activated)] if activated else [])}
    for place in sorted(places):
        if (place / "pyvenv.cfg").is_file() and read_environment(place) is None:
            message = f"{place} is an environment whose Python is gone, so its packages are not known"
            found.append(warning(message, f"make it again: `python -m venv --clear {place}`, and install into it"))
    return found
