"""Skills with all their files, and commands, their old form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from sightline.frozen import frozen
from sightline.sync.model import Command, Skill, SkillFile
from sightline.sync.model_values import Frontmatter, ItemKind, Provenance, Scope
from sightline.sync.secret_shapes import shown_name
from sightline.sync.source.frontmatter import (
    Document,
    MalformedFrontmatter,
    as_flag,
    as_globs,
    as_text,
    as_words,
    split_document,
)
from sightline.sync.source.known_keys import SKILL_FIELDS
from sightline.sync.source.reading import MAX_SKILL_BYTES, MAX_SKILL_FILE_BYTES, Reading, Unreadable, is_writable_name

RESERVED_SKILL_NAMES = frozenset({"synced"})


@frozen
class Shelf:
    """A folder of skills, commands or agents: whose it is, and what stands before the names in it."""

    folder: Path
    scope: Scope
    plugin: str = ""
    prefix: str = ""
    nested_in: str = ""

    def item_id(self, kind: ItemKind, name: str) -> str:
        nested = f"{self.nested_in}/" if self.nested_in else ""
        return f"{kind}:{nested}{shown_name(f'{self.prefix}{name}')}@{self.scope}"

    def provenance(self, file: Path, line: int = 1) -> Provenance:
        return Provenance(file, line, self.scope, self.plugin)


def read_skills(reading: Reading, shelf: Shelf) -> Iterator[Skill]:
    """Every folder with a `SKILL.md`; links to folders are followed."""
    reading.check_link(shelf.folder, ItemKind.SKILL)
    try:
        folders = [shelf.folder / each.name for each in reading.files.entries(shelf.folder)]
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        reading.block(shelf.folder, 1, "the folder cannot be read", ItemKind.SKILL)
        return
    for folder in folders:
        if not is_writable_name(folder.name):
            reading.block(shelf.folder, 1, "the name of a folder in this one is not UTF-8 text", ItemKind.SKILL)
            continue
        reading.check_link(folder, items=frozenset({shelf.item_id(ItemKind.SKILL, folder.name)}))
        if reading.files.is_dir(folder):
            skill = read_skill(reading, shelf, folder, folder.name)
            if skill is not None:
                yield skill


def read_skill(reading: Reading, shelf: Shelf, folder: Path, name: str) -> Skill | None:
    """One skill folder, or none if it is not one or cannot be read."""
    file = folder / "SKILL.md"
    item_id = shelf.item_id(ItemKind.SKILL, name)
    if name in RESERVED_SKILL_NAMES:
        reading.warn(folder, 1, f"`{name}` is a reserved name for a skill folder; Claude Code does not load it")
        return None
    document = read_document(reading, file, item_id)
    if document is None:
        return None
    files = _read_files(reading, shelf, folder, item_id)
    if files is None:
        return None
    provenance = shelf.provenance(file)
    report_unknown_fields(reading, document.frontmatter, SKILL_FIELDS, "skill frontmatter", provenance)
    fields = document.frontmatter.fields
    return Skill(
        item_id=item_id,
        provenance=provenance,
        name=f"{shelf.prefix}{name}",
        directory=folder,
        description=as_text(fields.get("description")),
        body=document.body,
        files=files,
        frontmatter=document.frontmatter,
        when_to_use=as_text(fields.get("when_to_use")),
        argument_names=as_words(fields.get("arguments")),
        disable_model_invocation=as_flag(fields.get("disable-model-invocation"), False),
        user_invocable=as_flag(fields.get("user-invocable"), True),
        allowed_tools=as_words(fields.get("allowed-tools")),
        disallowed_tools=as_words(fields.get("disallowed-tools")),
        paths=as_globs(fields.get("paths")),
        nested_in=shelf.nested_in,
    )


def read_document(reading: Reading, file: Path, item_id: str, *kinds: ItemKind) -> Document | None:
    """A Markdown file with fields; one that cannot be read is a problem for the item, or for the kinds."""
    items = frozenset({item_id})
    text = reading.text_of(file, *kinds, items=items)
    if text is None:
        return None
    try:
        document = split_document(text)
    except MalformedFrontmatter as error:
        reading.block(file, error.line, error.message, *kinds, items=items)
        return None
    if document.remark:
        reading.warn(file, 1, document.remark)
    return document


def report_unknown_fields(
    reading: Reading, frontmatter: Frontmatter, known: frozenset[str], place: str, provenance: Provenance
) -> None:
    for key in frontmatter.fields:
        if key not in known:
            reading.report_unknown(key, place, provenance.at_line(frontmatter.line_of(key)))


def _read_files(reading: Reading, shelf: Shelf, folder: Path, item_id: str) -> tuple[SkillFile, ...] | None:
    """All files of the folder, or none if one of them cannot be had: a skill is copied whole or not at all."""
    files: list[SkillFile] = []
    total = 0
    allowed = _allowed_roots(reading, shelf, folder)
    for file in reading.files_below(folder, ItemKind.SKILL):
        try:
            content = _file_content(reading, file, allowed)
        except Unreadable as error:
            reading.block(file, 1, f"the file {error}", items=frozenset({item_id}))
            return None
        total += len(content)
        if total > MAX_SKILL_BYTES:
            message = f"the skill has more than {MAX_SKILL_BYTES:,} bytes"
            reading.block(folder, 1, message, items=frozenset({item_id}))
            return None
        path = PurePosixPath(file.relative_to(folder).as_posix())
        files.append(SkillFile(path, content, reading.files.mode(file, follows_links=True) & 0o777))
    return tuple(files)


def _allowed_roots(reading: Reading, shelf: Shelf, folder: Path) -> tuple[Path, ...]:
    """Where links inside a skill may lead: into the skill itself, or into the tree that the skill belongs to."""
    own = reading.files.resolve(folder)
    root = reading.places.project if shelf.scope is Scope.PROJECT else shelf.folder
    return own, reading.files.resolve(root)


def _file_content(reading: Reading, file: Path, allowed: tuple[Path, ...]) -> bytes:
    if not reading.files.is_file(file):
        raise Unreadable("is a link that leads nowhere, or no regular file")
    real = reading.files.resolve(file)
    if not any(real.is_relative_to(root) for root in allowed):
        raise Unreadable("is a link that leads out of the skill")
    return reading.bytes_of(file, MAX_SKILL_FILE_BYTES) or b""


def read_commands(reading: Reading, shelf: Shelf) -> Iterator[Command]:
    """Every Markdown file below the folder."""
    for file in reading.files_below(shelf.folder, ItemKind.COMMAND):
        if file.suffix == ".md":
            command = read_command(reading, shelf, file, file.relative_to(shelf.folder).with_suffix("").parts)
            if command is not None:
                yield command


def read_command(reading: Reading, shelf: Shelf, file: Path, segments: tuple[str, ...]) -> Command | None:
    """One command file."""
    item_id = shelf.item_id(ItemKind.COMMAND, "/".join(segments))
    document = read_document(reading, file, item_id)
    if document is None:
        return None
    provenance = shelf.provenance(file)
    report_unknown_fields(reading, document.frontmatter, SKILL_FIELDS, "command frontmatter", provenance)
    fields = document.frontmatter.fields
    return Command(
        item_id=item_id,
        provenance=provenance,
        segments=(*filter(None, [shelf.prefix.rstrip(":")]), *segments),
        description=as_text(fields.get("description")),
        body=document.body,
        frontmatter=document.frontmatter,
        argument_hint=_hint(fields.get("argument-hint")),
        argument_names=as_words(fields.get("arguments")),
        disable_model_invocation=as_flag(fields.get("disable-model-invocation"), False),
        allowed_tools=as_words(fields.get("allowed-tools")),
    )


def _hint(value: object) -> str:
    """`[file]` is written as a hint and read as a YAML list; it is a hint all the same."""
    if isinstance(value, list):
        return " ".join(f"[{item}]" for item in value)  # pyright: ignore[reportUnknownVariableType] - YAML edge
    return "" if value is None else str(value)
