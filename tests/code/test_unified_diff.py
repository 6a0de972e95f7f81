"""Reading and applying unified diffs."""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.code.proposed_edits import EditInput, moves, propose
from sightline.code.unified_diff import DiffUnreadable, HunkMisfit, apply_hunks, newline_of, parse_diff
from sightline.paths import PathPolicy

TEXT = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
REPEATED = "same\n\nsame\n\nsame\n"


def applied(text: str, diff: str) -> str:
    patches = parse_diff(diff)
    assert len(patches) == 1
    return apply_hunks(text, patches[0].hunks)


def misfit(text: str, diff: str) -> HunkMisfit:
    with pytest.raises(HunkMisfit) as caught:
        applied(text, diff)
    return caught.value


def unreadable(diff: str) -> DiffUnreadable:
    with pytest.raises(DiffUnreadable) as caught:
        parse_diff(diff)
    return caught.value


def diff_of(before: str, after: str, context: int = 3) -> str:
    """By `difflib`, which leaves out that a text ends without a line end."""
    old, new = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (before, after))
    lines = difflib.unified_diff(old, new, "a/file.py", "b/file.py", n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


LINES = st.lists(st.sampled_from(["", "a", "b", "-- a", "++ b", "@@ x", "\x0c", "\\"]), max_size=15)
TEXTS = LINES.map("\n".join) | LINES.map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(TEXTS, TEXTS, st.integers(0, 3))
def test_a_diff_makes_the_new_text_of_the_old_one(before: str, after: str, context: int) -> None:
    if diff := diff_of(before, after, context):
        assert applied(before, diff) == after


@given(st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)), st.integers(-40, 40))
def test_hunks_are_found_by_their_lines_where_the_numbers_are_off(old: set[int], new: set[int], shift: int) -> None:
    before, after = ("".join(f"line {each}\n" for each in ["top", *sorted(numbers), "end"]) for numbers in (old, new))
    diff = diff_of(before, after)

    def shifted(found: re.Match[str]) -> str:
        return f"@@ -{max(int(found[1]) + shift, 1)}{found[2]} @@"

    if diff:
        assert applied(before, re.sub(r"@@ -(\d+)(.*) @@", shifted, diff)) == after


@given(TEXTS, TEXTS)
def test_the_line_ends_of_the_diff_do_not_matter_and_the_file_keeps_its_own(before: str, after: str) -> None:
    diff = diff_of(before, after)
    if not diff or "\n" not in before:
        return

    dos = before.replace("\n", "\r\n")
    assert applied(dos, diff) == after.replace("\n", "\r\n")
    assert applied(before, diff.replace("\n", "\r\n")) == after
    assert applied(dos, diff.replace("\n", "\r\n")) == after.replace("\n", "\r\n")


def test_lines_that_stay_keep_their_line_ends_in_a_mixed_file() -> None:
    assert applied("a\r\nb\nc\r\nd\r\n", "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+new\n c\n") == "a\r\nB\r\nnew\r\nc\r\nd\r\n"
    assert applied("a\r\nb\nc\n", "@@ -1,2 +1,3 @@\n a\n+new\n b\n") == "a\r\nnew\nb\nc\n"


def test_a_count_left_out_is_one() -> None:
    assert applied(TEXT, "@@ -2 +2,2 @@\n-two\n+2\n+2b\n") == TEXT.replace("two\n", "2\n2b\n")


def test_an_empty_line_stands_for_a_context_line_of_one_space() -> None:
    assert applied("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n") == "a\n\nc\n"


def test_the_last_line_need_not_be_said_to_have_no_end() -> None:
    assert applied("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n") == "a\nb\nc\n"
    assert applied("a\r\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n") == "a\r\nb\r\nc\r\n"
    assert applied("a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n") == "A\nb"


def test_a_hunk_that_ends_the_file_is_not_put_elsewhere() -> None:
    diff = "@@ -1 +1 @@\n-same\n\\ No newline at end of file\n+last\n"

    assert applied(REPEATED.removesuffix("\n"), diff) == "same\n\nsame\n\nlast\n"
    assert "ends" in str(misfit("same\nmore\n", diff))


def test_lines_are_added_where_the_header_says() -> None:
    assert applied("a\nb\n", "@@ -1,0 +2 @@\n+new\n") == "a\nnew\nb\n"
    assert applied("a\nb\n", "@@ -0,0 +1 @@\n+new\n") == "new\na\nb\n"
    assert "line 3" in str(misfit("a\nb\n", "@@ -3,0 +4 @@\n+new\n"))


def test_a_place_that_is_stated_rightly_need_not_be_the_only_one() -> None:
    assert applied(REPEATED, "@@ -3 +3 @@\n-same\n+other\n") == "same\n\nother\n\nsame\n"


