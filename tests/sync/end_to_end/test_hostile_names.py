"""Names that try to leave a folder, and targets that lead elsewhere: nothing outside the allowed folders is touched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sync.end_to_end.desk import Desk, Picture, a_desk, picture
from tests.sync.end_to_end.sources import Artefact, at, files_of
from tests.sync.hard_project import make_hard_project

PROJECT, HOME = "work/shop", "home"
# Where outputs may stand, relative to the desk; everything else must be as it was.
USER_FOLDERS = ("home/.codex/", "home/.agents/", "home/.gemini/", "home/.config/opencode/")

TEXT_NAMES = (
    "../escape",
    "../../../../escape",
    "/tmp/escape",
    "..",
    ".",
    "a/../../b",
    "..\\..\\escape",
    "C:\\escape",
    "nul\0byte",
    "line\nbreak",
    "\x1b[31mred\x07",
    "trailing.",
    "trailing ",
    "con",
    "NUL.md",
    "x" * 300,
    "Fix",
    "FIX",
    "\uff46\uff49\uff58",
    "f\u0456x",
    "\ufb01x",
    "\u202egnp",
    "\u200bzero",
    "",
    "__proto__",
    "-rf",
    "$(touch escape)",
    "~/escape",
    ".git/hooks/post-checkout",
    "%2e%2e%2fescape",
    "\u00e9",
    "e\u0301",
)
# What a file system takes as the name of one file.
FILE_NAMES = tuple(
    name for name in TEXT_NAMES if name.strip(".") and "/" not in name and "\0" not in name and len(name.encode()) < 200
)


def hostile_artefacts() -> Iterator[Artefact]:
    """Every artefact kind under every name that can be written down for it."""
    for number, name in enumerate(TEXT_NAMES):
        marker = f"hostile{number}"
        for file, path in (
            (f"{PROJECT}/.mcp.json", ("mcpServers", name)),
            (f"{HOME}/.claude.json", ("mcpServers", name)),
        ):
            yield Artefact("mcp", marker, entries=[(file, path, {"command": "run"})])
        for place, top in (("project", f"{PROJECT}/.claude"), ("user", f"{HOME}/.claude")):
            text = f"---\nname: {json.dumps(name)}\ndescription: {place}\n---\nText {number}.\n".encode()
            yield Artefact("agent", marker, {f"{top}/agents/a{number}.md": (text, 0o644)})
        rules = [f"Read({name})", f"Edit(//{name})", f"Bash({name} *)", f"mcp__{name}__x", f"WebFetch(domain:{name})"]
        for rule in rules:
            yield Artefact(
                "permission", marker, elements=[(f"{PROJECT}/.claude/settings.json", ("permissions", "deny"), rule)]
            )
        hook = {"matcher": name, "hooks": [{"type": "command", "command": name, "statusMessage": name}]}
        yield Artefact("hook", marker, elements=[(f"{PROJECT}/.claude/settings.json", ("hooks", name or "Stop"), hook)])
        yield Artefact(
            "instructions", marker, paragraphs={f"{PROJECT}/CLAUDE.md": f"@{name}\n\n<!-- sync:{name}-only -->"}
        )
        installed = [{"scope": "user", "installPath": f"/ROOT/{HOME}/.claude/plugins/cache/kit", "version": name}]
        yield Artefact(
            "plugin",
            marker,
            {
                f"{HOME}/.claude/plugins/cache/kit/skills/brew/SKILL.md": (
                    b"---\ndescription: brew\n---\nBrew.\n",
                    0o644,
                )
            },
            entries=[
                (f"{HOME}/.claude/settings.json", ("enabledPlugins", f"{name}@market"), True),
                (f"{HOME}/.claude/plugins/installed_plugins.json", ("plugins", f"{name}@market"), installed),
            ],
        )
    for number, name in enumerate(FILE_NAMES):
        for top in (f"{PROJECT}/.claude", f"{HOME}/.claude"):
            skill = f"---\ndescription: skill {number}\n---\nText.\n".encode()
            files = {
                f"{top}/skills/{name}/SKILL.md": (skill, 0o644),
                f"{top}/skills/{name}/{name}": (b"inner", 0o755),
                f"{top}/commands/{name}.md": (b"Do.\n", 0o644),
                f"{top}/commands/{name}/{name}.md": (b"Do.\n", 0o644),
                f"{top}/rules/{name}/{name}.md": (b"Be kind.\n", 0o644),
            }
            yield Artefact("skill", f"file{number}", files)


def outside(desk: Desk) -> Picture:
    """Everything that no sync may touch: all but the project and the targets' folders of the home."""
    seen = picture(desk.folder, desk.folder)
    own = ("data", "work/shop/", "work/shop", *USER_FOLDERS)
    folders = {"home/.codex", "home/.agents", "home/.gemini", "home/.config", "home/.config/opencode"}
    return {name: each for name, each in seen.items() if not name.startswith(own) and name not in folders}


