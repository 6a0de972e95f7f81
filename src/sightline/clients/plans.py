"""What `install` or `uninstall` would change at one client, and whose entry that is. Only reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sightline.clients.client import NAME, Client, Scope, Surroundings
from sightline.clients.failures import ClientFailed
from sightline.clients.records import Records
from sightline.clients.registration import (
    Edit,
    Registration,
    find_registration,
    is_ours,
    program_in,
    with_entry,
    without_entry,
)
from sightline.sync.formats.values import Missing, Value


@dataclass(frozen=True, slots=True)
class Plan:
    """A change of a client's file; `wanted` is None where the entry shall go. `is_foreign`: who wrote it was not us."""

    found: Registration
    wanted: Mapping[str, Value] | None
    edit: Edit
    records: Records
    is_foreign: bool

    @property
    def is_done(self) -> bool:
        """Whether the file is as it shall be."""
        if self.wanted is None:
            return isinstance(self.found.entry, Missing)
        return self.found.state(self.wanted) == "same"

    def is_for_same_file_as(self, other: Plan) -> bool:
        return (self.found.path, self.found.content) == (other.found.path, other.found.content)


def plan_entry(client: Client, scope: Scope, around: Surroundings, data: Path, wanted: Mapping[str, Value]) -> Plan:
    """The entry as wanted, from what is on disk now; raises `ClientFailed`."""
    found = _found(client, scope, around)
    records = Records(data)
    known = records.get(found.path)
    is_foreign = found.state(wanted) == "different" and not is_ours(found, known)
    return Plan(found, wanted, with_entry(found, wanted, known), records, is_foreign)


def plan_removal(client: Client, scope: Scope, around: Surroundings, data: Path) -> Plan:
    """No entry, from what is on disk now; raises `ClientFailed`.

    What starts a program of our name counts as ours: a newer version may have written it another way.
    """
    found = _found(client, scope, around)
    records = Records(data)
    known = records.get(found.path)
    is_of_our_name = Path(program_in(found.entry)).stem == NAME
    return Plan(found, None, without_entry(found, known), records, not is_ours(found, known) and not is_of_our_name)


def _found(client: Client, scope: Scope, around: Surroundings) -> Registration:
    """The file to change. A link in your own configuration is yours; one that a project brings may lead anywhere."""
    found = find_registration(client, scope, around)
    real = found.path.resolve()
    if scope == "project" and not real.is_relative_to(around.project.resolve()):
        message = f"`{found.path}` is not written: it leads out of the project, to `{real}`"
        raise ClientFailed(message, "put a file of the project in the place of the link")
    return found
