"""How setting up a client can fail; messages name the file and the remedy."""

from __future__ import annotations


class ClientFailed(Exception):
    """Nothing was changed, for a reason that a person can mend."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
