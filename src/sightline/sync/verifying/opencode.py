"""OpenCode, asked with `debug config` and `debug skill`, without plugins. Known from 1.18.33, the V1 line.

V2 reads the files of V1, but what it prints is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sightline.sync.formats import jsonc
from sightline.sync.formats.values import Value, is_list, is_mapping
from sightline.sync.outputs import TargetPlaces
from sightline.sync.targets.opencode import OpenCodePlaces
from sightline.sync.targets.opencode_wildcards import merged
from sightline.sync.verifying.asking import Cli
from sightline.sync.verifying.checker import differences, is_same, is_same_order, list_in, missing, table_in
from sightline.sync.verifying.neutral import Neutral
from sightline.sync.verifying.results import Finding
from sightline.sync.verifying.trial import Trial, TrialRoot
from sightline.sync.verifying.wanted import Wanted

_CONFIGS = ("opencode.json", "opencode.jsonc")
_OWN = ("agents/**/*.md", "agent/**/*.md", "commands/**/*.md", "command/**/*.md", "skills/*/SKILL.md", *_CONFIGS)
_FILE = re.compile(rb"\{file:([^}]+)\}")
_VARIABLE = re.compile(r"\{env:([^}]+)\}")


class OpenCodeChecker:
    """The check for OpenCode."""

    versions = ("1.18.",)

    def roots(self, places: TargetPlaces) -> tuple[TrialRoot, ...]:
        project = ("AGENTS.md", *_CONFIGS, *(f".opencode/{name}" for name in _OWN), ".agents/skills/*/SKILL.md")
        return (
            TrialRoot(OpenCodePlaces.of(places).user, "home/.config/opencode", ("AGENTS.md", "config.json", *_OWN)),
            TrialRoot(places.home / ".agents", "home/.agents", ("skills/*/SKILL.md",)),
            TrialRoot(places.project, "project", project),
        )

    def harmless(self, wanted: Wanted, trial: Trial, neutral: Neutral) -> dict[Path, bytes]:
        changed = dict(wanted.contents)
        for path, content in wanted.contents.items():
            if _is_config(path):
                document, owned = jsonc.read_value(content), wanted.owned_keys(path)
                changed[path] = _without_files(neutral.harmless(content, document, "mcp", owned, jsonc), path.parent)
        return changed

    def environment(self, wanted: Wanted) -> Mapping[str, str]:
        """A mark for each variable that some configuration pastes in."""
        texts = (
            content.decode("utf-8", errors="replace") for path, content in wanted.contents.items() if _is_config(path)
        )
        names = {name for text in texts for name in _VARIABLE.findall(text)}
        marks = {name: _mark(name) for name in sorted(names) if re.fullmatch(r"[A-Za-z_]\w*", name)}
        return {**marks, "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}

    async def check(self, cli: Cli, wanted: Wanted) -> list[Finding]:
        found = table_in(await cli.start_json("debug", "config", "--pure"))
        findings = [*_servers(found, cli, wanted), *_permissions(found, wanted, cli.trial)]
        for key, folder in (("agent", "agents"), ("command", "commands")):
            findings += missing(key, _names(wanted, folder), table_in(found.get(key)))
        skills = await cli.start_json("debug", "skill", "--pure")
        names = [str(table_in(each).get("name")) for each in list_in(skills)]
        return [*findings, *missing("skill", _skills(wanted, cli.trial), names)]


def _without_files(content: bytes, folder: Path) -> bytes:
    """Something else for the files that are pasted in: they are not in the trial. One that is missing is left to it."""

    def replaced(match: re.Match[bytes]) -> bytes:
        name = match[1].decode("utf-8", errors="replace")
        is_there = name.startswith("~") or (folder / name).is_file()
        return b"sightline-content-of-a-file" if is_there else match[0]

    return _FILE.sub(replaced, content)


def _is_config(path: Path) -> bool:
    return path.name in {*_CONFIGS, "config.json"}


def _mark(name: str) -> str:
    return f"sightline-value-of-{name}"


def _pasted(value: Value, variables: Mapping[str, str]) -> Value:
    """As OpenCode reads it: with the values that the variables have in the trial."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: variables.get(match[1], ""), value)
    if is_mapping(value):
        return {key: _pasted(each, variables) for key, each in value.items()}
    return [_pasted(each, variables) for each in value] if is_list(value) else value


def _original(value: Value, neutral: Neutral) -> Value:
    if isinstance(value, str):
        return neutral.original(value)
    if is_mapping(value):
        return {key: _original(each, neutral) for key, each in value.items()}
    return [_original(each, neutral) for each in value] if is_list(value) else value


def _servers(config: Mapping[str, Value], cli: Cli, wanted: Wanted) -> Iterator[Finding]:
    listed = table_in(config.get("mcp"))
    tables: dict[str, tuple[str, Value]] = {}
    for each in wanted.values("mcp"):
        name = str(each.path[1])
        _, table = tables.get(name, ("", {}))
        tables[name] = each.item_id, merged(table, each.value)
    for name, (item_id, table) in tables.items():
        found = listed.get(name)
        meant = _pasted(table, cli.environment)
        if not is_mapping(found) or not is_mapping(meant):
            yield Finding(f"mcp.{name}", "the CLI does not list it", item_id)
            continue
        yield from differences(f"mcp.{name}", item_id, meant, table_in(_original(found, cli.neutral)))


def _permissions(config: Mapping[str, Value], wanted: Wanted, trial: Trial) -> Iterator[Finding]:
    """Whether the rules of all files come out in the order in which we have merged them."""
    meant: Value = {}
    for folder in (trial.roots[0].real, trial.roots[2].real, trial.roots[2].real / ".opencode"):
        for name in reversed(("opencode.jsonc", "opencode.json")):
            content = wanted.contents.get(folder / name)
            rules = jsonc.get_value(content, ("permission",)) if content is not None else None
            if isinstance(rules, str):
                return  # one word for everything: OpenCode spells it out in its own way
            if is_mapping(rules):
                meant = merged(meant, rules)
    found = config.get("permission") or {}
    if not is_same(meant, found) or not is_same_order(meant, found):
        source = next((each.item_id for each in wanted.values("permission")), "")
        yield Finding("permission", "OpenCode has other rules, or has them in another order", source)


def _names(wanted: Wanted, folder: str) -> dict[str, str]:
    """The names that the files of a folder give, with the folders below it in front."""
    names: dict[str, str] = {}
    for file in wanted.files():
        parts = file.path.parts
        if file.path.suffix == ".md" and folder in parts and "skills" not in parts:
            start = len(parts) - 1 - parts[::-1].index(folder)
            names["/".join((*parts[start + 1 : -1], file.path.stem))] = next(iter(file.sources), "")
    return names


def _skills(wanted: Wanted, trial: Trial) -> dict[str, str]:
    folders = {trial.roots[1].real / "skills", trial.roots[2].real / ".agents/skills"}
    files = (file for file in wanted.files() if file.path.name == "SKILL.md")
    return {file.path.parent.name: next(iter(file.sources), "") for file in files if file.path.parent.parent in folders}
