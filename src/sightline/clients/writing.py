"""Making a planned change: by a transaction together with our record of it, or by the client's own command."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sightline.children import ChildFailed
from sightline.clients.client import Client, OwnCommand, Scope, Surroundings
from sightline.clients.failures import ClientFailed
from sightline.clients.programs import ClientProgram, find_program_of
from sightline.clients.records import Records
from sightline.clients.registration import Edit, Registration, find_registration, with_own_keys
from sightline.sync.formats.values import Missing, Value
from sightline.transactions import Busy, FileChange, FileTransactions, StaleContent, TransactionFailed

_MOST_SAID = 500


def write(edit: Edit, records: Records, transactions: FileTransactions) -> None:
    """Change the client's file and our record, both or none; raises `ClientFailed`."""
    known = records.get(edit.path)
    # A link that led nowhere when we wrote through it stays; the file that we made goes.
    path = edit.path.resolve() if edit.after is None else edit.path
    changes = [FileChange(path, edit.before, edit.after), records.change(edit.path, edit.record)]
    try:
        transactions.apply(changes)
    except (StaleContent, Busy) as error:
        raise ClientFailed(str(error), "run the command again to see what is there now") from None
    except TransactionFailed as error:
        raise ClientFailed(str(error)) from None
    if edit.after is None and known is not None:
        for folder in known.folders:
            with contextlib.suppress(OSError):  # somebody else's now, if it is not empty
                folder.rmdir()


def find_own_writer(client: Client, scope: Scope, around: Surroundings) -> OwnWriter | None:
    """The client's own command, where it has to make the change and is installed."""
    if client.own_command is None or scope not in client.own_command.scopes:
        return None
    program = find_program_of(client, around)
    return OwnWriter(program, client.own_command, scope) if program else None


@dataclass(frozen=True, slots=True)
class OwnWriter:
    """A client that changes its file itself."""

    program: ClientProgram
    command: OwnCommand
    scope: Scope

    async def put(self, found: Registration, wanted: Mapping[str, Value] | None) -> None:
        """Write the entry, in place of one that is there, or take it out; raises `ClientFailed`."""
        is_there = not isinstance(found.entry, Missing)
        if is_there:
            await self._run_or_find(self.command.remove, None)
        if wanted is None:
            return
        try:
            entry = json.dumps(with_own_keys(wanted, found.entry), default=str)
            await self._run_or_find(self.command.add(entry), wanted)
        except ClientFailed as failure:
            gone = "; the entry that was there is taken out already" if is_there else ""
            raise ClientFailed(f"{failure.message}{gone}", "run the command again") from None

    async def _run_or_find(self, arguments: Sequence[str], wanted: Mapping[str, Value] | None) -> None:
        """The file tells, not the command: another process may have done the same a moment before."""
        failure: ClientFailed | None = None
        try:
            await self._run(arguments)
        except ClientFailed as error:
            failure = error
        now = self._look()
        is_done = isinstance(now.entry, Missing) if wanted is None else now.state(wanted) == "same"
        if not is_done:
            told = "still has the entry" if wanted is None else "does not have the entry"
            raise failure or ClientFailed(f"{now.client.title} was told, but {now.path} {told}")

    def _look(self) -> Registration:
        return find_registration(self.program.client, self.scope, self.program.around)

    async def _run(self, arguments: Sequence[str]) -> None:
        shown = " ".join((self.program.path.name, *arguments[:2]))
        try:
            ended = await self.program.run(arguments)
        except ChildFailed as error:
            raise ClientFailed(f"`{shown}`: {error}") from None
        if ended.exit_code != 0:
            said = (ended.stderr or ended.stdout.decode(errors="replace")).strip()[:_MOST_SAID]
            raise ClientFailed(f"`{shown}` ended with {ended.exit_code}: {said}")
