"""Agent CLIs and MCP test tools as commands of a user who has nothing: an empty home, no settings, no network.

Owns where they are found, what environment they get, and that none outlives its test. Knows no client's own formats.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SIGHTLINE = Path(sys.executable).with_name("sightline")
DEADLINE_S = 120.0

# A proxy where nobody listens: what a client would fetch fails at once, on every machine alike.
_NOWHERE = "http://127.0.0.1:9"
_OFFLINE = {
    "HTTP_PROXY": _NOWHERE,
    "HTTPS_PROXY": _NOWHERE,
    "NO_PROXY": "127.0.0.1,localhost",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """What a program said, and how it ended."""

    code: int
    out: str
    err: str
    left: tuple[str, ...] = ()
    """Command lines of Sightline's processes that outlived the program, and did not go away."""

    @property
    def all(self) -> str:
        """Both outputs: some clients say the same thing on either."""
        return f"{self.out}\n{self.err}"


@dataclass(frozen=True, slots=True)
class Program:
    """A client's command, with the home that it may use."""

    path: Path
    home: Path
    starts_sightline: bool = False
    """Whether it is the only one that does, so that none of its processes may outlive it."""

    def environment(self, **more: str) -> dict[str, str]:
        """All that the program sees: nothing of the developer's own environment."""
        path = os.pathsep.join([str(self.path.parent), "/usr/local/bin", "/usr/bin", "/bin"])
        temporary = self.home.with_name(f"{self.home.name}-tmp")
        temporary.mkdir(exist_ok=True)
        own = {"HOME": str(self.home), "TMPDIR": str(temporary), "PATH": path, "TERM": "dumb", "LANG": "C.UTF-8"}
        return {**own, **_OFFLINE, **more}

    def run(self, *arguments: str | Path, folder: Path, said: str = "", **variables: str) -> Ended:
        """Run it to its end in a folder; raises `TimeoutExpired` with what it had said."""
        with subprocess.Popen(
            [self.path, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=self.environment(**variables),
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(said.encode(), timeout=DEADLINE_S)
                left = processes_left(self.home) if self.starts_sightline else ()
            finally:
                end_group(process.pid)
        return Ended(process.returncode, out.decode(), err.decode(), left)


def processes_left(home: Path, within_s: float = 10.0) -> tuple[str, ...]:
    """Processes of this environment, servers and language servers, that have this home and do not end."""
    ours = [each for each in psutil.process_iter() if sys.prefix in _command_line(each) and _home(each) == str(home)]
    _, alive = psutil.wait_procs(ours, timeout=within_s)
    return tuple(_command_line(each) for each in alive)


def _command_line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _home(process: psutil.Process) -> str | None:
    try:
        return process.environ().get("HOME")
    except psutil.Error:
        return None


def end_group(leader: int) -> None:
    """End a process that a test started in a session of its own, with all of its group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def installed(name: str, home: Path) -> Program:
    """The program of this name, or a skip that names it; where clients are required, a failure."""
    folder = Path(os.environ.get("SIGHTLINE_CLIENTS_BIN") or REPOSITORY / ".clients" / "node_modules" / ".bin")
    path = folder / name
    if not path.exists():
        missing = f"`{name}` is not in {folder}: `make clients` installs it"
        if os.environ.get("SIGHTLINE_CLIENTS") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    return Program(path, home)