def source_of(desk: Desk) -> Picture:
    seen = picture(desk.project, desk.folder)
    return {
        name: each for name, each in seen.items() if "/.claude" in name or name.endswith((".mcp.json", "CLAUDE.md"))
    }


def test_no_name_of_any_artefact_leads_out_of_the_folders() -> None:
    with a_desk() as desk:
        for name in (".git/config", "src/main.py", ".github/x.yml", ".claude.bak"):
            desk.write(f"{PROJECT}/{name}", b"theirs")
        desk.write("work/escape", b"theirs")
        desk.plant(at(str(desk.folder), files_of(hostile_artefacts())))
        foreign = {name: (desk.folder / PROJECT / name).read_bytes() for name in (".git/config", "src/main.py")}
        before, source = outside(desk), source_of(desk)
        done = desk.sync()
        assert len(done.planned.plan.writes) > 60
        assert outside(desk) == before
        assert source_of(desk) == source
        assert foreign == {name: (desk.folder / PROJECT / name).read_bytes() for name in foreign}
        _check_made_names(desk)
        assert desk.plan().plan.is_empty, desk.plan().plan.diff
        desk.rollback()
        assert outside(desk) == before
        assert source_of(desk) == source


def _check_made_names(desk: Desk) -> None:
    """What was made has plain names, and no two files are one on a disk where case does not count."""
    tops = (f"{PROJECT}/.", *USER_FOLDERS)
    made = [name for name, (_, content) in desk.picture().items() if name.startswith(tops) and content is not None]
    made = [name for name in made if "/.git" not in name]
    assert len(made) > 60
    assert len({name.casefold() for name in made}) == len(made)
    for name in made:
        # The files of a skill keep their own names: its text refers to them.
        folder = name.partition("/skills/")
        parts = (folder[0] + "/" + folder[2].split("/")[0]).split("/") if folder[2] else name.split("/")
        assert all(part.isprintable() and part == part.rstrip(". ") and len(part.encode()) <= 255 for part in parts), (
            name
        )


@pytest.mark.parametrize("name", [".codex", ".gemini", ".agents", ".config/opencode"])
def test_a_linked_folder_of_the_project_or_the_home_is_not_followed_out(name: str) -> None:
    """A project's folder that is a link is left alone; the user's own may be one: dotfiles often are."""
    with a_desk() as desk:
        make_hard_project(desk.folder)
        elsewhere = desk.folder / "elsewhere" / "theirs"
        elsewhere.mkdir(parents=True)
        (elsewhere / "keep").write_bytes(b"theirs")
        link = desk.project / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(elsewhere)
        before = picture(elsewhere, elsewhere)
        done = desk.sync(scope="project")
        assert picture(elsewhere, elsewhere) == before
        assert link.is_symlink()
        assert name == ".config/opencode" or {each.kind for each in done.planned.plan.problems} == {"link"}


@pytest.mark.parametrize(
    "name", ["AGENTS.md", "GEMINI.md", "opencode.json", ".codex/config.toml", ".gemini/settings.json"]
)
def test_a_linked_file_is_left_alone_and_reported(name: str) -> None:
    with a_desk() as desk:
        make_hard_project(desk.folder)
        aim = desk.write("elsewhere/aim", b"# theirs\n" if not name.endswith("json") else b"{}")
        path = desk.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(aim)
        before = aim.read_bytes()
        done = desk.sync()
        assert aim.read_bytes() == before
        assert path.is_symlink()
        assert [each.path for each in done.planned.plan.problems if each.kind == "link"] == [path]


def test_a_hard_link_of_a_target_keeps_its_other_name_as_it_is() -> None:
    with a_desk() as desk:
        make_hard_project(desk.folder)
        twin = desk.write("elsewhere/twin", b"# theirs\n")
        (desk.project / "AGENTS.md").hardlink_to(twin)
        done = desk.sync()
        assert twin.read_bytes() == b"# theirs\n"
        assert (desk.project / "AGENTS.md").read_bytes().startswith(b"# theirs\n")
        assert done.applied.parted == (desk.project / "AGENTS.md",)


def test_a_source_behind_a_link_is_never_written_through() -> None:
    """`.agents/skills` linked to `.claude/skills`, as some people do."""
    with a_desk() as desk:
        make_hard_project(desk.folder)
        (desk.project / ".agents").mkdir()
        (desk.project / ".agents/skills").symlink_to(Path("../.claude/skills"))
        before = picture(desk.project / ".claude", desk.project)
        desk.sync()
        assert picture(desk.project / ".claude", desk.project) == before
