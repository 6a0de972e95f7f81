"""A web address taken apart by one strict reader; what it does not understand, it refuses.

There is no second reader: the request is built from these parts, so nobody can read the same address differently.
A host is always a name. IP literals are refused in every spelling, because a name can be checked against a list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sightline.library_docs.fetching.failures import Refusal, RefusalReason

MAX_LENGTH = 2048
MAX_HOST_LENGTH = 253
DEFAULT_PORTS = {"https": 443, "http": 80}

_PARTS = re.compile(
    r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?:#.*)?", re.I | re.A
)
_BAD_CHARACTER = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff\ufffd]|[^\S ]")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_TOP_LABEL = re.compile(r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PLAIN = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/%?]")
_ENCODED_DOT = re.compile(r"%2e", re.I)


@dataclass(frozen=True, slots=True)
class WebAddress:
    """The checked parts of an address, each in its one normal form; the fragment is dropped."""

    scheme: Literal["https", "http"]
    host: str
    port: int
    path: str
    query: str

    @property
    def target(self) -> str:
        """What a request line holds."""
        return self.path + self.query

    @property
    def has_default_port(self) -> bool:
        return self.port == DEFAULT_PORTS[self.scheme]

    def __str__(self) -> str:
        port = "" if self.has_default_port else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.target}"


def parse_web_address(url: str) -> WebAddress | Refusal:
    """The parts of an http or https address whose host is a name, or why it is refused."""
    if (refusal := _refused_as_text(url)) is not None:
        return refusal
    parts = _PARTS.fullmatch(url)
    if parts is None:
        return Refusal(RefusalReason.BAD_SCHEME, "not an http or https address")
    scheme: Literal["https", "http"] = "https" if parts["scheme"].lower() == "https" else "http"
    place = _host_and_port(parts["authority"], scheme)
    if isinstance(place, Refusal):
        return place
    path = _without_dot_segments(_encoded(parts["path"]))
    address = WebAddress(scheme, *place, path, _encoded(parts["query"] or ""))
    if len(str(address)) > MAX_LENGTH:
        return Refusal(RefusalReason.TOO_LONG, f"longer than {MAX_LENGTH} characters when encoded")
    return address


def parse_host(text: str) -> str | Refusal:
    """A host name in lower-case ASCII, or why it is not one."""
    host = text if text.isascii() else _ascii_host(text)
    if isinstance(host, Refusal):
        return host
    host = host.lower()
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1] or (labels[-2] if len(labels) > 1 else "")) or "[" in host or ":" in host:
        return Refusal(RefusalReason.IP_LITERAL, f"a network address in place of a name: {text}")
    if len(host) > MAX_HOST_LENGTH or not all(map(_LABEL.fullmatch, labels)) or not _TOP_LABEL.fullmatch(labels[-1]):
        return Refusal(RefusalReason.BAD_HOST, f"not a host name: {text}")
    if any(label.startswith("xn--") for label in labels) and not _is_honest_punycode(host):
        return Refusal(RefusalReason.BAD_HOST, f"not a proper international name: {text}")
    return host


def _refused_as_text(url: str) -> Refusal | None:
    if len(url) > MAX_LENGTH:
        return Refusal(RefusalReason.TOO_LONG, f"longer than {MAX_LENGTH} characters")
    if found := _BAD_CHARACTER.search(url):
        return Refusal(RefusalReason.BAD_CHARACTER, f"character U+{ord(found[0]):04X} at {found.start()}")
    if _PERCENT.search(url.partition("#")[0]):
        return Refusal(RefusalReason.MALFORMED, "a percent sign that encodes nothing")
    return None


def _host_and_port(authority: str, scheme: str) -> tuple[str, int] | Refusal:
    if "@" in authority:
        return Refusal(RefusalReason.USER_INFO, "a name or password before the host")
    if authority.startswith("["):
        return Refusal(RefusalReason.IP_LITERAL, f"a network address in place of a name: {authority}")
    name, colon, digits = authority.partition(":")
    host = parse_host(name)
    if isinstance(host, Refusal):
        return host
    if not colon:
        return host, DEFAULT_PORTS[scheme]
    if not re.fullmatch(r"[1-9][0-9]{0,4}", digits, re.ASCII) or int(digits) > 65535:
        return Refusal(RefusalReason.BAD_PORT, f"not a port: {digits}")
    return host, int(digits)


def _ascii_host(text: str) -> str | Refusal:
    """The name in punycode; nothing is mapped, so a full-width digit or an ideographic dot is refused."""
    import unicodedata

    import idna

    if unicodedata.normalize("NFKC", text) != text or "%" in text:
        return Refusal(RefusalReason.BAD_HOST, f"not a host name: {text}")
    try:
        return idna.encode(text, strict=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return Refusal(RefusalReason.BAD_HOST, f"not a host name: {text}")


def _is_honest_punycode(host: str) -> bool:
    import idna

    try:
        return idna.encode(idna.decode(host, strict=True), strict=True).decode("ascii") == host
    except (idna.IDNAError, UnicodeError):
        return False


def _encoded(part: str) -> str:
    return "".join(c if _PLAIN.match(c) else "".join(f"%{byte:02X}" for byte in c.encode()) for c in part)


def _without_dot_segments(path: str) -> str:
    """The path as a server will understand it; an encoded dot is a dot."""
    kept: list[str] = []
    segments = _ENCODED_DOT.sub(".", path).split("/")[1:] or [""]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
