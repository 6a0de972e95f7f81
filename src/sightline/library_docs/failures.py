"""The failures of fetching and caching as failures of a tool: here, and only here."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.library_docs.cached_conversion import NotADocument
from sightline.library_docs.cached_pages import NotCached, PagesClosed
from sightline.library_docs.fetching.failures import FetchFailed, PageNotFound, UrlNotAllowed

_ALLOW = NextStep("config", "a person can add the host to `docs.allowed_hosts` in the user settings")
_ONLINE = NextStep(
    "config", "a person can set `docs.offline` to false, or fill the cache with `sightline docs prefetch`"
)
_SEARCH = NextStep("tool", "search what is cached and installed", tool="search_docs", arguments={})


@contextmanager
def as_tool_failures(url: str) -> Generator[None]:
    """Turn what goes wrong with a page into a `ToolFailure`."""
    shown = url[:200]
    try:
        yield
    except UrlNotAllowed as error:
        message = f"`{shown}` is {error.message}"
        raise ToolFailure(
            ErrorKind.URL_NOT_ALLOWED, message, _ALLOW, data={"reason": str(error.refusal.reason)}
        ) from None
    except PageNotFound as error:
        raise ToolFailure(ErrorKind.PAGE_NOT_FOUND, f"`{shown}`: {error.message}", _SEARCH) from None
    except NotADocument as error:
        message = f"`{shown}` gives no document: {error.verdict}"
        raise ToolFailure(ErrorKind.PAGE_NOT_FOUND, message, _SEARCH, data={"verdict": error.verdict}) from None
    except FetchFailed as error:
        wait = None if error.retry_after_s is None else round(error.retry_after_s * 1000)
        raise ToolFailure(
            ErrorKind.FETCH_FAILED,
            f"`{shown}`: {error.message}",
            NextStep("doc", "ask again later") if error.transient else _SEARCH,
            retryable=error.transient,
            retry_after_ms=wait,
            data={"reason": str(error.reason)},
        ) from None
    except NotCached:
        message = f"`{shown}` is not cached, and the network is switched off"
        raise ToolFailure(ErrorKind.FETCH_FAILED, message, _ONLINE) from None
    except PagesClosed:
        raise ToolFailure(ErrorKind.CANCELLED, "Sightline is ending", NextStep("doc", "ask again")) from None
