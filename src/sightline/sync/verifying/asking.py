"""Running a target's CLI in a trial: an environment of our own, no network, bounded in time and output."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from sightline.children import ChildFailed, Children, CompletedChild
from sightline.frozen import frozen
from sightline.sync.formats.values import Value
from sightline.sync.verifying.leftovers import MARK, mark_of
from sightline.sync.verifying.neutral import NOBODY, Neutral
from sightline.sync.verifying.trial import Trial

MAX_OUTPUT_BYTES = 20_000_000
_INTO_FILE = 'exec "$@" > "$0"'
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class CannotAsk(Exception):
    """The CLI could not be asked: no answer in time, or none that can be read."""


class DoesNotStart(Exception):
    """The CLI gave up on the files of the trial; the message is its own."""


@frozen
class Cli:
    """One program in one trial; `asked` collects the commands."""

    children: Children
    program: Path
    trial: Trial
    neutral: Neutral
    environment: Mapping[str, str]
    timeout_s: float
    asked: list[str] = field(default_factory=list[str])

    async def run(self, *arguments: str) -> CompletedChild:
        """Raises `CannotAsk`."""
        return await self._run(arguments, (str(self.program), *arguments))

    async def _run(self, arguments: tuple[str, ...], command: Sequence[str]) -> CompletedChild:
        self.asked.append(" ".join((self.program.stem, *arguments)))
        try:
            return await self.children.run(
                command,
                cwd=self.trial.project,
                timeout_s=self.timeout_s,
                max_output_bytes=MAX_OUTPUT_BYTES,
                environment=self.environment,
            )
        except ChildFailed as error:
            raise CannotAsk(f"`{' '.join((self.program.stem, *arguments))}`: {error}") from error

    async def start(self, *arguments: str) -> CompletedChild:
        """Run a command that reads all files; raises `DoesNotStart` if it fails."""
        return _started(await self.run(*arguments))

    async def start_json(self, *arguments: str) -> Value:
        """The answer as JSON; raises `DoesNotStart` and `CannotAsk`."""
        try:
            return json.loads(await self._whole(arguments))
        except ValueError:
            raise CannotAsk(f"`{' '.join(arguments)}` answered with something else than JSON") from None

    async def _whole(self, arguments: tuple[str, ...]) -> bytes:
        """By way of a file: OpenCode 1.18.33 leaves before more than 64 KiB of its answer have gone through a pipe."""
        if os.name != "posix":
            return (await self.start(*arguments)).stdout
        file = self.trial.folder / "answer"
        command = ("/bin/sh", "-c", _INTO_FILE, str(file), str(self.program), *arguments)
        done = await self._run(arguments, command)
        with file.open("rb") as answer:
            return _started(replace(done, stdout=answer.read(MAX_OUTPUT_BYTES))).stdout


def _started(done: CompletedChild) -> CompletedChild:
    if done.exit_code != 0:
        raise DoesNotStart(_message(done))
    return done


def _message(done: CompletedChild) -> str:
    text = plain(done.stderr) or plain(done.stdout.decode("utf-8", errors="replace"))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("WARNING", "    at "))]
    return "\n".join(lines[:8])[:1000] or f"exit code {done.exit_code}, without a message"


def plain(text: str) -> str:
    """The text without colours."""
    return _COLOURS.sub("", text)


def trial_environment(trial: Trial, program: Path, search_path: str, system: Mapping[str, str]) -> dict[str, str]:
    """Nothing of the person's own environment but where programs are; every way out leads nowhere."""
    home = str(trial.home)
    nowhere = {name: NOBODY for each in ("http_proxy", "https_proxy", "all_proxy") for name in (each, each.upper())}
    return {
        **{name: system[name] for name in ("SYSTEMROOT", "COMSPEC", "PATHEXT") if name in system},
        **nowhere,
        "PATH": os.pathsep.join((str(program.parent), search_path)),
        "HOME": home,
        MARK: mark_of(trial.folder),
        "USERPROFILE": home,
        "TMPDIR": str(trial.folder / "tmp"),
        "XDG_CONFIG_HOME": str(trial.home / ".config"),
        "XDG_DATA_HOME": str(trial.home / ".local/share"),
        "XDG_CACHE_HOME": str(trial.home / ".cache"),
        "XDG_STATE_HOME": str(trial.home / ".local/state"),
        "NO_COLOR": "1",
        "LANG": "C.UTF-8",
    }
