"""The real `sightline` command, with a home and a project of the test's own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from sightline.cli.main import cli
from tests.support.wire import SIGHTLINE, environment_in

DEADLINE_S = 60.0


@dataclass(frozen=True)
class Ended:
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class CommandLine:
    """Runs commands in a project; nothing of the developer's own settings reaches them."""

    home: Path
    project: Path

    @property
    def user_file(self) -> Path:
        return self.home / "config" / "sightline" / "config.toml"

    def environment(self, **more: str) -> dict[str, str]:
        folders = {f"XDG_{kind.upper()}_HOME": str(self.home / kind) for kind in ("config", "data", "state", "cache")}
        return {**environment_in(self.home), **folders, **more}

    def write_user_file(self, content: str) -> None:
        self.user_file.parent.mkdir(parents=True, exist_ok=True)
        self.user_file.write_text(content, encoding="utf-8")

    def write(self, name: str, content: str) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    def run(self, *arguments: str | bytes, said: str = "", folder: Path | None = None, **variables: str) -> Ended:
        return self._ended([SIGHTLINE, *arguments], said, folder, variables)

    def run_in_process(self, *arguments: str) -> Ended:
        """Without a process of its own, for what does not depend on one; quicker."""
        ours = {name: None for name in os.environ if name.startswith("SIGHTLINE_")}
        done = CliRunner().invoke(
            cli, arguments, env={**ours, **self.environment(CLAUDE_PROJECT_DIR=str(self.project))}
        )
        return Ended(done.exit_code, done.stdout, done.stderr)

    def run_python(self, *arguments: str) -> Ended:
        return self._ended([sys.executable, *arguments], "", None, {})

    def run_on_a_terminal(self, *arguments: str, typed: str = "", **variables: str) -> Ended:
        """With a terminal as stdin, stdout and stderr; all that it shows is `out`."""
        ours, theirs = pty.openpty()
        try:
            process = subprocess.Popen(
                [SIGHTLINE, *arguments],
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                cwd=self.project,
                env=self.environment(TERM="xterm-256color", **variables),
            )
        finally:
            os.close(theirs)
        os.write(ours, typed.encode())
        shown = _all_from(ours)
        return Ended(process.wait(DEADLINE_S), shown.decode().replace("\r\n", "\n"), "")

    def _ended(
        self, command: list[str | bytes | Path], said: str, folder: Path | None, variables: dict[str, str]
    ) -> Ended:
        done = subprocess.run(
            command,
            input=said.encode(),
            capture_output=True,
            cwd=folder or self.project,
            env=self.environment(**variables),
            timeout=DEADLINE_S,
            check=False,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def _all_from(terminal: int) -> bytes:
    """Everything until the last program has left the terminal."""
    shown = bytearray()
    try:
        while chunk := os.read(terminal, 65_536):
            shown += chunk
    except OSError:  # Linux says EIO when nobody holds the other end
        pass
    finally:
        os.close(terminal)
    return bytes(shown)
