"""Skill folders for every target that reads `.agents/skills`: copied whole, with a valid name and a portable header.

All targets get the same bytes, so that one copy serves them all. It knows no target; what a target adds to a folder,
or cannot honour of a skill, the target says itself.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from sightline.frozen import frozen
from sightline.sync.files import Files
from sightline.sync.formats import frontmatter
from sightline.sync.formats.failures import FormatFailed
from sightline.sync.formats.values import Value
from sightline.sync.model import Skill, SkillFile
from sightline.sync.model_values import JsonValue
from sightline.sync.outputs import Grade, LedgerLine, OutputScope, OwnedFile
from sightline.sync.targets.skill_text import PlainText, plain_text

MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 1024
_PORTABLE = ("license", "compatibility", "metadata")
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d")
_ODD_IN_PATH = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
_GRADES: Mapping[str, tuple[Grade, str]] = {
    "when_to_use": ("equivalent", "added to the description"),
    "argument-hint": ("approximated", "said in a note of the text"),
    "arguments": ("approximated", "substituted by nothing; said in a note of the text"),
    "allowed-tools": ("refused", "a grant is never copied"),
    "license": ("exact", ""),
    "compatibility": ("exact", ""),
    "metadata": ("exact", ""),
}

SKILL_FIELDS = (
    "user-invocable",
    "disallowed-tools",
    "model",
    "effort",
    "context",
    "agent",
    "background",
    "hooks",
    "paths",
    "shell",
)
"""Fields of a skill that only Claude Code knows, beside `disable-model-invocation`."""


@frozen
class SkillFolder:
    """A rendered skill: its valid name, its folder, its files."""

    item_id: str
    name: str
    directory: Path
    scope: OutputScope
    files: tuple[OwnedFile, ...]


@frozen
class SkillFolders:
    """All folders, and what was lost whatever the target is. `lines` holds only fields that no target can keep.

    `in_place` are the skills that Claude Code reads from the very folder where they would go: nothing is written there.
    """

    folders: tuple[SkillFolder, ...]
    lines: tuple[LedgerLine, ...]
    in_place: frozenset[str]


def render_skill_folders(
    skills: Sequence[tuple[Skill, OutputScope]], *, project: Path, home: Path, files: Files
) -> SkillFolders:
    """The folders below `.agents/skills` of the project, of its folders with skills of their own, and of the home."""
    names = distinct_names(
        [(skill.item_id, skill.name.rpartition("/")[2], _root(skill, scope, project, home)) for skill, scope in skills]
    )
    folders: list[SkillFolder] = []
    lines: list[LedgerLine] = []
    in_place: set[str] = set()
    for skill, scope in skills:
        directory = _root(skill, scope, project, home) / names[skill.item_id]
        if reason := _refusal(skill, scope, directory, project, files):
            is_there = reason == _ALREADY_THERE
            lines.append(LedgerLine(skill.item_id, "", "exact" if is_there else "refused", reason))
            if is_there:
                in_place.add(skill.item_id)
                lines.extend(_lines(skill, directory.name, _plain(skill)))
            continue
        folder, found = _folder(skill, scope, directory)
        folders.append(folder)
        lines.extend(found)
    return SkillFolders(tuple(folders), tuple(lines), frozenset(in_place))


def valid_name(name: str) -> str:
    """Lower-case words with single dashes, as every reader of skills accepts them; never empty, never a path."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_NAME_CHARS].strip("-")
    if not words:
        return f"item-{_digest(name)}"
    return f"{words}-item" if _DEVICES.fullmatch(words) else words


def distinct_names(wanted: Iterable[tuple[str, str, Path]]) -> dict[str, str]:
    """A valid name for each item id; where two become one in the same place, only an unchanged one keeps it plain."""
    entries = list(wanted)
    groups: dict[tuple[Path, str], list[tuple[str, str]]] = {}
    for item_id, name, place in entries:
        groups.setdefault((place, valid_name(name)), []).append((item_id, name))
    names: dict[str, str] = {}
    for (_, valid), members in groups.items():
        exact = [item_id for item_id, name in members if name == valid][:1]
        keeps = exact or ([members[0][0]] if len(members) == 1 else [])
        for item_id, _name in members:
            stem = valid[: MAX_NAME_CHARS - 7].strip("-")
            names[item_id] = valid if item_id in keeps else f"{stem}-{_digest(item_id)}"
    return names


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def _root(skill: Skill, scope: OutputScope, project: Path, home: Path) -> Path:
    if scope == "user":
        return home / ".agents/skills"
    nested = PurePosixPath(skill.nested_in)
    is_inside = not nested.is_absolute() and ".." not in nested.parts
    return (project / nested if is_inside else project) / ".agents/skills"


_ALREADY_THERE = "its folder is a link to the place where it would go"


