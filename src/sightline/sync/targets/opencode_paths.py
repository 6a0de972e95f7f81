"""Path rules as OpenCode compares them: below the project relative to it, elsewhere by folder.

Its star reaches over slashes, so a pattern can only cover more than the gitignore line that it comes from.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.model import PermissionKind, PermissionRule


@frozen
class PathPatterns:
    """Patterns for `read` and `edit`, for `external_directory`, the names to look for in commands, and the one folder
    that the rule is exactly about, if it is."""

    inside: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    folder: str = ""


def path_patterns(rule: PermissionRule, project: Path, home: Path) -> PathPatterns:
    """The patterns of a rule that has one."""
    text = (rule.pattern or "").strip()
    root, rest = _root_and_rest(text, rule, project, home)
    is_anchored = text.startswith(("/", "~")) or "/" in rest.rstrip("/").removesuffix("/**").removesuffix("/*")
    shape = _star_shape(rest)
    relative = _relative(root, project)
    if rule.effect is PermissionKind.ALLOW:
        match = re.fullmatch(r"/?((?:[\w.-]+/)+)\*\*", rest)
        is_here = root == project and match is not None and ".." not in match[1].split("/")
        return PathPatterns(folder=f"{match[1]}*" if match is not None and is_here else "")
    if relative is None:
        folder = _fixed_folder(root, rest, home)
        name = folder if text.startswith("//") else _fixed_name(rest)
        return PathPatterns((), (folder, f"{folder}/*"), (name,) if name.strip("/") else ())
    start = f"{relative}/" if relative else ""
    bare = shape.lstrip("/")
    inside = [f"{start}{bare}", f"{start}{bare}/*"]
    if not is_anchored or _is_one_folder(rest):
        inside += [f"{start}*/{bare}", f"{start}*/{bare}/*"]
    return PathPatterns(tuple(dict.fromkeys(inside)), (), (bare,) if bare.strip("*/") else ())


def _root_and_rest(text: str, rule: PermissionRule, project: Path, home: Path) -> tuple[Path, str]:
    if text.startswith("//"):
        return Path("/"), text[1:]
    if text == "~" or text.startswith("~/"):
        return home, text[1:]
    if text.startswith("/"):
        return rule.anchor, text
    root = project
    text = text.removeprefix("./")
    while text.startswith("../"):
        root, text = root.parent, text[3:]
    return root, text


def _relative(root: Path, project: Path) -> str | None:
    """The root as seen from the project; none if it is elsewhere."""
    if root == project:
        return ""
    return root.relative_to(project).as_posix() if root.is_relative_to(project) else None


def _is_one_folder(rest: str) -> bool:
    return re.fullmatch(r"[^/]+/\*\*", rest) is not None


def _star_shape(rest: str) -> str:
    """The gitignore line with OpenCode's stars, without what covers everything below."""
    text = rest.rstrip("/")
    while text.endswith(("/**", "/*")):
        text = text.rpartition("/")[0]
    text = re.sub(r"\[[^\]]*\]", "?", text)
    text = re.sub(r"\*\*/", "*", text.lstrip("/"))
    return re.sub(r"\*+", "*", text) or "*"


def _fixed_folder(root: Path, rest: str, home: Path) -> str:
    """The deepest folder that holds all that the rule covers, with `~` for the home, as committed files may have it."""
    segments: list[str] = []
    for segment in rest.strip("/").split("/"):
        if re.search(r"[*?\[]", segment):
            break
        segments.append(segment)
    else:
        # A file is asked about by the folder that it is in.
        segments = segments[:-1]
    path = posixpath.normpath(posixpath.join(root.as_posix(), *segments))
    below = f"{home.as_posix()}/"
    return f"~/{path.removeprefix(below)}" if path.startswith(below) else path


def _fixed_name(rest: str) -> str:
    """The last part of the path that is spelled out, for commands that name it."""
    fixed = [segment for segment in rest.strip("/").split("/") if segment and not re.search(r"[*?\[]", segment)]
    return fixed[-1] if fixed else ""
