"""What a target's own CLI says about the files that it would find."""

from __future__ import annotations

from typing import Literal

from sightline.frozen import frozen

VerificationStatus = Literal["verified", "refused", "failed", "unknown", "not_installed"]


@frozen
class Finding:
    """One thing that the CLI does not see as it was meant; never with a value, which could be a secret."""

    place: str
    message: str
    item_id: str = ""


@frozen
class Verification:
    """The CLI's answer.

    `verified`: it starts and has all that was asked about. `refused`: it does not start with these files, so they must
    not be written. `failed`: it starts, but has not understood the `findings`. `unknown`: it could not be asked, or its
    version is one whose answers are not known. `asked` are the commands that it was asked with.
    """

    target: str
    status: VerificationStatus
    version: str = ""
    findings: tuple[Finding, ...] = ()
    asked: tuple[str, ...] = ()

    @property
    def may_be_applied(self) -> bool:
        return self.status != "refused"
