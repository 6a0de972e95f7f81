"""Random edits to a package from outside: what an agent, an editor or git does to files between two questions.

Every edit leaves files that can be read; many of them leave code that is wrong, in the edited file or in its
importers. An edit that finds nothing to do returns None, and another one is drawn.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

_TOP_LEVEL = re.compile(r"^def (\w+)\(", re.MULTILINE)
_RETURNS = re.compile(r"-> [\w.]+:")
_LATE_MODULES = 5
_SHADOWED = ("enum", "re", "warnings")

Snapshot = dict[str, bytes]


@dataclass(slots=True)
class Editor:
    """Edits `package`; modules that come and go lie in `late`, which may be a folder that is not checked."""

    root: Path
    package: Path
    late: Path
    rng: random.Random
    original: Snapshot = field(default_factory=dict[str, bytes])
    branches: list[Snapshot] = field(default_factory=list[Snapshot])
    count: int = 0

    def __post_init__(self) -> None:
        self.original = self.snapshot()
        self.branches.append(self.original)

    def edit(self) -> str:
        """Do one edit; what it was."""
        while True:
            self.count += 1
            kind = self.rng.choice(EDITS)
            done = kind(self)
            if done:
                return f"{kind.__name__}: {done}"

    def files(self) -> list[Path]:
        return source_files(self.root)

    def snapshot(self) -> Snapshot:
        return {str(path.relative_to(self.root)): path.read_bytes() for path in self.files()}

    def any_file(self) -> Path:
        return self.rng.choice(sorted(self.package.rglob("*.py")) or self.files())

    def shown(self, *paths: Path) -> str:
        return ", ".join(str(path.relative_to(self.root)) for path in paths)


def source_files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*.py*") if path.suffix in (".py", ".pyi"))


def add_errors(editor: Editor) -> str:
    file = editor.any_file()
    n = editor.count
    _append(file, f'wrong_{n}: int = "é😀"; also_{n}: str = 0  # 模\n')
    return editor.shown(file)


def remove_errors(editor: Editor) -> str | None:
    marked = [file for file in editor.files() if "wrong_" in _text(file)]
    if not marked:
        return None
    file = editor.rng.choice(marked)
    _write(file, "".join(line for line in _text(file).splitlines(keepends=True) if not line.startswith("wrong_")))
    return editor.shown(file)


def rename_function(editor: Editor) -> str | None:
    """In its own file alone: whoever imports it is wrong from now on."""
    file = editor.any_file()
    names = _TOP_LEVEL.findall(_text(file))
    if not names:
        return None
    name = editor.rng.choice(names)
    _write(file, _text(file).replace(f"def {name}(", f"def {name}_{editor.count}("))
    return f"{name} in {editor.shown(file)}"


def rename_function_everywhere(editor: Editor) -> str | None:
    file = editor.any_file()
    names = _TOP_LEVEL.findall(_text(file))
    if not names:
        return None
    name = editor.rng.choice(names)
    for each in editor.files():
        if name in (text := _text(each)):
            _write(each, re.sub(rf"\b{name}\b", f"{name}_{editor.count}", text))
    return f"{name} of {editor.shown(file)}"


def change_signature(editor: Editor) -> str | None:
    file = editor.any_file()
    names = _TOP_LEVEL.findall(_text(file))
    if not names:
        return None
    name = editor.rng.choice(names)
    _write(file, _text(file).replace(f"def {name}(", f"def {name}(extra_{editor.count}: int, ", 1))
    return f"{name} in {editor.shown(file)}"


def change_return_type(editor: Editor) -> str | None:
    file = editor.any_file()
    places = list(_RETURNS.finditer(_text(file)))
    if not places:
        return None
    place = editor.rng.choice(places)
    text = _text(file)
    _write(file, text[: place.start()] + editor.rng.choice(("-> int:", "-> str:")) + text[place.end() :])
    return f"{editor.shown(file)} at {place.start()}"


def import_late_module(editor: Editor) -> str:
    """It may not exist yet."""
    file, number = editor.any_file(), editor.rng.randrange(_LATE_MODULES)
    folder = ".".join(editor.late.relative_to(editor.root).parts)
    _append(file, f"from {folder} import late_{number}\nwrong_{editor.count}: str = late_{number}.value\n")
    return f"late_{number} into {editor.shown(file)}"


def create_late_module(editor: Editor) -> str | None:
    number = editor.rng.randrange(_LATE_MODULES)
    file = editor.late / f"late_{number}.py"
    if file.exists():
        return None
    _write(file, f"value: {editor.rng.choice(('int', 'str'))} = {number}\n")
    return editor.shown(file)


def change_late_module(editor: Editor) -> str | None:
    found = sorted(editor.late.glob("late_*.py"))
    if not found:
        return None
    file = editor.rng.choice(found)
    old, new = ("int", "str") if "int" in _text(file) else ("str", "int")
    _write(file, _text(file).replace(f"value: {old}", f"value: {new}"))
    return editor.shown(file)


def delete_late_module(editor: Editor) -> str | None:
    found = sorted(editor.late.glob("late_*.py"))
    if not found:
        return None
    file = editor.rng.choice(found)
    file.unlink()
    return editor.shown(file)


def create_stub(editor: Editor) -> str | None:
    """A stub takes the place of its module for everybody who imports it."""
    file = editor.any_file()
    stub = file.with_suffix(".pyi")
    if stub.exists() or file.name == "__init__.py":
        return None
    _write(stub, "".join(f"def {name}(stub: bytes) -> str: ...\n" for name in _TOP_LEVEL.findall(_text(file))))
    return editor.shown(stub)


def delete_file(editor: Editor) -> str:
    stubs = sorted(editor.package.rglob("*.pyi"))
    file = editor.rng.choice(stubs) if stubs and editor.rng.random() < 0.5 else editor.any_file()
    file.unlink()
    return editor.shown(file)


def rename_file(editor: Editor) -> str:
    file = editor.any_file()
    target = file.with_name(f"moved_{editor.count}.py")
    file.rename(target)
    return editor.shown(file, target)


def shadow_a_library(editor: Editor) -> str:
    file = editor.root / f"{editor.rng.choice(_SHADOWED)}.py"
    if file.exists():
        file.unlink()
        return f"no more {editor.shown(file)}"
    _write(file, "value = 1\n")
    return editor.shown(file)


def make_or_remove_package(editor: Editor) -> str:
    folder = editor.package / f"part_{editor.rng.randrange(2)}"
    if folder.exists():
        if editor.rng.random() < 0.5:
            target = folder.with_name(f"part_{editor.count}")
            folder.rename(target)
            return f"{editor.shown(folder, target)}"
        shutil.rmtree(folder)
        return f"no more {editor.shown(folder)}"
    folder.mkdir()
    _write(folder / "__init__.py", "from .inner import value as value\n")
    _write(folder / "inner.py", f"value: int = ''\nwrong_{editor.count}: str = value\n")
    return editor.shown(folder)


def make_package_again(editor: Editor) -> str | None:
    """The same folder to whoever looks at paths, another one to the kernel."""
    folders = sorted(editor.package.glob("part_*"))
    if not folders:
        return None
    folder = editor.rng.choice(folders)
    shutil.rmtree(folder)
    folder.mkdir()
    _write(folder / "inner.py", f"value: int = {editor.count}\n")
    return editor.shown(folder)


def restore_file(editor: Editor) -> str | None:
    lost = [name for name in editor.original if _bytes(editor.root / name) != editor.original[name]]
    if not lost:
        return None
    name = editor.rng.choice(lost)
    _replace(editor.root / name, editor.original[name])
    return name


def swap_files(editor: Editor) -> str | None:
    """Many at once, by renames alone: each file keeps its size, its mtime and its inode."""
    files = editor.files()
    editor.rng.shuffle(files)
    half = min(len(files) // 2, editor.rng.randint(1, 4))
    spare = editor.root / "spare.tmp"
    for one, other in zip(files[:half], files[half : 2 * half], strict=True):
        one.rename(spare)
        other.rename(one)
        spare.rename(other)
    return f"{half} pairs" if half else None


def switch_branch(editor: Editor) -> str:
    """The whole tree becomes another one, as by `git checkout`."""
    if len(editor.branches) < 4:
        editor.branches.append(editor.snapshot())
    number = editor.rng.randrange(len(editor.branches))
    branch = editor.branches[number]
    for path in editor.files():
        if str(path.relative_to(editor.root)) not in branch:
            path.unlink()
    for name, content in branch.items():
        if _bytes(editor.root / name) != content:
            _replace(editor.root / name, content)
    return f"to {number}"


def rewrite_in_place(editor: Editor) -> str:
    """Same size, same mtime, other types."""
    file = editor.any_file()
    if "steady_" not in _text(file):
        _append(file, f"steady_{editor.count}: int = 1\n")
        return f"line for {editor.shown(file)}"
    before = file.stat()
    text = _text(file)
    is_right = "steady_" in text and re.search(r"steady_\d+: int", text)
    old, new = ("int", "str") if is_right else ("str", "int")
    file.write_bytes(re.sub(rf"(steady_\d+): {old}", rf"\1: {new}", text).encode())
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    return editor.shown(file)


def write_twice_in_a_tick(editor: Editor) -> str:
    file = editor.any_file()
    text = _text(file)
    _write(file, text + f"twice_{editor.count}: int = 'a'\n")
    _write(file, text + f"twice_{editor.count}: str = 'a'\n")
    return editor.shown(file)


def touch(editor: Editor) -> str:
    file = editor.any_file()
    file.touch()
    return editor.shown(file)


Edit = Callable[[Editor], str | None]

EDITS: tuple[Edit, ...] = (
    add_errors,
    remove_errors,
    rename_function,
    rename_function_everywhere,
    change_signature,
    change_return_type,
    import_late_module,
    import_late_module,
    create_late_module,
    create_late_module,
    change_late_module,
    change_late_module,
    delete_late_module,
    create_stub,
    delete_file,
    rename_file,
    shadow_a_library,
    make_or_remove_package,
    make_package_again,
    restore_file,
    restore_file,
    swap_files,
    switch_branch,
    rewrite_in_place,
    write_twice_in_a_tick,
    touch,
)


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", newline="")


def _append(file: Path, line: str) -> None:
    _write(file, _text(file).rstrip("\n") + "\n" + line)


def _replace(file: Path, content: bytes) -> None:
    """As careful programs write: a new file that takes the old one's place."""
    file.parent.mkdir(parents=True, exist_ok=True)
    spare = file.with_name("spare.tmp")
    spare.write_bytes(content)
    spare.replace(file)
