"""The maintainers' script, with package clients that are small programs of the test."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "build_registry.py"

PIP = """
import json, sys
known = {
    "click": ("8.3.0", ["Documentation, https://click.palletsprojects.com/", "Source, https://github.com/pallets/click/",
                        "Changes, https://click.palletsprojects.com/page/changes/"]),
    "rich": ("15.0.0", ["Documentation, https://rich.readthedocs.io/en/latest/", "Homepage, https://github.com/Textualize/rich"]),
    "plain": ("1.0", ["Homepage, http://plain.example.com/#top", "Download, https://pypi.example/project/plain"]),
    "pillow": ("12.0", ["Home, https://10.0.0.1/", "Documentation, https://pypi.example/docs"]),
}
args = sys.argv[1:]
if args[:2] == ["index", "versions"]:
    print(f"{args[2]} (4.5.6)\\nAvailable versions: 4.5.6") if args[2] == "sdist-only" else sys.exit(1)
    sys.exit(0)
assert "--dry-run" in args and "--no-deps" in args and args[args.index("--only-binary") + 1] == ":all:"
python = args[args.index("--python-version") + 1]
names = args[args.index("--report") + 2:]
if set(names) - known.keys():
    sys.exit(1)
install = []
for name in names:
    version, urls = known[name]
    version = "7.9" if name == "click" and python == "3.11" else version
    install.append({"metadata": {"name": name.title(), "version": version, "project_url": urls, "description": "x"}})
print(json.dumps({"install": install}))
"""
NPM = """
import json, sys
known = {
    "react": {"version": "19.0.0", "homepage": "https://react.dev/", "repository": {"type": "git", "url": "git+https://github.com/react/react.git"}},
    "readme": {"version": "1.0.0", "homepage": "https://github.com/a/readme#readme", "repository": "github:a/readme"},
    "by-ssh": {"version": "2.0.0", "repository": {"url": "git+ssh://git@github.com/a/by-ssh.git"}},
    "short": {"version": "2.1.0", "repository": "a/short"},
    "bare": "3.5.0",
}
assert sys.argv[1] == "view" and sys.argv[3] == "--json"
name = sys.argv[2].removesuffix("@latest")
print(json.dumps(known[name])) if name in known else sys.exit(1)
"""


def build(folder: Path, stamp: str = "2026-05-01T12:00:00Z", *more: str) -> subprocess.CompletedProcess[str]:
    (folder / "pip.py").write_text(PIP)
    (folder / "npm.py").write_text(NPM)
    clients = [shlex.join([sys.executable, str(folder / name)]) for name in ("pip.py", "npm.py")]
    options = ["--generated-at", stamp, "--names", str(folder / "names"), "--out", str(folder / "out")]
    command = [sys.executable, str(SCRIPT), *options, "--pip", clients[0], "--npm", clients[1], *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def write_names(folder: Path, pypi: str, npm: str) -> None:
    names = folder / "names"
    names.mkdir(exist_ok=True)
    (names / "pypi.txt").write_text("\n".join(pypi.split()) + "\n")
    (names / "npm.txt").write_text("\n".join(npm.split()) + "\n")
    (names / "imports.txt").write_text("# reviewed\npillow = PIL\n")
    (names / "aliases.txt").write_text("npm:react = reactjs, react.js\n")
    (names / "llms_addresses.txt").write_text("npm:react = https://react.dev/llms.txt\n")
    (names / "inventories.txt").write_text("pypi:click = https://click.palletsprojects.com/en/stable/\n")


def rows(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "out" / "known-libraries.json").read_bytes())["libraries"]


def test_what_the_clients_say_becomes_entries_and_no_name_costs_another_its_row(tmp_path: Path) -> None:
    write_names(tmp_path, "click missing pillow plain rich sdist-only", "bare by-ssh gone react readme short")

    ended = build(tmp_path)

    assert ended.returncode == 0, ended.stderr
    assert rows(tmp_path) == {
        "npm:bare": {"version": "3.5.0"},
        "npm:by-ssh": {"repo": "https://github.com/a/by-ssh", "version": "2.0.0"},
        "npm:react": {
            "aliases": ["reactjs", "react.js"],
            "homepage": "https://react.dev/",
            "llms_txt": "https://react.dev/llms.txt",
            "repo": "https://github.com/react/react",
            "version": "19.0.0",
        },
        "npm:readme": {"repo": "https://github.com/a/readme", "version": "1.0.0"},
        "npm:short": {"repo": "https://github.com/a/short", "version": "2.1.0"},
        "pypi:click": {
            "changelog": "https://click.palletsprojects.com/page/changes/",
            "docs": "https://click.palletsprojects.com/",
            "inventory": "https://click.palletsprojects.com/en/stable/",
            "repo": "https://github.com/pallets/click",
            "version": "8.3.0",
        },
        "pypi:pillow": {"imports": ["PIL"], "version": "12.0"},
        "pypi:plain": {"homepage": "https://plain.example.com/", "version": "1.0"},
        "pypi:rich": {
            "docs": "https://rich.readthedocs.io/en/latest/",
            "inventory": "https://rich.readthedocs.io/en/latest/",
            "repo": "https://github.com/Textualize/rich",
            "version": "15.0.0",
        },
        "pypi:sdist-only": {"version": "4.5.6"},
    }
    assert "no answer: pypi:missing\n" in ended.stdout
    assert "no answer: npm:gone\n" in ended.stdout


def test_the_same_answers_give_the_same_bytes_and_a_fitting_state(tmp_path: Path) -> None:
    write_names(tmp_path, "click rich", "react")
    answers = ("--answers", str(tmp_path / "answers.json"))
    build(tmp_path, "2026-05-01T12:00:00Z", *answers)
    first = (tmp_path / "out" / "known-libraries.json").read_bytes()

    build(tmp_path, "2026-05-01T12:00:00Z", *answers)

    assert (tmp_path / "out" / "known-libraries.json").read_bytes() == first
    state = json.loads((tmp_path / "out" / "registry-state.json").read_bytes())
    assert (state["count"], state["version"], state["updated_at"]) == (3, "2026.05.01", "2026-05-01T12:00:00Z")


def test_a_name_that_fails_keeps_its_old_row_marked_as_stale(tmp_path: Path) -> None:
    write_names(tmp_path, "click", "react")
    build(tmp_path)
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"pypi": {}, "npm": {"react": {"version": "20.0.0"}}}))

    ended = build(tmp_path, "2026-06-01T12:00:00Z", "--answers", str(answers))

    assert "no answer: pypi:click" in ended.stdout
    assert (rows(tmp_path)["pypi:click"]["version"], rows(tmp_path)["pypi:click"]["stale"]) == ("8.3.0", True)
    assert rows(tmp_path)["npm:react"]["version"] == "20.0.0"
