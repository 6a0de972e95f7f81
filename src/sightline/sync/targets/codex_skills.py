"""Skills and commands for Codex: a sidecar for those that only the user calls, and commands as skills of its own.

Commands go to `.codex/skills`, which no other CLI reads: those with commands of their own would list them twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from sightline.sync.model import Command, Skill
from sightline.sync.outputs import Grade, Output, OutputScope, OwnedFile
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.targets.findings import Findings
from sightline.sync.targets.skill_files import (
    SkillFolder,
    distinct_names,
    render_skill_folders,
    skill_markdown,
)
from sightline.sync.targets.skill_text import plain_text

SIDECAR = PurePosixPath("agents/openai.yaml")
_MANUAL_ONLY = b"policy:\n  allow_implicit_invocation: false\n"
_NO_FIELD = "Codex has no such field"
SKILL_GRADES: Mapping[str, tuple[Grade, str]] = {
    "user-invocable": ("dropped", "in Codex the user can call every skill"),
    "disallowed-tools": ("dropped", "a skill cannot take tools away in Codex"),
    "model": ("dropped", _NO_FIELD),
    "effort": ("dropped", _NO_FIELD),
    "context": ("dropped", _NO_FIELD),
    "agent": ("dropped", _NO_FIELD),
    "background": ("dropped", _NO_FIELD),
    "hooks": ("dropped", "hooks of a skill have no equivalent"),
    "paths": ("dropped", "skills are not bound to files in Codex"),
    "shell": ("dropped", _NO_FIELD),
}
COMMAND_GRADES: Mapping[str, tuple[Grade, str]] = {
    **SKILL_GRADES,
    "name": ("dropped", "Claude Code ignores it in a command"),
    "paths": ("dropped", "Claude Code ignores it in a command"),
    "when_to_use": ("equivalent", "added to the description"),
    "argument-hint": ("approximated", "said in a note of the text"),
    "arguments": ("approximated", "said in a note of the text"),
    "allowed-tools": ("refused", "a grant is never copied"),
    "disable-model-invocation": ("exact", ""),
    "license": ("dropped", _NO_FIELD),
    "compatibility": ("dropped", _NO_FIELD),
    "metadata": ("dropped", _NO_FIELD),
}


def render_skills(skills: Iterable[tuple[Skill, OutputScope]], places: CodexPlaces, findings: Findings) -> list[Output]:
    """The folders with their sidecars."""
    chosen = list(skills)
    rendered = render_skill_folders(chosen, project=places.project, home=places.home, files=places.files)
    findings.note_all(rendered.lines)
    folders = {folder.item_id: folder for folder in rendered.folders}
    outputs: list[Output] = []
    for skill, _scope in chosen:
        folder = folders.get(skill.item_id)
        if skill.item_id in rendered.in_place:
            _note_in_place(skill, findings)
            continue
        if folder is None:
            for key in skill.frontmatter.fields:
                findings.note(skill.item_id, key, "refused", "goes with the skill")
            continue
        outputs.extend(_with_sidecar(skill, folder, findings))
        _note_fields(skill, findings)
    _warn_of_doubles(rendered.folders, findings)
    return outputs


def _with_sidecar(skill: Skill, folder: SkillFolder, findings: Findings) -> list[Output]:
    is_nested = bool(skill.nested_in)
    findings.note(
        skill.item_id,
        "",
        "approximated" if is_nested else "equivalent",
        "Codex sees it only when started in that folder" if is_nested else "",
    )
    own = next((file for file in folder.files if file.path == folder.directory.joinpath(*SIDECAR.parts)), None)
    if not skill.disable_model_invocation:
        return list(folder.files)
    path = folder.directory.joinpath(*SIDECAR.parts)
    sidecar = OwnedFile(path, _MANUAL_ONLY, folder.scope, (skill.item_id,))
    if own is not None:
        findings.note(skill.item_id, f"file {SIDECAR}", "approximated", "replaced: only the user may call this skill")
    findings.note(skill.item_id, "disable-model-invocation", "equivalent", f"`{SIDECAR}`")
    return [*(file for file in folder.files if file is not own), sidecar]


def _note_in_place(skill: Skill, findings: Findings) -> None:
    """Codex reads the source itself, where nothing can be put beside it."""
    if skill.disable_model_invocation and all(file.path != SIDECAR for file in skill.files):
        findings.note(skill.item_id, "disable-model-invocation", "dropped", f"there is no `{SIDECAR}` beside it")
        findings.delta(
            f"laxer: Codex may call the skill `{skill.item_id}` by itself: there is no `{SIDECAR}` beside it"
        )
    _note_fields(skill, findings)


def _note_fields(skill: Skill, findings: Findings) -> None:
    findings.note(skill.item_id, "disable-model-invocation", "exact")
    for key in skill.frontmatter.fields:
        grade, reason = SKILL_GRADES.get(key, ("dropped", "this version does not know the field"))
        findings.note(skill.item_id, key, grade, reason)
    if skill.disallowed_tools:
        findings.delta(f"laxer: `{skill.item_id}` may use tools that it may not use in Claude Code")


def _warn_of_doubles(folders: Iterable[SkillFolder], findings: Findings) -> None:
    seen: dict[str, SkillFolder] = {}
    for folder in folders:
        other = seen.setdefault(folder.name, folder)
        if other.directory != folder.directory:
            findings.warn(f"Codex lists two skills `{folder.name}`: `{other.item_id}` and `{folder.item_id}`")


def render_commands(
    commands: Iterable[tuple[Command, OutputScope]], places: CodexPlaces, findings: Findings
) -> list[Output]:
    """Each command as a skill that only the user calls."""
    chosen = list(commands)
    roots: dict[OutputScope, Path] = {"project": places.project / ".codex/skills", "user": places.codex_home / "skills"}
    names = distinct_names([(each.item_id, "-".join(each.segments), roots[scope]) for each, scope in chosen])
    outputs: list[Output] = []
    for command, scope in chosen:
        name = names[command.item_id]
        directory = roots[scope] / name
        when = command.frontmatter.fields.get("when_to_use")
        text = plain_text(
            command.body, argument_names=command.argument_names, hint=command.argument_hint, is_command=True
        )
        content = skill_markdown(name, command.description, when if isinstance(when, str) else "", text.text)
        source = (command.item_id,)
        outputs.append(OwnedFile(directory / "SKILL.md", content, scope, source))
        outputs.append(OwnedFile(directory.joinpath(*SIDECAR.parts), _MANUAL_ONLY, scope, source))
        _note_command(command, name, findings)
    return outputs


def _note_command(command: Command, name: str, findings: Findings) -> None:
    findings.note(command.item_id, "", "approximated", f"the skill `{name}`, which only the user calls")
    findings.note(command.item_id, "text", "approximated", "nothing is substituted; notes say what was meant")
    findings.note(command.item_id, "description", "exact" if command.description else "approximated")
    for key in command.frontmatter.fields:
        grade, reason = COMMAND_GRADES.get(key, ("dropped", "this version does not know the field"))
        findings.note(command.item_id, key, grade, reason)
