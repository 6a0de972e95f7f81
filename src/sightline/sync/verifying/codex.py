"""Codex CLI, asked with `mcp list`, `debug prompt-input` and `execpolicy check`. Known from 0.166.0.

The first two reach for servers, and the second starts them: they get none that exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sightline.sync.formats import toml_tables
from sightline.sync.formats.values import KeyPath, Value
from sightline.sync.outputs import OwnedFile, TargetPlaces
from sightline.sync.targets.codex_places import CodexPlaces
from sightline.sync.verifying.asking import Cli, DoesNotStart
from sightline.sync.verifying.checker import differences, list_in, missing, strings, table_in
from sightline.sync.verifying.neutral import Neutral
from sightline.sync.verifying.results import Finding
from sightline.sync.verifying.trial import Trial, TrialRoot
from sightline.sync.verifying.wanted import Wanted

_OWN = (
    "config.toml",
    "hooks.json",
    "rules/*.rules",
    "agents/*.toml",
    "skills/*/SKILL.md",
    "skills/*/agents/openai.yaml",
)
_SKILLS = ("skills/*/SKILL.md", "skills/*/agents/openai.yaml")
_TEXTS = ("AGENTS.md", "AGENTS.override.md")
_TRANSPORT = (
    *("command", "args", "env", "env_vars", "cwd"),
    *("url", "bearer_token_env_var", "http_headers", "env_http_headers", "http_headers_helper"),
)
_TIMES = ("tool_timeout_sec", "startup_timeout_sec")
_MOST_INSTRUCTIONS = 32 * 1024
# Nothing is run, and the helpers of the sandbox, which are in groups of their own, may outlive Codex 0.166.0.
_UNBOXED = ("-c", 'sandbox_mode="danger-full-access"')


class CodexChecker:
    """The check for Codex."""

    versions = ("0.166.",)

    def roots(self, places: TargetPlaces) -> tuple[TrialRoot, ...]:
        own = CodexPlaces.of(places)
        project = (*_TEXTS, *(f".codex/{name}" for name in _OWN), *(f".agents/{name}" for name in _SKILLS))
        return (
            TrialRoot(own.codex_home, "home/.codex", (*_TEXTS, *_OWN)),
            TrialRoot(places.home / ".agents", "home/.agents", _SKILLS),
            TrialRoot(places.project, "project", project),
        )

    def harmless(self, wanted: Wanted, trial: Trial, neutral: Neutral) -> dict[Path, bytes]:
        changed = dict(wanted.contents)
        for path, content in wanted.contents.items():
            if path.name == "config.toml":
                document, owned = toml_tables.read_value(content), wanted.owned_keys(path)
                changed[path] = neutral.harmless(content, document, "mcp_servers", owned, toml_tables)
        # Only a trusted project counts; this trust holds in the trial alone.
        user = trial.roots[0].real / "config.toml"
        key: KeyPath = ("projects", str(trial.project.resolve()), "trust_level")
        changed[user] = toml_tables.set_value(changed.get(user, b""), key, "trusted")
        return changed

    def environment(self, wanted: Wanted) -> Mapping[str, str]:
        return {}

    async def check(self, cli: Cli, wanted: Wanted) -> list[Finding]:
        listed = await cli.start_json("mcp", "list", "--json")
        findings = list(_servers(listed, cli.neutral, wanted))
        shown = await cli.start_json(*_UNBOXED, "debug", "prompt-input", "x")
        prompt = "\n".join(strings(shown))
        findings += _texts(prompt, wanted, cli.trial)
        findings += _skills(prompt, wanted)
        findings += _agents(prompt, wanted)
        for file in wanted.files():
            if file.path.suffix == ".rules":
                findings += await _rules(cli, file)
        return findings


def _servers(listed: Value, neutral: Neutral, wanted: Wanted) -> Iterator[Finding]:
    found = {str(each["name"]): each for each in map(table_in, list_in(listed)) if "name" in each}
    tables: dict[str, tuple[str, dict[str, Value]]] = {}
    for each in wanted.values("mcp_servers"):
        # Codex puts the fields of the project's table over those of the user's.
        _, table = tables.get(str(each.path[1]), ("", {}))
        tables[str(each.path[1])] = each.item_id, {**table, **table_in(each.value)}
    for name, (item_id, table) in tables.items():
        entry = found.get(name)
        if entry is None:
            yield Finding(f"mcp_servers.{name}", "the CLI does not list it", item_id)
            continue
        fields = table_in(entry.get("transport"))
        seen = {key: _original(fields.get(key), neutral) for key in _TRANSPORT}
        seen |= {"enabled": entry.get("enabled"), **{key: entry.get(key) for key in _TIMES}}
        meant = {key: table.get(key) for key in (*_TRANSPORT, *_TIMES)} | {"enabled": table.get("enabled", True)}
        yield from differences(f"mcp_servers.{name}", item_id, meant, seen)


def _original(value: Value, neutral: Neutral) -> Value:
    return neutral.original(value) if isinstance(value, str) else value


def _texts(prompt: str, wanted: Wanted, trial: Trial) -> Iterator[Finding]:
    """The blocks of the files that are read at the start, which are those of the two outermost folders."""
    folders = {trial.roots[0].real, trial.roots[2].real}
    blocks = [block for block in wanted.blocks() if block.path.parent in folders]
    size = sum(len(wanted.contents[block.path]) for block in blocks)
    # A file of the person's own may have Windows line endings, and its block has them, too.
    shown = prompt.replace("\r\n", "\n")
    for block in blocks:
        if block.text.strip().replace("\r\n", "\n") not in shown:
            is_hidden = block.path.with_name("AGENTS.override.md") in wanted.contents
            reason = "`AGENTS.override.md` is read in its place" if is_hidden else "the model does not get all of it"
            cut = " (Codex cuts instructions at 32 KiB)" if size > _MOST_INSTRUCTIONS else ""
            yield Finding(block.path.name, f"{reason}{cut}", next(iter(block.sources), ""))


def _skills(prompt: str, wanted: Wanted) -> list[Finding]:
    files = list(wanted.files())
    manual = {file.path.parent.parent for file in files if file.path.name == "openai.yaml"}
    folders = {file.path.parent: file for file in files if file.path.name == "SKILL.md" and _is_at_root(file, wanted)}
    listed = listed_skills(prompt)
    automatic = {folder.name: _source(file) for folder, file in folders.items() if folder not in manual}
    findings = [] if "not included in the model-visible" in prompt else missing("skill", automatic, listed)
    for folder, file in folders.items():
        if folder in manual and folder.name in listed - set(automatic):
            findings.append(Finding(f"skill {folder.name}", "the model may call it by itself", _source(file)))
    return findings


def _is_at_root(file: OwnedFile, wanted: Wanted) -> bool:
    """Whether Codex sees the skill when it is started in the project's own folder."""
    folder = file.path.parent.parent.parent
    roots = {output.path.parent for output in wanted.rendered.outputs if output.path.name == "config.toml"}
    return folder.name == ".agents" and (file.scope == "user" or folder.with_name(".codex") in roots)


