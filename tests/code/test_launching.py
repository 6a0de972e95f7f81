"""How a server is started, and the three reasons why it is not."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.code.launching import find_program, launch_of, require_programs
from sightline.code.served import Served
from sightline.config.schema import CodeSettings
from sightline.errors import ErrorKind, ToolFailure
from sightline.lsp.server_spec import ServerSpec, builtin_spec

SPEC = ServerSpec(id="mine", name="Mine", command="mine", languages=("mine",), extensions=(".mine",), install="get it")


def program(folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def served_at(spec: ServerSpec, root: Path) -> Served:
    """A root with a `project` of its own, so that the programs beside it are not the project's."""
    return Served(spec, root / "project", root / "project")


def variables(folder: Path) -> dict[str, str]:
    return {"PATH": str(folder)}


def test_places_in_braces_are_filled_everywhere(tmp_path: Path) -> None:
    command = program(tmp_path / "bin", "mine")
    spec = replace(
        SPEC,
        args=("--data", "{cache}/mine/{root_hash}", "--heap={heap_mb}"),
        settings={"a": {"b": ["{cache}", 3]}},
        initialization_options={"where": "{cache}"},
        request_timeouts={"x": 1.0, "y": 2.0},
        cwd="sub",
        workspace_folders=("lib",),
        env={"MINE": "yes"},
    )
    settings = CodeSettings(memory_budget_mb=1000, request_timeouts={"y": 9.0})

    launch = launch_of(served_at(spec, tmp_path), settings, variables(tmp_path / "bin"), tmp_path / "cache")

    cache = str(tmp_path / "cache")
    assert launch.command[:2] == [str(command), "--data"]
    assert launch.command[2].startswith(f"{cache}/mine/")
    assert "{" not in " ".join(launch.command)
    assert launch.command[3] == "--heap=1000"
    assert launch.settings == {"a": {"b": [cache, 3]}}
    assert launch.initialization_options == {"where": cache}
    assert launch.request_timeouts == {"x": 1.0, "y": 9.0}
    assert (launch.cwd, launch.folders) == (tmp_path / "project" / "sub", [tmp_path / "project" / "lib"])
    assert launch.environment
    assert launch.environment["MINE"] == "yes"


def test_two_roots_have_two_folders_of_their_own(tmp_path: Path) -> None:
    program(tmp_path / "bin", "mine")
    spec = replace(SPEC, args=("{root_hash}",))

    commands = [
        launch_of(served_at(spec, tmp_path / name), CodeSettings(), variables(tmp_path / "bin"), tmp_path).command
        for name in ("one", "two")
    ]

    assert commands[0] != commands[1]


def test_a_node_server_is_told_of_the_packages_that_it_was_installed_with(tmp_path: Path) -> None:
    modules = tmp_path / "node_modules"
    real = program(modules / "mine" / "lib", "cli")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mine").symlink_to(real)
    spec = replace(SPEC, initialization_options={"path": "{modules}/typescript"})

    launch = launch_of(served_at(spec, tmp_path), CodeSettings(), variables(tmp_path / "bin"), tmp_path)

    assert launch.initialization_options == {"path": f"{modules}/typescript"}


def test_a_place_that_is_not_known_leaves_its_key_out(tmp_path: Path) -> None:
    program(tmp_path / "bin", "mine")
    spec = replace(SPEC, initialization_options={"path": "{modules}/typescript", "other": 1})

    launch = launch_of(served_at(spec, tmp_path), CodeSettings(), variables(tmp_path / "bin"), tmp_path)

    assert launch.initialization_options == {"other": 1}


def test_a_server_that_is_not_installed_says_how_to_install_it(tmp_path: Path) -> None:
    with pytest.raises(ToolFailure) as caught:
        launch_of(served_at(SPEC, tmp_path), CodeSettings(), variables(tmp_path), tmp_path)

    assert caught.value.kind is ErrorKind.SERVER_NOT_INSTALLED
    assert "`mine` is not on the PATH" in caught.value.message
    assert "get it" in caught.value.next_steps[0].message


def test_a_program_of_the_project_itself_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "mine")
    monkeypatch.chdir(tmp_path)

    for path in ("", ".", str(tmp_path), str(tmp_path / "sub" / "..")):
        assert find_program("mine", {"PATH": path}, tmp_path) is None, path
    assert find_program("./mine", {"PATH": ""}, tmp_path) is None
    assert find_program("mine", {"PATH": str(tmp_path)}, tmp_path / "elsewhere") == tmp_path / "mine"


def test_a_link_on_the_path_into_the_project_does_not_lead_to_its_programs(tmp_path: Path) -> None:
    program(tmp_path / "project" / "bin", "mine")
    (tmp_path / "link").symlink_to(tmp_path / "project" / "bin")

    assert find_program("mine", variables(tmp_path / "link"), tmp_path / "project") is None


def test_a_program_beside_our_own_python_is_found() -> None:
    found = find_program(Path(sys.executable).name, {"PATH": ""}, Path.cwd())

    assert found == Path(sys.executable)


def test_bash_is_not_asked_without_shellcheck_because_it_would_call_all_clean(tmp_path: Path) -> None:
    spec = builtin_spec("bash")

    with pytest.raises(ToolFailure) as caught:
        require_programs(served_at(spec, tmp_path), variables(tmp_path))

    assert caught.value.kind is ErrorKind.SERVER_NOT_INSTALLED
    assert "`shellcheck`" in caught.value.message
    program(tmp_path, "shellcheck")
    require_programs(served_at(spec, tmp_path), variables(tmp_path))


@pytest.mark.parametrize("server_id", ["rust-analyzer", "jdtls", "ruby-lsp"])
def test_a_server_that_runs_the_projects_code_needs_a_persons_consent(tmp_path: Path, server_id: str) -> None:
    spec = builtin_spec(server_id)
    program(tmp_path / "bin", spec.command)
    served, path = served_at(spec, tmp_path), variables(tmp_path / "bin")

    with pytest.raises(ToolFailure) as caught:
        launch_of(served, CodeSettings(), path, tmp_path)

    assert caught.value.kind is ErrorKind.UNTRUSTED_CONFIG
    assert "code.run_project_code" in caught.value.next_steps[0].message
    launch = launch_of(served, CodeSettings(run_project_code=True), path, tmp_path)
    assert launch.command[0] == os.fspath(tmp_path / "bin" / spec.command)
