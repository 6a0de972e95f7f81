"""A PostgreSQL of the tests' own: loopback and a socket in a folder of its own, gone with the tests.

    with running_cluster() as cluster:
        url = cluster.new_database()
        cluster.stop(); cluster.start()

The server refuses to run as root, so it is started as `postgres` then. It ends with the thread that started it, so
start it in the main one.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import IO, LiteralString, cast

MISSING = "no PostgreSQL on this machine: scripts/install_postgres.sh"
PASSWORD = "-".join(["not", "a", "real", "one"])
_SETTINGS = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "shared_buffers=64MB", "max_connections=60")


def binaries() -> Path | None:
    """The folder of the newest server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


@dataclass(slots=True)
class Cluster:
    """A server that can be stopped, started and frozen."""

    programs: Path
    folder: Path
    port: int
    process: subprocess.Popen[str] | None = None
    numbers: count[int] = field(default_factory=lambda: count(1))

    def start(self) -> None:
        settings = [f"listen_addresses=127.0.0.1,port={self.port}".split(",")[0], f"port={self.port}", *_SETTINGS]
        options = [
            part for setting in (*settings, f"unix_socket_directories={self.folder}") for part in ("-c", setting)
        ]
        command = [*_as_server("--pdeathsig", "INT"), str(self.programs / "postgres"), "-D", str(self._data), *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        assert self.process.stderr
        for line in self.process.stderr:
            if "ready to accept connections" in line:
                break
        else:
            raise RuntimeError("PostgreSQL did not start")
        threading.Thread(target=_drain, args=(self.process.stderr,), daemon=True).start()

    def stop(self) -> None:
        """End every connection and the server, as a restart of the machine's service does."""
        if self.process:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=30)
            self.process = None

    def freeze(self) -> None:
        """Stop every process of the server where it is: connections stay, and nothing answers."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def url(self, database: str = "postgres", user: str = "postgres", *, password: str | None = None) -> str:
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def new_database(self, options: LiteralString = "") -> str:
        """The address of an empty database."""
        name = f"docs_{next(self.numbers)}"
        self.execute(cast("LiteralString", f"CREATE DATABASE {name} {options}"))
        return self.url(name)

    def execute(self, statement: LiteralString, url: str | None = None) -> list[tuple[object, ...]]:
        import psycopg

        with psycopg.connect(url or self.url(), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def make(self) -> None:
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        command = [*_as_server(), str(self.programs / "initdb"), "-D", str(self._data), "-U", "postgres", "-E", "UTF8"]
        command += ["--auth=trust", "--no-sync", "--locale=C.UTF-8"]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder, timeout=100)
        rules = "host all keeper 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nlocal all all trust\n"
        (self._data / "pg_hba.conf").write_text(rules)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _signal(self, number: signal.Signals) -> None:
        import psutil

        assert self.process
        server = psutil.Process(self.process.pid)
        for each in [server, *server.children(recursive=True)]:
            each.send_signal(number)


@contextmanager
def running_cluster(programs: Path) -> Generator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="sl-pg-"))
    cluster = Cluster(programs, folder, _free_port())
    try:
        cluster.make()
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder)


def _as_server(*options: str) -> list[str]:
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return []
    user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    return [setpriv, *user, *options] if user or options else []


def _drain(stream: IO[str]) -> None:
    with stream:
        for _ in stream:
            pass


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
