"""One form of report for every server, whether it is asked, publishes by itself, or has commands of its own."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.file_changes import FileChanges, TreeFilter
from sightline.lsp.connection import RequestTimedOut
from sightline.lsp.reports import mode_of, report_of
from sightline.lsp.server_spec import DiagnosticsForm, ReadySignal
from sightline.lsp.session import Launch
from sightline.lsp.workspace import Workspace
from tests.lsp.fake_sessions import LONG_S, launch_fake, running_session, workspace_over
from tests.servers import recipe_server

NO_TIME_S = 0.1


def launch_recipes(root: Path, form: DiagnosticsForm, *arguments: str) -> Launch:
    """The scripted server that finds something."""
    launch = launch_fake(root)
    spec = replace(launch.spec, diagnostics=form, needs_open=True, ready=ReadySignal())
    return replace(launch, spec=spec, command=[sys.executable, "-S", recipe_server.__file__, *arguments])


@asynccontextmanager
async def over(launch: Launch) -> AsyncGenerator[Workspace]:
    which = TreeFilter(is_source=lambda name: name.endswith(".py"), is_skipped=lambda entry: False)
    files = FileChanges(launch.root, which)
    async with running_session(launch) as session:
        try:
            yield workspace_over(session, files)
        finally:
            files.close()


def burning(root: Path) -> str:
    path = root / "a.py"
    path.write_text("boil\nburn\n")
    return str(path)


@pytest.mark.parametrize(("arguments", "mode"), [((), "push"), (("--pull", "full"), "pull")])
async def test_what_a_server_offers_decides_where_nothing_is_said(
    tmp_path: Path, arguments: tuple[str, ...], mode: str
) -> None:
    async with over(launch_recipes(tmp_path, DiagnosticsForm(settle_s=0.1), *arguments)) as workspace:
        assert mode_of(workspace) == mode
        report = await report_of(workspace, burning(tmp_path), None, LONG_S)

    assert [each["range"]["start"]["line"] for each in report["items"]] == [1]


async def test_a_report_without_a_kind_is_a_full_one(tmp_path: Path) -> None:
    async with over(launch_recipes(tmp_path, DiagnosticsForm(mode="pull"), "--pull", "")) as workspace:
        report = await report_of(workspace, burning(tmp_path), None, LONG_S)

    assert report["kind"] == "full"


async def test_a_document_that_is_open_already_is_published_again(tmp_path: Path) -> None:
    path = burning(tmp_path)
    async with over(launch_recipes(tmp_path, DiagnosticsForm(mode="push", settle_s=0.1))) as workspace:
        reports = [await report_of(workspace, path, None, LONG_S) for _ in range(2)]

    assert reports[0] == reports[1]
    assert len(reports[0]["items"]) == 1


async def test_a_version_that_is_promised_and_does_not_come_is_no_answer(tmp_path: Path) -> None:
    form = DiagnosticsForm(mode="push", has_version=True, settle_s=0.0)
    async with over(launch_recipes(tmp_path, form)) as workspace:
        with pytest.raises(RequestTimedOut):
            await report_of(workspace, burning(tmp_path), None, NO_TIME_S)


async def test_the_last_result_is_named_so_that_the_server_may_say_unchanged(tmp_path: Path) -> None:
    launch = launch_fake(tmp_path)
    form = DiagnosticsForm(mode="pull")
    async with over(replace(launch, spec=replace(launch.spec, diagnostics=form))) as workspace:
        first = await report_of(workspace, burning(tmp_path), None, LONG_S)
        second = await report_of(workspace, burning(tmp_path), "id-1", LONG_S)

    assert "previousResultId" not in first["params"]
    assert second["params"]["previousResultId"] == "id-1"


async def test_typescript_is_asked_by_its_own_commands(tmp_path: Path) -> None:
    launch = launch_fake(tmp_path)
    form = DiagnosticsForm(mode="tsserver")
    path = burning(tmp_path)
    async with over(replace(launch, spec=replace(launch.spec, diagnostics=form))) as workspace:
        report = await report_of(workspace, path, None, LONG_S)
        received = await workspace.session.request("fake/received", None)

    assert report == {"kind": "full", "items": []}
    asked = [each["params"]["arguments"] for each in received if each["method"] == "workspace/executeCommand"]
    assert asked == [["syntacticDiagnosticsSync", {"file": path}], ["semanticDiagnosticsSync", {"file": path}]]
