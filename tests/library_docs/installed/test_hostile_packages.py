"""Packages that mean harm: nothing outside of them is read, nothing hangs, and an answer still comes."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from sightline.errors import ToolFailure
from sightline.library_docs.documents import Document
from sightline.library_docs.installed.contained_files import FileRefused, Walk, read_inside
from sightline.library_docs.installed.declaration_scanner import scan
from sightline.library_docs.installed.docstring_markdown import docstring_to_markdown, first_sentence
from sightline.library_docs.installed.metadata_files import parse_metadata
from sightline.library_docs.installed.node_packages import NodePackages
from sightline.library_docs.installed.packages import PartNotFound
from sightline.library_docs.installed.passages import rank, split
from sightline.library_docs.installed.shipped_documents import list_documents
from sightline.library_docs.libraries import LibraryId
from tests.library_docs.installed.handmade import (
    docs_of,
    make_distribution,
    make_node_package,
    packages_of,
    site_packages,
    write_files,
)

EVIL = LibraryId("pypi", "evil")
EVIL_NODE = LibraryId("npm", "evil")
SECRET = "the secret of another folder"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "secret.md"
    write_files(tmp_path, {"home/secret.md": f"# {SECRET}\n", "home/code.py": f"def stolen(): {SECRET!r}\n"})
    return path


def test_links_out_of_a_package_are_left_out_and_it_is_said(tmp_path: Path, secret: Path) -> None:
    folder = make_node_package(tmp_path / "app" / "node_modules", "evil", "1.0.0", {"docs/ok.md": "# Fine\n"})
    (folder / "README.md").symlink_to(secret)
    (folder / "docs" / "leak.md").symlink_to(secret)
    (folder / "skills").symlink_to(secret.parent)
    (folder / "index.d.ts").symlink_to(secret)
    docs = docs_of(tmp_path / "app")

    overview = docs.overview(EVIL_NODE)

    assert [entry.part for entry in overview.documents] == ["docs/ok.md"]
    assert any("links out of the package" in warning for warning in overview.warnings)
    for part in ("README.md", "docs/leak.md", "skills/secret.md", "index.d.ts"):
        with pytest.raises(ToolFailure) as failure:
            docs.read(f"pkg:npm/evil@1.0.0#{part}")
        assert SECRET not in failure.value.message
    assert all(SECRET not in passage.text for passage in docs.topic(EVIL_NODE, "secret folder").passages)


def test_a_record_that_climbs_or_lies_gives_nothing_away(tmp_path: Path, secret: Path) -> None:
    site = site_packages(tmp_path)
    climbing = os.path.relpath(secret, site)
    lies = [climbing, str(secret), "evil/docs/../../../../../../../home/secret.md", "evil/docs/leak.md", '"evil/docs/a']
    record = "".join(f"{name},,\n" for name in lies)
    make_distribution(tmp_path, "evil", "1.0", {"evil/__init__.py": ""}, record=record)
    write_files(site, {"evil/docs/x.txt": ""})
    (site / "evil/docs/leak.md").symlink_to(secret)
    docs = docs_of(tmp_path)

    assert [entry.part for entry in docs.documents(EVIL)] == ["README.md"]
    with pytest.raises(ToolFailure):
        docs.read("pkg:pypi/evil@1.0#evil/docs/leak.md")


def test_modules_that_are_links_out_are_not_read(tmp_path: Path, secret: Path) -> None:
    make_distribution(tmp_path, "evil", "1.0", {"evil/__init__.py": "from .code import stolen\n"})
    site = site_packages(tmp_path)
    (site / "evil" / "code.py").symlink_to(secret.parent / "code.py")
    (site / "evil" / "inner").symlink_to(secret.parent)
    docs = docs_of(tmp_path)

    for name in ("evil.stolen", "evil.code.stolen", "evil.inner.code.stolen"):
        with pytest.raises(ToolFailure):
            docs.api_object(EVIL, name)
    assert SECRET not in docs.api_outline(EVIL).text
    assert all(SECRET not in passage.text for passage in docs.topic(EVIL, "stolen secret").passages)


def test_metadata_that_is_a_link_out_is_no_distribution(tmp_path: Path, secret: Path) -> None:
    information = make_distribution(tmp_path, "evil", "1.0", {})
    stolen = tmp_path / "home" / "METADATA"
    (information / "METADATA").rename(stolen)
    (information / "METADATA").symlink_to(stolen)

    assert packages_of(tmp_path).find("evil") is None
    with pytest.raises(ToolFailure, match="a link out of the environment"):
        docs_of(tmp_path).overview(EVIL)
    assert secret.exists()


@pytest.mark.parametrize("name", ["..-1.0", "evil", "-1.0", "evil-", "e\nvil-1.0", "evil-1.0-2.0", "~vil-1.0"])
def test_odd_names_of_metadata_folders_do_no_harm(tmp_path: Path, name: str) -> None:
    write_files(site_packages(tmp_path) / f"{name}.dist-info", {"METADATA": "Name: evil\nVersion: 1.0\n\ntext\n"})
    packages = packages_of(tmp_path)

    packages.names()
    packages.providers_of("evil")
    assert packages.find("..") is None


def test_folders_that_link_to_themselves_end(tmp_path: Path) -> None:
    folder = make_node_package(tmp_path / "node_modules", "evil", "1.0.0", {"docs/a.md": "# A\n"})
    (folder / "docs" / "again").symlink_to(folder / "docs")
    (folder / "docs" / "loop.md").symlink_to(folder / "docs" / "loop.md")
    make_distribution(tmp_path, "evil", "1.0", {"evil/__init__.py": ""})
    (site_packages(tmp_path) / "evil" / "evil").symlink_to(site_packages(tmp_path) / "evil")
    docs = docs_of(tmp_path)

    assert [entry.part for entry in docs.documents(EVIL_NODE)] == ["docs/a.md"]
    docs.outline(EVIL)
    docs.topic(EVIL, "anything at all")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    folder = make_node_package(tmp_path / "node_modules", "evil", "1.0.0", {})
    os.mkfifo(folder / "README.md")
    os.mkfifo(folder / "index.d.ts")

    with pytest.raises(FileRefused, match="not a regular file"):
        read_inside(folder, "README.md")
    docs_of(tmp_path).overview(EVIL_NODE)


def test_a_huge_readme_is_cut_and_it_is_said(tmp_path: Path) -> None:
    make_node_package(tmp_path / "node_modules", "evil", "1.0.0", {"README.md": "# Big\n" + "word " * 1_000_000})

    text = docs_of(tmp_path).overview(EVIL_NODE).document.text

    assert len(text) < 1_000_100
    assert text.endswith("(cut here: the file has 5,000,006 bytes)")


def test_very_many_files_are_looked_at_up_to_a_bound(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(300):
        (folder / f"{number}.md").touch()
    walk = Walk(tmp_path, most=100)

    assert len(list(walk.files("docs"))) == 100
    assert walk.is_cut


def test_bytes_that_are_no_text_are_shown_as_replacements(tmp_path: Path) -> None:
    folder = make_node_package(tmp_path / "node_modules", "evil", "1.0.0", {})
    (folder / "README.md").write_bytes(b"\xef\xbb\xbf# T\xff\0itle\r\n" + b"more " * 100)

    text = docs_of(tmp_path).overview(EVIL_NODE).document.text

    assert text.startswith("# T\ufffd\ufffditle\n")


def test_code_that_breaks_parsers_is_a_problem_of_its_file(tmp_path: Path) -> None:
    files = {
        "evil/__init__.py": "def fine(): 'Fine.'\n",
        "evil/deep.py": "x = " + "(" * 5_000 + ")" * 5_000 + "\n",
        "evil/chain.py": "x = " + "+".join(["a"] * 20_000) + "\n",
        "evil/nested.py": "".join(" " * depth + "if x:\n" for depth in range(90)) + " " * 90 + "pass\n",
        "evil/nul.py": "x = 1\0\n",
        "evil/attributes.py": "x = a" + ".b" * 20_000 + "\n",
    }
    make_distribution(tmp_path, "evil", "1.0", files)
    docs = docs_of(tmp_path)

    assert "evil.fine" in [entry.path for entry in docs.outline(EVIL).entries]
    for module in ("deep", "chain", "nested", "nul", "attributes"):
        with contextlib.suppress(PartNotFound):
            assert docs.api_object(EVIL, f"evil.{module}.x").title == f"evil.{module}.x"


@pytest.mark.parametrize(
    "text",
    ["`" * 50_000, ":param " * 10_000, "::\n" * 20_000, ">>> " * 20_000, "(" * 50_000 + ":", "a:" * 30_000,
     "*" * 60_000, ":a:" * 20_000 + "`", "Args:\n" + "    x (" * 20_000, ".. note::\n" * 5_000,
     "-" * 60_000 + "\n" + "=" * 60_000],
)  # fmt: skip
def test_hostile_docstrings_become_text_at_once(text: str) -> None:
    assert docstring_to_markdown(text) is not None
    assert len(first_sentence(text)) <= 240


def test_code_in_a_docstring_cannot_close_its_own_fence() -> None:
    text = docstring_to_markdown(">>> print('''\n... ```\n... now outside\n")

    assert text.startswith("````pycon")
    assert text.endswith("````")


@pytest.mark.parametrize(
    "text",
    ["{" * 100_000, "}" * 100_000, "/**" * 50_000, "/** " * 50_000, "/* " * 50_000, '"' + '\\"' * 100_000,
     "`" + "\\`" * 100_000, "export " * 40_000 + "{} " * 40_000, '"' * 50_001, "`" * 50_001, "export " * 50_000,
     "<" * 100_000, "export { " * 20_000, "export * " * 20_000, "import" , "export", "declare module",
     "export type A = " * 10_000,
     "export const " + "a," * 50_000, "class " * 30_000 + "{}"],
)  # fmt: skip
def test_hostile_declarations_are_scanned_at_once(text: str) -> None:
    assert [name for name in scan(text).declarations if name not in text] == []


@pytest.mark.parametrize("text", ["", "\n\n", ":" * 10_000, "Name: x\n" * 50_000, " \n" * 10_000, "A" * 1_000_000])
def test_hostile_metadata_is_read_at_once(text: str) -> None:
    assert parse_metadata(text).first("name") == ("x" if text.startswith("Name") else "")


@pytest.mark.parametrize("line", ["a" * 1_000_000, "a/" * 300_000, "." * 1_000_000, '"' * 500_000, "a.py," * 100_000])
def test_a_record_of_endless_lines_is_read_at_once(tmp_path: Path, line: str) -> None:
    make_distribution(tmp_path, "evil", "1.0", {}, record=line)

    found = packages_of(tmp_path).find("evil")

    assert found
    assert found.version == "1.0"


@pytest.mark.parametrize("line", ["# a" + " " * 500_000 + "b", "#" * 500_000, "=" * 500_000, "# " + "# " * 200_000])
def test_a_document_of_endless_lines_is_split_at_once(line: str) -> None:
    document = Document("pkg:pypi/x@1#README.md", "x", f"{line}\n{line}\n", "readme", "installed")

    assert rank("b", split(document), limit=3) is not None


def test_modules_that_all_import_each_other_are_listed_at_once(tmp_path: Path) -> None:
    names = [f"m{number}" for number in range(15)]
    stars = "".join(f"from .{name} import *\n" for name in names)
    files = {f"evil/{name}.py": f"{stars}def f_{name}(): ...\n" for name in names}
    make_distribution(tmp_path, "evil", "1.0", {"evil/__init__.py": stars, **files})

    paths = {entry.path for entry in docs_of(tmp_path).outline(EVIL).entries}

    assert {f"evil.f_{name}" for name in names} <= paths


def test_a_manifest_that_is_nested_without_end_is_no_package(tmp_path: Path) -> None:
    write_files(tmp_path / "node_modules/evil", {"package.json": '{"version":"1","exports":' + '{".":' * 50_000})

    assert NodePackages(tmp_path, root=tmp_path).find("evil") is None


def test_entry_points_that_climb_are_refused(tmp_path: Path, secret: Path) -> None:
    write_files(secret.parent, {"x.d.ts": "export const stolen: 1;\n"})
    make_node_package(
        tmp_path / "app/node_modules", "evil", "1.0.0", {"index.d.ts": "export * from '../../../home/x';\n"},
        types="../../../home/x.d.ts",
        exports={"./a": {"types": "./../../../home/x.d.ts"}, "./b": str(secret.parent / "x.d.ts")},
    )  # fmt: skip

    outline = docs_of(tmp_path / "app").outline(EVIL_NODE)

    assert outline.entries == ()


def test_a_document_of_another_package_is_not_listed_by_a_walk(tmp_path: Path) -> None:
    make_node_package(tmp_path / "node_modules", "evil", "1.0.0", {"docs/node_modules/y/a.md": "# not mine\n"})
    package = NodePackages(tmp_path, root=tmp_path).find("evil")
    assert package

    assert list_documents(package).documents == ()
