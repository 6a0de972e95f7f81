"""The agent CLIs and MCP test tools that `tests/clients` drives, in a folder of their own.

Everything goes to `.clients/`, which git ignores: about 1.6 GB, minutes at first. What is there already is left as it
is, so a second run takes a moment. Where npm is missing that is said, and the tests are skipped by name. An npm that
fails is an error, and so is a command that does not start once it is installed.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".clients"
BIN = FOLDER / "node_modules" / ".bin"

NODE_VERSION = "22.23.3"
PACKAGES = (
    "@openai/codex@0.166.0",
    "@google/gemini-cli@0.61.0",
    "opencode-ai@1.18.33",
    "@anthropic-ai/claude-code@2.1.325",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@anthropic-ai/mcpb@2.1.2",
)
# The two packages whose native program is put in place by a script of theirs. No other script is run.
SCRIPTS = ("opencode-ai/postinstall.mjs", "@anthropic-ai/claude-code/install.cjs")
COMMANDS = ("node", "codex", "gemini", "opencode", "claude", "mcp-inspector", "conformance", "mcpb")
_START = 120


class NoClient(Exception):
    """npm is not there."""


class InstallFailed(Exception):
    """npm, a script or an installed command could not do its work."""


def node_package(system: str, machine: str) -> str:
    """The package that holds Node itself for a platform: its wrapper `node` would start npm from within npm."""
    name = {"windows": "win"}.get(system.lower(), system.lower())
    kind = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine.lower(), machine.lower())
    prefix = "node-bin" if (name, kind) == ("darwin", "arm64") else "node"
    return f"{prefix}-{name}-{kind}@{NODE_VERSION}"


def install(packages: Sequence[str]) -> None:
    """Have these packages in the folder; raises `NoClient` or `InstallFailed`. The stamp is written last."""
    stamp = FOLDER / "installed.txt"
    wanted = "\n".join(packages) + "\n"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    npm = shutil.which("npm")
    if npm is None:
        raise NoClient("`npm` is not on the PATH")
    sys.stderr.write(f"installing {', '.join(packages)}\n")
    FOLDER.mkdir(exist_ok=True)
    stamp.unlink(missing_ok=True)
    _run([npm, "install", "--prefix", str(FOLDER), "--no-audit", "--no-fund", "--ignore-scripts", *packages])
    for script in SCRIPTS:
        _run([str(BIN / "node"), str(FOLDER / "node_modules" / script)])
    for command in COMMANDS:
        _start(command)
    stamp.write_text(wanted, encoding="utf-8")


def _start(command: str) -> None:
    """A native program that is missing for this platform is found here and not by a puzzled test."""
    home = FOLDER / "home"
    home.mkdir(exist_ok=True)
    path = os.pathsep.join([str(BIN), os.environ.get("PATH", os.defpath)])
    _run([str(BIN / command), "--help"], {"PATH": path, "HOME": str(home), "TERM": "dumb"}, is_quiet=True)


def _run(command: Sequence[str], environment: Mapping[str, str] | None = None, *, is_quiet: bool = False) -> None:
    try:
        ended = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if is_quiet else sys.stderr,
            stderr=subprocess.DEVNULL if is_quiet else None,
            env=environment,
            cwd=FOLDER,
            timeout=_START if is_quiet else None,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InstallFailed(f"`{' '.join(command[:2])}` did not start: {error}") from error
    if ended.returncode:
        raise InstallFailed(f"`{' '.join(command[:2])}` ended with {ended.returncode}")


def main() -> int:
    packages = (*PACKAGES, node_package(platform.system(), platform.machine()))
    try:
        install(packages)
    except NoClient as error:
        sys.stderr.write(f"passed over: {', '.join(packages)}: {error}\n")
    except InstallFailed as error:
        sys.stderr.write(f"failed: {', '.join(packages)}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
