"""Which files of a package are documentation for its users."""

from __future__ import annotations

from pathlib import Path

from sightline.library_docs.installed.node_packages import NodePackages
from sightline.library_docs.installed.packages import InstalledPackage
from sightline.library_docs.installed.shipped_documents import MOST_DOCUMENTS, list_documents, title_of
from tests.library_docs.installed.handmade import make_distribution, make_node_package, packages_of


def kinds(package: InstalledPackage | None) -> dict[str, str]:
    assert package
    return {document.part: document.kind for document in list_documents(package).documents}


def test_a_python_package_ships_its_readme_skills_and_docs(tmp_path: Path) -> None:
    files = {
        "widget/__init__.py": "",
        "widget/.agents/skills/widget/SKILL.md": "# Widget skill",
        "widget/.agents/skills/widget/references/a.md": "# A",
        "widget/docs/guide.md": "# Guide",
        "widget/docs/old.rst": "Old\n===\n",
        "widget/llms.txt": "# Widget",
        "widget/CHANGELOG.md": "# Changes",
        "widget/AGENTS.md": "for contributors",
        "widget/docs/CONTRIBUTING.md": "for contributors",
        "widget/templates/email.md": "not documentation",
        "widget/tests/docs/x.md": "test data",
        "widget-1.0.dist-info/licenses/LICENSE.md": "licence",
    }
    make_distribution(tmp_path, "widget", "1.0", files)

    assert kinds(packages_of(tmp_path).find("widget")) == {
        "README.md": "readme",
        "widget/llms.txt": "index",
        "widget/.agents/skills/widget/SKILL.md": "skill",
        "widget/.agents/skills/widget/references/a.md": "guide",
        "widget/docs/guide.md": "guide",
        "widget/docs/old.rst": "guide",
        "widget/CHANGELOG.md": "changelog",
    }


def test_an_npm_package_ships_files_at_its_top_and_in_known_folders(tmp_path: Path) -> None:
    files = {
        "readme.md": "# X",
        "API.md": "# API",
        "LICENSE.md": "",
        "CLAUDE.md": "",
        "SECURITY.md": "",
        "docs/a/b.mdx": "# B",
        "dist/docs/c.md": "# C",
        "skills/use-x/SKILL.md": "# Skill",
        "lib/notes.md": "not documentation",
        "HISTORY.md": "# History",
        "node_modules/y/docs/z.md": "another package's",
    }
    make_node_package(tmp_path / "node_modules", "x", "1.0.0", files)

    assert kinds(NodePackages(tmp_path, root=tmp_path).find("x")) == {
        "readme.md": "readme",
        "skills/use-x/SKILL.md": "skill",
        "API.md": "guide",
        "dist/docs/c.md": "guide",
        "docs/a/b.mdx": "guide",
        "HISTORY.md": "changelog",
    }


def test_without_a_record_the_folder_is_looked_at(tmp_path: Path) -> None:
    information = make_distribution(tmp_path, "widget", "1.0", {"widget/__init__.py": "", "widget/docs/a.md": "# A"})
    (information / "RECORD").unlink()

    assert "widget/docs/a.md" in kinds(packages_of(tmp_path).find("widget"))


def test_too_many_documents_are_cut_and_it_is_said(tmp_path: Path) -> None:
    files = {f"docs/{number:05}.md": "x" for number in range(MOST_DOCUMENTS + 20)}
    make_node_package(tmp_path / "node_modules", "x", "1.0.0", files)
    package = NodePackages(tmp_path, root=tmp_path).find("x")
    assert package

    listed = list_documents(package)

    assert len(listed.documents) == MOST_DOCUMENTS
    assert listed.warnings == (f"{MOST_DOCUMENTS + 20:,} documents; only the first {MOST_DOCUMENTS:,} are listed",)


def test_a_title_is_the_first_heading_without_markup() -> None:
    assert title_of("text\n\n# The `x` <img src='a'> book #\n", "x") == "The `x`  book"
    assert title_of("---\ntitle: 'From the front'\n---\n", "x") == "From the front"
    assert title_of("no heading", "x") == "x"
