"""Addresses of parts of packages: they round-trip, and none of them climbs out of a package."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.errors import ErrorKind, ToolFailure
from sightline.library_docs.installed.package_addresses import (
    PackageAddress,
    api_address,
    document_address,
    parse_package_address,
)
from sightline.library_docs.libraries import LibraryId


def test_an_address_is_written_as_a_package_url_with_the_part_after_the_hash() -> None:
    assert document_address(LibraryId("pypi", "click"), "8.3.0", "README.md") == "pkg:pypi/click@8.3.0#README.md"
    assert api_address(LibraryId("npm", "@scope/x"), "1.0.0", "f") == "pkg:npm/%40scope/x@1.0.0#api/f"
    assert api_address(LibraryId("python", "asyncio"), "3.13.1", "asyncio.TaskGroup").endswith("#api/asyncio.TaskGroup")


@pytest.mark.parametrize(
    "address",
    [
        PackageAddress(LibraryId("pypi", "a-b"), "1!2.0+local.1", "docs/über uns.md"),
        PackageAddress(LibraryId("npm", "@a/b.c"), "1.0.0-rc.1", "api/server:NextRequest"),
        PackageAddress(LibraryId("npm", "x"), "1.0.0", "docs/100% #1.md"),
        PackageAddress(LibraryId("python", "os.path"), "3.12.1", "api/os.path.join"),
    ],
)
def test_an_address_is_read_back_as_it_was(address: PackageAddress) -> None:
    assert parse_package_address(str(address)) == address


@given(st.text(min_size=1, max_size=40))
def test_whatever_part_is_accepted_stays_inside_the_package(part: str) -> None:
    text = str(PackageAddress(LibraryId("pypi", "x"), "1", part))
    try:
        parsed = parse_package_address(text)
    except ToolFailure:
        return
    assert ".." not in parsed.part.split("/")
    assert not parsed.part.startswith("/")
    assert parsed.part == part


@pytest.mark.parametrize(
    "text",
    [
        "pkg:pypi/click@8.3.0#../../etc/passwd",
        "pkg:pypi/click@8.3.0#docs/%2e%2e/%2e%2e/secret",
        "pkg:pypi/click@8.3.0#%2fetc%2fpasswd",
        "pkg:pypi/click@8.3.0#a%00b",
        "pkg:pypi/click@8.3.0#C%3A/x",
        "pkg:pypi/click@8.3.0#a%5C..%5Cb",
        "pkg:pypi/..@8.3.0#README.md",
        "pkg:pypi/%2e%2e%2fx@8.3.0#README.md",
        "pkg:npm/../x@1#README.md",
        "pkg:npm/%40a/..@1#README.md",
        "pkg:npm/a/b@1#README.md",
        "pkg:npm/.hidden@1#README.md",
        "pkg:cargo/serde@1#README.md",
        "pkg:pypi/click#README.md",
        "pkg:pypi/click@8.3.0",
        "pkg:pypi/click@1/2#README.md",
        "pkg:pypi/" + "a" * 3000 + "@1#README.md",
        "https://example.org/x",
    ],
)
def test_any_other_text_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ToolFailure) as failure:
        parse_package_address(text)
    assert failure.value.kind == ErrorKind.INVALID_PARAMS
    assert "pkg:pypi/click@8.3.0#README.md" in failure.value.next_steps[0].message


def test_a_python_name_is_normalised() -> None:
    assert parse_package_address("pkg:pypi/Typing_Extensions@4#README.md").library.name == "typing-extensions"
