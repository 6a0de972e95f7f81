"""Agent clients: which are there, whether Sightline is registered with each, and whether its entry can still start.

Files are read, and no client is started. What your own configuration starts as Sightline is asked for its version; what
a project's names is not run.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from sightline import __version__
from sightline.children import ChildFailed, Children
from sightline.clients import CLIENTS, Client, Scope, Surroundings
from sightline.clients.blocking import find_blocks
from sightline.clients.client import NAME
from sightline.clients.failures import ClientFailed
from sightline.clients.other_ways import find_other_ways
from sightline.clients.programs import find_program_of
from sightline.clients.registration import (
    Registration,
    address_in,
    find_registration,
    is_switched_off,
    start_in,
)
from sightline.doctor.finding import Finding, error, ok, warning
from sightline.doctor.subject import Subject
from sightline.redaction import without_password
from sightline.sync.formats.values import Missing

_SCOPES: tuple[Scope, ...] = ("user", "project")
_DEADLINE_S = 15.0
_MOST_OUTPUT = 10_000
_MOST_SAID = 200


async def check_clients(subject: Subject) -> list[Finding]:
    around = Surroundings(subject.environment, subject.home, subject.root, subject.platform)
    with Children() as children:
        return [finding for client in CLIENTS for finding in await _judged(client, around, children)]


async def _judged(client: Client, around: Surroundings, children: Children) -> list[Finding]:
    found: list[Registration] = []
    unread: list[Finding] = []
    for scope in _SCOPES:
        try:
            found.append(find_registration(client, scope, around))
        except ClientFailed as failure:
            unread.append(error(failure.message, failure.hint or "look at the file"))
    registered = [each for each in found if not isinstance(each.entry, Missing)]
    told = [*unread, *[await _entry(each, around, children) for each in registered]]
    others = find_other_ways(client, around)
    for block in find_blocks(client, around) if registered else []:
        told.append(warning(f"{client.title} does not use the entry, by {block}", "change that list"))
    if registered and others:
        message = f"{client.title} has Sightline in more than one way, and one is enough: also {', '.join(others)}"
        return [*told, warning(message, f"`sightline uninstall {client.id}`")]
    if len(others) > 1:
        message = f"{client.title} has Sightline in more than one way, and one is enough: {', '.join(others)}"
        return [*told, warning(message, f"take all but one out, by {client.title}'s own commands")]
    if others:
        return [*told, ok(f"{client.title}: {', '.join(others)}")]
    return told or [_unregistered(client, found, around)]


def _unregistered(client: Client, found: list[Registration], around: Surroundings) -> Finding:
    program = find_program_of(client, around)
    if program is None and not any(each.content is not None for each in found):
        return ok(f"{client.title}: not found")
    place = str(program.path) if program else str(next(each.path for each in found if each.content is not None))
    message = f"{client.title} is here ({place}), and Sightline is not registered with it"
    return warning(message, f"`sightline install {client.id}`")


async def _entry(found: Registration, around: Surroundings, children: Children) -> Finding:
    place = f"{found.client.title}, {found.scope}: {found.path}:{found.line}"
    start = start_in(found.entry)
    remedy = f"`sightline install {found.client.id} --scope {found.scope} --force`"
    if is_switched_off(found.entry):
        return warning(f"{place} has the entry switched off, so the client does not use it", remedy)
    if not start and (address := address_in(found.entry)):
        return ok(f"{place} connects to {without_password(address)}; whether it answers was not asked")
    if not start:
        return error(f"{place} has an entry `sightline` that starts nothing", remedy)
    program = _found(start[0], around)
    if isinstance(program, str):
        return error(f"{place} starts `{start[0]}`, {program}", remedy)
    is_theirs = any(path.resolve().is_relative_to(around.project) for path in (found.path, program))
    if found.scope == "project" or is_theirs or not _is_sightline(start):
        return ok(f"{place} starts `{start[0]}`; what that is was not asked")
    return await _asked(place, [str(program), *start[1:]], remedy, around, children)


def _found(program: str, around: Surroundings) -> Path | str:
    """The file, or what is wrong with it."""
    path = Path(program)
    if not path.is_absolute():
        on_path = shutil.which(program, path=around.variables.get("PATH", ""))
        return Path(on_path).absolute() if on_path else "which is not on the PATH"
    if not path.is_file():
        return "which does not exist"
    return path if os.access(path, os.X_OK) else "which may not be executed"


def _is_sightline(start: list[str]) -> bool:
    """Others, such as a runner of packages or containers, might use the network only to tell a version."""
    return Path(start[0]).stem == NAME or start[1:3] == ["-m", NAME]


async def _asked(place: str, start: list[str], remedy: str, around: Surroundings, children: Children) -> Finding:
    """A file that may be executed proves little: its environment may be gone, or be another program's."""
    command = start[:3] if start[1:3] == ["-m", NAME] else start[:1]
    try:
        ended = await children.run(
            [*command, "--version"],
            cwd=around.home,
            timeout_s=_DEADLINE_S,
            max_output_bytes=_MOST_OUTPUT,
            environment=around.variables,
        )
    except ChildFailed as failure:
        return error(f"{place} starts `{start[0]}`, which does not run: {failure}", remedy)
    said = ended.stdout.decode(errors="replace").strip()
    if ended.exit_code != 0 or not said.startswith(f"{NAME}, version "):
        why = (ended.stderr.strip() or said or "it said nothing").splitlines()[-1][:_MOST_SAID]
        return error(f"{place} starts `{start[0]}`, which does not answer as Sightline: {why}", remedy)
    version = said.removeprefix(f"{NAME}, version ")
    return ok(f"{place} starts `{start[0]}`" + ("" if version == __version__ else f", which is version {version}"))
