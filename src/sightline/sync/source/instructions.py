"""Instruction files and rules, in the order in which Claude Code loads them.

Managed, user, then from the outermost folder down to the start directory, then the files below it, which load on
demand. Files above the project belong to nobody's repository and are private.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sightline.sync.files import walk
from sightline.sync.model import Instructions, Rule
from sightline.sync.model_values import Frontmatter, ItemKind, Provenance, Scope
from sightline.sync.secret_shapes import shown_name
from sightline.sync.source.frontmatter import MalformedFrontmatter, as_globs, split_document
from sightline.sync.source.globs import MAX_PATTERNS, expand_braces, matches_any
from sightline.sync.source.imports import expand_imports
from sightline.sync.source.reading import Reading

OVERRIDE_TARGETS = ("codex", "gemini", "opencode", "cursor")
MAX_FOLDERS = 100_000
_NAMES = ("CLAUDE.md", ".claude/CLAUDE.md")
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "target", "dist", "build"})


def read_instructions(reading: Reading, excludes: tuple[str, ...], folders: list[Path]) -> list[Instructions]:
    """Every instruction file; `folders` are those below the start directory, `excludes` globs for absolute paths."""
    places = reading.places
    found = [_read(reading, places.managed / "CLAUDE.md", Scope.MANAGED, places.managed, "CLAUDE.md")]
    if not _is_excluded(reading, places.config / "CLAUDE.md", excludes):
        found.append(_read(reading, places.config / "CLAUDE.md", Scope.USER, places.config, "CLAUDE.md"))
    for folder in (*reversed(places.start.parents), places.start):
        found.extend(_read_folder(reading, folder, excludes, on_demand=False))
    for folder in folders:
        found.extend(_read_folder(reading, folder, excludes, on_demand=True))
    found.extend(_read_overrides(reading))
    return [item for item in found if item is not None]


def _read_folder(
    reading: Reading, folder: Path, excludes: tuple[str, ...], *, on_demand: bool
) -> Iterator[Instructions | None]:
    inside = reading.places.in_project(folder)
    shown = folder.relative_to(reading.places.project).as_posix() if inside else folder.as_posix()
    prefix = "" if shown == "." else f"{shown}/"
    names = [(name, Scope.PROJECT if inside else Scope.LOCAL) for name in _NAMES]
    for name, scope in (*names, ("CLAUDE.local.md", Scope.LOCAL)):
        file = folder / name
        is_user_file = file == reading.places.config / "CLAUDE.md"
        if not is_user_file and not _is_excluded(reading, file, excludes):
            yield _read(reading, file, scope, folder, f"{prefix}{name}", on_demand=on_demand)


def _is_excluded(reading: Reading, file: Path, excludes: tuple[str, ...]) -> bool:
    if not excludes or not reading.files.is_file(file):
        return False
    return matches_any(file.as_posix(), excludes) or matches_any(reading.files.resolve(file).as_posix(), excludes)


def _read(
    reading: Reading, file: Path, scope: Scope, folder: Path, name: str, *, on_demand: bool = False, only_for: str = ""
) -> Instructions | None:
    text = reading.text_of(file, ItemKind.INSTRUCTIONS)
    if text is None:
        return None
    provenance = Provenance(file, 1, scope)
    parts = expand_imports(reading, text, provenance)
    return Instructions(f"instructions:{name}@{scope}", provenance, folder, parts, on_demand, only_for)


def _read_overrides(reading: Reading) -> Iterator[Instructions | None]:
    """Text that a person wrote for one target only."""
    project, config = reading.places.project, reading.places.config
    for target in OVERRIDE_TARGETS:
        name = f"CLAUDE.{target}.md"
        for shown in (name, f".claude/{name}", f".harness-sync/overrides/{target}.md"):
            yield _read(reading, project / shown, Scope.PROJECT, project, shown, only_for=target)
        yield _read(reading, config / name, Scope.USER, config, name, only_for=target)


def find_folders(reading: Reading) -> list[Path]:
    """The folders below the start directory whose files load on demand; hidden and vendored ones are not entered."""
    found: list[Path] = []
    start = reading.places.start
    for count, (place, folders, names) in enumerate(walk(reading.files, start)):
        has_own = "CLAUDE.md" in names or "CLAUDE.local.md" in names or ".claude" in folders
        if has_own and place != start:
            found.append(place)
        folders[:] = [name for name in folders if name[0] != "." and name not in _SKIPPED_FOLDERS]
        if count > MAX_FOLDERS:
            message = f"more than {MAX_FOLDERS:,} folders; not all were searched for instructions and skills"
            reading.block(start, 1, message, ItemKind.INSTRUCTIONS, ItemKind.SKILL)
            break
    return found


def read_rules(reading: Reading, excludes: tuple[str, ...]) -> list[Rule]:
    """All rules, user before project."""
    places = reading.places
    rules = [*_rules_below(reading, places.managed / ".claude" / "rules", Scope.MANAGED, excludes)]
    rules.extend(_rules_below(reading, places.config / "rules", Scope.USER, excludes))
    project_rules = places.project / ".claude" / "rules"
    if project_rules != places.config / "rules":
        rules.extend(_rules_below(reading, project_rules, Scope.PROJECT, excludes))
    return rules


def _rules_below(reading: Reading, folder: Path, scope: Scope, excludes: tuple[str, ...]) -> Iterator[Rule]:
    for file in reading.files_below(folder, ItemKind.RULE):
        if file.suffix == ".md" and not _is_excluded(reading, file, excludes):
            rule = _read_rule(reading, file, file.relative_to(folder).with_suffix("").as_posix(), scope)
            if rule is not None:
                yield rule


def _read_rule(reading: Reading, file: Path, name: str, scope: Scope) -> Rule | None:
    item_id = f"rule:{shown_name(name)}@{scope}"
    text = reading.text_of(file, items=frozenset({item_id}))
    if text is None:
        return None
    try:
        document = split_document(text)
    except MalformedFrontmatter as error:
        reading.block(file, error.line, error.message, items=frozenset({item_id}))
        return None
    if document.remark:
        reading.warn(file, 1, document.remark)
    body = Provenance(file, document.body_line, scope)
    parts = expand_imports(reading, document.body, body, kind=ItemKind.RULE)
    provenance = Provenance(file, 1, scope)
    _report_unknown(reading, document.frontmatter, provenance)
    paths = _paths(reading, document.frontmatter, file)
    return Rule(item_id, provenance, name, paths, parts, document.frontmatter)


def _paths(reading: Reading, frontmatter: Frontmatter, file: Path) -> tuple[str, ...]:
    paths = as_globs(frontmatter.fields.get("paths"))
    if any(len(expand_braces(glob)) == 1 and "{" in glob and "," in glob for glob in paths):
        reading.warn(file, frontmatter.line_of("paths"), f"braces stand for more than {MAX_PATTERNS} patterns")
    return paths


def _report_unknown(reading: Reading, frontmatter: Frontmatter, provenance: Provenance) -> None:
    for key in frontmatter.fields:
        if key != "paths":
            reading.report_unknown(key, "rule frontmatter", provenance.at_line(frontmatter.line_of(key)))
