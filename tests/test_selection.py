"""Which tools are offered, and what the others answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sightline.config.schema import ServerSettings
from sightline.contract import Evidence, Outcome
from sightline.errors import ErrorKind, SettingsError
from sightline.selection import Selection, select_tools
from sightline.tool import AnyTool, Call, Hints, Tool, ToolInput, record
from tests.support.apps import app_over


@record
class Nothing:
    """An answer without fields."""


async def run(_service: Any, _call: Call, _args: ToolInput) -> Outcome[Nothing]:
    return Outcome(output=Nothing(), evidence=Evidence(method="self"))


def render(_output: Nothing) -> str:
    return "nothing"


def tool(name: str, toolset: str = "code", *, read_only: bool = True, aliases: tuple[str, ...] = ()) -> AnyTool:
    return Tool(
        name=name,
        title=name,
        description=name,
        toolset=toolset,
        input=ToolInput,
        output=Nothing,
        run=run,
        render=render,
        hints=Hints(read_only=read_only),
        aliases=aliases,
    )


TOOLS = (
    tool("look", aliases=("peek",)),
    tool("change", read_only=False, aliases=("alter",)),
    tool("read", "docs"),
    tool("status", "always"),
)


def names(selection: Selection) -> list[str]:
    return [each.name for each in selection.offered]


def select(**settings: Any) -> Selection:
    return select_tools(TOOLS, ServerSettings(**settings))


def test_all_tools_are_offered_in_their_order_by_default() -> None:
    assert names(select()) == ["look", "change", "read", "status"]
    assert select().hidden == {}


@pytest.mark.parametrize(
    ("settings", "offered", "setting", "kind"),
    [
        ({"read_only": True}, ["look", "read", "status"], "server.read_only", ErrorKind.READ_ONLY),
        ({"toolsets": ("docs",)}, ["read", "status"], "server.toolsets", ErrorKind.UNSUPPORTED),
        ({"toolsets": ()}, ["status"], "server.toolsets", ErrorKind.UNSUPPORTED),
        ({"tools": ("read", "look")}, ["look", "read", "status"], "server.tools", ErrorKind.UNSUPPORTED),
        ({"exclude_tools": ("look", "status")}, ["change", "read"], "server.exclude_tools", ErrorKind.UNSUPPORTED),
    ],
)
def test_a_hidden_tool_names_the_setting_that_hides_it(
    settings: dict[str, Any], offered: list[str], setting: str, kind: ErrorKind
) -> None:
    selection = select(**settings)
    assert names(selection) == offered
    assert set(selection.hidden) == {each.name for each in TOOLS} - set(offered)
    for name, refusal in selection.hidden.items():
        assert refusal.kind is kind
        assert f"`{name}`" in refusal.message
        assert setting in refusal.message
        assert [step.kind for step in refusal.next_steps] == ["config"]


def test_a_write_that_is_chosen_by_name_stays_hidden_when_read_only() -> None:
    assert select(read_only=True, tools=("change",)).hidden["change"].kind is ErrorKind.READ_ONLY


def test_excluding_beats_choosing() -> None:
    assert names(select(tools=("look",), exclude_tools=("look",))) == ["status"]


def test_a_tool_is_found_by_its_former_name_also_when_it_is_hidden() -> None:
    selection = select(read_only=True)
    assert selection.find("alter") is TOOLS[1]
    assert selection.find("peek") is TOOLS[0]
    assert selection.find("nothing like it") is None


def test_a_tool_is_excluded_by_its_former_name() -> None:
    assert "look" not in names(select(exclude_tools=("peek",)))


def test_a_tool_is_chosen_by_its_former_name() -> None:
    assert names(select(tools=("peek",))) == ["look", "status"]


@pytest.mark.parametrize("key", ["tools", "exclude_tools"])
def test_an_unknown_tool_is_refused_with_the_nearest(key: str) -> None:
    with pytest.raises(SettingsError, match=f"`server.{key}`: `chnge`") as caught:
        select(**{key: ("look", "chnge")})
    assert caught.value.hint == "did you mean `change`?"


def test_an_unknown_tool_like_no_other_is_refused_with_the_way_to_the_list() -> None:
    with pytest.raises(SettingsError) as caught:
        select(tools=("zzz",))
    assert caught.value.hint == "`sightline tools` lists them"


@pytest.mark.anyio
async def test_a_hidden_tool_that_is_called_often_keeps_no_frames_of_the_calls(tmp_path: Path) -> None:
    async with app_over(tmp_path, tmp_path, server__exclude_tools=["check_types"]) as app:
        for _ in range(20):
            assert not (await app.boundary.call("check_types", {"path": "."})).ok
        kept, traceback = 0, app.selection.hidden["check_types"].__traceback__
    while traceback is not None:
        kept, traceback = kept + 1, traceback.tb_next
    assert kept <= 2
