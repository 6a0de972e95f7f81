"""The facade: the best first page, topics, reading by address, and failures that say what to do."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sightline.errors import ErrorKind, ToolFailure
from sightline.library_docs.installed.api_readers import ApiReaders
from sightline.library_docs.installed.installed_libraries import InstalledLibraries
from sightline.library_docs.installed.node_packages import NodePackages
from sightline.library_docs.installed.package_docs import PackageDocs
from sightline.library_docs.installed.packages import NotInstalled, OtherVersionInstalled, PartNotFound
from sightline.library_docs.installed.python_environment import NoEnvironment
from sightline.library_docs.libraries import LibraryId
from sightline.library_docs.resolving.installed_packages import InstalledPackages
from tests.library_docs.installed.handmade import (
    README,
    docs_of,
    environment,
    make_distribution,
    make_node_package,
    packages_of,
    write_files,
)

WIDGET = LibraryId("pypi", "widget")
CODE = """
class RouteError(Exception):
    "Raised when no route fits."

def route(path):
    "Find the handler of a path."
"""


def test_both_kinds_of_packages_are_what_resolution_asks_for(tmp_path: Path) -> None:
    make_distribution(tmp_path, "widget", "1.0", {"widget.py": CODE})
    make_node_package(tmp_path / "node_modules", "x", "2.0.0", {})
    seen: list[InstalledPackages] = [packages_of(tmp_path), NodePackages(tmp_path, root=tmp_path)]

    assert [(each.ecosystem, each.names()) for each in seen] == [("pypi", ("widget",)), ("npm", ("x",))]


def test_an_overview_is_the_readme_at_the_installed_version(tmp_path: Path) -> None:
    make_distribution(tmp_path, "widget", "1.0", {"widget.py": CODE})

    overview = docs_of(tmp_path).overview(WIDGET)

    assert overview.document.text == README.rstrip("\n")
    assert overview.document.address == "pkg:pypi/widget@1.0#README.md"
    assert (overview.document.title, overview.document.version) == ("Widget", "1.0")
    assert overview.document.trust == "installed"


def test_a_skill_for_the_library_comes_before_its_readme(tmp_path: Path) -> None:
    skill = "widget/.agents/skills/widget/SKILL.md"
    make_distribution(tmp_path, "widget", "1.0", {"widget/__init__.py": "", skill: "# How to use widget\n"})

    overview = docs_of(tmp_path).overview(WIDGET)

    assert overview.document.kind == "skill"
    assert [entry.part for entry in overview.documents] == ["README.md", skill]


def test_without_a_useful_readme_the_index_or_the_api_is_the_overview(tmp_path: Path) -> None:
    make_distribution(
        tmp_path, "widget", "1.0", {"widget/__init__.py": CODE, "widget/llms.txt": "# Index\n"}, readme=""
    )
    make_distribution(tmp_path, "gadget", "1.0", {"gadget.py": CODE}, readme="See the site.")
    docs = docs_of(tmp_path)

    assert docs.overview(WIDGET).document.kind == "index"
    outline = docs.overview(LibraryId("pypi", "gadget")).document
    assert outline.kind == "api"
    assert "- `gadget.route(path)`: Find the handler of a path." in outline.text
    assert docs.read(outline.address) == outline


def test_a_topic_finds_passages_of_documents_and_of_the_api(tmp_path: Path) -> None:
    make_distribution(tmp_path, "widget", "1.0", {"widget.py": CODE, "widget_docs/docs/deep.md": "# Deep\n\nnothing\n"})
    docs = docs_of(tmp_path)

    found = docs.topic(WIDGET, "routing errors").passages

    assert [passage.address for passage in found[:2]] == [
        "pkg:pypi/widget@1.0#api/widget.RouteError",
        "pkg:pypi/widget@1.0#README.md",
    ]
    assert found[1].heading == "Widget > Routing errors"
    assert docs.read(found[1].address).text.split("\n")[found[1].line - 1] == "## Routing errors"


@pytest.mark.parametrize("topic", ["RouteError", "widget.RouteError", "route", "route()", "widget.route"])
def test_a_topic_that_is_a_name_gives_the_object_first(tmp_path: Path, topic: str) -> None:
    make_distribution(tmp_path, "widget", "1.0", {"widget.py": CODE})

    first = docs_of(tmp_path).topic(WIDGET, topic).passages[0]

    assert first.kind == "api"
    assert first.title.endswith(topic.removesuffix("()"))


def test_another_version_in_the_address_is_refused_with_the_current_one(tmp_path: Path) -> None:
    make_distribution(tmp_path, "widget", "2.0", {"widget.py": CODE})
    docs = docs_of(tmp_path)

    with pytest.raises(OtherVersionInstalled) as failure:
        docs.read("pkg:pypi/widget@1.0#api/widget.route")

    assert failure.value.kind == ErrorKind.PAGE_NOT_FOUND
    assert failure.value.current_address == "pkg:pypi/widget@2.0#api/widget.route"
    assert "Find the handler" in docs.read(failure.value.current_address).text


def test_a_part_that_does_not_exist_is_not_found(tmp_path: Path) -> None:
    make_distribution(tmp_path, "widget", "1.0", {"widget.py": CODE})
    write_files(tmp_path, {"secret.md": "# secret"})

    with pytest.raises(PartNotFound):
        docs_of(tmp_path).read("pkg:pypi/widget@1.0#widget.py")


def test_a_package_that_is_not_installed_says_where_was_looked(tmp_path: Path) -> None:
    docs = docs_of(tmp_path)

    for library in (LibraryId("pypi", "absent"), LibraryId("npm", "absent"), LibraryId("pypi", "../x")):
        with pytest.raises(NotInstalled) as failure:
            docs.overview(library)
        assert failure.value.kind == ErrorKind.LIBRARY_NOT_FOUND
        assert str(library) in failure.value.message


def test_without_an_environment_python_fails_and_npm_works(tmp_path: Path) -> None:
    make_node_package(tmp_path / "node_modules", "x", "1.0.0", {"README.md": README})
    libraries = InstalledLibraries(NoEnvironment("no python found"), NodePackages(tmp_path, root=tmp_path))
    docs = PackageDocs(libraries, ApiReaders(tmp_path, time.monotonic))

    with pytest.raises(ToolFailure, match="no Python environment found for the project: no python found"):
        docs.overview(WIDGET)
    assert docs.overview(LibraryId("npm", "x")).document.version == "1.0.0"


def test_restructured_text_is_rendered_where_a_renderer_is_given(tmp_path: Path) -> None:
    headers = "Description-Content-Type: text/x-rst\n"
    make_distribution(tmp_path, "widget", "1.0", {"widget.py": ""}, readme="Title\n=====\n" * 90, headers=headers)
    libraries = InstalledLibraries(environment(tmp_path), NodePackages(tmp_path, root=tmp_path))

    plain = PackageDocs(libraries, ApiReaders(tmp_path, time.monotonic)).overview(WIDGET).document
    rendered = (
        PackageDocs(libraries, ApiReaders(tmp_path, time.monotonic), lambda _: "# Done").overview(WIDGET).document
    )

    assert plain.text.startswith("Title\n=====")
    assert rendered.text == "# Done"
    assert rendered.address.endswith("#README.rst")


def test_an_upgrade_between_two_questions_is_seen(tmp_path: Path) -> None:
    import shutil

    old = make_distribution(tmp_path, "widget", "1.0", {"widget.py": "def f(): 'Old.'\n"})
    docs = docs_of(tmp_path)
    assert "Old." in docs.api_object(WIDGET, "f").text

    shutil.rmtree(old)
    make_distribution(tmp_path, "widget", "1.1", {"widget.py": "def f(): 'Renewed.'\n"})

    after = docs.api_object(WIDGET, "f")
    assert after.version == "1.1"
    assert "Renewed." in after.text
