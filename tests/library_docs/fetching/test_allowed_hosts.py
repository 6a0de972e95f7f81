"""A place admits its own pages and no neighbour's."""

from __future__ import annotations

import pytest

from sightline.errors import SettingsError
from sightline.library_docs.fetching import AllowedHosts, Permission, Place, Refusal, RefusalReason

ALLOWED = AllowedHosts.of(
    registered=[
        "https://docs.example.com/en/stable/",
        "https://x.github.io/project/",
        "https://x.readthedocs.io",
        "https://github.com/Owner/Name/tree/main/docs",
        "https://huggingface.co/docs/transformers",
        "https://gitlab.com/",
        "https://github.com/lonely",
        "https://127.0.0.1/",
        "not a place",
        "*.github.io",
    ],
    allowed_hosts=[
        "*.example.org",
        "manual.example.net/v2",
        "docs.example.com",
        "raw.githubusercontent.com/a/b/main/docs",
    ],
    private_hosts={"wiki": ["10.0.0.1", "::1"], "docs.corp:8080": ["10.0.0.2"], "docs.example.net": ["10.0.0.3"]},
)


@pytest.mark.parametrize(
    ("url", "tier"),
    [
        ("https://docs.example.com/", "registered"),
        ("https://docs.example.com/other/place", "registered"),
        ("https://x.github.io/", "registered"),
        ("https://x.readthedocs.io/en/latest/", "registered"),
        ("https://github.com/owner/name", "registered"),
        ("https://github.com/Owner/Name/blob/main/x.md", "registered"),
        ("https://raw.githubusercontent.com/Owner/Name/main/x.md", "registered"),
        ("https://huggingface.co/docs/transformers/index", "registered"),
        ("https://example.org/", "allowed"),
        ("https://a.b.example.org/x", "allowed"),
        ("https://manual.example.net/v2", "allowed"),
        ("https://manual.example.net/v2/x", "allowed"),
        ("https://raw.githubusercontent.com/a/b/main/docs/x", "allowed"),
        ("http://wiki/any", "private"),
        ("https://wiki/any", "private"),
        ("http://docs.corp:8080/", "private"),
        ("https://docs.corp:8080/", "private"),
        ("https://docs.example.net/", "private"),
    ],
)
def test_a_place_admits_its_pages(url: str, tier: str) -> None:
    permission = ALLOWED.permit(url)
    assert isinstance(permission, Permission)
    assert permission.tier == tier
    assert bool(permission.pins) == (tier == "private")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://y.github.io/", RefusalReason.HOST_NOT_ALLOWED),
        ("https://github.io/", RefusalReason.HOST_NOT_ALLOWED),
        ("https://a.x.github.io/", RefusalReason.HOST_NOT_ALLOWED),
        ("https://y.readthedocs.io/", RefusalReason.HOST_NOT_ALLOWED),
        ("https://www.docs.example.com/", RefusalReason.HOST_NOT_ALLOWED),
        ("https://example.com/", RefusalReason.HOST_NOT_ALLOWED),
        ("https://evil-example.org/", RefusalReason.HOST_NOT_ALLOWED),
        ("https://example.org.evil.com/", RefusalReason.HOST_NOT_ALLOWED),
        ("https://gitlab.com/owner/name", RefusalReason.HOST_NOT_ALLOWED),
        ("https://gist.github.com/owner/name", RefusalReason.HOST_NOT_ALLOWED),
        ("https://github.com/", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com/owner", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com/owner/name2", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com/owner/other", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com/lonely/x", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com/owner/name/../../evil/x", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com/owner/name/%2e%2e/%2e%2e/evil/x", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com/owner/name/..%2f..%2fevil/x", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com/owner/name/..%5c..%5cevil", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com/owner/name/%252e%252e/%252e%252e/evil", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com/owner/name/..;/..;/evil/x", RefusalReason.PATH_NOT_ALLOWED),
        ("https://github.com//owner/name", RefusalReason.PATH_NOT_ALLOWED),
        ("https://huggingface.co/docs/datasets", RefusalReason.PATH_NOT_ALLOWED),
        ("https://raw.githubusercontent.com/a/b/main/src", RefusalReason.PATH_NOT_ALLOWED),
        ("https://manual.example.net/v22", RefusalReason.PATH_NOT_ALLOWED),
        ("https://manual.example.net/V2", RefusalReason.PATH_NOT_ALLOWED),
        ("http://docs.example.com/", RefusalReason.BAD_SCHEME),
        ("https://docs.example.com:80/", RefusalReason.BAD_PORT),
        ("http://docs.example.com:443/", RefusalReason.BAD_SCHEME),
        ("https://wiki:8443/", RefusalReason.BAD_PORT),
        ("https://docs.corp/", RefusalReason.SPECIAL_NAME),
        ("https://docs.corp:8081/", RefusalReason.BAD_PORT),
        ("https://localhost/", RefusalReason.SPECIAL_NAME),
        ("https://127.0.0.1/", RefusalReason.IP_LITERAL),
    ],
)
def test_a_place_admits_nothing_else(url: str, reason: RefusalReason) -> None:
    refusal = ALLOWED.permit(url)
    assert isinstance(refusal, Refusal)
    assert refusal.reason == reason


def test_an_empty_list_admits_nothing() -> None:
    assert isinstance(AllowedHosts().permit("https://docs.example.com/"), Refusal)


@pytest.mark.parametrize(
    "text",
    [
        *("github.com", "gitlab.com/one", "github.com/a%2fb/c", "localhost", "x.internal", "10.0.0.1"),
        *("*.github.io", "*.co.uk", "*.com", "*.readthedocs.io", "*.mintlify.app", "*.localhost", "*", "*."),
        *("docs.example.com:8080", "a b", ""),
    ],
)
def test_a_setting_that_is_no_place_is_an_error_that_names_it(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        AllowedHosts.of(allowed_hosts=[text])
    assert "docs.allowed_hosts" in caught.value.message
    assert repr(text) in caught.value.message


@pytest.mark.parametrize(
    ("key", "addresses"),
    [
        ("wiki", []),
        ("wiki", ["wiki.example.com"]),
        ("wiki", ["0.0.0.0"]),
        ("wiki", ["224.0.0.1"]),
        ("wiki", ["fe80::1%eth0"]),
        ("10.0.0.1", ["10.0.0.1"]),
        ("wiki:0", ["10.0.0.1"]),
        ("wiki:99999", ["10.0.0.1"]),
        ("wiki:", ["10.0.0.1"]),
        ("https://wiki", ["10.0.0.1"]),
    ],
)
def test_a_private_host_needs_a_name_and_addresses(key: str, addresses: list[str]) -> None:
    with pytest.raises(SettingsError, match=r"docs\.private_hosts"):
        AllowedHosts.of(private_hosts={key: addresses})


def test_the_domain_of_one_publisher_on_a_shared_domain_can_be_named() -> None:
    assert Place.parse("*.x.github.io") == Place("x.github.io", subdomains=True)
    assert isinstance(AllowedHosts.of(registered=["*.x.github.io"]).permit("https://y.github.io/"), Refusal)