def _source(file: OwnedFile) -> str:
    return next(iter(file.sources), "")


def listed_skills(prompt: str) -> set[str]:
    """The skills that the model may call by itself, without those that Codex brings along."""
    text = prompt.partition("### Available skills")[2].partition("</skills_instructions>")[0]
    found = re.findall(r"^- (\S+): .*\(file: (\S+)/SKILL\.md\)$", text, re.MULTILINE)
    system = re.findall(r"^- `(r\d+)` = `[^`]*/skills/\.system`", prompt, re.MULTILINE)
    return {name for name, place in found if place.partition("/")[0] not in system}


def _agents(prompt: str, wanted: Wanted) -> list[Finding]:
    """Some models have no agents at all; then nothing is said about them."""
    if "Available roles:" not in prompt:
        return []
    meant: dict[str, str] = {}
    for file in wanted.files():
        if file.path.parent.name == "agents" and file.path.suffix == ".toml":
            meant[str(table_in(toml_tables.read_value(file.content)).get("name"))] = _source(file)
    text = prompt.partition("Available roles:")[2]
    return missing("agent", meant, re.findall(r"^(\S[^\n]*): \{$", text, re.MULTILINE))


async def _rules(cli: Cli, file: OwnedFile) -> list[Finding]:
    place = str(cli.trial.place_of(file.path))
    done = await cli.run("execpolicy", "check", "--rules", place, "--", "sightline-trial")
    if done.exit_code != 0:
        raise DoesNotStart(f"`{file.path.name}` is no file of rules for it")
    return []
