"""How one rule's pattern is compared with a command, a path, a host or a tool name.

In doubt an allow matches less and a deny or an ask matches more, so that nothing built on this can widen.
"""

from __future__ import annotations

import posixpath
import re

_STAR = re.compile(r"\\\*|\*")


def command_matches(pattern: str | None, command: str, *, is_allow: bool) -> bool:
    """Whether a `Bash(...)` pattern covers one simple command."""
    if pattern is None or pattern.strip() == "*":
        return True
    return any(regex.fullmatch(command) for regex in _command_regexes(pattern.strip(), is_allow))


def _command_regexes(pattern: str, is_allow: bool) -> list[re.Pattern[str]]:
    if pattern.endswith(":*"):
        pattern = pattern[:-2] + " *"
    inner_colon = ":*" in pattern
    regexes = [_regex(pattern, is_allow, is_colon_star_literal=inner_colon)]
    if inner_colon and not is_allow:
        regexes.append(_regex(pattern, is_allow, is_colon_star_literal=False))
    return regexes


def _regex(pattern: str, is_allow: bool, *, is_colon_star_literal: bool) -> re.Pattern[str]:
    trailing = pattern.endswith(" *")
    body = pattern[:-2] if trailing else pattern
    pieces: list[str] = []
    at = 0
    stars = 0
    for match in _STAR.finditer(body):
        pieces.append(re.escape(body[at : match.start()]))
        is_literal = match[0] == "\\*" or (is_colon_star_literal and body[: match.start()].endswith(":"))
        pieces.append(re.escape("*") if is_literal else ".*")
        stars += not is_literal
        at = match.end()
    pieces.append(re.escape(body[at:]))
    if trailing:
        # With a second star it is not sure that the bare command counts.
        pieces.append(r"\s+.*" if is_allow and stars else r"(?:\s+.*)?")
    return re.compile("".join(pieces), re.DOTALL)


def is_wide_pattern(pattern: str | None) -> bool:
    """Whether the pattern covers more than one exact command."""
    return pattern is None or "*" in pattern.replace("\\*", "")


def path_matches(pattern: str, path: str, *, anchor: str, cwd: str, home: str, is_allow: bool) -> bool:
    """Whether a `Read(...)` or `Edit(...)` pattern covers an absolute path, both with forward slashes."""
    root, rest = _root_and_rest(pattern, anchor, cwd, home)
    relative = _below(path, root)
    if relative is None or not rest or rest.startswith("!"):
        return False
    return any(_gitignore_matches(line, relative) for line in _lines(rest, is_allow))


def _root_and_rest(pattern: str, anchor: str, cwd: str, home: str) -> tuple[str, str]:
    if pattern.startswith("//"):
        return "/", "/" + pattern[2:]
    if pattern == "~" or pattern.startswith("~/"):
        return home, "/" + pattern[2:]
    if pattern.startswith("/"):
        return anchor, pattern
    if pattern.startswith("./"):
        return cwd, pattern[2:]
    while pattern.startswith("../"):
        cwd, pattern = posixpath.dirname(cwd), "/" + pattern[3:]
        if pattern.startswith("/../"):
            pattern = pattern[1:]
    return cwd, pattern


def _below(path: str, root: str) -> str | None:
    path, root = posixpath.normpath(path), posixpath.normpath(root)
    if root in {"/", "//"}:
        return path.lstrip("/")
    return path[len(root) + 1 :] if path.startswith(root + "/") else None


def _lines(rest: str, is_allow: bool) -> list[str]:
    """The pattern as gitignore lines; `name/**` reaches to any depth, except in an allow rule."""
    folder, separator, tail = rest.partition("/")
    one_folder = separator and folder and tail == "**"
    return [rest] if is_allow or not one_folder else [rest, f"**/{rest}"]


def _gitignore_matches(line: str, relative: str) -> bool:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    escaped = "\\" + line if line.startswith("#") else line
    compiled = GitIgnoreSpecPattern(escaped)
    return compiled.match_file(relative) is not None


def host_matches(pattern: str | None, host: str) -> bool:
    """Whether a `WebFetch(domain:...)` pattern covers a host; a star stays between dots, a leading one does not."""
    if pattern is None:
        return True
    if not pattern.startswith("domain:"):
        return False
    wanted = pattern.removeprefix("domain:").strip().lower()
    if wanted == "*":
        return True
    leading = wanted.startswith("*.")
    rest = re.escape(wanted[2:] if leading else wanted).replace(r"\*", "[^.]*")
    return re.fullmatch((r"(?:[^.]+\.)+" if leading else "") + rest, host.lower().rstrip(".")) is not None


def tool_matches(rule_tool: str, tool: str, *, is_allow: bool) -> bool:
    """Whether a rule's tool name covers a tool; a server's name covers all of its tools."""
    if rule_tool == tool:
        return True
    if rule_tool.startswith("mcp__") and "*" not in rule_tool and tool.startswith(rule_tool + "__"):
        return rule_tool.count("__") == 1
    if "*" not in rule_tool or (is_allow and not re.match(r"mcp__[^*]+?__", rule_tool)):
        return False
    return re.fullmatch(re.escape(rule_tool).replace(r"\*", ".*"), tool, re.DOTALL) is not None