def test_a_place_that_is_stated_wrongly_must_be_the_only_one() -> None:
    problem = misfit(REPEATED, "@@ -2 +2 @@\n-same\n+other\n")

    assert str(problem) == "hunk 1 (line 1 of the diff): it does not fit at line 2, but at lines 1, 3, 5"
    assert "and more" in str(misfit(REPEATED * 3, "@@ -2 +2 @@\n-same\n+other\n"))


def test_places_before_the_last_hunk_do_not_count() -> None:
    diff = "@@ -3 +3 @@\n-same\n+x\n@@ -9 +9 @@\n-same\n+y\n"

    assert applied(REPEATED, diff) == "same\n\nx\n\ny\n"
    assert "behind line 5" in str(misfit(TEXT, "@@ -5 +5 @@\n-five\n+5\n@@ -1 +1 @@\n-one\n+1\n"))


@pytest.mark.parametrize("wrong", [" one", " one ", " One", "-oneself", " \tone"])
def test_content_that_differs_is_refused(wrong: str) -> None:
    counts = "@@ -1,2 +1,2 @@" if wrong[0] == " " else "@@ -1,2 +1 @@"
    text = TEXT.replace("one", "one!")

    problem = misfit(text, f"--- a/x\n+++ b/x\n{counts}\n{wrong}\n-two\n+2\n")

    assert problem.missing == wrong[1:]
    assert (problem.hunk.number, problem.hunk.line) == (1, 3)


def test_lines_that_are_there_but_not_together_are_refused() -> None:
    assert "next to one another" in str(misfit(TEXT, "@@ -1,2 +1 @@\n one\n-three\n"))


