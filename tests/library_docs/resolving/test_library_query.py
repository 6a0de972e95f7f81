"""What people paste to name a library, taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.errors import ToolFailure
from sightline.library_docs.libraries import python_name
from sightline.library_docs.resolving.library_query import LONGEST_QUERY, LibraryQuery, parse_library_query

ANY = ("pypi", "npm", "python")


@pytest.mark.parametrize(
    ("text", "ecosystems", "name", "extras", "version"),
    [
        ("click", ANY, "click", (), None),
        ("uv", ANY, "uv", (), None),
        ("  Flask ", ANY, "flask", (), None),
        ("`httpx`", ANY, "httpx", (), None),
        ("'rich',", ANY, "rich", (), None),
        ("zope.interface", ANY, "zope-interface", (), None),
        ("langchain-openai>=0.3", ("pypi",), "langchain-openai", (), ">=0.3"),
        ("flask~=2.0  # web", ("pypi",), "flask", (), "~=2.0"),
        ("Django (>=4,<5)", ("pypi",), "django", (), "<5,>=4"),
        ("pkg[extra]", ("pypi",), "pkg", ("extra",), None),
        ("requests[socks,security]==2.31.0", ("pypi",), "requests", ("security", "socks"), "==2.31.0"),
        ('pkg ; python_version<"3.9"', ("pypi",), "pkg", (), None),
        ("pkg @ https://example.com/pkg.whl", ("pypi",), "pkg", (), "https://example.com/pkg.whl"),
        ("pkg@git+https://example.com/pkg", ("pypi",), "pkg", (), "git+https://example.com/pkg"),
        ("requests==2.0 --hash=sha256:abc", ("pypi",), "requests", (), "==2.0"),
        ("pkg==1.*-odd", ("pypi",), "pkg", (), "==1.*-odd"),
        ("x@1.2.3", ANY, "x", (), "1.2.3"),
        ("react@latest", ANY, "react", (), "latest"),
        ("react@^18", ("npm",), "react", (), "^18"),
        ("pypi:click", ("pypi",), "click", (), None),
        ("PyPI: click", ("pypi",), "click", (), None),
        ("pypi:requests[socks]>=2", ("pypi",), "requests", ("socks",), ">=2"),
        ("pypi:ruff@0.9", ("pypi",), "ruff", (), "0.9"),
        ('requests = "^2.28"', ANY, "requests", (), "^2.28"),
        ('requests = {version = "^2.28", extras = ["socks"]}', ANY, "requests", (), "^2.28"),
        ("pkg:pypi/click@8.1#README.md", ("pypi",), "click", (), "8.1"),
        ("pip install -U 'requests[socks]>=2'", ("pypi",), "requests", ("socks",), ">=2"),
        ("python -m pip install numpy", ("pypi",), "numpy", (), None),
        ("uv add --dev ruff", ("pypi",), "ruff", (), None),
        ("poetry add flask@^2", ("pypi",), "flask", (), "^2"),
    ],
)
def test_python_forms(
    text: str, ecosystems: tuple[str, ...], name: str, extras: tuple[str, ...], version: str | None
) -> None:
    query = parse_library_query(text)

    assert query.ecosystems == ecosystems
    assert query.python_names[0] == name
    assert (query.extras, query.version) == (extras, version)


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("npm:react", "react", None),
        ("npm:react@18", "react", "18"),
        ("npm:@scope/x@^1", "@scope/x", "^1"),
        ("@scope/x", "@scope/x", None),
        ("@scope/x@^1", "@scope/x", "^1"),
        ("@scope/x/deep/part", "@scope/x", None),
        ("@scope/x@>=1 <2", "@scope/x", ">=1 <2"),
        ("lodash/fp", "lodash", None),
        ("lodash/fp@4", "lodash", "4"),
        ('require("x")', "x", None),
        ("const a = require('@s/b/c');", "@s/b", None),
        ('import React, { useState } from "react"', "react", None),
        ("import 'core-js/stable'", "core-js", None),
        ('export * from "rxjs/operators"', "rxjs", None),
        ('await import("chalk")', "chalk", None),
        ('"react": "^18.2.0",', "react", "^18.2.0"),
        ('"@types/node": "20"', "@types/node", "20"),
        ("pkg:npm/%40scope/x@1.0.0#docs/a.md", "@scope/x", "1.0.0"),
        ("pkg:npm/react", "react", None),
        ("npm i -D @types/node@20", "@types/node", "20"),
        ("yarn add socket.io", "socket.io", None),
    ],
)
def test_npm_forms(text: str, name: str, version: str | None) -> None:
    query = parse_library_query(text)

    assert query.ecosystems == ("npm",)
    assert query.npm_names[0] == name
    assert query.version == version


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("import PIL", ("PIL",)),
        ("import numpy as np", ("numpy",)),
        ("import os, sys", ("os",)),
        ("import xml.etree.ElementTree as ET", ("xml.etree.ElementTree", "xml.etree", "xml")),
        ("from google.cloud import storage", ("google.cloud.storage", "google.cloud", "google")),
        ("from yaml import *", ("yaml",)),
        ("from a.b import (\n    c,\n    d,\n)", ("a.b.c", "a.b", "a")),
    ],
)
def test_python_imports_give_the_longest_path_first(text: str, paths: tuple[str, ...]) -> None:
    query = parse_library_query(text)

    assert query.is_import
    assert query.ecosystems == ("pypi", "python")
    assert query.import_paths == paths


def test_a_dotted_name_may_be_an_import_path() -> None:
    assert parse_library_query("PIL.Image").import_paths == ("PIL.Image", "PIL")
    assert parse_library_query("python:asyncio.TaskGroup").ecosystems == ("python",)


@pytest.mark.parametrize("text", ["node:fs", 'import fs from "node:fs"', "require('node:path')"])
def test_a_module_of_node_itself_is_no_package(text: str) -> None:
    query = parse_library_query(text)

    assert query.is_node_builtin
    assert query.npm_names == ()


@pytest.mark.parametrize(
    ("text", "repository"),
    [
        ("https://github.com/psf/requests", "psf/requests"),
        ("git+https://github.com/psf/requests.git#egg=requests", "psf/requests"),
        ("vercel/next.js", "vercel/next.js"),
        ("https://example.com/", None),
    ],
)
def test_an_address_or_an_owner_and_project_is_kept_as_a_repository(text: str, repository: str | None) -> None:
    assert parse_library_query(text).repository == repository


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_a_blank_query_is_refused(text: str) -> None:
    with pytest.raises(ToolFailure, match="empty"):
        parse_library_query(text)


def test_a_query_at_the_limit_is_taken_and_one_over_it_is_refused() -> None:
    assert parse_library_query("a" * LONGEST_QUERY).npm_names
    with pytest.raises(ToolFailure, match="limit is 500"):
        parse_library_query("a" * (LONGEST_QUERY + 1))


@pytest.mark.parametrize(
    "text", ["beautiful soup", "!!!", "import", "from . import x", "-r other.txt", "@", "pypi:", "="]
)
def test_a_text_without_a_name_gives_no_wrong_candidate(text: str) -> None:
    query = parse_library_query(text)

    assert query.python_names in {(), ("import",), ("pypi",)}
    assert query.phrase


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=LONGEST_QUERY).filter(lambda text: bool(text.strip())))
def test_no_text_is_too_odd(text: str) -> None:
    assert isinstance(parse_library_query(text), LibraryQuery)


PIECES = st.sampled_from(
    [
        "@",
        "/",
        "[",
        "]",
        "==",
        "import ",
        "from ",
        "require(",
        '"',
        "'",
        " ",
        "#",
        ";",
        ":",
        "npm:",
        "pip install ",
        "\n",
        "a",
        "1",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=40).map("".join).filter(lambda text: bool(text.strip())))
def test_no_heap_of_syntax_is_too_odd(text: str) -> None:
    assert isinstance(parse_library_query(text), LibraryQuery)


PYTHON_NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,12}([-_.][A-Za-z0-9]{1,8}){0,3}", fullmatch=True).filter(
    lambda name: name.lower() not in {"import", "from", "export"}
)
PYTHON_WRAPPINGS = st.sampled_from(
    [
        "{}",
        " {} ",
        "{}>=1.0",
        "{}[a,b]",
        "{}[x]==1.2",
        '{} ; sys_platform == "linux"',
        "pypi:{}",
        "pip install {}",
        "{}@1.0",
        "{} @ https://example.com/x.whl",
        "`{}`",
        '"{}",',
        "{} # why",
        "{}~=1.4.2",
        "uv add {}",
        "pkg:pypi/{}@1",
    ]
)


@settings(max_examples=60, deadline=None)
@given(PYTHON_NAMES, PYTHON_WRAPPINGS)
def test_a_python_name_is_never_lost(name: str, wrapping: str) -> None:
    query = parse_library_query(wrapping.format(name))

    assert python_name(name) in query.python_names
    assert "pypi" in query.ecosystems


NPM_NAMES = st.from_regex(r"(@[a-z0-9-]{1,10}/)?[a-z][a-z0-9]{0,10}([._-][a-z0-9]{1,6}){0,2}", fullmatch=True).filter(
    lambda name: name not in {"import", "from", "export"}
)
NPM_WRAPPINGS = st.sampled_from(
    [
        "{}",
        "{}@latest",
        "{}@^1.2.3",
        "npm:{}",
        "npm install {}",
        "npm i -D {}@2",
        'require("{}")',
        "import x from '{}'",
        '"{}": "^1.0.0",',
        'import {{ a }} from "{}/sub"',
        "`{}`",
        "yarn add {}@next",
    ]
)


@settings(max_examples=60, deadline=None)
@given(NPM_NAMES, NPM_WRAPPINGS)
def test_an_npm_name_is_never_lost(name: str, wrapping: str) -> None:
    query = parse_library_query(wrapping.format(name))

    assert name in query.npm_names
    assert "npm" in query.ecosystems