def _refusal(skill: Skill, scope: OutputScope, directory: Path, project: Path, files: Files) -> str:
    """Why the folder must not be written; a skill that is a link may live where the output goes, or far outside."""
    real = files.resolve(skill.directory)
    if real == files.resolve(directory):
        return _ALREADY_THERE
    if scope == "project" and not real.is_relative_to(files.resolve(project)):
        return "its folder is a link out of the project, and what is outside is not put into committed files"
    return ""


def _folder(skill: Skill, scope: OutputScope, directory: Path) -> tuple[SkillFolder, list[LedgerLine]]:
    plain = _plain(skill)
    lines = list(_lines(skill, directory.name, plain))
    content = _skill_file(skill, directory.name, plain.text)
    files = [OwnedFile(directory / "SKILL.md", content, scope, (skill.item_id,))]
    for file in skill.files:
        if file.path.as_posix().lower() == "skill.md":
            continue
        if not is_safe_path(file.path):
            reason = "its path is not valid everywhere"
            lines.append(LedgerLine(skill.item_id, f"file {file.path.as_posix()!a}", "refused", reason))
            continue
        files.append(_copied(file, directory, scope, skill.item_id))
    return SkillFolder(skill.item_id, directory.name, directory, scope, tuple(files)), lines


def _copied(file: SkillFile, directory: Path, scope: OutputScope, item_id: str) -> OwnedFile:
    mode = 0o755 if file.mode & 0o111 else 0o644
    return OwnedFile(directory.joinpath(*file.path.parts), file.content, scope, (item_id,), mode)


def is_safe_path(path: PurePosixPath) -> bool:
    """Whether the path stays inside its folder on every system."""
    parts = path.parts
    if not parts or path.is_absolute() or ".." in parts or any(_ODD_IN_PATH.search(part) for part in parts):
        return False
    return not any(_DEVICES.fullmatch(part.partition(".")[0].lower()) or part[-1] in ". " for part in parts)


def _plain(skill: Skill) -> PlainText:
    hint = skill.frontmatter.fields.get("argument-hint")
    return plain_text(skill.body, argument_names=skill.argument_names, hint=_one_line(hint) if hint else "")


def _skill_file(skill: Skill, name: str, text: str) -> bytes:
    extra = {key: value for key, value in skill.frontmatter.fields.items() if key in _PORTABLE}
    return skill_markdown(name, skill.description, skill.when_to_use, text, extra)


def skill_markdown(
    name: str, description: str, when_to_use: str, text: str, extra: Mapping[str, JsonValue] | None = None
) -> bytes:
    """A `SKILL.md`; a field that YAML cannot hold is left out."""
    header: dict[str, Value] = {"name": name, "description": shown_description(name, description, when_to_use, text)}
    try:
        return frontmatter.render({**header, **(extra or {})}, text)
    except FormatFailed:
        plain = {
            key: value.encode("utf-8", "replace").decode() for key, value in header.items() if isinstance(value, str)
        }
        return frontmatter.render(plain, text.encode("utf-8", "replace").decode())


def shown_description(name: str, description: str, when_to_use: str, text: str) -> str:
    """One line within the limit; from the text if there is no description."""
    first = next((line.strip("# \t") for line in text.splitlines() if line.strip("# \t")), "")
    said = " ".join((description or first or name).split())
    said = f"{said.rstrip('.')}. Use when: {' '.join(when_to_use.split())}" if when_to_use else said
    return said if len(said) <= MAX_DESCRIPTION_CHARS else said[: MAX_DESCRIPTION_CHARS - 1].rstrip() + "…"


def _one_line(value: JsonValue) -> str:
    if isinstance(value, list):
        return " ".join(f"[{item}]" for item in value)
    return " ".join(str(value).split())


def _lines(skill: Skill, name: str, plain: PlainText) -> Iterator[LedgerLine]:
    """The lines for what is the same at every target."""
    fields = skill.frontmatter.fields
    is_same = not plain.changes - {"hint"}
    yield LedgerLine(
        skill.item_id, "text", "exact" if is_same else "approximated", "" if is_same else "nothing is substituted"
    )
    own = skill.name.rpartition("/")[2]
    yield LedgerLine(
        skill.item_id, "name", "exact" if name == own else "approximated", "" if name == own else f"`{name}` here"
    )
    full = shown_description(name, skill.description, skill.when_to_use, plain.text)
    is_cut = full.endswith("…")
    yield LedgerLine(
        skill.item_id,
        "description",
        "approximated" if is_cut or not skill.description else "exact",
        f"cut at {MAX_DESCRIPTION_CHARS} characters" if is_cut else "" if skill.description else "taken from the text",
    )
    for key, (grade, reason) in _GRADES.items():
        if key in fields:
            yield LedgerLine(skill.item_id, key, grade, reason)
