"""An address has one reading; what could have two is refused."""

from __future__ import annotations

import string
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.library_docs.fetching.failures import Refusal, RefusalReason
from sightline.library_docs.fetching.web_addresses import WebAddress, parse_host, parse_web_address


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("https://docs.example.com", "https://docs.example.com/"),
        ("HTTPS://Docs.Example.COM:443/A?B#C", "https://docs.example.com/A?B"),
        ("http://docs.example.com:80/", "http://docs.example.com/"),
        ("https://docs.example.com:8443/", "https://docs.example.com:8443/"),
        ("https://docs.example.com?q", "https://docs.example.com/?q"),
        ("https://docs.example.com/a/./b/../c", "https://docs.example.com/a/c"),
        ("https://docs.example.com/a/%2e%2E/%2e/c/..", "https://docs.example.com/"),
        ("https://docs.example.com/../../x/.", "https://docs.example.com/x/"),
        ("https://docs.example.com//a//b", "https://docs.example.com//a//b"),
        ("https://docs.example.com/\u00e4 ?".replace(" ", ""), "https://docs.example.com/%C3%A4?"),
        ('https://docs.example.com/"<x>`{|}^', "https://docs.example.com/%22%3Cx%3E%60%7B%7C%7D%5E"),
        ("https://b\u00fccher.example.org/", "https://xn--bcher-kva.example.org/"),
        ("https://xn--bcher-kva.example.org/", "https://xn--bcher-kva.example.org/"),
        ("https://a_b.example.com/", "https://a_b.example.com/"),
        ("http://wiki/", "http://wiki/"),
    ],
)
def test_an_address_has_one_normal_form(url: str, normal: str) -> None:
    address = parse_web_address(url)
    assert isinstance(address, WebAddress)
    assert str(address) == normal
    assert str(parse_web_address(normal)) == normal


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://a.com/" + "x" * 2040, RefusalReason.TOO_LONG),
        ("https://a.com/" + "\u00e4" * 700, RefusalReason.TOO_LONG),
        ("https://a.com/\t", RefusalReason.BAD_CHARACTER),
        ("https://a.com/\u3000", RefusalReason.BAD_CHARACTER),
        ("https://a.com\\@b.com", RefusalReason.BAD_CHARACTER),
        ("ftp://a.com/", RefusalReason.BAD_SCHEME),
        ("a.com", RefusalReason.BAD_SCHEME),
        ("https://a.com/%", RefusalReason.MALFORMED),
        ("https://a@b.com/", RefusalReason.USER_INFO),
        ("https://127.1/", RefusalReason.IP_LITERAL),
        ("https://0x7f.1/", RefusalReason.IP_LITERAL),
        ("https://2130706433/", RefusalReason.IP_LITERAL),
        ("https://127.0.0.1./", RefusalReason.IP_LITERAL),
        ("https://[::ffff:127.0.0.1]/", RefusalReason.IP_LITERAL),
        ("https://a.com./", RefusalReason.BAD_HOST),
        ("https://a..com/", RefusalReason.BAD_HOST),
        ("https://\uff41.com/", RefusalReason.BAD_HOST),
        ("https://a\u3002com/", RefusalReason.BAD_HOST),
        ("https://\u2665.com/", RefusalReason.BAD_HOST),
        ("https://xn--a.com/", RefusalReason.BAD_HOST),
        ("https://xn--example-.com/", RefusalReason.BAD_HOST),
        ("https://a.com:/", RefusalReason.BAD_PORT),
        ("https://a.com:0443/", RefusalReason.BAD_PORT),
        ("https://a.com:65536/", RefusalReason.BAD_PORT),
    ],
)
def test_a_refusal_says_why(url: str, reason: RefusalReason) -> None:
    refusal = parse_web_address(url)
    assert isinstance(refusal, Refusal)
    assert refusal.reason == reason


URL_PIECES = st.sampled_from(
    (
        *(
            "https://",
            "http://",
            "//",
            "/",
            "\\",
            "@",
            ":",
            "?",
            "#",
            "[",
            "]",
            "%",
            "%2e",
            "%2f",
            ".",
            "..",
            "443",
            "80",
        ),
        *(
            "127.0.0.1",
            "::1",
            "localhost",
            "example.com",
            "0x7f",
            "xn--",
            "\u00e4",
            "\uff0e",
            "\t",
            " ",
            "\n",
            ";",
            "a",
        ),
    )
)


@given(st.lists(URL_PIECES, max_size=12).map("".join))
def test_no_other_reader_finds_another_host(url: str) -> None:
    address = parse_web_address(url)
    if isinstance(address, WebAddress):
        for text in (url, str(address)):
            other = urlsplit(text)
            assert other.scheme == address.scheme
            assert parse_host(other.hostname or "") == address.host
            assert (other.port or {"https": 443, "http": 80}[address.scheme]) == address.port
        assert str(address).isascii()
        assert str(address).isprintable()
        assert parse_web_address(str(address)) == address


@given(st.text(max_size=60), st.sampled_from(["https://", "https://example.com/", ""]))
def test_any_text_is_read_or_refused(text: str, start: str) -> None:
    address = parse_web_address(start + text)
    if isinstance(address, WebAddress):
        assert set(address.host) <= set(string.ascii_lowercase + string.digits + "-_.")
        assert "/../" not in address.path
