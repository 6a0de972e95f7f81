"""Which addresses an entry may hold, and what each opens."""

from __future__ import annotations

import pytest

from sightline.library_docs.registry.addresses import (
    AllowedPlace,
    InvalidAddress,
    checked_address,
    place_of,
    raw_files_of,
    repository_of,
    require_registrable,
)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://example.com/", "https"),
        ("ftp://example.com/", "https"),
        ("//example.com/", "https"),
        ("https://user@example.com/", "user"),
        ("https://user:word@example.com/", "user"),
        ("https://127.0.0.1/", "IP"),
        ("https://2130706433/", "IP"),
        ("https://127.1/", "IP"),
        ("https://0x7f.0.0.1/", "IP"),
        ("https://[::1]/", "IP"),
        ("https://localhost/", "IP"),
        ("https:///docs", "host"),
        ("https://example.com:8443/", "port"),
        ("https://example.com:99999/", "parsed"),
        ("https://example.com/a b", "escaped"),
        ("https://example.com/\n", "escaped"),
        ("https://example.com\\@evil.org/", "escaped"),
        ("https://exämple.com/", "escaped"),
        ("https://example.com/a/../b", ".."),
        ("https://example.com/" + "a" * 300, "longer"),
        ("https://pypi.example/project/x", "registry"),
        ("https://www.npmjs.example/package/x", "registry"),
        ("https://-example.com/", "host"),
        ("https://example..com/", "host"),
    ],
)
def test_an_address_that_no_entry_may_hold_is_refused_with_the_reason(address: str, reason: str) -> None:
    with pytest.raises(InvalidAddress, match=reason):
        checked_address(address)


def test_the_host_is_lower_case_and_the_fragment_goes() -> None:
    assert checked_address("https://Docs.Example.COM/Guide?v=1#top") == "https://docs.example.com/Guide?v=1"
    assert checked_address("https://example.com") == "https://example.com/"
    assert checked_address("https://example.com:443/a") == "https://example.com/a"


@pytest.mark.parametrize("host", ["github.io", "co.uk", "readthedocs.io", "vercel.app", "docs.internal"])
def test_a_public_suffix_and_an_unknown_domain_are_not_registrable(host: str) -> None:
    with pytest.raises(InvalidAddress):
        require_registrable(f"https://{host}/")


def test_a_host_below_a_public_suffix_is_registrable() -> None:
    hosts = ("pallets.github.io", "click.readthedocs.io", "www.example.co.uk", "docs.python.org")
    assert [is_registrable(f"https://{host}/") for host in (*hosts, "co.uk")] == [True] * 4 + [False]


def is_registrable(address: str) -> bool:
    try:
        require_registrable(address)
    except InvalidAddress:
        return False
    return True


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://click.palletsprojects.com/en/stable/", AllowedPlace("click.palletsprojects.com", "/")),
        ("https://github.com/pallets/click/tree/main", AllowedPlace("github.com", "/pallets/click/")),
        ("https://pallets.github.io/click/api/", AllowedPlace("pallets.github.io", "/click/")),
        ("https://pallets.github.io/", AllowedPlace("pallets.github.io", "/")),
        ("https://github.com/pallets", None),
        ("https://medium.com/", None),
    ],
)
def test_a_shared_host_is_opened_only_at_the_owners_folder(address: str, place: AllowedPlace | None) -> None:
    assert place_of(address) == place


def test_a_place_admits_what_lies_in_its_folder_and_nothing_beside_it() -> None:
    place = AllowedPlace("github.com", "/pallets/click/")

    assert place.admits("https://github.com/pallets/click")
    assert place.admits("https://github.com/pallets/click/blob/main/README.md")
    assert not place.admits("https://github.com/pallets/click-evil/")
    assert not place.admits("https://github.com/pallets/click/../../other")
    assert not place.admits("http://github.com/pallets/click/")
    assert not place.admits("https://gist.github.com/pallets/click/")


def test_a_place_without_a_folder_admits_its_host_and_no_other() -> None:
    assert AllowedPlace("docs.example.com").admits("https://docs.example.com/a/b")
    assert not AllowedPlace("docs.example.com").admits("https://example.com/a/b")


def test_a_repository_is_the_project_on_a_code_host() -> None:
    assert repository_of("https://github.com/psf/requests.git") == "https://github.com/psf/requests"
    assert repository_of("https://github.com/psf/requests/tree/main/docs") == "https://github.com/psf/requests"
    assert repository_of("https://github.com/sponsors/psf") is None
    assert repository_of("https://github.com/psf") is None
    assert repository_of("https://example.com/psf/requests") is None


def test_the_plain_files_of_a_repository_have_a_place_of_their_own() -> None:
    place = raw_files_of("https://github.com/psf/requests")
    assert place == AllowedPlace("raw.githubusercontent.com", "/psf/requests/")
    assert raw_files_of("https://gitlab.com/a/b") is None
