"""Random edits that are only proposed: made in memory, on the texts of a package, and written down as a caller would.

Each kind changes the texts of a `Draft` and says what it did; one that finds nothing to do returns None, and another
is drawn. Many leave code that is wrong, in the edited file or in its importers.
"""

from __future__ import annotations

import ast
import difflib
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Texts = dict[str, str]

_SHADOWED = ("enum", "re", "warnings", "typing")


@dataclass(slots=True)
class Draft:
    """The texts as an edit leaves them, by path, and where files went; `marked` are lines with findings."""

    after: Texts
    rng: random.Random
    number: int
    marked: Sequence[tuple[str, int]] = ()
    moved: dict[str, str] = field(default_factory=dict[str, str])

    def any_file(self) -> str:
        return self.rng.choice(sorted(self.after))

    def any_function(self) -> tuple[str, ast.FunctionDef | ast.AsyncFunctionDef] | None:
        return self._any(lambda node: isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))

    def any_class(self) -> tuple[str, ast.ClassDef] | None:
        return self._any(lambda node: isinstance(node, ast.ClassDef))

    def any_import(self) -> tuple[str, ast.ImportFrom] | None:
        return self._any(lambda node: isinstance(node, ast.ImportFrom))

    def replace_lines(self, file: str, start: int, end: int, *lines: str) -> None:
        """Lines from `start` to `end`, both counted from 1 and meant."""
        old = self.after[file].split("\n")
        self.after[file] = "\n".join([*old[: start - 1], *lines, *old[end:]])

    def sub_in_line(self, file: str, line: int, pattern: str, new: str) -> bool:
        old = self.after[file].split("\n")[line - 1]
        changed = re.sub(pattern, new, old, count=1)
        self.replace_lines(file, line, line, changed)
        return changed != old

    def _any(self, fits: Callable[[ast.AST], bool]) -> Any:
        file = self.any_file()
        try:
            found = [node for node in ast.walk(ast.parse(self.after[file])) if fits(node)]
        except SyntaxError:
            return None
        return (file, self.rng.choice(found)) if found else None


def change_signature(draft: Draft) -> str | None:
    if not (found := draft.any_function()):
        return None
    file, node = found
    new = draft.rng.choice((f"extra_{draft.number}: int, ", f"*, extra_{draft.number}: str = 0, ", ""))
    is_done = draft.sub_in_line(file, node.lineno, r"\((self, |cls, )?(?=\w)", rf"(\g<1>{new}")
    return f"{file}:{node.name}" if is_done else None


def change_return_type(draft: Draft) -> str | None:
    if not (found := draft.any_function()) or not (returns := found[1].returns):
        return None
    file, node = found
    new = draft.rng.choice(("int", "str", "None", "list[bytes]", "Missing"))
    if returns.end_lineno != returns.lineno:
        return None
    line = draft.after[file].split("\n")[returns.lineno - 1]
    changed = line[: returns.col_offset] + new + line[returns.end_col_offset :]
    draft.replace_lines(file, returns.lineno, returns.lineno, changed)
    return f"{file}:{node.name} -> {new}"


def rename_function(draft: Draft) -> str | None:
    """Where it is defined alone: whoever uses it is wrong from now on."""
    if not (found := draft.any_function()):
        return None
    file, node = found
    is_done = draft.sub_in_line(file, node.lineno, rf"\b{node.name}\b", f"{node.name}_{draft.number}")
    return f"{file}:{node.name}" if is_done else None


def rename_class(draft: Draft) -> str | None:
    if not (found := draft.any_class()):
        return None
    file, node = found
    is_done = draft.sub_in_line(file, node.lineno, rf"\b{node.name}\b", f"{node.name}{draft.number}")
    return f"{file}:{node.name}" if is_done else None


def rename_everywhere(draft: Draft) -> str | None:
    found = draft.any_function() or draft.any_class()
    if not found:
        return None
    name = found[1].name
    for file, text in draft.after.items():
        draft.after[file] = re.sub(rf"\b{name}\b", f"{name}_{draft.number}", text)
    return name


def delete_function(draft: Draft) -> str | None:
    if not (found := draft.any_function()):
        return None
    return _without(draft, *found)


def delete_class(draft: Draft) -> str | None:
    if not (found := draft.any_class()):
        return None
    return _without(draft, *found)


