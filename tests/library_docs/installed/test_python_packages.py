"""Distributions as the folders tell them now: versions, import names, metadata, editable installs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sightline.library_docs.installed.metadata_files import parse_metadata
from sightline.library_docs.installed.python_packages import PythonPackages
from tests.library_docs.installed.handmade import (
    environment,
    make_distribution,
    packages_of,
    site_packages,
    write_files,
)


def test_a_distribution_is_found_by_any_spelling_of_its_name(tmp_path: Path) -> None:
    make_distribution(tmp_path, "Typing.Widgets", "1.2.0", {"typing_widgets/__init__.py": ""})
    packages = packages_of(tmp_path)

    assert packages.names() == ("typing-widgets",)
    assert packages.version_of("typing_widgets") == "1.2.0"
    assert packages.version_of("TYPING-widgets") == "1.2.0"
    assert packages.version_of("typing") is None


def test_the_answer_follows_the_disk_from_one_question_to_the_next(tmp_path: Path) -> None:
    old = make_distribution(tmp_path, "widget", "1.0", {"widget/__init__.py": ""})
    packages = packages_of(tmp_path)
    assert packages.version_of("widget") == "1.0"
    assert packages.providers_of("gadget") == ()

    old.rename(old.with_name("widget-2.0.dist-info"))
    metadata = old.with_name("widget-2.0.dist-info") / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 2.0"))
    make_distribution(tmp_path, "gadgets", "3.0", {"gadget.py": ""})

    assert packages.version_of("widget") == "2.0"
    assert packages.providers_of("gadget") == ("gadgets",)


def test_import_names_lead_to_the_distribution_that_installs_them(tmp_path: Path) -> None:
    make_distribution(tmp_path, "Pillow", "11.0", {"PIL/__init__.py": "", "PIL/_imaging.cpython-312.so": ""})
    make_distribution(tmp_path, "single", "1.0", {"alone.py": ""})
    make_distribution(tmp_path, "types-single", "1.0", {"alone-stubs/__init__.pyi": ""})
    make_distribution(tmp_path, "compiled", "1.0", {"fast.cpython-312-x86_64-linux-gnu.so": ""})
    packages = packages_of(tmp_path)

    assert packages.providers_of("PIL") == ("pillow",)
    assert packages.providers_of("PIL.Image") == ("pillow",)
    assert packages.providers_of("alone") == ("single",)
    assert packages.providers_of("fast") == ("compiled",)
    assert packages.providers_of("../x") == ()


def test_of_a_shared_namespace_the_most_specific_distribution_answers(tmp_path: Path) -> None:
    make_distribution(tmp_path, "cloud-storage", "1.0", {"google/cloud/storage/__init__.py": ""})
    make_distribution(tmp_path, "cloud-tasks", "1.0", {"google/cloud/tasks/__init__.py": ""})
    packages = packages_of(tmp_path)

    assert packages.providers_of("google.cloud.storage.blob") == ("cloud-storage",)
    assert packages.providers_of("google") == ("cloud-storage", "cloud-tasks")


def test_without_a_record_the_declared_top_level_names_count(tmp_path: Path) -> None:
    information = make_distribution(tmp_path, "old-one", "1.0", {})
    (information / "RECORD").unlink()
    (information / "top_level.txt").write_text("oldie\n_oldie\n")

    assert packages_of(tmp_path).providers_of("oldie") == ("old-one",)


def test_metadata_gives_summary_license_urls_and_readme(tmp_path: Path) -> None:
    headers = (
        "Summary: Makes widgets\nLicense-Expression: MIT\nProject-URL: Documentation, https://docs.example.org\n"
        "Home-page: https://example.org\nDescription-Content-Type: text/x-rst; charset=UTF-8\n"
    )
    make_distribution(tmp_path, "widget", "1.0", {"widget.py": ""}, headers=headers, readme="Widget\n======\n\nText.\n")

    found = packages_of(tmp_path).find("widget")

    assert found
    assert (found.summary, found.license, found.readme_markup) == ("Makes widgets", "MIT", "rst")
    assert found.urls == (("Documentation", "https://docs.example.org"), ("Home-page", "https://example.org"))
    assert found.readme.startswith("Widget\n======")
    assert found.fingerprint
    assert not found.is_editable


def test_a_description_in_a_header_is_unfolded() -> None:
    metadata = parse_metadata("Name: x\nVersion: 1\nDescription: # Title\n        \n        Text\n       |more\n")

    assert metadata.description == "# Title\n\nText\nmore"
    assert metadata.first("version") == "1"


def test_an_unknown_description_is_none() -> None:
    assert parse_metadata("Name: x\nVersion: 1\n\nUNKNOWN\n").description == ""


@pytest.mark.parametrize(
    ("description", "markup"),
    [("Title\n=====\n\n.. note:: x\n", "rst"), ("# Title\n\n```\nx\n```\n", "markdown"), ("Just words.", "markdown")],
)
def test_undeclared_markup_is_guessed_from_the_text(description: str, markup: str) -> None:
    assert parse_metadata(f"Name: x\nVersion: 1\n\n{description}").markup == markup


def test_an_egg_of_the_system_is_a_distribution_too(tmp_path: Path) -> None:
    site = site_packages(tmp_path)
    write_files(
        site,
        {
            "apt_thing-2.1.egg-info/PKG-INFO": "Name: apt-thing\nVersion: 2.1\n\nText\n",
            "single-1.0-py3.12.egg-info": "Name: single\nVersion: 1.0\n",
        },
    )
    packages = packages_of(tmp_path)

    assert packages.version_of("apt-thing") == "2.1"
    assert packages.version_of("single") == "1.0"


def test_an_editable_install_leads_to_its_source_folder(tmp_path: Path) -> None:
    source = tmp_path / "work"
    write_files(source, {"README.md": "# Fresh\n", "src/widget/__init__.py": "", "src/widget_tools.py": ""})
    information = make_distribution(tmp_path, "widget", "1.0", {"__editable__.widget-1.0.pth": f"{source / 'src'}\n"})
    (information / "direct_url.json").write_text(json.dumps({"url": source.as_uri(), "dir_info": {"editable": True}}))
    packages = packages_of(tmp_path)

    found = packages.find("widget")

    assert found
    assert found.is_editable
    assert found.folder == source
    assert found.readme == "# Fresh\n"
    assert found.fingerprint is None
    assert (source / "src").resolve() in found.search_path
    assert packages.providers_of("widget_tools") == ("widget",)
    assert "editable" in found.warnings[0]


def test_lines_of_a_pth_file_that_run_code_are_passed_over(tmp_path: Path) -> None:
    write_files(tmp_path, {"work/evil.py": ""})
    make_distribution(
        tmp_path, "widget", "1.0", {"x.pth": f"import os; os.abort()\n# {tmp_path}\n{tmp_path / 'work'}\n"}
    )

    found = packages_of(tmp_path).find("widget")

    assert found
    assert found.search_path[0] == (tmp_path / "work").resolve()
    assert "evil" in found.import_names


def test_an_environment_from_a_repository_does_not_lead_out_of_itself(tmp_path: Path) -> None:
    write_files(tmp_path, {"secrets/secret.py": ""})
    make_distribution(tmp_path, "widget", "1.0", {"x.pth": f"{tmp_path / 'secrets'}\n"})
    from dataclasses import replace

    found = PythonPackages(replace(environment(tmp_path), follows_links_out=False)).find("widget")

    assert found
    assert found.search_path == (site_packages(tmp_path).resolve(),)
    assert "secret" not in found.import_names


def test_two_records_of_one_name_are_said(tmp_path: Path) -> None:
    make_distribution(tmp_path, "widget", "1.0", {"widget.py": ""})
    left_over = make_distribution(tmp_path, "widget", "0.9", {"widget.py": ""})
    (left_over / "RECORD").unlink()

    found = packages_of(tmp_path).find("widget")

    assert found
    assert found.version == "1.0"
    assert "also: 0.9" in found.warnings[0]


def test_the_first_folder_of_the_search_path_wins(tmp_path: Path) -> None:
    make_distribution(tmp_path, "widget", "1.0", {"widget.py": ""})
    make_distribution(tmp_path / "system", "widget", "9.0", {"widget.py": ""})
    packages = PythonPackages(environment(tmp_path, site_packages(tmp_path / "system").resolve()))

    assert packages.version_of("widget") == "1.0"


def test_metadata_of_another_name_than_its_folder_is_not_believed(tmp_path: Path) -> None:
    information = make_distribution(tmp_path, "requests", "2.0", {})
    metadata = information / "METADATA"
    metadata.write_text(metadata.read_text().replace("Name: requests", "Name: evil"))

    packages = packages_of(tmp_path)

    assert packages.version_of("requests") is None
    assert packages.find("evil") is None


def test_an_editable_install_with_a_finder_is_imported_by_the_names_that_it_maps(tmp_path: Path) -> None:
    source = tmp_path / "source"
    write_files(source, {"flat/__init__.py": "def go(): ...\n", "tests/__init__.py": "", "lib/__init__.py": ""})
    mapping = f"MAPPING: dict[str, str] = {{'flat': {str(source / 'flat')!r}, 'other': {str(source / 'lib')!r}}}\n"
    information = make_distribution(
        tmp_path,
        "flat-lib",
        "1.0",
        {"__editable___flat_lib_1_0_finder.py": mapping, "__editable__.flat.pth": "import x\n"},
    )
    url = {"url": source.as_uri(), "dir_info": {"editable": True}}
    (information / "direct_url.json").write_text(json.dumps(url))
    packages = packages_of(tmp_path)
    found = packages.find("flat-lib")

    assert found is not None
    assert found.import_names == ("flat", "other")
    assert source in found.search_path
    assert packages.providers_of("flat") == ("flat-lib",)


def test_a_distribution_beside_the_source_that_a_path_file_adds_is_installed(tmp_path: Path) -> None:
    source = tmp_path / "source"
    metadata = "Metadata-Version: 1.0\nName: leg-lib\nVersion: 0.9\n"
    write_files(source, {"leg/__init__.py": "", "leg_lib.egg-info/PKG-INFO": metadata})
    write_files(source, {"leg_lib.egg-info/top_level.txt": "leg\n"})
    write_files(site_packages(tmp_path), {"easy-install.pth": f"{source}\n"})
    packages = packages_of(tmp_path)
    found = packages.find("leg-lib")

    assert packages.names() == ("leg-lib",)
    assert packages.version_of("leg-lib") == "0.9"
    assert packages.providers_of("leg") == ("leg-lib",)
    assert found is not None
    assert (found.is_editable, found.fingerprint) == (True, None)


def test_a_document_that_is_edited_in_place_is_another_state(tmp_path: Path) -> None:
    make_distribution(tmp_path, "widget", "1.0", {"widget/__init__.py": "", "widget/docs/a.md": "# One\n"})
    packages = packages_of(tmp_path)
    before = packages.find("widget")
    (site_packages(tmp_path) / "widget" / "docs" / "a.md").write_text("# Two\n")
    after = packages.find("widget")

    assert before is not None
    assert after is not None
    assert before.fingerprint != after.fingerprint


def test_modules_of_a_shared_folder_belong_to_those_that_have_them(tmp_path: Path) -> None:
    make_distribution(tmp_path, "cloud-pubsub", "1.0", {"google/cloud/pubsub_v1/__init__.py": ""})
    make_distribution(tmp_path, "cloud-tasks", "1.0", {"google/cloud/tasks.py": "", "google/x.cpython-312.so": ""})
    packages = packages_of(tmp_path)

    assert packages.holds("cloud-pubsub", "google.cloud.pubsub_v1.Client")
    assert packages.holds("cloud-tasks", "google.x")
    assert not packages.holds("cloud-pubsub", "google.cloud.tasks")
    assert not packages.holds("cloud-pubsub", "google.cloud")
    assert packages.holds("cloud-pubsub", "google.cloud", as_folder=True)
    assert not packages.holds("cloud-pubsub", "google.cloud.nothing", as_folder=True)
