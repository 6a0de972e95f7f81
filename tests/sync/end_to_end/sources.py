"""Generated sources: artefacts of every kind and scope, each with a word of its own in all that it says.

That word (`marker`) is what a trace of the artefact would show. Artefacts are put together into files by `files_of`,
so that one of them can be taken away as a person would: its file, its entry, its paragraph.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.sync.end_to_end.desk import Files

Path = tuple[str, ...]
Place = Mapping[str, str]

HOME = "home"


@dataclass(frozen=True, slots=True)
class Artefact:
    """What it adds: whole files, a paragraph of a text, a value under a path of a JSON file, an element of a list."""

    kind: str
    marker: str
    files: Files = field(default_factory=dict[str, tuple[bytes, int]])
    paragraphs: Mapping[str, str] = field(default_factory=dict[str, str])
    entries: Sequence[tuple[str, Path, Any]] = ()
    elements: Sequence[tuple[str, Path, Any]] = ()


def files_of(artefacts: Iterable[Artefact]) -> Files:
    """All of them together, as Claude Code would find them."""
    whole: dict[str, tuple[bytes, int]] = {}
    texts: dict[str, list[str]] = {}
    tables: dict[str, dict[str, Any]] = {f"{HOME}/.claude/settings.json": {"enableAllProjectMcpServers": True}}
    for each in artefacts:
        whole.update(each.files)
        for name, text in each.paragraphs.items():
            texts.setdefault(name, []).append(text)
        for name, path, value in each.entries:
            _table(tables.setdefault(name, {}), path[:-1])[path[-1]] = value
        for name, path, value in each.elements:
            _table(tables.setdefault(name, {}), path[:-1]).setdefault(path[-1], []).append(value)
    whole.update({name: ("\n\n".join(parts).encode(), 0o644) for name, parts in texts.items()})
    whole.update({name: (json.dumps(table, indent=2).encode(), 0o644) for name, table in tables.items()})
    return whole


def _table(table: dict[str, Any], path: Path) -> dict[str, Any]:
    for name in path:
        table = table.setdefault(name, {})
    return table


PLAIN = st.sampled_from(["", "one", "two words", "Ünï ☃", "it's", 'a "quoted" word', "back\\slash", "100 %"])
PROSE = st.sampled_from(
    [
        "Be kind.",
        "- a list\n- of two",
        "```sh\necho '@docs/x.md' # not an import\n```",
        "Costs \\$5, first is $1, all is $ARGUMENTS and `$0`.",
        "<!-- for people -->\nAfter a comment.",
        "Quotes ''' and \"\"\" and \\ and {{args}} and {env:HOME} and ${TEAM}.",
        "<!-- sync:codex-only -->\nCodex alone.\n<!-- sync:end -->",
        "<!-- sync:exclude -->\nNobody.\n<!-- sync:end -->",
        "<!-- sightline:begin x -->\nnot a mark of ours",
        "[table]\nkey = 1\n---\n# heading",
        "Windows\r\nlines\r\n",
        "Run !`git status` and read @README.md now.",
        "trailing blanks   \n\n\n",
    ]
)
SHORT = st.sampled_from(
    ["plain", "With Space", "dots.in", "under_score", "Ünï", "UPPER", "-dash", "it's", "a+b", "con"]
)
TEMPLATES = st.sampled_from(["", "x", "${TEAM}", "${TEAM:-core}", "a-${TEAM}-b", "$HOME", "two words", "é\"'\\"])
PROJECT_SCOPES = ("project", "local", "user")


def _name(draw: st.DrawFn, marker: str) -> str:
    return f"{draw(SHORT)}{draw(st.sampled_from(['-', ' ', '_', '']))}{marker}"


def _claude(scope: str, project: str) -> str:
    return f"{HOME}/.claude" if scope == "user" else f"{project}/.claude"


def _settings(scope: str, project: str) -> str:
    return f"{_claude(scope, project)}/settings{'.local' if scope == 'local' else ''}.json"


@st.composite
def _server(draw: st.DrawFn, marker: str, project: str) -> Artefact:
    name, scope = _name(draw, marker), draw(st.sampled_from(PROJECT_SCOPES))
    file, path = {
        "project": (f"{project}/.mcp.json", ("mcpServers", name)),
        "user": (f"{HOME}/.claude.json", ("mcpServers", name)),
        "local": (f"{HOME}/.claude.json", ("projects", f"/ROOT/{project}", "mcpServers", name)),
    }[scope]
    return Artefact("mcp", marker, entries=[(file, path, draw(_entry(marker)))])


@st.composite
def _entry(draw: st.DrawFn, marker: str) -> dict[str, Any]:
    kind = draw(st.sampled_from(["stdio", "", "http", "streamable-http", "sse", "ws"]))
    entry: dict[str, Any] = {"type": kind} if kind else {}
    if kind in ("stdio", ""):
        entry["command"] = f"{draw(TEMPLATES)}{marker}"
        entry["args"] = [f"{draw(TEMPLATES)}{marker}" for _ in range(draw(st.integers(0, 2)))]
        entry["env"] = draw(st.sampled_from([{}, {"API_TOKEN": "${API_TOKEN}"}, {"MODE": marker, "T": "${TEAM}"}]))
        entry |= draw(st.sampled_from([{}, {"cwd": f"tools/{marker}"}]))
    else:
        entry["url"] = draw(st.sampled_from([f"https://{marker}.example.com/mcp", "https://${TEAM}.example.com"]))
        header = draw(st.sampled_from(["Bearer ${API_TOKEN}", "${API_TOKEN}", "x-${TEAM}"]))
        entry["headers"] = draw(st.sampled_from([{}, {"Authorization": header}, {"X-Team": header, "X-Own": marker}]))
        entry |= draw(st.sampled_from([{}, {"oauth": {"clientId": marker}}, {"headersHelper": f"./{marker}.sh"}]))
    return entry | draw(st.sampled_from([{}, {"timeout": 90_000}, {"alwaysLoad": True}, {"novel": [marker]}]))


@st.composite
def _skill(draw: st.DrawFn, marker: str, project: str) -> Artefact:
    scope, name = draw(st.sampled_from(("project", "user"))), _name(draw, marker)
    top = f"{project}/web/.claude" if scope == "project" and draw(st.integers(0, 4)) == 0 else _claude(scope, project)
    fields = draw(
        st.sampled_from(
            [
                "",
                "disable-model-invocation: true\n",
                f"allowed-tools: Bash(git {marker} *)\nmodel: opus\n",
                "user-invocable: no\narguments: one two\n",
                f"novel-{marker}: 1\n",
            ]
        )
    )
    head = f"---\ndescription: {json.dumps(f'{draw(PLAIN)} {marker}')}\n{fields}---\n"
    files: dict[str, tuple[bytes, int]] = {
        f"{top}/skills/{name}/SKILL.md": (f"{head}{draw(PROSE)}\n{marker}\n".encode(), 0o644)
    }
    for number in range(draw(st.integers(0, 2))):
        inner = draw(st.sampled_from([f"scripts/{marker}.sh", "deep/er/data.bin", "notes with blanks.md"]))
        content = draw(st.sampled_from([b"#!/bin/sh\n", b"\x00\xff\xfe", b"", b"\xef\xbb\xbfx\r\n"]))
        files[f"{top}/skills/{name}/{number}{inner}"] = (
            content + marker.encode(),
            draw(st.sampled_from([0o644, 0o755])),
        )
    return Artefact("skill", marker, files)


@st.composite
def _command(draw: st.DrawFn, marker: str, project: str) -> Artefact:
    top = _claude(draw(st.sampled_from(("project", "user"))), project)
    folder = draw(st.sampled_from(["", "db/", "deep/er/", "With Space/"]))
    head = draw(st.sampled_from(["", f"---\ndescription: do {marker}\nargument-hint: [id]\n---\n"]))
    text = f"{head}{draw(PROSE)}\n{marker}\n"
    return Artefact("command", marker, {f"{top}/commands/{folder}{_name(draw, marker)}.md": (text.encode(), 0o644)})


@st.composite
def _agent(draw: st.DrawFn, marker: str, project: str) -> Artefact:
    top = _claude(draw(st.sampled_from(("project", "user"))), project)
    lines = [
        f"name: {json.dumps(_name(draw, marker))}",
        f"description: {json.dumps(f'{draw(PLAIN)} {marker}')}",
        *draw(
            st.lists(
                st.sampled_from(
                    [
                        "tools: Read, Grep",
                        "color: blue",
                        "model: sonnet",
                        "permissionMode: plan",
                        "maxTurns: 7",
                        "effort: max",
                        f"novel: {marker}",
                    ]
                ),
                max_size=3,
                unique=True,
            )
        ),
    ]
    text = "---\n" + "\n".join(lines) + f"\n---\n{draw(PROSE)}\n{marker}\n"
    return Artefact("agent", marker, {f"{top}/agents/{_name(draw, marker)}.md": (text.encode(), 0o644)})


@st.composite
def _rule(draw: st.DrawFn, marker: str, project: str) -> Artefact:
    top = _claude(draw(st.sampled_from(("project", "user"))), project)
    head = draw(st.sampled_from(["", "---\npaths: web/**\n---\n", '---\npaths:\n  - "src/**/*.{ts,js}"\n---\n']))
    text = f"{head}{draw(PROSE)}\n{marker}\n"
    return Artefact("rule", marker, {f"{top}/rules/{_name(draw, marker)}.md": (text.encode(), 0o644)})


@st.composite
def _instructions(draw: st.DrawFn, marker: str, project: str) -> Artefact:
    places = [
        f"{HOME}/.claude/CLAUDE.md",
        f"{project}/CLAUDE.md",
        f"{project}/.claude/CLAUDE.md",
        f"{project}/CLAUDE.local.md",
        f"{project}/web/CLAUDE.md",
        f"{project}/CLAUDE.gemini.md",
        "work/CLAUDE.md",
    ]
    place = draw(st.sampled_from(places))
    text = f"{draw(PROSE)}\n{marker}"
    if draw(st.booleans()):
        return Artefact("instructions", marker, paragraphs={place: text})
    folder = place.rpartition("/")[0]
    files = {f"{folder}/docs/{marker}.md": (f"{text}\n".encode(), 0o644)}
    return Artefact("instructions", marker, files, {place: f"See:\n\n@docs/{marker}.md"})


@st.composite
def _permission(draw: st.DrawFn, marker: str, project: str) -> Artefact:
    effect = draw(st.sampled_from(["allow", "ask", "deny"]))
    rule = draw(
        st.sampled_from(
            [
                f"Bash({marker} *)",
                f"Bash({marker})",
                f"Bash(git {marker}:*)",
                f"Bash(x * {marker})",
                f"Read(./{marker}/**)",
                f"Read(~/{marker})",
                f"Edit(//etc/{marker})",
                f"WebFetch(domain:{marker}.example)",
                f"mcp__files__{marker}",
                f'Bash(echo "it\'s" {marker}*)',
            ]
        )
    )
    file = _settings(draw(st.sampled_from(PROJECT_SCOPES)), project)
    return Artefact("permission", marker, elements=[(file, ("permissions", effect), rule)])


@st.composite
def _hook(draw: st.DrawFn, marker: str, project: str) -> Artefact:
    event = draw(st.sampled_from(["PreToolUse", "PostToolUse", "Stop", "SessionStart", "Notification", "Novel"]))
    hook: dict[str, Any] = draw(
        st.sampled_from(
            [
                {"type": "command", "command": f'./{marker}.sh --say "it\'s"', "timeout": 30},
                {"type": "command", "command": marker, "async": True, "statusMessage": marker},
                {"type": "http", "url": f"https://{marker}.example.com"},
                {"type": "mcp_tool", "server": "files", "tool": marker},
                {"type": "prompt", "prompt": f"Is {marker} safe?"},
            ]
        )
    )
    group = {"matcher": draw(st.sampled_from(["Bash", "Edit|Write", "*", "mcp__.*"])), "hooks": [hook]}
    file = _settings(draw(st.sampled_from(PROJECT_SCOPES)), project)
    return Artefact("hook", marker, elements=[(file, ("hooks", event), group)])


@st.composite
def _plugin(draw: st.DrawFn, marker: str, project: str) -> Artefact:
    del project
    name, root = f"kit{marker}", f"{HOME}/.claude/plugins/cache/market/{marker}"
    server = {"mcpServers": {"s": {"command": f"${{CLAUDE_PLUGIN_ROOT}}/{marker}"}}}
    files: dict[str, tuple[bytes, int]] = {
        f"{root}/skills/brew/SKILL.md": (f"---\ndescription: {marker}\n---\n{draw(PROSE)}\n".encode(), 0o644),
        f"{root}/commands/steep.md": (f"Steep {marker} $ARGUMENTS.\n".encode(), 0o644),
        f"{root}/agents/taster.md": (f"---\nname: taster\ndescription: {marker}\n---\nTaste.\n".encode(), 0o644),
        f"{root}/.mcp.json": (json.dumps(server).encode(), 0o644),
    }
    installed = [{"scope": "user", "installPath": f"/ROOT/{root}", "version": "1"}]
    entries = [
        (f"{HOME}/.claude/settings.json", ("enabledPlugins", f"{name}@market"), draw(st.booleans())),
        (f"{HOME}/.claude/plugins/installed_plugins.json", ("plugins", f"{name}@market"), installed),
    ]
    return Artefact("plugin", marker, files, entries=entries)


Maker = Callable[[str, str], st.SearchStrategy[Artefact]]
KINDS: Mapping[str, Maker] = {
    "mcp": _server,
    "skill": _skill,
    "command": _command,
    "agent": _agent,
    "rule": _rule,
    "instructions": _instructions,
    "permission": _permission,
    "hook": _hook,
    "plugin": _plugin,
}


@st.composite
def sources(
    draw: st.DrawFn, project: str = "work/shop", *, first: int = 0, min_size: int = 1, max_size: int = 7
) -> list[Artefact]:
    """Artefacts of random kinds; markers count from `first`."""
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=min_size, max_size=max_size))
    return [draw(KINDS[kind](f"zq{first + number}qz", project)) for number, kind in enumerate(kinds)]


def at(folder: str, files: Files) -> Files:
    """With absolute paths made right."""
    return {name: (content.replace(b"/ROOT", folder.encode()), mode) for name, (content, mode) in files.items()}
