"""Which server serves which file, as it comes and as a user's settings change it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sightline.code.catalogue import catalogue
from sightline.config.schema import CodeSettings, LanguageServerSettings, PythonSettings
from sightline.lsp.server_spec import BadSpec, builtin_spec, builtin_specs, spec_from

PLAIN = catalogue(CodeSettings())


def server_of(path: Path) -> str | None:
    spec = PLAIN.for_file(path)
    return spec.id if spec else None


@pytest.mark.parametrize(
    ("name", "server_id"),
    [
        ("a.py", "pyright"),
        ("a.tsx", "typescript"),
        ("a.go", "gopls"),
        ("a.hpp", "clangd"),
        ("a.rs", "rust-analyzer"),
        ("PKGBUILD", "bash"),
        ("Gemfile", "ruby-lsp"),
        (".clang-tidy", "yaml"),
        ("tsconfig.json", "json"),
        ("a.poem", None),
    ],
)
def test_a_file_is_served_by_its_name_or_its_ending(tmp_path: Path, name: str, server_id: str | None) -> None:
    assert server_of(tmp_path / name) == server_id


@pytest.mark.parametrize(
    ("first_line", "server_id"),
    [
        ("#!/bin/sh", "bash"),
        ("#!/usr/bin/env python3.12", "pyright"),
        ("#!/usr/bin/env -S FLAG=1 node --harmony", "typescript"),
        ("#!/opt/ruby/bin/ruby -w", "ruby-lsp"),
        ("#!/usr/bin/awk -f", None),
        ("#!", None),
        ("echo no first line of a script", None),
    ],
)
def test_a_file_without_ending_is_served_by_its_first_line(
    tmp_path: Path, first_line: str, server_id: str | None
) -> None:
    script = tmp_path / "script"
    script.write_text(f"{first_line}\n")

    assert server_of(script) == server_id


def test_a_first_line_does_not_count_where_there_is_an_ending(tmp_path: Path) -> None:
    script = tmp_path / "script.poem"
    script.write_text("#!/bin/sh\n")

    assert server_of(script) is None


def test_only_the_chosen_engine_serves_python_and_no_linter_does() -> None:
    chosen = catalogue(CodeSettings(python=PythonSettings(engine="ty")))

    assert [spec.id for spec in chosen.serving() if "python" in spec.languages] == ["ty"]
    assert chosen.default.id == "ty"
    assert "ruff" not in {spec.id for spec in PLAIN.serving()}


def test_a_setting_changes_one_key_of_a_server_and_is_merged_into_tables() -> None:
    mine = LanguageServerSettings(command="my-gopls", settings={"gopls": {"x": 1}, "more": 2}, env={"A": "b"})

    changed = catalogue(CodeSettings(servers={"gopls": mine})).get("gopls")

    known = builtin_spec("gopls")
    assert changed
    assert (changed.command, changed.env) == ("my-gopls", {"A": "b"})
    assert changed.settings == {"gopls": {"x": 1}, "more": 2}
    assert (changed.extensions, changed.ready, changed.sees_disk) == (known.extensions, known.ready, known.sees_disk)


def test_an_added_server_comes_before_those_that_are_there_and_is_not_trusted_to_see_changes(tmp_path: Path) -> None:
    mine = LanguageServerSettings(command="my-server", extensions=(".py", ".ml"), languages=("ocaml",))

    all_of_mine = catalogue(CodeSettings(servers={"mine": mine}))

    spec = all_of_mine.for_file(tmp_path / "a.ml")
    assert spec
    assert all_of_mine.for_file(tmp_path / "a.py") == spec
    assert (spec.sees_disk, spec.overlay, spec.needs_open) == ("never", "none", True)
    assert spec.language_id("a.ml") == "ocaml"


def test_no_two_servers_that_serve_claim_the_same_file() -> None:
    claims = Counter(name for spec in PLAIN.serving() for name in (*spec.extensions, *spec.filenames))

    assert [name for name, count in claims.items() if count > 1] == []


def test_every_server_that_comes_with_sightline_can_be_had() -> None:
    for spec in builtin_specs():
        assert spec.name, spec.id
        assert spec.install, spec.id
        assert spec.extensions, spec.id
        assert spec.oldest, spec.id
        assert all(ending.startswith(".") for ending in spec.extensions), spec.id


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"nonsense": 1}, "unknown keys nonsense"),
        ({"ready": {"kind": "log", "patern": "x"}}, "unknown keys patern"),
        ({"ready": {"kind": "log", "pattern": "("}}, "no regular expression"),
        ({}, "missing"),
    ],
)
def test_a_server_that_is_described_wrongly_is_refused(table: dict[str, object], message: str) -> None:
    whole = {"id": "x", "command": "x", "languages": ["x"], "extensions": [".x"], **table} if table else {"id": "x"}

    with pytest.raises(BadSpec, match=message):
        spec_from(whole)
