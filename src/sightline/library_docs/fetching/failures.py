"""Why an address is refused, and the ways in which a fetch can fail.

FetchError
  UrlNotAllowed   we will not ask: the address, or what its name leads to, is not allowed
  PageNotFound    the site says that there is no such page (404) or no longer (410)
  FetchFailed     we asked and got nothing usable; `transient` says whether asking again can help
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RefusalReason(StrEnum):
    """Why an address is not fetched."""

    TOO_LONG = "too_long"
    BAD_CHARACTER = "bad_character"
    BAD_SCHEME = "bad_scheme"
    MALFORMED = "malformed"
    USER_INFO = "user_info"
    IP_LITERAL = "ip_literal"
    BAD_HOST = "bad_host"
    BAD_PORT = "bad_port"
    SPECIAL_NAME = "special_name"
    HOST_NOT_ALLOWED = "host_not_allowed"
    PATH_NOT_ALLOWED = "path_not_allowed"
    ADDRESS_NOT_PUBLIC = "address_not_public"
    DOWNGRADE = "downgrade"
    INTO_PRIVATE = "into_private"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason as a word, and what it was about."""

    reason: RefusalReason
    detail: str


class FailureReason(StrEnum):
    """Why a fetch that was allowed gave nothing."""

    UNKNOWN_HOST = "unknown_host"
    LOOKUP_FAILED = "lookup_failed"
    CANNOT_CONNECT = "cannot_connect"
    TIMED_OUT = "timed_out"
    BROKEN_ANSWER = "broken_answer"
    TOO_LARGE = "too_large"
    TOO_MANY_HEADERS = "too_many_headers"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    REDIRECT_LOOP = "redirect_loop"
    BAD_REDIRECT = "bad_redirect"
    BAD_ENCODING = "bad_encoding"
    WRONG_CONTENT_TYPE = "wrong_content_type"
    NOT_TEXT = "not_text"
    DENIED = "denied"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    UNEXPECTED_STATUS = "unexpected_status"


class FetchError(Exception):
    """A document that was not fetched; `url` is the address that was asked for, or the hop that failed."""

    def __init__(self, url: str, message: str) -> None:
        super().__init__(message)
        self.url = url
        self.message = message


class UrlNotAllowed(FetchError):
    """The address, a redirect's target, or the network address behind a name is not allowed."""

    def __init__(self, url: str, refusal: Refusal) -> None:
        super().__init__(url, f"not allowed ({refusal.reason}): {refusal.detail}")
        self.refusal = refusal


class PageNotFound(FetchError):
    """The site answered that the page does not exist; `gone` if it says for good."""

    def __init__(self, url: str, *, gone: bool) -> None:
        super().__init__(url, "the page is gone for good (410)" if gone else "the page does not exist (404)")
        self.gone = gone


class FetchFailed(FetchError):
    """No usable answer; `retry_after_s` is the site's own wish, where it has one."""

    def __init__(
        self,
        url: str,
        reason: FailureReason,
        detail: str,
        *,
        transient: bool = False,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(url, f"{reason}: {detail}")
        self.reason = reason
        self.transient = transient
        self.status = status
        self.retry_after_s = retry_after_s
