"""Gemini CLI, asked with `mcp list` and `skills list`. Known from 0.61.0.

Both connect to every server: they get none that exists. No command tells what policies and hooks would do; what the
CLI cannot read of them it complains about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sightline.sync.formats import jsonc
from sightline.sync.formats.values import KeyPath, Missing, Value
from sightline.sync.outputs import TargetPlaces
from sightline.sync.targets.gemini import GeminiPlaces
from sightline.sync.verifying.asking import Cli, plain
from sightline.sync.verifying.checker import list_in, missing, table_in
from sightline.sync.verifying.neutral import Neutral, edited
from sightline.sync.verifying.results import Finding
from sightline.sync.verifying.trial import Trial, TrialRoot
from sightline.sync.verifying.wanted import Wanted

_OWN = ("settings.json", "agents/*.md", "commands/**/*.toml", "skills/*/SKILL.md")
_SERVER = re.compile(r"^\S+ (?P<name>[^:\s]+): (?P<address>.*?)\s+\((?P<kind>\w+)\) - (?P<state>.*)$", re.MULTILINE)
_REFERENCE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_SKILL = re.compile(r"^(\S+) \[(?:Enabled|Disabled)\]", re.MULTILINE)
_COMPLAINT = re.compile(
    r"^.*(?:Agent loading error|Failed to load agent|Error in policy|[Pp]olicy .*(?:error|invalid|ignored)).*$",
    re.MULTILINE,
)


class GeminiChecker:
    """The check for Gemini CLI."""

    versions = ("0.61.",)

    def roots(self, places: TargetPlaces) -> tuple[TrialRoot, ...]:
        own = GeminiPlaces.of(places)
        project = ("GEMINI.md", *(f".gemini/{name}" for name in _OWN), ".agents/skills/*/SKILL.md")
        return (
            TrialRoot(own.user, "home/.gemini", ("GEMINI.md", *_OWN, "policies/*.toml")),
            TrialRoot(own.home / ".agents", "home/.agents", ("skills/*/SKILL.md",)),
            TrialRoot(places.project, "project", project),
        )

    def harmless(self, wanted: Wanted, trial: Trial, neutral: Neutral) -> dict[Path, bytes]:
        changed = dict(wanted.contents)
        for path, content in wanted.contents.items():
            if path.name == "settings.json":
                document, owned = jsonc.read_value(content), wanted.owned_keys(path)
                found = table_in(None if isinstance(document, Missing) else document)
                quiet = neutral.harmless(content, document, "mcpServers", owned, jsonc)
                changed[path] = edited(quiet, dict(_hook_edits(found.get("hooks"))), jsonc)
        return changed

    def environment(self, wanted: Wanted) -> Mapping[str, str]:
        return {"GEMINI_CLI_TRUST_WORKSPACE": "true"}

    async def check(self, cli: Cli, wanted: Wanted) -> list[Finding]:
        done = await cli.start("mcp", "list")
        text = plain(done.stdout.decode("utf-8", errors="replace") + "\n" + done.stderr)
        findings = list(_servers(text, cli, wanted))
        done = await cli.start("skills", "list")
        text = plain(done.stdout.decode("utf-8", errors="replace") + "\n" + done.stderr)
        findings += missing("skill", _skills(wanted, cli.trial), _SKILL.findall(text))
        complaints = dict.fromkeys(_COMPLAINT.findall(text))
        return [*findings, *(Finding("", cli.trial.shown(line.strip())[:300]) for line in complaints)]


def _hook_edits(hooks: Value) -> Iterator[tuple[KeyPath, Value]]:
    for event, groups in table_in(hooks).items():
        for group_at, group in enumerate(list_in(groups)):
            for at, entry in enumerate(list_in(table_in(group).get("hooks"))):
                if "command" in table_in(entry):
                    yield ("hooks", event, group_at, "hooks", at, "command"), "exit 0"


def _servers(text: str, cli: Cli, wanted: Wanted) -> Iterator[Finding]:
    found = list(_SERVER.finditer(text))
    listed = {match["name"]: (cli.neutral.original(match["address"]), match["kind"]) for match in found}
    meant = {str(each.path[1]): each for each in wanted.values("mcpServers")}
    for name, each in meant.items():
        if name not in listed:
            yield Finding(f"mcpServers.{name}", "the CLI does not list it", each.item_id)
        elif listed[name] != _shown(each.value, cli.environment):
            yield Finding(f"mcpServers.{name}", "the CLI has understood another command or address", each.item_id)
    blocked = {match["name"] for match in found if "Blocked" in match["state"]}
    for each in wanted.values("mcp"):
        if each.value in listed and each.value not in blocked:
            yield Finding("mcp.excluded", f"the CLI does not block `{each.value}`", each.item_id)


def _shown(entry: Value, variables: Mapping[str, str]) -> tuple[str, str]:
    """As the CLI prints a server: a reference is its value in the trial, else its default, else it stays as it is."""
    fields = table_in(entry)
    kind = "stdio" if "command" in fields else "http" if "httpUrl" in fields else str(fields.get("type", "sse"))
    words = [fields.get("command") or fields.get("httpUrl") or fields.get("url"), *list_in(fields.get("args"))]
    text = " ".join(str(word) for word in words)
    return _REFERENCE.sub(lambda match: _value(match, variables), text).strip(), kind


def _value(reference: re.Match[str], variables: Mapping[str, str]) -> str:
    return variables.get(reference[1], reference[0] if reference[2] is None else reference[2])


def _skills(wanted: Wanted, trial: Trial) -> dict[str, str]:
    """Those that the CLI sees from the project's own folder."""
    folders = {root.real / "skills" for root in trial.roots} | {trial.roots[2].real / ".agents/skills"}
    files = (file for file in wanted.files() if file.path.name == "SKILL.md")
    return {file.path.parent.name: next(iter(file.sources), "") for file in files if file.path.parent.parent in folders}
