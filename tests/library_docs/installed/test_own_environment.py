"""Every distribution of the environment that these tests run in has docs at its exact version.

`SIGHTLINE_ORACLE=full` also outlines each one and holds the outline against what the modules really have.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import pytest

from sightline.library_docs.installed.api_readers import ApiReaders
from sightline.library_docs.installed.installed_libraries import InstalledLibraries
from sightline.library_docs.installed.node_packages import NodePackages
from sightline.library_docs.installed.package_docs import PackageDocs
from sightline.library_docs.installed.packages import PartNotFound
from sightline.library_docs.installed.python_environment import PythonEnvironment, read_python_environment
from sightline.library_docs.libraries import LibraryId, python_name
from sightline.projects.environments import read_environment
from sightline.projects.interpreters import Interpreter

IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"
NAMES = sorted({python_name(each.name) for each in metadata.distributions()})


@pytest.fixture(scope="module")
def libraries() -> InstalledLibraries:
    prefix = Path(sys.prefix)
    interpreter = Interpreter(Path(sys.executable), "the tests'", read_environment(prefix))
    found = read_python_environment(interpreter, {}, own_prefix=Path("/nowhere"))
    assert isinstance(found, PythonEnvironment)
    return InstalledLibraries(found, NodePackages(prefix, root=prefix))


@pytest.fixture(scope="module")
def docs(libraries: InstalledLibraries) -> PackageDocs:
    assert isinstance(libraries.python, PythonEnvironment)
    return PackageDocs(libraries, ApiReaders(Path(sys.prefix), time.monotonic, libraries.python.standard_library))


def test_the_names_are_those_that_the_interpreter_lists(libraries: InstalledLibraries) -> None:
    assert libraries.python_packages
    assert list(libraries.python_packages.names()) == NAMES


def test_import_names_lead_to_the_same_distributions_as_the_interpreter_says(libraries: InstalledLibraries) -> None:
    assert libraries.python_packages
    expected = {
        name: sorted({python_name(each) for each in providers})
        for name, providers in metadata.packages_distributions().items()
        if name.isidentifier() and not name.startswith("_") and (len(name) > 1)
    }

    found = {name: list(libraries.python_packages.providers_of(name)) for name in expected}

    wrong = {name: (found[name], expected[name]) for name in expected if not set(found[name]) & set(expected[name])}
    assert {name for name in wrong if "." not in name} <= {"sightline"}


@pytest.mark.parametrize("name", NAMES)
def test_each_distribution_has_an_overview_and_readable_documents(docs: PackageDocs, name: str) -> None:
    library = LibraryId("pypi", name)
    version = metadata.version(name)

    overview = docs.overview(library)

    assert overview.document.version == overview.package.version == version
    assert len(overview.document.text) > 50
    for entry in overview.documents[:5]:
        assert f"@{version}#" in entry.address
        assert docs.read(entry.address).address == entry.address


@pytest.mark.parametrize(
    ("name", "path"),
    [("click", "click.Command"), ("anyio", "anyio.create_task_group"), ("pytest", "pytest.fixture"),
     ("pydantic", "pydantic.BaseModel.model_dump"), ("packaging", "packaging.version.Version")],
)  # fmt: skip
def test_a_known_object_is_read_by_its_address(docs: PackageDocs, name: str, path: str) -> None:
    page = docs.api_object(LibraryId("pypi", name), path)

    assert page.title == path
    assert docs.read(page.address) == page
    assert docs.topic(LibraryId("pypi", name), path).passages[0].address == page.address


@pytest.mark.skipif(not IS_FULL, reason="minutes; SIGHTLINE_ORACLE=full")
@pytest.mark.parametrize("name", NAMES)
def test_what_a_module_lists_as_public_is_found_in_its_text(docs: PackageDocs, name: str) -> None:
    """The oracle imports this environment's own packages in another process; Sightline never does."""
    library = LibraryId("pypi", name)
    package = docs.package(library)
    code = (
        "import importlib, json, sys\n"
        "def names(module):\n"
        "    try: return list(getattr(importlib.import_module(module), '__all__', ()))\n"
        "    except BaseException: return []\n"
        "print(json.dumps({module: names(module) for module in sys.argv[1:]}))"
    )
    public = [module for module in package.import_names if module.isidentifier() and not module.startswith("_")]
    ended = subprocess.run(
        [sys.executable, "-c", code, *public], capture_output=True, text=True, check=True, timeout=60
    )
    wanted = [
        f"{module}.{each}" for module, names in json.loads(ended.stdout.splitlines()[-1]).items() for each in names
    ]
    missing: list[str] = []
    for path in wanted:
        try:
            docs.api_object(library, path)
        except PartNotFound:
            missing.append(path)
    assert len(missing) <= len(wanted) * 0.3, missing  # some modules make many of their names when they run
