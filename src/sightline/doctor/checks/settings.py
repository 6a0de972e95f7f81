"""The settings: whether they can be used, where each comes from, what a project asks for, which roots there are."""

from __future__ import annotations

from sightline.config.display import effective_settings, setting_line
from sightline.config.loading import keys_that_need_trust
from sightline.config.narrowing import resolved_root
from sightline.doctor.finding import Finding, error, ok, warning
from sightline.doctor.subject import Subject
from sightline.errors import SettingsError


async def check_settings(subject: Subject) -> list[Finding]:
    if failure := subject.settings_error:
        message = f"the settings cannot be used, so Sightline does not start here: {failure.message}"
        return [error(message, failure.hint or "mend it where the message says")]
    chosen = [each for each in effective_settings(subject.loaded) if each.origin != "default"]
    ignored = [warning(message, "move it to the user file, or take it out") for message in _not_for_trust(subject)]
    return [*ignored, *(ok(setting_line(each)) for each in chosen), ok(f"{_defaults(subject)} settings are defaults")]


async def check_roots(subject: Subject) -> list[Finding]:
    named = subject.settings.server.allowed_roots
    if not named:
        return [ok(f"calls reach {subject.root}")]
    found: list[Finding] = []
    for each in named:
        try:
            folder = resolved_root(subject.root, each)
        except RuntimeError:
            found.append(error(f"`server.allowed_roots` names nobody's home: {each}", "take it out"))
            continue
        is_there = folder.is_dir()
        remedy = "make the folder, or take it out of `server.allowed_roots`"
        found.append(ok(f"calls reach {folder}") if is_there else error(f"no such folder: {folder}", remedy))
    return found


async def check_trust(subject: Subject) -> list[Finding]:
    if subject.settings_error:
        return []
    file = subject.loaded.project_file
    if file is None:
        return [ok("this project has no settings file")]
    try:
        keys = keys_that_need_trust(subject.root, file, subject.places)
    except SettingsError:
        return []  # told by the check of the settings
    if not keys:
        return [ok(f"{file.path} only narrows, so it needs no trust")]
    if subject.loaded.is_trusted:
        return [ok(f"{file.path} is trusted as it is now")]
    return [warning(f"{file.path} is not trusted: {', '.join(keys)} have no effect", "read it, then `sightline trust`")]


def _not_for_trust(subject: Subject) -> list[str]:
    """What is ignored whether the project is trusted or not; the rest is told by the check of trust."""
    return [message for message in subject.loaded.ignored if "needs trust" not in message]


def _defaults(subject: Subject) -> int:
    return sum(each.origin == "default" for each in effective_settings(subject.loaded))