@pytest.mark.parametrize(
    ("diff", "right"),
    [
        ("@@ -1,3 +1,3 @@\n one\n-two\n+2\n", "@@ -1,2 +1,2 @@"),
        ("@@ -1 +1 @@\n one\n-two\n+2\n", "@@ -1,2 +1,2 @@"),
        ("@@ -1,2 +1 @@\n one\n-two\n+2\n", "@@ -1,2 +1,2 @@"),
        ("@@ -1,4 +1,4 @@\n one\n-two\n+2\n@@ -5 +5 @@\n-five\n+5\n", "@@ -1,2 +1,2 @@"),
        ("@@ -1,4 +1,4 @@\n one\n-two\n+2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "@@ -1,2 +1,2 @@"),
        ("@@ -1,9 +1,9 @@\r\n one\r\n\r\n-two\r\n+2\r\n\r\n\r\n", "@@ -1,3 +1,3 @@"),
    ],
)
def test_a_hunk_of_another_length_than_its_header_says_may_be_cut_off(diff: str, right: str) -> None:
    problem = unreadable(diff)

    assert problem.line == 1
    assert right in str(problem)


@pytest.mark.parametrize(
    ("diff", "line"),
    [
        ("", 1),
        ("just words\n", 1),
        ("*** Begin Patch\n@@\n-a\n+b\n", 2),
        ("@@ ... @@\n-a\n+b\n", 1),
        ("--- a/x\n", 1),
        ("--- a/x\n+++ b/x\n", 2),
        ("--- a/x\n+++ b/x\n-a\n+b\n", 2),
        ("diff --git a/x b/y\nsimilarity index 90%\ncopy from x\ncopy to y\n", 3),
        ("diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n", 3),
        ("@@ -1,2 +1,2 @@\n a\n\\ No newline at end of file\n b\n", 1),
    ],
)
def test_what_is_not_a_diff_or_cannot_be_applied_is_said_with_its_line(diff: str, line: int) -> None:
    assert unreadable(diff).line == line


def test_text_around_the_hunks_is_passed_over() -> None:
    mail = "From 1 Mon\nSubject: x\n---\n x.py | 2 +-\n\ndiff --git a/x.py b/x.py\nindex 1..2 100644\n"
    hunks = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1 @@ def f():\n one\n-two\n"

    assert applied(TEXT, f"{mail}{hunks}-- \n2.39.2\n\n") == TEXT.replace("two\n", "")
    assert applied(TEXT, f"{hunks}\ncopy from here\n") == TEXT.replace("two\n", "")
    assert applied(TEXT, f"```diff\n{hunks}```\n") == TEXT.replace("two\n", "")


@pytest.mark.parametrize(
    ("header", "path", "change"),
    [
        ("--- a/src/x.py\n+++ b/src/x.py", "src/x.py", "edit"),
        ("--- src/x.py\t2024-01-01 00:00:00\n+++ src/x.py\t2024-01-02 00:00:00", "src/x.py", "edit"),
        ("--- x.py.orig\n+++ x.py", "x.py", "edit"),
        ("--- a/x.py\n+++ a/x.py", "a/x.py", "edit"),
        ("--- /dev/null\n+++ b/with space.py\t", "with space.py", "create"),
        ("--- a/x.py\r\n+++ /dev/null\r", "x.py", "delete"),
        ('--- "a/na\\303\\257ve \\"q\\".py"\n+++ "b/na\\303\\257ve \\"q\\".py"', 'naïve "q".py', "edit"),
    ],
)
def test_headers_name_the_file_and_the_change(header: str, path: str, change: str) -> None:
    (patch,) = parse_diff(f"{header}\n@@ -1 +1 @@\n-a\n+b\n")

    assert (patch.path, patch.change, patch.moved_from) == (path, change, None)


def test_a_diff_without_headers_names_no_file() -> None:
    (patch,) = parse_diff("@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n")

    assert (patch.path, [(hunk.number, hunk.line) for hunk in patch.hunks]) == (None, [(1, 1), (2, 4)])


@pytest.mark.parametrize(
    ("text", "newline"), [("", None), ("a", None), ("a\n", "\n"), ("a\r\nb", "\r\n"), ("a\r\nb\n", "\n"), ("a\r", None)]
)
def test_the_line_end_of_a_text_is_that_of_most_lines(text: str, newline: str | None) -> None:
    assert newline_of(text) == newline


@pytest.mark.timeout(60)
def test_lines_that_repeat_do_not_make_the_search_long() -> None:
    text = "x\n" * 200_000
    diff = "@@ -9,50001 +9,50001 @@\n" + " x\n" * 50_000 + "-y\n+z\n"

    assert misfit(text, diff).missing == "y"
    assert "and more" in str(misfit(text, diff.replace("-y", "-x").replace("-9,", "-190000,")))


@pytest.mark.parametrize("command", [["diff", "-u"], ["git", "diff", "--no-index", "-U1"], ["diff", "-U0"]])
@pytest.mark.parametrize(
    "after",
    [
        TEXT.replace("two", "2").replace("seven\n", "7"),
        "new\n" + TEXT,
        TEXT + "eight",
        TEXT.replace("four\n", ""),
        TEXT.replace("\n", "\r\n"),
        "",
    ],
)
def test_the_real_commands_are_understood(tmp_path: Path, command: list[str], after: str) -> None:
    before = TEXT.removesuffix("\n") if after.startswith("new") else TEXT
    (tmp_path / "old.py").write_bytes(before.encode())
    (tmp_path / "new.py").write_bytes(after.encode())

    output = subprocess.run([*command, "old.py", "new.py"], cwd=tmp_path, capture_output=True, check=False).stdout

    expected = TEXT if "\r" in after else after if "new" not in after else f"new\n{TEXT}"
    assert applied(before, output.decode()) == expected


def test_the_diff_of_a_whole_commit_gives_the_tree_that_git_has(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "root"
    (root / "pkg").mkdir(parents=True)
    (root / "dos.py").write_bytes(b"a\r\nb\r\nc\r\n")
    (root / "marked.py").write_bytes(b"\xef\xbb\xbfa = 1\nb = 2\n")
    (root / "gone.py").write_text("gone\n")
    (root / "gone_empty.py").touch()
    (root / "with space.py").write_text("a\nb")
    (root / "naïve.py").write_text("a\n")
    (root / "renamed.py").write_text(TEXT)
    (root / "just_moved.py").write_text(TEXT * 2)
    changed = root.parent / "changed"
    shutil.copytree(root, changed)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "core.autocrlf=false"]

    def run(*arguments: str) -> str:
        return subprocess.run([*git, *arguments], cwd=changed, capture_output=True, check=True).stdout.decode()

    run("init", "-q")
    run("add", "-A")
    run("commit", "-qm", "before")
    (changed / "dos.py").write_bytes(b"a\r\nB\r\nc\r\nd\r\n")
    (changed / "marked.py").write_bytes(b"\xef\xbb\xbfa = 2\nb = 2\nc = 3")
    (changed / "gone.py").unlink()
    (changed / "gone_empty.py").unlink()
    (changed / "with space.py").write_text("a\nc\n")
    (changed / "naïve.py").write_text("b\n")
    (changed / "renamed.py").rename(changed / "pkg" / "new name.py")
    (changed / "pkg" / "new name.py").write_text(TEXT.replace("two", "2"))
    (changed / "just_moved.py").rename(changed / "moved.py")
    (changed / "new_empty.py").touch()
    (changed / "new.py").write_text("no end")
    run("add", "-A")
    diff = run("diff", "--cached", "-M", "--no-rename-empty")

    files = propose([EditInput(diff=diff)], PathPolicy(root, (root,)))

    wanted = {path.relative_to(changed) for path in changed.rglob("*.py")}
    for each in files:
        shown = each.path.relative_to(root)
        text = ("\ufeff" if each.is_marked else "") + (each.after or "")
        assert text == ((changed / shown).read_bytes().decode() if shown in wanted else "")
        assert (each.after is not None) == (shown in wanted)
    assert len(files) == 12
    assert moves(files) == {
        root / "renamed.py": root / "pkg" / "new name.py",
        root / "just_moved.py": root / "moved.py",
    }
