"""Agent clients: which are there, whether Sightline is registered with each, and whether its entry can still start.

Files are read; no client is started.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sightline.clients import CLIENTS, Client, Scope, Surroundings
from sightline.clients.failures import ClientFailed
from sightline.clients.other_ways import find_other_ways
from sightline.clients.programs import find_program_of
from sightline.clients.registration import Registration, address_in, find_registration, program_in
from sightline.doctor.finding import Finding, error, ok, warning
from sightline.doctor.subject import Subject
from sightline.redaction import without_password
from sightline.sync.formats.values import Missing

_SCOPES: tuple[Scope, ...] = ("user", "project")


async def check_clients(subject: Subject) -> list[Finding]:
    around = Surroundings(subject.environment, subject.home, subject.root, subject.platform)
    return [finding for client in CLIENTS for finding in _judged(client, around)]


def _judged(client: Client, around: Surroundings) -> list[Finding]:
    try:
        found = [find_registration(client, scope, around) for scope in _SCOPES]
    except ClientFailed as failure:
        return [error(failure.message, failure.hint or "look at the file")]
    registered = [each for each in found if not isinstance(each.entry, Missing)]
    others = find_other_ways(client, around)
    if registered and others:
        message = f"{client.title} has Sightline in more than one way, and one is enough: also {', '.join(others)}"
        return [*(_entry(each, around) for each in registered), warning(message, f"`sightline uninstall {client.id}`")]
    if registered:
        return [_entry(each, around) for each in registered]
    if others:
        return [ok(f"{client.title}: {', '.join(others)}")]
    program = find_program_of(client, around)
    if program is None and not any(each.content is not None for each in found):
        return [ok(f"{client.title}: not found")]
    place = str(program.path) if program else str(next(each.path for each in found if each.content is not None))
    message = f"{client.title} is here ({place}), and Sightline is not registered with it"
    return [warning(message, f"`sightline install {client.id}`")]


def _entry(found: Registration, around: Surroundings) -> Finding:
    place = f"{found.client.title}, {found.scope}: {found.path}:{found.line}"
    program = program_in(found.entry)
    remedy = f"`sightline install {found.client.id} --scope {found.scope} --force`"
    if not program and (address := address_in(found.entry)):
        return ok(f"{place} connects to {without_password(address)}; whether it answers was not asked")
    if not program:
        return error(f"{place} has an entry `sightline` that starts nothing", remedy)
    is_there = Path(program).is_file() if Path(program).is_absolute() else _on_path(program, around)
    if not is_there:
        where = "which does not exist" if Path(program).is_absolute() else "which is not on the PATH"
        return error(f"{place} starts `{program}`, {where}", remedy)
    return ok(f"{place} starts `{program}`")


def _on_path(program: str, around: Surroundings) -> bool:
    return shutil.which(program, path=around.variables.get("PATH", "")) is not None
