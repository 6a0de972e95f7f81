"""Fetching documents from the web: allowed places only, checked addresses only, within limits.

Every hop is checked twice: the address as text against the allowed places, and the network address behind its name.
What comes back is text that nobody vouches for (see `untrusted_text`).
"""

from sightline.library_docs.fetching.allowed_hosts import AllowedHosts, Permission, Place
from sightline.library_docs.fetching.failures import (
    FailureReason,
    FetchError,
    FetchFailed,
    PageNotFound,
    Refusal,
    RefusalReason,
    UrlNotAllowed,
)
from sightline.library_docs.fetching.fetched import Doubt, Fetched, FetchedBytes
from sightline.library_docs.fetching.fetcher import Fetcher, FetchLimits
from sightline.library_docs.fetching.network_seams import Dialler, Resolver

__all__ = [
    "AllowedHosts",
    "Dialler",
    "Doubt",
    "FailureReason",
    "FetchError",
    "FetchFailed",
    "FetchLimits",
    "Fetched",
    "FetchedBytes",
    "Fetcher",
    "PageNotFound",
    "Permission",
    "Place",
    "Refusal",
    "RefusalReason",
    "Resolver",
    "UrlNotAllowed",
]
