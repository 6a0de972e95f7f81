"""What files would look like after the edits that a caller proposes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.arguments import parse_arguments
from sightline.code.proposed_edits import (
    MAX_CHANGES,
    MAX_CHARACTERS,
    EditInput,
    ProposedFile,
    line_mappings,
    moves,
    propose,
)
from sightline.errors import ErrorKind, ToolFailure
from sightline.paths import PathPolicy
from sightline.schemas import input_schema
from sightline.source_files import MAX_SOURCE_BYTES
from sightline.tool import ToolInput, param, record

TEXT = "import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n"


@record
class ToolArguments(ToolInput):
    edits: list[EditInput] = param("Edits, in order", max_length=MAX_CHANGES)


def edits_of(*raw: dict[str, Any]) -> list[EditInput]:
    """As the boundary makes them of what a caller sends."""
    return parse_arguments(ToolArguments, {"edits": list(raw)}).edits


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "root"
    (folder / "pkg").mkdir(parents=True)
    (folder / "a.py").write_text(TEXT)
    (folder / "pkg" / "b.py").write_text("b = 1\n")
    return folder


def proposed(root: Path, *raw: dict[str, Any]) -> list[ProposedFile]:
    return propose(edits_of(*raw), PathPolicy(root, (root,)))


def after(root: Path, *raw: dict[str, Any]) -> dict[str, str | None]:
    return {each.path.relative_to(root).as_posix(): each.after for each in proposed(root, *raw)}


def refusal(root: Path, *raw: dict[str, Any], edit: int = 0) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        proposed(root, *raw)
    failure = caught.value
    assert failure.message.startswith(f"edits[{edit}]")
    assert failure.data
    assert failure.data["edit"] == edit
    assert failure.next_steps, "a refusal says what to do"
    return failure


def replacing(old: str, new: str, file: str = "a.py") -> dict[str, Any]:
    return {"file": file, "replacements": [{"old_text": old, "new_text": new}]}


def test_the_schema_stays_small() -> None:
    edit = input_schema(ToolArguments)["properties"]["edits"]["items"]

    assert list(edit["properties"]) == ["file", "content", "replacements", "diff", "delete", "move_to"]
    assert len(str(edit)) < 1000


def test_content_is_the_whole_new_text(root: Path) -> None:
    path = root / "a.py"

    assert proposed(root, {"file": "a.py", "content": "x = 1"}) == [ProposedFile(path, TEXT, "x = 1", False, path)]
    assert after(root, {"file": "a.py", "content": ""}) == {"a.py": ""}
    assert path.read_text() == TEXT, "nothing is written"


def test_content_creates_a_file_and_its_folders(root: Path) -> None:
    path = root / "new" / "deep" / "c.py"

    assert proposed(root, {"file": "new/deep/c.py", "content": "c\r\n"}) == [
        ProposedFile(path, None, "c\r\n", False, None)
    ]
    assert after(root, {"file": (root / "ä b.py").as_uri(), "content": "c"}) == {"ä b.py": "c"}
    assert not (root / "new").exists()


def test_padding_by_nulls_and_empty_values_is_no_second_way(root: Path) -> None:
    padded: dict[str, Any] = {
        "file": "a.py",
        "content": "x",
        "replacements": [],
        "diff": "",
        "delete": False,
        "move_to": None,
    }

    assert after(root, padded) == {"a.py": "x"}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"file": "a.py"}, "got none"),
        ({"file": "a.py", "content": "", "delete": True}, "`content`, `delete`"),
        ({"content": "x"}, "`file` is missing"),
        ({"file": "", "delete": True}, "`file` is missing"),
    ],
)
def test_an_edit_has_one_way_and_a_file(root: Path, raw: dict[str, Any], words: str) -> None:
    failure = refusal(root, raw)

    assert failure.kind is ErrorKind.INVALID_PARAMS
    assert words in failure.message


def test_replacements_are_all_matched_against_the_text_before_them(root: Path) -> None:
    raw = {
        "file": "a.py",
        "replacements": [
            {"old_text": "return 2", "new_text": "return 1"},
            {"old_text": "return 1", "new_text": "return 2"},
            {"old_text": "import os\n", "new_text": ""},
        ],
    }

    assert after(root, raw) == {"a.py": "\n\ndef one():\n    return 2\n\n\ndef two():\n    return 1\n"}


def test_neighbours_do_not_overlap(root: Path) -> None:
    pairs = [{"old_text": "import ", "new_text": "from "}, {"old_text": "os", "new_text": "x"}]

    assert after(root, {"file": "a.py", "replacements": pairs})["a.py"] == TEXT.replace("import os", "from x")


def test_overlapping_replacements_are_refused(root: Path) -> None:
    pairs = [{"old_text": "return 2", "new_text": "x"}, {"old_text": "two():\n    return", "new_text": "y"}]

    failure = refusal(root, {"file": "a.py", "replacements": pairs})

    assert failure.kind is ErrorKind.INVALID_PARAMS
    assert failure.message == "edits[0] of `a.py`: replacements[1] and replacements[0] overlap at line 9"


@pytest.mark.parametrize(
    ("old", "hint"),
    [
        ("retrun 1", "the nearest is line 5: `    return 1`"),
        ("\n\ndef tow():", "the nearest is line 8: `def two():`"),
        ("def one():\n  return 1", "it agrees with the file up to line 5, which is `    return 1`"),
        ("def two()\n    return 2", "the nearest is line 8: `def two():`"),
        ("    return 2\n    more", "it agrees with the file up to line 10, which is empty"),
        ("quite another thing", ""),
        ("\n\n\n\n\n", ""),
    ],
)
def test_an_old_text_that_is_not_there_is_refused_with_a_hint(root: Path, old: str, hint: str) -> None:
    failure = refusal(root, replacing(old, "x"))

    assert failure.kind is ErrorKind.NO_MATCH
    assert failure.message.endswith(f"; {hint}" if hint else "is not in the file")


def test_an_old_text_that_is_there_more_than_once_is_refused_with_its_lines(root: Path) -> None:
    failure = refusal(root, {"file": "a.py", "content": "aaa\n"}, replacing("aa", "b"), edit=1)
    assert failure.kind is ErrorKind.INVALID_PARAMS
    assert "2 times, at lines 1, 1" in failure.message

    assert "2 times, at lines 4, 8" in refusal(root, replacing("():", "x")).message
    assert "more than 5 times, at lines 1, 2, 3, 4, 5" in refusal(root, replacing("\n", "x")).message


def test_an_empty_old_text_is_refused(root: Path) -> None:
    assert "`old_text` is empty" in refusal(root, replacing("", "x")).message


def test_a_file_keeps_its_line_ends_and_its_mark(root: Path) -> None:
    dos = TEXT.replace("\n", "\r\n")
    (root / "a.py").write_bytes(b"\xef\xbb\xbf" + dos.encode())
    expected = [ProposedFile(root / "a.py", dos, dos.replace("1", "1\r\n    # new"), True, root / "a.py")]
    diff = "@@ -4,2 +4,3 @@\n def one():\n     return 1\n+    # new\n"

    assert proposed(root, replacing("one():\n    return 1", "one():\n    return 1\n    # new")) == expected
    assert proposed(root, replacing("one():\r\n    return 1", "one():\r\n    return 1\r\n    # new")) == expected
    assert proposed(root, {"file": "a.py", "content": TEXT.replace("1", "1\n    # new")}) == expected
    assert proposed(root, {"file": "a.py", "diff": diff}) == expected
    assert proposed(root, {"file": "a.py", "diff": diff.replace("\n", "\r\n")}) == expected


def test_a_mark_that_the_caller_quotes_is_not_part_of_the_text(root: Path) -> None:
    (root / "a.py").write_bytes(b"\xef\xbb\xbfold\n")
    expected = [ProposedFile(root / "a.py", "old\n", "new\n", True, root / "a.py")]

    assert proposed(root, replacing("\ufeffold", "\ufeffnew")) == expected
    assert proposed(root, {"file": "a.py", "diff": "@@ -1 +1 @@\n-\ufeffold\n+\ufeffnew\n"}) == expected
    assert proposed(root, {"file": "a.py", "content": "\ufeffnew\n"}) == expected
    (created,) = proposed(root, {"file": "new.py", "content": "\ufeffx\n"})
    assert (created.after, created.is_marked) == ("x\n", True)
    (_, moved) = proposed(root, {"file": "a.py", "move_to": "b.py"})
    assert (moved.after, moved.is_marked) == ("old\n", True)


PLAIN = ["a", "bb", "\n", "\r\n", "é"]
MIXED = st.lists(st.sampled_from([*PLAIN, "\r"]), max_size=30).map("".join)


@given(MIXED, MIXED, st.lists(st.sampled_from(PLAIN)).map("".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_outside_a_replacement_every_byte_stays(root: Path, head: str, tail: str, new: str) -> None:
    (root / "mixed.py").write_bytes(f"{head}<\r\n>{tail}".encode())

    text = after(root, replacing("<\n>", f"[{new}]", "mixed.py"))["mixed.py"]

    assert text
    assert (text.startswith(f"{head}["), text.endswith(f"]{tail}")) == (True, True)
    middle = text.removeprefix(f"{head}[").removesuffix(f"]{tail}")
    assert middle.replace("\r\n", "\n") == new.replace("\r\n", "\n")


def test_edits_of_one_file_are_carried_out_in_order(root: Path) -> None:
    first, second = replacing("os", "sys"), replacing("import sys", "import re")

    assert after(root, first, second) == {"a.py": TEXT.replace("os", "re")}
    assert after(root, first, {"file": "./pkg/../a.py", "content": "x"}) == {"a.py": "x"}
    assert refusal(root, second, first).kind is ErrorKind.NO_MATCH


def test_a_file_that_an_edit_created_can_be_edited(root: Path) -> None:
    created = {"file": "new.py", "content": "x = 1\n"}

    assert after(root, created, replacing("1", "2", "new.py")) == {"new.py": "x = 2\n"}
    assert after(root, created, {"file": "new.py", "delete": True}) == {}


def test_a_deleted_file_is_gone_for_later_edits(root: Path) -> None:
    deleted = {"file": "a.py", "delete": True}

    assert after(root, deleted) == {"a.py": None}
    for later in (replacing("os", "x"), deleted, {"file": "a.py", "move_to": "c.py"}):
        failure = refusal(root, deleted, later, edit=1)
        assert failure.kind is ErrorKind.CONFLICT
        assert "edits[0] deletes or moves it" in failure.message
    (anew,) = proposed(root, deleted, {"file": "a.py", "content": "new"})
    assert (anew.before, anew.after, anew.origin) == (TEXT, "new", root / "a.py")


def test_a_move_goes_on_under_the_new_path(root: Path) -> None:
    files = proposed(
        root,
        {"file": "a.py", "move_to": "x.py"},
        {"file": "x.py", "move_to": "new/c.py"},
        replacing("import os\n", "", "new/c.py"),
        {"file": "a.py", "content": "from new.c import *\n"},
    )

    old, new = root / "a.py", root / "new" / "c.py"
    assert files == [
        ProposedFile(old, TEXT, "from new.c import *\n", False, None),
        ProposedFile(new, None, TEXT.removeprefix("import os\n"), False, old),
    ]
    assert moves(files) == {old: new}
    assert {path: mapping.to_new(5) for path, mapping in line_mappings(files).items()} == {old: 4}


def test_a_move_there_and_back_is_none(root: Path) -> None:
    (file,) = proposed(root, {"file": "a.py", "move_to": "x.py"}, {"file": "x.py", "move_to": "a.py"})

    assert (file.origin, file.is_changed, moves([file])) == (root / "a.py", False, {})


def test_files_can_change_places(root: Path) -> None:
    files = proposed(
        root,
        {"file": "a.py", "move_to": "x.py"},
        {"file": "pkg/b.py", "move_to": "a.py"},
        {"file": "x.py", "move_to": "pkg/b.py"},
    )

    a, b = root / "a.py", root / "pkg" / "b.py"
    assert moves(files) == {a: b, b: a}
    assert {each.path: each.after for each in files} == {a: "b = 1\n", b: TEXT}
    assert all(not mapping.blocks for mapping in line_mappings(files).values())


def test_a_move_onto_a_file_is_refused(root: Path) -> None:
    failure = refusal(root, {"file": "a.py", "move_to": "pkg/b.py"})

    assert failure.kind is ErrorKind.CONFLICT
    assert "`pkg/b.py` exists" in failure.message
    assert after(root, {"file": "pkg/b.py", "delete": True}, {"file": "a.py", "move_to": "pkg/b.py"}) == {
        "pkg/b.py": TEXT,
        "a.py": None,
    }


def test_an_edit_that_changes_nothing_is_marked(root: Path) -> None:
    (same,) = proposed(root, {"file": "a.py", "content": TEXT})
    (changed,) = proposed(root, {"file": "a.py", "content": TEXT + "\n"})

    assert (same.is_changed, changed.is_changed) == (False, True)


def test_only_files_that_go_on_have_a_line_mapping(root: Path) -> None:
    files = proposed(
        root, {"file": "a.py", "delete": True}, {"file": "c.py", "content": "c"}, replacing("b", "c", "pkg/b.py")
    )

    assert list(line_mappings(files)) == [root / "pkg" / "b.py"]
    assert moves(files) == {}


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("../outside.py", ErrorKind.PATH_NOT_ALLOWED),
        ("../new.py", ErrorKind.PATH_NOT_ALLOWED),
        ("missing/../../new.py", ErrorKind.PATH_NOT_ALLOWED),
        ("link/new.py", ErrorKind.PATH_NOT_ALLOWED),
        ("link/new/deep.py", ErrorKind.PATH_NOT_ALLOWED),
        ("dangling.py", ErrorKind.PATH_NOT_ALLOWED),
        ("pkg", ErrorKind.INVALID_PARAMS),
        ("new/", ErrorKind.INVALID_PARAMS),
        ("a.py/b.py", ErrorKind.INVALID_PARAMS),
        ("https://example.org/a.py", ErrorKind.INVALID_PARAMS),
        ("nul\0.py", ErrorKind.INVALID_PARAMS),
        ("binary.py", ErrorKind.INVALID_PARAMS),
        ("latin.py", ErrorKind.INVALID_PARAMS),
    ],
)
def test_what_cannot_be_a_file_of_the_project_is_refused_whatever_the_way(
    root: Path, file: str, kind: ErrorKind
) -> None:
    (root.parent / "outside").mkdir()
    (root.parent / "outside.py").touch()
    (root / "link").symlink_to(root.parent / "outside")
    (root / "dangling.py").symlink_to(root.parent / "not-there.py")
    (root / "binary.py").write_bytes(b"\0")
    (root / "latin.py").write_bytes("é".encode("latin-1"))

    assert refusal(root, {"file": file, "content": "x"}).kind is kind
    assert refusal(root, {"file": "a.py", "move_to": file}).kind is kind
    assert refusal(root, {"file": file, "diff": "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n"}).kind is kind


def test_a_link_inside_the_project_stands_for_its_file(root: Path) -> None:
    (root / "link.py").symlink_to("a.py")
    (root / "folder").symlink_to("pkg")

    edits = [replacing("os", "sys", "link.py"), replacing("sys", "re"), {"file": "folder/new.py", "content": ""}]

    assert after(root, *edits) == {"a.py": TEXT.replace("os", "re"), "pkg/new.py": ""}


def test_a_file_that_does_not_exist_is_refused_with_the_nearest_name(root: Path) -> None:
    for raw in (replacing("a", "b", "pkg/bb.py"), {"file": "pkg/bb.py", "delete": True}):
        failure = refusal(root, raw)
        assert failure.kind is ErrorKind.FILE_NOT_FOUND
        assert failure.message == "edits[0]: `pkg/bb.py` does not exist in the project"
        assert "pkg/b.py" in failure.next_steps[0].message


@pytest.mark.parametrize("text", ["nul \0", "half \ud83d"])
def test_a_text_that_no_source_file_can_have_is_refused(root: Path, text: str) -> None:
    edit = EditInput(file="a.py", content=text)

    with pytest.raises(ToolFailure, match=r"edits\[0\] of `a.py`: the new text holds"):
        propose([edit], PathPolicy(root, (root,)))


def test_git_may_leave_out_the_lines_of_a_deleted_file(root: Path) -> None:
    diff = "diff --git a/a.py b/a.py\ndeleted file mode 100644\nindex 1..0\n"

    assert after(root, {"diff": diff}) == {"a.py": None}


def test_too_many_changes_are_refused_before_any_file_is_read(root: Path) -> None:
    edit = EditInput(file="not-there.py", content="x")
    replacement = edits_of(replacing("a", "b"))[0].replacements or []
    diff = "--- x\n+++ x\n" + "@@ -1 +1 @@\n-a\n+b\n" * (MAX_CHANGES + 1)
    empty = "diff --git a/x b/x\nnew file mode 100644\n" * (MAX_CHANGES + 2)

    for edits in (
        [edit] * 10_000,
        [EditInput(file="not-there.py", replacements=replacement * (MAX_CHANGES + 1))],
        [EditInput(diff=diff)],
        [EditInput(diff=empty)],
    ):
        with pytest.raises(ToolFailure, match="at most 1,000 are taken at once") as caught:
            propose(edits, PathPolicy(root, (root,)))
        assert caught.value.kind is ErrorKind.TOO_LARGE


def test_as_many_edits_as_are_allowed_may_have_a_replacement_each(root: Path) -> None:
    (root / "a.py").write_text("".join(f"<{number}>\n" for number in range(MAX_CHANGES)))

    edits = [replacing(f"<{number}>", "x") for number in range(MAX_CHANGES)]

    assert after(root, *edits) == {"a.py": "x\n" * MAX_CHANGES}


def test_too_much_text_is_refused(root: Path) -> None:
    policy = PathPolicy(root, (root,))
    for number in range(3):
        (root / f"{number}.py").write_text("x" * 8_000_000)
    third = [EditInput(file=f"{number}.py", delete=True) for number in range(3)]

    with pytest.raises(ToolFailure, match=r"^the edits have more than 20,000,000 characters"):
        propose([EditInput(file="a.py", content="x" * (MAX_CHARACTERS + 1))], policy)
    with pytest.raises(ToolFailure, match=r"^edits\[2\] .* files that they touch have more than") as caught:
        propose(third, policy)
    assert caught.value.kind is ErrorKind.TOO_LARGE
    assert len(propose(third[:2], policy)) == 2
    with pytest.raises(ToolFailure, match="the limit for a source file is 10,000,000"):
        propose([EditInput(file="a.py", content="x" * (MAX_SOURCE_BYTES + 1))], policy)


def test_no_edit_at_all_is_refused(root: Path) -> None:
    with pytest.raises(ToolFailure, match="there is no edit"):
        propose([], PathPolicy(root, (root,)))


@pytest.mark.parametrize(
    ("raw", "kind", "words"),
    [
        ({"file": "a.py", "diff": "words"}, ErrorKind.INVALID_PARAMS, "`diff`: line 1 of the diff: there is no hunk"),
        ({"diff": "@@ -1 +1 @@\n-import os\n+x\n"}, ErrorKind.INVALID_PARAMS, "no header that names its file"),
        (
            {"file": "a.py", "diff": "@@ -1 +1 @@\n-import so\n+x\n"},
            ErrorKind.NO_MATCH,
            "hunk 1 (line 1 of the diff): the file has no line `import so`; the nearest is line 1: `import os`",
        ),
        (
            {"diff": "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n"},
            ErrorKind.CONFLICT,
            "the diff creates `a.py`, which exists",
        ),
        (
            {"diff": "--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-import os\n"},
            ErrorKind.CONFLICT,
            "does not remove all of its lines",
        ),
        (
            {"file": "a.py", "diff": "--- 1\n+++ 1\n@@ -0,0 +1 @@\n+x\n--- 2\n+++ 2\n@@ -0,0 +1 @@\n+x\n"},
            ErrorKind.INVALID_PARAMS,
            "`diff` changes 2 files",
        ),
        (
            {"file": "a.py", "diff": "diff --git a/a.py b/c.py\nrename from a.py\nrename to c.py\n"},
            ErrorKind.INVALID_PARAMS,
            "or moves one",
        ),
        ({"diff": "--- a/c.py\n+++ b/c.py\n@@ -1 +1 @@\n-a\n+b\n"}, ErrorKind.FILE_NOT_FOUND, "`c.py` does not exist"),
        (
            {"diff": "--- /dev/null\n+++ b/../c.py\n@@ -0,0 +1 @@\n+x\n"},
            ErrorKind.PATH_NOT_ALLOWED,
            "`../c.py` lies outside",
        ),
    ],
)
def test_a_diff_that_cannot_be_applied_is_refused(root: Path, raw: dict[str, Any], kind: ErrorKind, words: str) -> None:
    failure = refusal(root, raw)

    assert failure.kind is kind
    assert words in failure.message
