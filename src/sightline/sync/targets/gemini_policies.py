"""Permission rules as Gemini CLI's policy files, which count only in the user's folder and there for every project.

So an allow is written only if it is the user's own, and only for commands of plain words; denies and asks of a project
are written to a file of their own and may cover more than they say, never less.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.model import PermissionKind, PermissionRule, Scope
from sightline.sync.targets.findings import Findings

MAX_PATTERN = 2048
DENY, ASK, ALLOW = 990, 900, 100
_DECISIONS = {
    PermissionKind.DENY: ("deny", DENY),
    PermissionKind.ASK: ("ask_user", ASK),
    PermissionKind.ALLOW: ("allow", ALLOW),
}
_FILE_KEYS = "file_path|dir_path|path|include|include_pattern|pattern"
# What an allowed command may go on with: nothing that a shell expands, chains or redirects.
_PLAIN_REST = r"[A-Za-z0-9_./:=@%+, -]*"
# Any text inside of a JSON string. Gemini CLI takes `(?:...)*` for a repetition in a repetition, a plain group not.
_ANYTHING = r'([^"\\]|\\.)*'
_EDGE = r"([^A-Za-z0-9_.-]|\\[nrt])"
_EDGE_OF_PATH = r"([^A-Za-z0-9_-]|\\[nrt])"
_PATH_END = '["/]'
_READERS = ("read_file", "read_many_files", "grep_search", "glob", "list_directory")
_WRITERS = ("replace", "write_file")
_TOOLS: Mapping[str, tuple[str, ...]] = {
    "Bash": ("run_shell_command",),
    "Read": _READERS,
    "Edit": _WRITERS,
    "WebFetch": ("web_fetch",),
    "WebSearch": ("google_web_search",),
    "*": ("*",),
}
# Claude Code never looks at the patterns of these.
_UNPATTERNED: Mapping[str, tuple[str, ...]] = {
    "Write": _WRITERS,
    "MultiEdit": _WRITERS,
    "NotebookEdit": _WRITERS,
    "Grep": ("grep_search",),
    "Glob": ("glob",),
}


@frozen
class PolicyRule:
    """One `[[rule]]`; empty fields are not written."""

    decision: str
    priority: int
    tool: str = ""
    server: str = ""
    command_regex: str = ""
    args_pattern: str = ""

    def lines(self) -> Iterator[str]:
        from sightline.sync.formats.toml_text import toml_string

        yield "[[rule]]"
        named = {
            "mcpName": self.server,
            "toolName": self.tool,
            "commandRegex": self.command_regex,
            "argsPattern": self.args_pattern,
            "decision": self.decision,
        }
        yield from (f"{key} = {toml_string(value)}" for key, value in named.items() if value)
        yield f"priority = {self.priority}"


# Gemini CLI allows some commands by itself, and with them a substitution whose inner command is allowed.
SUBSTITUTIONS_ASK = PolicyRule("ask_user", ASK, tool="run_shell_command", command_regex=rf"{_ANYTHING}(\$\(|`|<\(|>\()")


def policy_file(rules: Sequence[PolicyRule]) -> bytes:
    blocks = ["\n".join(rule.lines()) for rule in dict.fromkeys(rules)]
    return ("\n\n".join(blocks) + "\n").encode()


def project_file_name(project: Path) -> str:
    """A name for the rules of one project, the same at every run."""
    return f"sightline-{hashlib.sha256(project.as_posix().encode()).hexdigest()[:12]}.toml"


def policies_for(rule: PermissionRule, servers: Mapping[str, str], findings: Findings) -> list[PolicyRule]:
    """The policies that say the rule; what became of it goes to the findings."""
    if rule.effect is PermissionKind.ALLOW:
        found = list(_allows(rule, servers))
        if not found:
            findings.note(rule.item_id, "", "dropped", "Gemini CLI asks: the grant cannot be said without widening it")
        else:
            findings.note(rule.item_id, "", "equivalent", "for plain arguments; anything else is asked")
        return found
    found = [policy for policy in _restrictions(rule, servers) if is_safe(policy)]
    if not found:
        return _widest(rule, findings)
    findings.note(rule.item_id, "", "approximated", "covers at least what it says")
    if rule.scope is not Scope.USER:
        findings.delta(f"stricter: `{rule.item_id}` holds in every project that Gemini CLI opens")
    return found


def _widest(rule: PermissionRule, findings: Findings) -> list[PolicyRule]:
    decision, priority = _DECISIONS[rule.effect]
    tools = _tools_of(rule)
    if not tools:
        findings.note(rule.item_id, "", "dropped", f"Gemini CLI has no tool like `{rule.tool}`")
        return []
    findings.note(rule.item_id, "", "approximated", "cannot be said: it covers the whole tool")
    findings.delta(f"stricter: `{rule.item_id}` covers every use of the tool in Gemini CLI")
    return [PolicyRule(decision, priority, tool=tool) for tool in tools]


def is_safe(policy: PolicyRule) -> bool:
    """Whether Gemini CLI takes the pattern: not too long, no repeated group with a repetition in it."""
    pattern = policy.command_regex or policy.args_pattern
    if len(pattern) > MAX_PATTERN - 20 or re.search(r"\([^)]*[*+?{].*\)[*+?{]", pattern):
        return False
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _tools_of(rule: PermissionRule) -> tuple[str, ...]:
    if rule.tool == "Read" and rule.effect is PermissionKind.DENY:
        return (*_READERS, *_WRITERS)
    return _TOOLS.get(rule.tool) or (_UNPATTERNED.get(rule.tool, ()) if rule.pattern is None else ())


def _allows(rule: PermissionRule, servers: Mapping[str, str]) -> Iterator[PolicyRule]:
    if rule.scope is not Scope.USER:
        return
    if rule.tool == "Bash" and rule.pattern:
        text = rule.pattern.strip()
        stem = text[:-2].rstrip() if text.endswith((" *", ":*")) else text
        if not re.fullmatch(r"[A-Za-z0-9_./:=@%+,-]+(?: [A-Za-z0-9_./:=@%+,-]+)*", stem):
            return
        words = re.escape(stem).replace(r"\ ", " ")
        regex = f'{words}"' if stem == text else f'{words}("| {_PLAIN_REST}")'
        yield PolicyRule("allow", ALLOW, tool="run_shell_command", command_regex=_portable(regex))
    elif rule.tool.startswith("mcp__") and rule.pattern is None and "*" not in rule.tool:
        server, _, tool = rule.tool.removeprefix("mcp__").partition("__")
        if server in servers and re.fullmatch(r"[A-Za-z0-9_.:-]*", tool):
            yield PolicyRule("allow", ALLOW, server=servers[server], tool=tool or "*")


def _restrictions(rule: PermissionRule, servers: Mapping[str, str]) -> Iterator[PolicyRule]:
    decision, priority = _DECISIONS[rule.effect]
    tools = _tools_of(rule)
    if rule.tool.startswith("mcp__") or ("*" in rule.tool and rule.tool != "*"):
        yield from _server_restrictions(rule, servers)
    elif rule.pattern is None or rule.pattern.strip() == "*":
        yield from (PolicyRule(decision, priority, tool=tool) for tool in tools)
        yield from _commands_on_any_file(rule)
    elif rule.tool == "Bash":
        core = command_core(rule.pattern)
        inside = () if core.startswith(_ANYTHING) else (f"{_ANYTHING}{_EDGE}{core}",)
        for regex in (core, *inside) if core else ():
            yield PolicyRule(decision, priority, tool=tools[0], command_regex=regex)
    elif rule.tool in {"Read", "Edit"}:
        core = path_core(rule.pattern)
        if core:
            pattern = f'"({_FILE_KEYS})":("|"[^"]*/){core}'
            yield from (PolicyRule(decision, priority, tool=tool, args_pattern=pattern) for tool in tools)
            # Claude Code also looks at the files that a command reads or redirects into.
            before = f"{_ANYTHING}>{_ANYTHING}" if rule.tool == "Edit" else f"{_ANYTHING}{_EDGE_OF_PATH}"
            regex = f"{before}{core.removesuffix(_PATH_END)}{_EDGE}"
            yield PolicyRule(decision, priority, tool="run_shell_command", command_regex=regex)
    elif rule.tool == "WebFetch" and rule.pattern.startswith("domain:"):
        host = rule.pattern.removeprefix("domain:").strip().lower().removeprefix("*.")
        regex = "".join(_either_case(character) for character in host).replace(r"\*", "[^/]*")
        yield PolicyRule(decision, priority, tool="web_fetch", args_pattern=regex)


def _commands_on_any_file(rule: PermissionRule) -> Iterator[PolicyRule]:
    """What a rule for all files says about commands: redirections, and for `Read` those that show files."""
    decision, priority = _DECISIONS[rule.effect]
    names = ("cat", "head", "tail", "sed", "grep", "less", "more", "wc", "diff", "stat", "ls", "cd")
    regexes = [f"{_ANYTHING}>"] if rule.tool in {"Read", "Edit"} else []
    if rule.tool == "Read":
        regexes += [f"{_ANYTHING}<", f"({'|'.join(names)}) ", f"{_ANYTHING}{_EDGE}({'|'.join(names)}) "]
    yield from (PolicyRule(decision, priority, tool="run_shell_command", command_regex=regex) for regex in regexes)


def _either_case(character: str) -> str:
    lower, upper = character.lower(), character.upper()
    return f"[{lower}{upper}]" if lower != upper else _portable(re.escape(character))


def _server_restrictions(rule: PermissionRule, servers: Mapping[str, str]) -> Iterator[PolicyRule]:
    decision, priority = _DECISIONS[rule.effect]
    server, _, tool = rule.tool.removeprefix("mcp__").partition("__")
    if "*" in server or not rule.tool.startswith("mcp__"):
        yield PolicyRule(decision, priority, server="*", tool="*")
        return
    name = servers.get(server) or server.replace("_", "-")
    exact = re.fullmatch(r"[A-Za-z0-9_.:-]+", tool) is not None and rule.pattern is None
    yield PolicyRule(decision, priority, server=name, tool=tool if exact else "*")


def _portable(pattern: str) -> str:
    """Python escapes more than a JavaScript pattern needs."""
    return re.sub(r"\\([ \-/:=@%,&~#'\"!`])", r"\1", pattern)


def command_core(pattern: str) -> str:
    """A pattern for the words of a command rule, wherever they stand; stars reach as far as they can."""
    text = pattern.strip()
    is_open = text.endswith((" *", ":*"))
    text = text[:-2].rstrip() if is_open else text
    words = [word for word in re.split(r"\s+", text) if word]
    while words and not words[0].strip("*"):
        # The words behind it are looked for wherever they stand.
        del words[0]
    if not any(character.isalnum() for word in words for character in word):
        return ""
    joined = r"[^A-Za-z0-9_]+".join(_word(word) for word in words)
    return joined if text.endswith("*") else f"{joined}{_EDGE}"


def _word(word: str) -> str:
    quoted = word.replace("\\*", "*")
    return _ANYTHING.join(_json_escaped(piece) for piece in quoted.split("*"))


def _json_escaped(text: str) -> str:
    import json

    return _portable(re.escape(json.dumps(text, ensure_ascii=False)[1:-1]))


def path_core(pattern: str) -> str:
    """A pattern for the end of a path that a gitignore line covers, at any depth."""
    text = re.sub(r"^(?://|~/|\./|/|(?:\.\./)+)", "", pattern.strip())
    text = re.sub(r"^(?:\*\*/)+", "", text)
    if not text or text.startswith("!") or text in {"*", "**"}:
        return ""
    text = text.removesuffix("/**").rstrip("/")
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]*\])", text)
    regex = "".join(_glob_piece(piece) for piece in pieces)
    # A folder is covered with all that is below it, and so is its own name, by which it is listed.
    return f"{regex}{_PATH_END}"


def _glob_piece(piece: str) -> str:
    if piece in {"**/", "**"}:
        return '[^"]*'
    if piece == "*":
        return '[^"/]*'
    if piece == "?" or piece.startswith("["):
        return '[^"/]'
    return _json_escaped(piece)
