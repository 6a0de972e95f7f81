"""Every way in which a tool can fail, in one place.

The kinds (the docs page is made from this table):

  the caller's    invalid_params  file_not_found  permission_denied  path_not_allowed  too_large
                  no_match  ambiguous_symbol  stale_plan  conflict  read_only  unsupported
  the server's    no_server_for_file  server_not_installed  server_starting  server_crashed
  time and load   timeout  cancelled  busy
  docs            library_not_found  page_not_found  fetch_failed  url_not_allowed
  sync            secrets_detected  target_malformed  untrusted_config
  ours            internal_error

A `ToolFailure` is raised where the cause is known and becomes an answer in one place, the tool boundary.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from sightline.frozen import frozen


class ErrorKind(StrEnum):
    """What went wrong, as a word that a caller can act on."""

    INVALID_PARAMS = "invalid_params"
    FILE_NOT_FOUND = "file_not_found"
    PERMISSION_DENIED = "permission_denied"
    PATH_NOT_ALLOWED = "path_not_allowed"
    TOO_LARGE = "too_large"
    NO_SERVER_FOR_FILE = "no_server_for_file"
    SERVER_NOT_INSTALLED = "server_not_installed"
    SERVER_STARTING = "server_starting"
    SERVER_CRASHED = "server_crashed"
    UNSUPPORTED = "unsupported"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    READ_ONLY = "read_only"
    NO_MATCH = "no_match"
    AMBIGUOUS_SYMBOL = "ambiguous_symbol"
    STALE_PLAN = "stale_plan"
    CONFLICT = "conflict"
    LIBRARY_NOT_FOUND = "library_not_found"
    PAGE_NOT_FOUND = "page_not_found"
    FETCH_FAILED = "fetch_failed"
    URL_NOT_ALLOWED = "url_not_allowed"
    BUSY = "busy"
    SECRETS_DETECTED = "secrets_detected"
    TARGET_MALFORMED = "target_malformed"
    UNTRUSTED_CONFIG = "untrusted_config"
    INTERNAL_ERROR = "internal_error"

    @property
    def meaning(self) -> str:
        """One sentence for the reference page."""
        return _MEANINGS[self]


_MEANINGS = {
    ErrorKind.INVALID_PARAMS: "An argument is missing, unknown, of the wrong type or out of range.",
    ErrorKind.FILE_NOT_FOUND: "The path does not exist.",
    ErrorKind.PERMISSION_DENIED: "The operating system does not let Sightline read or write the path.",
    ErrorKind.PATH_NOT_ALLOWED: "The path, followed through symlinks, lies outside the allowed roots.",
    ErrorKind.TOO_LARGE: "The file, or the answer at its smallest, is over a limit.",
    ErrorKind.NO_SERVER_FOR_FILE: "No language server is set up for this kind of file.",
    ErrorKind.SERVER_NOT_INSTALLED: "The engine or language server could not be found or started.",
    ErrorKind.SERVER_STARTING: "The language server is not ready yet; ask again after `retry_after_ms`.",
    ErrorKind.SERVER_CRASHED: "The engine or language server ended unexpectedly.",
    ErrorKind.UNSUPPORTED: "The server or the current settings do not offer this.",
    ErrorKind.TIMEOUT: "The work took longer than its deadline.",
    ErrorKind.CANCELLED: "The work was cancelled before it was done.",
    ErrorKind.READ_ONLY: "Writing and server control are switched off by a setting.",
    ErrorKind.NO_MATCH: "The symbol or section does not exist.",
    ErrorKind.AMBIGUOUS_SYMBOL: "Several symbols fit, and a write needs exactly one.",
    ErrorKind.STALE_PLAN: "Something changed since the plan was made; make a new one.",
    ErrorKind.CONFLICT: "Both sides changed, or the change collides with something that exists.",
    ErrorKind.LIBRARY_NOT_FOUND: "The library is not installed, not declared and not known.",
    ErrorKind.PAGE_NOT_FOUND: "The document does not exist at its address.",
    ErrorKind.FETCH_FAILED: "The document could not be fetched.",
    ErrorKind.URL_NOT_ALLOWED: "The address is not on the list of allowed hosts, or is private.",
    ErrorKind.BUSY: "Another call holds what this one needs; ask again.",
    ErrorKind.SECRETS_DETECTED: "The source holds a literal secret, which is never copied.",
    ErrorKind.TARGET_MALFORMED: "A file that would be changed cannot be parsed.",
    ErrorKind.UNTRUSTED_CONFIG: "A project file asks for more than an untrusted project may have.",
    ErrorKind.INTERNAL_ERROR: "A defect in Sightline; the log has the details under the request id.",
}


@frozen
class NextStep:
    """What the caller can do about a failure; a `tool` step can be carried out as it stands."""

    kind: Literal["tool", "config", "command", "doc"]
    message: str
    tool: str | None = None
    arguments: dict[str, Any] | None = None


class ToolFailure(Exception):
    """A failure with a known cause: what happened, to what, and what to do."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *next_steps: NextStep,
        retryable: bool = False,
        retry_after_ms: int | None = None,
        code: int | None = None,
        data: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.next_steps = next_steps
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms
        self.code = code
        self.data = data


class SettingsError(Exception):
    """Settings that cannot be used: names the key, where it came from, and the remedy."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def invalid_params(message: str, remedy: str, *more: NextStep) -> ToolFailure:
    """The most common failure: the arguments are at fault, and this is how to mend them."""
    return ToolFailure(ErrorKind.INVALID_PARAMS, message, NextStep("doc", remedy), *more)
