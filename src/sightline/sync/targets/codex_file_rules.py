"""Rules for files as keys of a Codex permission profile.

Only denials, and only as globs: a key that names a missing file or folder without one makes Codex 0.166.0 leave empty
files behind, and with `read` refuse to start.
"""

from __future__ import annotations

import re
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.model import PermissionRule
from sightline.sync.model_values import Scope
from sightline.sync.targets.codex_places import CodexPlaces

WORKSPACE = ":workspace_roots"
_CLASS = re.compile(r"\[[^\]/]*\]|\\.|[\[\]{}\\]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LAST_LETTER = re.compile(r"[A-Za-z0-9](?=[^A-Za-z0-9/]*$)")


class NotCoverable(ValueError):
    """A pattern that no key of a profile can stand for."""


@frozen
class FileKeys:
    """Keys to deny: relative ones below the workspace, or absolute ones (also from `~/`)."""

    keys: tuple[str, ...]
    is_in_workspace: bool
    is_outside: bool = False

    def paths(self) -> tuple[tuple[str, ...], ...]:
        return tuple((WORKSPACE, key) if self.is_in_workspace else (key,) for key in self.keys)


def file_keys(rule: PermissionRule, places: CodexPlaces) -> FileKeys:
    """The keys that meet everything the rule's pattern means; raises `NotCoverable`."""
    pattern = rule.pattern or ""
    if _CONTROL.search(pattern) or pattern.startswith("!"):
        raise NotCoverable("the pattern can match no file")
    root, rest, is_rooted = _root_and_rest(pattern, rule, places)
    lines = [_safe(line) for line in _lines(rest, is_rooted)]
    if any(".." in line.split("/") for line in lines):
        raise NotCoverable("the pattern leads out of the project")
    if not all(re.search(r"[A-Za-z0-9]", f"{root[1:]}{line}") for line in lines):
        raise NotCoverable("the pattern names nothing")
    keys = tuple(dict.fromkeys(key for line in lines for key in _keys(line)))
    if not root:
        return FileKeys(keys, is_in_workspace=True)
    is_outside = not _is_below(root, keys[0], places)
    return FileKeys(tuple(f"{root}/{key}" for key in keys), is_in_workspace=False, is_outside=is_outside)


def _root_and_rest(pattern: str, rule: PermissionRule, places: CodexPlaces) -> tuple[str, str, bool]:
    """The folder that the pattern starts at, empty for the workspace; the rest; whether it starts exactly there."""
    is_local = rule.scope is Scope.LOCAL
    if pattern.startswith("//"):
        first, _, rest = pattern[2:].partition("/")
        if not re.fullmatch(r"[\w.@+-]+", first):
            raise NotCoverable("the pattern does not start at a folder")
        return f"/{first}", rest or "**", True
    if pattern.startswith("../"):
        raise NotCoverable("the pattern leads out of the project")
    if pattern == "~" or pattern.startswith("~/"):
        return "~", pattern[2:], True
    if pattern.startswith("/"):
        if rule.scope is Scope.PROJECT:
            return "", pattern[1:], True
        return _shown(rule.anchor, places), pattern[1:], True
    cwd = places.project.as_posix() if is_local else ""
    return cwd, pattern.removeprefix("./"), False


def _shown(folder: Path, places: CodexPlaces) -> str:
    if folder.is_relative_to(places.home):
        return f"~/{folder.relative_to(places.home).as_posix()}".removesuffix("/.")
    return folder.as_posix()


def _lines(rest: str, is_rooted: bool) -> list[str]:
    """The pattern as globs from the root, as gitignore means it."""
    is_folder = rest.endswith("/")
    rest = rest.strip("/")
    folder, separator, tail = rest.partition("/")
    if is_rooted or (separator and not (folder and tail == "**")):
        lines = [rest]
    elif separator:
        lines = [rest, f"**/{rest}"]
    else:
        lines = [f"**/{rest}"]
    return [f"{line}/**" for line in lines] if is_folder else lines


def _safe(line: str) -> str:
    """The glob with what Codex may read otherwise made wider: classes, braces and escapes match any sign."""
    segments = [segment for segment in _CLASS.sub("?", line).split("/") if segment not in {"", "."}]
    return "/".join(segment if segment == "**" else re.sub(r"\*{2,}", "*", segment) for segment in segments)


def _keys(line: str) -> list[str]:
    """The glob for the thing itself and, if it can be a folder, for everything below."""
    if line.endswith("/**"):
        return [line]
    itself = line if re.search(r"[*?]", line) else _LAST_LETTER.sub(lambda found: f"[{found[0]}]", line, count=1)
    if not re.search(r"[*?\[]", itself):
        itself = f"{itself[:-1]}?"
    return [itself, f"{line}/**"]


def _is_below(root: str, key: str, places: CodexPlaces) -> bool:
    """Whether the place can be part of the project."""
    folder = places.home.as_posix() + root[1:] if root.startswith("~") else root
    fixed = re.split(r"[*?\[]", key, maxsplit=1)[0].rpartition("/")[0]
    place = f"{folder}/{fixed}".rstrip("/") + "/"
    project = f"{places.project.as_posix()}/"
    return place.startswith(project) or project.startswith(place)
