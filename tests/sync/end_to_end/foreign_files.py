"""Generated target files of other people, with formatting of their own and, at times, keys beside or in our places."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from sightline.sync.formats.jsonc import read_value
from sightline.sync.formats.values import Missing
from tests.sync.end_to_end.desk import Desk
from tests.sync.formats.foreign_jsonc import foreign_jsonc
from tests.sync.formats.foreign_toml import foreign_toml
from tests.sync.formats.owned_edits import is_subsequence

TOML_FILES = ("home/.codex/config.toml", "work/shop/.codex/config.toml")
JSON_FILES = (
    "home/.gemini/settings.json",
    "work/shop/.gemini/settings.json",
    "home/.config/opencode/opencode.json",
    "work/shop/opencode.json",
)
TEXT_FILES = (
    "home/.codex/AGENTS.md",
    "home/.gemini/GEMINI.md",
    "home/.config/opencode/AGENTS.md",
    "work/shop/AGENTS.md",
    "work/shop/GEMINI.md",
    "work/shop/web/AGENTS.md",
)
OTHER_FILES = (
    "home/.agents/skills/own/SKILL.md",
    "home/.gemini/policies/own.toml",
    "work/shop/.agents/skills/own/SKILL.md",
    "work/shop/.codex/agents/own.toml",
    "work/shop/.gemini/commands/db/own.toml",
    "work/shop/.opencode/agents/own.md",
    "work/shop/web/own.txt",
)
_TOML = st.sampled_from(
    [
        b'# mine\nmodel = "o"   # why\n\n[mcp_servers.own]\ncommand = "own"\n# last\n',
        b'\xef\xbb\xbfmodel = "o"\r\n\r\n[mcp_servers]\r\n\r\n[mcp_servers.own]\r\nurl = "https://own.example"\r\n',
        b'mcp_servers.own.command = "own"\n[tools]\nweb_search = true',
        b'mcp_servers = { own = { command = "own" } } # inline\n',
        b"",
    ]
)
_JSON = st.sampled_from(
    [
        b'{\n\t// mine\n\t"mcpServers": { "own": { "command": "own" }, }, /* why */\n\t"theme": "x"\n}\n',
        b'{"mcp":{"own":{"type":"local","command":["own"]}},"permission":{"bash":"ask"}}',
        b'\xef\xbb\xbf{\r\n  "mcp": {},\r\n  "hooks": {"BeforeTool": []} // mine\r\n}',
        b"{ }",
        b"",
    ]
)
_TEXT = st.sampled_from(
    [
        b"",
        b"mine",
        b"# Mine\r\n\r\nKeep me.\r\n",
        b"\xef\xbb\xbf# Mine\n",
        b"\n\n\n",
        b"```\nopen fence",
        b"a\n<!-- x -->\n",
    ]
)


@st.composite
def foreign_files(draw: st.DrawFn) -> dict[str, tuple[bytes, int]]:
    """Some of the files that other people have, by name, with content and mode."""
    found: dict[str, bytes] = {}
    for names, contents in (
        (TOML_FILES, _TOML | foreign_toml().map(lambda pair: pair[0])),
        (JSON_FILES, _JSON | foreign_jsonc().map(lambda pair: pair[0])),
        (TEXT_FILES, _TEXT),
        (OTHER_FILES, st.binary(max_size=8)),
    ):
        chosen = draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
        found |= {name: draw(contents) for name in chosen}
    return {name: (content, draw(st.sampled_from([0o644, 0o600, 0o640]))) for name, content in found.items()}


def check_foreign(desk: Desk, foreign: Mapping[str, tuple[bytes, int]]) -> None:
    """Each foreign file still has its mode, its characters in their order, and its values under their keys."""
    for name, (content, mode) in foreign.items():
        path = desk.folder / name
        now = path.read_bytes()
        assert path.stat().st_mode & 0o777 == mode, f"mode of {name}"
        if name in OTHER_FILES:
            assert now == content, name
            continue
        assert is_subsequence(content.decode(), now.decode()), f"{name}: {content!r} is not in {now!r}"
        assert _is_within(_values(name, content), _values(name, now)), f"{name}: {content!r} became {now!r}"


def _values(name: str, content: bytes) -> Any:
    if name in TOML_FILES:
        return tomllib.loads(content.decode("utf-8-sig"))
    if name in JSON_FILES:
        value = read_value(content)
        return {} if isinstance(value, Missing) else value
    return {}


def _is_within(part: Any, whole: Any) -> bool:
    """Whether every key of the part is in the whole with the same value; tables may have more."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and _is_within(value, whole[key])  # pyright: ignore[reportUnknownArgumentType] - parsed data
            for key, value in part.items()  # pyright: ignore[reportUnknownVariableType] - parsed data
        )
    return _text(part) == _text(whole)


def _text(value: Any) -> str:
    """Comparable also for values that are not equal to themselves."""
    return json.dumps(value, default=repr)