def change_bases(draft: Draft) -> str | None:
    if not (found := draft.any_class()):
        return None
    file, node = found
    bases = draft.rng.choice(("", "(int)", "(Missing)", "(Exception)"))
    is_done = draft.sub_in_line(file, node.lineno, r"class (\w+)(\([^()]*\))?:", rf"class \g<1>{bases}:")
    return f"{file}:{node.name}{bases}" if is_done else None


def change_import(draft: Draft) -> str | None:
    if not (found := draft.any_import()):
        return None
    file, node = found
    if draft.rng.random() < 0.5 or not node.module:
        draft.replace_lines(file, node.lineno, node.end_lineno or node.lineno, *_stand_in(draft, file, node.lineno))
        return f"no {node.module} in {file}"
    name = node.module.rpartition(".")[2]
    is_done = draft.sub_in_line(file, node.lineno, rf"\b{name}\b(?= import)", f"{name}_{draft.number}")
    return f"{node.module} in {file}" if is_done else None


def add_errors(draft: Draft) -> str:
    file, n = draft.any_file(), draft.number
    lines = draft.after[file].split("\n")
    draft.replace_lines(file, len(lines), len(lines), f'wrong_{n}: int = "é😀"; also_{n}: str = 0  # 模', "")
    return file


def mend_errors(draft: Draft) -> str | None:
    """By telling the checker to be silent, on some lines of a file."""
    left = [(file, line) for file, line in draft.marked if line <= draft.after.get(file, "").count("\n")]
    if not left:
        return None
    file, _ = draft.rng.choice(left)
    lines = sorted({line for name, line in left if name == file})
    for line in draft.rng.sample(lines, draft.rng.randint(1, min(3, len(lines)))):
        draft.sub_in_line(file, line, r"$", "  # type: ignore")
    return f"{file}:{lines}"


def shift_lines(draft: Draft) -> str:
    """Everything below moves; nothing else happens."""
    file = draft.any_file()
    draft.replace_lines(file, 1, 0, *[f"# {draft.number}"] * draft.rng.randint(1, 30))
    return file


def break_syntax(draft: Draft) -> str | None:
    if not (found := draft.any_function()):
        return None
    file, node = found
    is_done = draft.sub_in_line(file, node.lineno, r"\(", "")
    return f"{file}:{node.name}" if is_done else None


def several_files(draft: Draft) -> str | None:
    done = [draft.rng.choice(_IN_PLACE)(draft) for _ in range(draft.rng.randint(2, 4))]
    return "; ".join(filter(None, done)) or None


def create_module(draft: Draft) -> str:
    """Used at once by another."""
    user = draft.any_file()
    folder = user.rpartition("/")[0]
    name, n = f"late_{draft.number}", draft.number
    draft.after[f"{folder}/{name}.py"] = f"value: int = {draft.rng.choice(('1', repr('text')))}\n"
    lines = draft.after[user].split("\n")
    draft.replace_lines(user, len(lines), len(lines), f"from .{name} import value as v_{n}, gone_{n}", "")
    return f"{name} in {user}"


def create_stub(draft: Draft) -> str | None:
    file = draft.any_file()
    stub = file.removesuffix(".py") + ".pyi"
    if stub in draft.after or not file.endswith(".py") or file.endswith("__init__.py"):
        return None
    names = re.findall(r"^def (\w+)\(", draft.after[file], re.MULTILINE)
    draft.after[stub] = "".join(f"def {name}(stub: bytes) -> str: ...\n" for name in names)
    return stub


def shadow_a_library(draft: Draft) -> str | None:
    file = f"{draft.rng.choice(_SHADOWED)}.py"
    if file in draft.after:
        return None
    draft.after[file] = "value: int = ''\n"
    return file


def delete_module(draft: Draft) -> str:
    file = draft.any_file()
    del draft.after[file]
    return file


def move_module(draft: Draft) -> str:
    """Also with the imports of its name changed everywhere, well or badly."""
    file = draft.any_file()
    folder, _, name = file.rpartition("/")
    module = name.partition(".")[0]
    target = f"{folder}/moved_{draft.number}.{name.partition('.')[2]}"
    draft.after[target] = draft.after.pop(file)
    draft.moved[file] = target
    if module != "__init__" and draft.rng.random() < 0.5:
        for each, text in draft.after.items():
            draft.after[each] = re.sub(rf"(\b(?:from|import) [\w.]*)\b{module}\b", rf"\g<1>moved_{draft.number}", text)
    return f"{file} -> {target}"


def move_and_edit(draft: Draft) -> str | None:
    moved = move_module(draft)
    edited = draft.rng.choice(_IN_PLACE)(draft)
    return f"{moved}; {edited}" if edited else None


