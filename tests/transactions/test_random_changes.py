"""Any set of changes, in any tree, with a failure at any step."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.transactions import FileChange, FileTransactions, WriteFailed
from tests.transactions.faulty_disks import SteppedDisk, Steps, say_no
from tests.transactions.sample_trees import is_clean, picture

PATHS = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "d/e/b", "f/g/a", "f/g/b"])
CONTENTS = st.binary(max_size=40)
MODES = st.sampled_from([0o600, 0o644, 0o640, 0o755, 0o666])
TREES = st.dictionaries(PATHS, st.tuples(CONTENTS, MODES, st.booleans()))
AFTERS = st.dictionaries(PATHS, st.tuples(st.none() | CONTENTS, st.none() | MODES))

Tree = dict[str, tuple[bytes, int, bool]]
Afters = dict[str, tuple[bytes | None, int | None]]


def grow(root: Path, tree: Tree) -> None:
    """Write a tree; a file that is said to be linked lies elsewhere."""
    (root / "elsewhere").mkdir(parents=True)
    for number, (name, (content, mode, is_linked)) in enumerate(sorted(tree.items())):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        file = root / "elsewhere" / str(number) if is_linked else root / name
        file.write_bytes(content)
        file.chmod(mode)
        if is_linked:
            (root / name).symlink_to(file.relative_to(root).as_posix() if "/" not in name else file)


def change_plainly(root: Path, afters: Afters) -> None:
    """What the changes mean, written one by one."""
    for name, (content, mode) in afters.items():
        path = (root / name).resolve()
        if content is None:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if mode is not None:
            path.chmod(mode)


def without_deleted_links(tree: Tree, afters: Afters) -> Afters:
    return {name: after for name, after in afters.items() if after[0] is not None or not tree.get(name, (0, 0, 0))[2]}


@settings(max_examples=80, deadline=None)
@given(TREES, AFTERS, st.integers(0, 150))
def test_any_changes_are_made_as_a_whole_or_not_at_all(tree: Tree, wanted: Afters, failing: int) -> None:
    afters = without_deleted_links(tree, wanted)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        root, journal = Path(name).resolve() / "tree", Path(name).resolve() / "journal"
        grow(root, tree)
        old = picture(root)
        befores = {name: tree[name][0] if name in tree else None for name in afters}
        changes = [FileChange(root / name, befores[name], after, mode) for name, (after, mode) in afters.items()]

        try:
            FileTransactions(journal, disk=SteppedDisk(Steps(failing, say_no))).apply(changes)
            is_failed = False
        except WriteFailed:
            is_failed = True

        FileTransactions(journal).recover()
        assert is_clean(journal)
        if is_failed:
            assert picture(root) == old
            FileTransactions(journal).apply(changes)
        shown = picture(root)
        shutil.rmtree(root)
        grow(root, tree)
        change_plainly(root, afters)
        assert shown == picture(root)
