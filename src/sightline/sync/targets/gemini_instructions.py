"""Instructions and rules as marked blocks of `GEMINI.md` files: one for the user, one per project folder.

Imports are expanded before; a rule for one folder goes to the file of that folder, which Gemini CLI reads on demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from sightline.sync.files import Files
from sightline.sync.formats.markdown_code import open_end
from sightline.sync.model import Instructions, Rule
from sightline.sync.outputs import OutputScope, OwnedBlock
from sightline.sync.targets.selection import Selection

BLOCK_ID = "sightline"
_GEMINI_IMPORT = re.compile(r"(?<![^ \t\r\n])@(?=[./A-Za-z])")
_GEMINI_CODE = re.compile(r"(`+).*?\1", re.DOTALL)
_FOLDER = re.compile(r"((?:[\w.-]+/)+)\*\*(?:/\*)?")


@dataclass(slots=True)
class Sections:
    """The sections of one file and the items that they come from."""

    scope: OutputScope
    texts: list[str] = field(default_factory=list[str])
    sources: list[str] = field(default_factory=list[str])

    def block(self, path: Path) -> OwnedBlock:
        text = _without_imports("\n\n".join(self.texts) + "\n")
        return OwnedBlock(path, BLOCK_ID, text, self.scope, tuple(self.sources))


def _without_imports(text: str) -> str:
    """With a backslash before each `@` that Gemini CLI (0.61.0) would take for an import.

    What Claude Code imports is in the text already. For the rest, such as `@smoke` in a sentence, Gemini CLI would put
    a remark in its place that the import has failed.
    """
    code = [match.span() for match in _GEMINI_CODE.finditer(text)]

    def escaped(match: re.Match[str]) -> str:
        return "@" if any(start <= match.start() < end for start, end in code) else "\\@"

    return _GEMINI_IMPORT.sub(escaped, text)


def render_instructions(selection: Selection, user_file: Path, project: Path, disk: Files) -> Iterator[OwnedBlock]:
    """A block for each file that has something to say."""
    files: dict[Path, Sections] = {}
    for item, scope in selection.choose((*selection.tree.instructions, *selection.tree.rules)):
        path = user_file if scope == "user" else _project_file(item, project)
        if path is None:
            selection.findings.note(item.item_id, "", "dropped", "it stands outside of the project")
            continue
        text = item.text_for("gemini", committed=scope == "project", output=path, files=disk).strip("\n")
        if not text.strip():
            selection.findings.note(item.item_id, "", "dropped", "nothing in it is meant for Gemini CLI")
            continue
        if open_end(text) is not None:
            selection.findings.note(item.item_id, "", "refused", "it leaves a code fence or a comment open")
            continue
        sections = files.setdefault(path, Sections(scope))
        sections.texts.append(_with_heading(item, text, path, project))
        sections.sources.append(item.item_id)
        _note(item, path, project, selection)
    yield from (sections.block(path) for path, sections in files.items())


def _project_file(item: Instructions | Rule, project: Path) -> Path | None:
    folder = rule_folder(item.paths) if isinstance(item, Rule) else None
    if isinstance(item, Rule):
        return project / folder / "GEMINI.md" if folder else project / "GEMINI.md"
    return item.directory / "GEMINI.md" if item.directory.is_relative_to(project) else None


def rule_folder(paths: tuple[str, ...]) -> PurePosixPath | None:
    """The one folder that a rule is for, if its pattern says nothing else."""
    match = _FOLDER.fullmatch(paths[0]) if len(paths) == 1 else None
    folder = PurePosixPath(match[1]) if match else None
    # A Markdown file in Claude Code's own folders would be a rule, a command or an agent there.
    return folder if folder is not None and not {"..", ".claude"} & {*folder.parts} else None


def _with_heading(item: Instructions | Rule, text: str, path: Path, project: Path) -> str:
    if isinstance(item, Rule) and item.paths and path.parent == project:
        return f"For files that match {', '.join(f'`{pattern}`' for pattern in item.paths)}:\n\n{text}"
    return text


def _note(item: Instructions | Rule, path: Path, project: Path, selection: Selection) -> None:
    findings = selection.findings
    if any(part.is_private for part in item.parts) and item.provenance.scope.is_committed:
        findings.note(item.item_id, "", "approximated", "without the text that is private to this machine")
    findings.note(item.item_id, "", "equivalent", "imports expanded, block comments left out")
    if isinstance(item, Rule):
        is_folder = path.parent != project
        if item.paths:
            grade, reason = ("equivalent", "read with its folder") if is_folder else ("approximated", "always read")
            findings.note(item.item_id, "paths", grade, reason)
        findings.note_fields(item.item_id, item.frontmatter.fields, {"paths": ("approximated", "always read")})
