"""The fields above a Markdown body: split by text, read as YAML, and made plain.

Claude Code also accepts fields that are no YAML because a value holds `: ` or looks like a list or an alias, such as
`[from] [to]` and `**/*.ts`; they are taken line by line, and that is reported. Most files hold only `key: words`,
which needs no YAML reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from sightline.frozen import frozen
from sightline.sync.model_values import Frontmatter, JsonValue

MAX_FRONTMATTER_CHARS = 256_000
_MAX_NODES = 20_000
_MAX_DEPTH = 40

_FENCE = re.compile(r"---[ \t]*\r?\n")
_CLOSE = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_FIELD = re.compile(r"([A-Za-z_][\w-]*):(?:[ \t]+(.*?))?[ \t]*")
# A plain scalar that is a string in every YAML: starts with a letter, holds nothing that YAML gives a meaning.
_PLAIN = re.compile(r"[A-Za-z](?:[\w ,./()+=;!?'$*@-]*[\w,./()+=;!?'$*@-])?")
_NOT_STRINGS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_MARKS = "\"'[{|>&*!"
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})


class MalformedFrontmatter(Exception):
    """The fields cannot be read; `line` counts from the top of the file."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class _TooLarge(MalformedFrontmatter):
    """The fields are YAML, and more of it than is read."""


@frozen
class Document:
    """A Markdown file: its fields, its body, the body's first line, and a remark if the fields are no valid YAML."""

    frontmatter: Frontmatter
    body: str
    body_line: int
    remark: str = ""


def split_document(text: str) -> Document:
    """The fields and the body; raises `MalformedFrontmatter`."""
    opening = _FENCE.match(text)
    if opening is None:
        return Document(Frontmatter(), text, 1)
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        return Document(Frontmatter(), text, 1, "the frontmatter is not closed by `---`, so it counts as text")
    fields = text[opening.end() : closing.start()]
    if len(fields) > MAX_FRONTMATTER_CHARS:
        raise MalformedFrontmatter(f"the frontmatter is longer than {MAX_FRONTMATTER_CHARS:,} characters", 1)
    body_start = min(closing.end() + 1, len(text))
    body_line = text.count("\n", 0, body_start) + 1
    frontmatter, remark = _read_fields(fields)
    return Document(frontmatter, text[body_start:], body_line, remark)


def _read_fields(text: str) -> tuple[Frontmatter, str]:
    simple = _read_simple(text)
    if simple is not None:
        return simple, ""
    try:
        return _read_yaml(text), ""
    except _TooLarge:
        raise
    except MalformedFrontmatter as error:
        quoted = _quote_values(text)
        if quoted == text:
            raise
        try:
            remark = f"the frontmatter is not valid YAML ({error.message}, line {error.line}); read line by line"
            return _read_yaml(quoted), remark
        except MalformedFrontmatter:
            raise error from None


def _read_simple(text: str) -> Frontmatter | None:
    fields: dict[str, JsonValue] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 2):
        if not line.strip():
            continue
        match = _FIELD.fullmatch(line)
        if match is None or match[1] in fields or match[1].lower() in _NOT_STRINGS or match[2] is None:
            return None
        value = _simple_value(match[2])
        if value is None:
            return None
        fields[match[1]] = value
        lines[match[1]] = number
    return Frontmatter(fields, lines)


def _simple_value(text: str) -> JsonValue:
    if text in {"true", "false"}:
        return text == "true"
    if text.lower() in _NOT_STRINGS or not _PLAIN.fullmatch(text):
        return None
    return text


def _read_yaml(text: str) -> Frontmatter:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    reader = YAML(typ="rt", pure=True)
    try:
        loaded: Any = cast("Any", reader).load(text)
    except MarkedYAMLError as error:
        mark = cast("Any", error).problem_mark
        line = mark.line + 2 if mark is not None else 2
        raise MalformedFrontmatter(str(cast("Any", error).problem or "not valid YAML"), line) from None
    except (YAMLError, ValueError, RecursionError):
        raise MalformedFrontmatter("not valid YAML", 2) from None
    if loaded is None:
        return Frontmatter()
    if not isinstance(loaded, Mapping):
        raise MalformedFrontmatter("the frontmatter is not a table of fields", 2)
    plain = _Plain()
    table = cast("Mapping[Any, Any]", loaded)
    fields = {str(key): plain.value(item, 0) for key, item in table.items()}
    lines = {str(key): cast("Any", loaded).lc.key(key)[0] + 2 for key in table}
    return Frontmatter(fields, lines)


class _Plain:
    """Plain values from what the YAML reader makes; counts, because aliases can stand for any amount."""

    def __init__(self) -> None:
        self.left = _MAX_NODES

    def value(self, item: Any, depth: int) -> JsonValue:
        self.left -= 1
        if self.left < 0 or depth > _MAX_DEPTH:
            raise _TooLarge("the frontmatter is too large once its aliases are followed", 2)
        if item is None or isinstance(item, bool):
            return item
        if isinstance(item, int):
            return int(item)
        if isinstance(item, float):
            return float(item)
        if isinstance(item, Mapping):
            pairs = cast("Mapping[Any, Any]", item).items()
            return {str(key): self.value(each, depth + 1) for key, each in pairs}
        if isinstance(item, Sequence) and not isinstance(item, str):
            return [self.value(each, depth + 1) for each in cast("Sequence[Any]", item)]
        return str(item)


def _quote_values(text: str) -> str:
    """The text with each top-level value of one line put into quotes, unless its line is a list, a table or quoted."""
    lines: list[str] = []
    for line in text.split("\n"):
        match = _FIELD.fullmatch(line.rstrip("\r"))
        value = match[2] if match else None
        if match and value and (value[0] not in _MARKS or _is_whole_text(match[0])):
            lines.append(f"{match[1]}: " + "'" + value.replace("'", "''") + "'")
        else:
            lines.append(line)
    return "\n".join(lines)


def _is_whole_text(line: str) -> bool:
    """Whether the line is no YAML by itself, and yet does not go on in the next one."""
    if line.count("[") != line.count("]") or line.count("{") != line.count("}"):
        return False
    try:
        _read_yaml(line)
    except MalformedFrontmatter:
        return True
    return False


def as_text(value: JsonValue) -> str:
    """A field as text; a list joined by commas, nothing for none and for a table."""
    match value:
        case None | dict():
            return ""
        case bool():
            return "true" if value else "false"
        case list():
            return ", ".join(as_text(item) for item in value)
        case _:
            return str(value)


def as_flag(value: JsonValue, default: bool) -> bool:
    """A field as a boolean: also yes and no, on and off, 1 and 0, in any case."""
    word = as_text(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else default


def as_words(value: JsonValue) -> tuple[str, ...]:
    """A field as a list: a YAML list, or a string with commas or spaces outside of parentheses and braces."""
    if isinstance(value, list):
        return tuple(text for item in value if (text := as_text(item).strip()))
    return tuple(_split_words(as_text(value)))


def as_globs(value: JsonValue) -> tuple[str, ...]:
    """A field as a list of globs: a string is split at commas only, since a path may hold a space."""
    if isinstance(value, list):
        return as_words(value)
    return tuple(word for word in _split_words(as_text(value), spaces=False) if word)


def _split_words(text: str, *, spaces: bool = True) -> list[str]:
    words: list[str] = []
    word = ""
    depth = 0
    for character in text:
        depth += (character in "({") - (character in ")}" and depth > 0)
        if depth == 0 and (character == "," or (spaces and character.isspace())):
            words.append(word.strip())
            word = ""
        else:
            word += character
    words.append(word.strip())
    return [word for word in words if word]
