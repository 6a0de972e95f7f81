"""What an answer's status and headers mean to us; knows HTTP, opens nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin

from sightline.library_docs.fetching.failures import FailureReason, FetchFailed, PageNotFound
from sightline.library_docs.fetching.web_addresses import WebAddress

MAX_HEADERS = 200
MAX_HEADER_BYTES = 65536
LONGEST_WAIT_S = 86400.0

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_UNSAFE_IN_LOCATION = re.compile(r"[\x00-\x20\x7f\\]")
_VALIDATOR = re.compile(r"[\x20-\x7e]{1,512}")


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of an answer, names in lower case."""

    status: int
    headers: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, url: str, status: int, raw: Sequence[tuple[bytes, bytes]]) -> Head:
        """The head of an answer. Raises FetchFailed for a flood of headers."""
        if len(raw) > MAX_HEADERS or sum(len(name) + len(value) for name, value in raw) > MAX_HEADER_BYTES:
            raise FetchFailed(url, FailureReason.TOO_MANY_HEADERS, f"{len(raw)} headers", status=status)
        return cls(status, tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in raw))

    def get(self, name: str) -> str | None:
        """The first value of a header."""
        return next((value for key, value in self.headers if key == name), None)

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name]

    @property
    def is_redirect(self) -> bool:
        return self.status in _REDIRECTS

    @property
    def encoding(self) -> str:
        return ", ".join(self.all("content-encoding"))

    @property
    def declared_length(self) -> int | None:
        length = self.get("content-length") or ""
        return int(length) if re.fullmatch(r"[0-9]{1,18}", length, re.ASCII) else None

    @property
    def content_type(self) -> tuple[str, str | None]:
        """The media type in lower case (empty if none was sent) and its charset."""
        message = Message()
        message["content-type"] = (self.get("content-type") or "")[:500]
        charset = message.get_param("charset")
        kind = (self.get("content-type") or "").partition(";")[0].strip().lower()
        return kind, charset if isinstance(charset, str) else None

    def validator(self, name: str) -> str | None:
        """An ETag or a date that is fit to be sent back."""
        value = self.get(name)
        return value if value is not None and is_fit_for_a_header(value) else None


def is_fit_for_a_header(value: str) -> bool:
    """Whether a validator is plain enough to be sent."""
    return _VALIDATOR.fullmatch(value) is not None


def redirect_target(at: WebAddress, head: Head) -> str:
    """Where a redirect leads, as text that is still to be checked. Raises FetchFailed if it does not say."""
    places = set(head.all("location"))
    if len(places) != 1:
        raise FetchFailed(str(at), FailureReason.BAD_REDIRECT, "no single target", status=head.status)
    try:
        location = places.pop().encode("latin-1").decode("utf-8")
        if _UNSAFE_IN_LOCATION.search(location):
            raise ValueError("unsafe characters")
        return urljoin(str(at), location)
    except ValueError as error:
        raise FetchFailed(str(at), FailureReason.BAD_REDIRECT, "unreadable target", status=head.status) from error


def raise_for_status(url: str, head: Head, now: float) -> None:
    """Raises PageNotFound or FetchFailed for anything but an answer with a document."""
    status = head.status
    if status in (200, 203):
        return
    if status in (404, 410):
        raise PageNotFound(url, gone=status == 410)
    reason = _reason_of(status)
    transient = reason in (FailureReason.SERVER_ERROR, FailureReason.RATE_LIMITED)
    wait = _retry_after_s(head, now) if transient else None
    raise FetchFailed(url, reason, f"status {status}", transient=transient, status=status, retry_after_s=wait)


def _reason_of(status: int) -> FailureReason:
    if status == 429:
        return FailureReason.RATE_LIMITED
    if status in (401, 402, 403, 407, 451):
        return FailureReason.DENIED
    if status in (408, 425) or 500 <= status < 600:
        return FailureReason.SERVER_ERROR
    return FailureReason.UNEXPECTED_STATUS


def _retry_after_s(head: Head, now: float) -> float | None:
    """Seconds to wait; a date is measured by the site's own clock where it tells its time."""
    text = (head.get("retry-after") or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII):
        return min(float(text), LONGEST_WAIT_S)
    until = _timestamp(text)
    if until is None:
        return None
    sent = _timestamp(head.get("date") or "")
    return min(max(until - (now if sent is None else sent), 0.0), LONGEST_WAIT_S)


def _timestamp(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