Kind = Callable[[Draft], str | None]

_IN_PLACE: tuple[Kind, ...] = (
    change_signature,
    change_return_type,
    rename_function,
    rename_class,
    rename_everywhere,
    delete_function,
    delete_class,
    change_bases,
    change_import,
    add_errors,
    mend_errors,
    shift_lines,
    break_syntax,
)
IN_PLACE: tuple[Kind, ...] = (*_IN_PLACE, several_files, several_files)
OF_THE_LIST: tuple[Kind, ...] = (
    create_module,
    create_stub,
    shadow_a_library,
    delete_module,
    move_module,
    move_and_edit,
)


@dataclass(frozen=True, slots=True)
class Proposed:
    """An edit as a caller sends it, with the texts before and after it."""

    kind: str
    what: str
    forms: frozenset[str]
    edits: list[dict[str, Any]]
    before: Texts
    after: Texts
    moved: dict[str, str]

    @property
    def changes_the_list(self) -> bool:
        return self.before.keys() != self.after.keys()


def draw(
    before: Texts, marked: Sequence[tuple[str, int]], rng: random.Random, number: int, *, changes_the_list: bool
) -> Proposed:
    """A random edit that changes something."""
    while True:
        kind = rng.choice(OF_THE_LIST if changes_the_list else IN_PLACE)
        draft = Draft(dict(before), rng, number, marked)
        what = kind(draft)
        if what and draft.after != before:
            written = list(_written(before, draft))
            edits, forms = [edit for _, edit in written], frozenset(form for form, _ in written)
            return Proposed(kind.__name__, what, forms, edits, before, draft.after, draft.moved)


def _written(before: Texts, draft: Draft) -> Iterator[tuple[str, dict[str, Any]]]:
    """The edit in random forms."""
    for old, new in draft.moved.items():
        yield "move", {"file": old, "move_to": new}
        if draft.after[new] != before[old]:
            yield _rewritten(new, before[old], draft.after[new], draft.rng)
    came = set(draft.moved.values())
    for file in sorted(before.keys() | draft.after.keys()):
        if file in draft.moved or file in came or before.get(file) == draft.after.get(file):
            continue
        if file not in draft.after:
            yield "delete", {"file": file, "delete": True}
        elif file not in before:
            yield "create", {"file": file, "content": draft.after[file]}
        else:
            yield _rewritten(file, before[file], draft.after[file], draft.rng)


def _rewritten(file: str, old: str, new: str, rng: random.Random) -> tuple[str, dict[str, Any]]:
    form = rng.choice(("content", "replacements", "diff"))
    if form == "diff" and old.endswith("\n") and new.endswith("\n"):
        lines = difflib.unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{file}", f"b/{file}"
        )
        return form, {"diff": "".join(lines)}
    if form == "replacements" and (parts := _replacements(old, new)):
        return form, {"file": file, "replacements": parts}
    return "content", {"file": file, "content": new}


def _replacements(old: str, new: str) -> list[dict[str, str]] | None:
    """Each changed stretch with as many lines around it as make it unique; None if they would overlap.

    Both texts keep at least one line: a line that is replaced by nothing would leave its line end behind.
    """
    ours, theirs = old.split("\n"), new.split("\n")
    parts: list[dict[str, str]] = []
    end_of_last = 0
    for _, start, end, new_start, new_end in _changes(ours, theirs):
        first, last = (start, end) if new_start < new_end else (max(0, start - 1), min(len(ours), end + 1))
        while not (quoted := "\n".join(ours[first:last])) or old.count(quoted) != 1:
            if first == 0 and last == len(ours):
                return None
            first, last = max(0, first - 1), min(len(ours), last + 1)
        if first < end_of_last:
            return None
        lines = [*ours[first:start], *theirs[new_start:new_end], *ours[end:last]]
        parts.append({"old_text": quoted, "new_text": "\n".join(lines)})
        end_of_last = last + 1
    return parts


def _changes(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [each for each in matcher.get_opcodes() if each[0] != "equal"]


def _without(draft: Draft, file: str, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    indent = " " * node.col_offset
    # A body must not become empty.
    draft.replace_lines(file, start, node.end_lineno or node.lineno, f"{indent}pass")
    return f"{file}:{node.name}"


def _stand_in(draft: Draft, file: str, line: int) -> list[str]:
    text = draft.after[file].split("\n")[line - 1]
    indent = text[: len(text) - len(text.lstrip())]
    return [f"{indent}pass"] if indent else []
