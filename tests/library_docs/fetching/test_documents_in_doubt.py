"""A successful answer may still not be the document: its text is read rightly, and doubts are said."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from sightline.library_docs.fetching import AllowedHosts, Doubt
from sightline.library_docs.fetching.charsets import decode
from tests.library_docs.loopback_site import loopback_site

GUIDE = "https://docs.example.com/guide"
ALLOWED = AllowedHosts.of(registered=["docs.example.com"])


@pytest.mark.parametrize(
    ("body", "declared", "text", "charset"),
    [
        ("grün".encode(), "utf-8", "grün", "utf-8"),
        ("grün".encode(), None, "grün", "utf-8"),
        ("grün".encode("latin-1"), "iso-8859-1", "grün", "cp1252"),
        (b"\x93quoted\x94", "ISO-8859-1", "“quoted”", "cp1252"),
        ("grün".encode(), "iso-8859-1", "grün", "utf-8"),
        ("привет".encode("koi8-r"), "koi8-r", "привет", "koi8-r"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本", "shift_jis"),
        ("日本".encode("gbk"), '"gbk"', "日本", "gbk"),
        (codecs.BOM_UTF8 + "grün".encode(), "koi8-r", "grün", "utf-8"),
        (codecs.BOM_UTF16_LE + "grün".encode("utf-16-le"), None, "grün", "utf-16-le"),
        (codecs.BOM_UTF16_BE + "grün".encode("utf-16-be"), "utf-8", "grün", "utf-16-be"),
        ("grün".encode(), "no-such-charset", "grün", "utf-8"),
        (b"+ADw-script", "utf-7", "+ADw-script", "utf-8"),
        (b"cebgrpgrq", "rot13", "cebgrpgrq", "utf-8"),
        (b"\\u0041", "unicode_escape", "\\u0041", "utf-8"),
        (b"abc", "a\0b", "abc", "utf-8"),
        ("grün".encode("latin-1"), None, "grün", "cp1252"),
    ],
)
def test_the_charset_is_what_the_bytes_bear_out(body: bytes, declared: str | None, text: str, charset: str) -> None:
    decoded = decode(body, declared, is_markup=False)
    assert (decoded.text, decoded.charset, decoded.lossy) == (text, charset, False)


@pytest.mark.parametrize(
    ("prefix", "charset"),
    [
        (b"<html><meta charset=koi8-r>", "koi8-r"),
        (b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', "koi8-r"),
        (b'<?xml version="1.0" encoding="koi8-r"?>', "koi8-r"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=bogus>", "cp1252"),
        (b" " * 5000 + b"<meta charset=koi8-r>", "cp1252"),
    ],
)
def test_markup_may_name_its_own_charset(prefix: bytes, charset: str) -> None:
    assert decode(prefix + b"\xd0\xd2", None, is_markup=True).charset == charset
    assert decode(prefix + b"\xd0\xd2", None, is_markup=False).charset == "cp1252"


@pytest.mark.parametrize(
    ("body", "content_type", "doubts"),
    [
        ("text", "text/plain; charset=utf-8", set[Doubt]()),
        ("<html><title>Guide</title><h1>Errors 404 and 500</h1>", "text/html", set[Doubt]()),
        ("# How to sign in\n", "text/markdown", set[Doubt]()),
        (" \n", "text/plain", {"empty"}),
        ("<title>404 | Docs</title>", "text/html", {"looks_like_not_found"}),
        ("<title>Docs</title><h1 class=x>Page\n not found</h1>", "text/html", {"looks_like_not_found"}),
        ("<title>Not Found</title>", "application/xhtml+xml", {"looks_like_not_found"}),
        ("404: Not Found", "text/plain", {"looks_like_not_found"}),
        ("<title>Sign in to Example</title>", "text/html", {"looks_like_login"}),
        ("<title>Just a moment...</title>", "text/html", {"looks_like_login"}),
        (b"gr\xfcn", "text/plain", {"charset_guessed"}),
        (b"gr\xfcn", "text/plain; charset=utf-8", {"characters_lost"}),
        ("text", "", {"type_guessed"}),
    ],
)
async def test_doubts_about_a_document_are_said(
    tmp_path: Path, body: str | bytes, content_type: str, doubts: set[Doubt]
) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, body, content_type=content_type)
        assert (await fetcher.fetch(GUIDE, ALLOWED)).doubts == doubts


@pytest.mark.parametrize(
    ("target", "doubts"),
    [("/", {"redirected_to_root"}), ("/login?next=x", {"looks_like_login"}), ("/en/guide", set[Doubt]())],
)
async def test_a_redirect_away_from_the_document_is_doubtful(tmp_path: Path, target: str, doubts: set[Doubt]) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.redirect(GUIDE, target)
        site.page(f"https://docs.example.com{target}", "text", content_type="text/plain")
        assert (await fetcher.fetch(GUIDE, ALLOWED)).doubts == doubts


async def test_a_start_page_is_no_doubt_where_it_was_meant(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page("https://docs.example.com/", "text", content_type="text/plain")
        for url in ("https://docs.example.com/index.html", "https://www.example.com/docs"):
            site.redirect(url, "https://docs.example.com/")
            allowed = AllowedHosts.of(registered=["docs.example.com", "www.example.com"])
            assert (await fetcher.fetch(url, allowed)).doubts == set()


@pytest.mark.parametrize(
    ("path", "body", "sent", "kind"),
    [
        ("/a.md", "# x", "application/octet-stream", "text/plain"),
        ("/a", "<!DOCTYPE html><p>x", "", "text/html"),
        ("/a", "{}", "application/json", "application/json"),
        ("/a", "{}", "application/vnd.api+json; x=y", "application/vnd.api+json"),
        ("/a", "x", "TEXT/Markdown;charset=UTF-8", "text/markdown"),
    ],
)
async def test_the_kind_of_text_is_told(tmp_path: Path, path: str, body: str, sent: str, kind: str) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        url = f"https://docs.example.com{path}"
        site.page(url, body, content_type=sent)
        assert (await fetcher.fetch(url, ALLOWED)).content_type == kind


async def test_text_in_utf_16_is_no_binary(tmp_path: Path) -> None:
    async with loopback_site(tmp_path) as site, site.fetcher() as fetcher:
        site.page(GUIDE, "grün".encode("utf-16"), content_type="text/plain")
        assert (await fetcher.fetch(GUIDE, ALLOWED)).text == "grün"
