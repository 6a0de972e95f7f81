"""The oracle of `rename_symbol`: a rename that is called clean leaves every finding as it was, and can be taken back.

The authority is the language's own checker, run on the files as they are after the rename. Messages are compared with
both names made one, since they quote the new name.
"""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from sightline.app import App
from tests.oracle.edit_oracle import Findings, Texts, disk_of

_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
_ALL = {"max_results": 100_000, "max_total_chars": 2_000_000}

# `{ a }` of TypeScript becomes `{ b: a }`, and then `{ a: a }`. Python's annotations never look like this.
_SPELT_OUT = re.compile(r"\b(\w+): \1\b")

Checker = Callable[[Texts], Awaitable[Findings]]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name where it is defined: line and column from 1, in characters."""

    kind: str
    file: str
    line: int
    column: int
    name: str

    def at(self, column: int | None = None) -> dict[str, Any]:
        return {"file": self.file, "line": self.line, "column": column or self.column}


@dataclass(slots=True)
class Summary:
    """The figures of a run."""

    project: str
    kinds: Counter[str] = field(default_factory=Counter[str])
    ends: Counter[str] = field(default_factory=Counter[str])
    places: int = 0
    files: int = 0
    findings: int = 0
    differences: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kinds.items()))
        lines = [
            f"{self.project}: {self.kinds.total()} symbols ({kinds}), {len(self.differences)} differences",
            f"  renamed and back: {self.places} places in {self.files} files, {self.findings} findings compared",
            *(f"  {count:4} {end}" for end, count in self.ends.most_common()),
        ]
        return "\n".join([*lines, *self.differences])


@dataclass(frozen=True, slots=True)
class RenameOracle:
    """Renames symbols of the project in `root` there and back; `suffixes` are of its sources."""

    app: App
    root: Path
    check: Checker
    suffixes: tuple[str, ...]
    summary: Summary

    async def run(self, symbols: Sequence[Symbol], rng: random.Random, within_s: float) -> None:
        """Rename one after the other, until all are done or the time is up."""
        deadline = anyio.current_time() + within_s
        for number, symbol in enumerate(symbols):
            if anyio.current_time() > deadline:
                break
            self.summary.kinds[symbol.kind] += 1
            end = await self._rename(symbol, self._new_name(symbol, number, rng))
            self.summary.ends[end] += 1

    async def _rename(self, symbol: Symbol, new: str) -> str:
        before, disk = self.texts(), disk_of(self.root)
        preview = await self._call({**symbol.at(), "new_name": new})
        assert disk_of(self.root) == disk, f"the preview of {symbol} wrote to disk"
        if reason := _why_not(preview):
            return reason
        applied = await self._call({**symbol.at(), "new_name": new, "apply": True, "plan_id": preview["plan_id"]})
        if not applied["ok"]:
            assert disk_of(self.root) == disk, f"a refused rename of {symbol} wrote to disk"
            return f"not applied: {applied['error']['message']}"
        after = self.texts()
        found = await self.check(after)
        await self._take_back(symbol, new, before, after)
        self._compare(symbol, new, await self.check(before), found)
        self.summary.places += sum(each["edits"] for each in applied["files"])
        self.summary.files += len(applied["files"])
        if applied.get("warnings"):
            self._differ(symbol, new, f"surprises: {applied['warnings']}")
        return "clean, renamed, and renamed back"

    async def _take_back(self, symbol: Symbol, new: str, before: Texts, after: Texts) -> None:
        where = {**symbol.at(_column_after(symbol, new, after[symbol.file])), "new_name": symbol.name}
        back = await self._call(where)
        if back["ok"]:
            back = await self._call({**where, "apply": True, "plan_id": back["plan_id"]})
        if not back["ok"]:
            self._differ(symbol, new, f"not taken back: {back['error']}")
        if (now := self.texts()) != before:
            files = sorted(file for file in before if now.get(file) != before[file])
            if any(_SPELT_OUT.sub(r"\1", now.get(file, "")) != before[file] for file in files):
                self._differ(symbol, new, f"not the same bytes after renaming back: {files}")
            for file in files:
                (self.root / file).write_bytes(before[file].encode())

    def _compare(self, symbol: Symbol, new: str, before: Findings, after: Findings) -> None:
        names = re.compile(rf"(?<!\w)({re.escape(symbol.name)}|{re.escape(new)})(?!\w)")
        old, now = _nameless(before, names), _nameless(after, names)
        self.summary.findings += after.total()
        for each in (now - old).elements():
            self._differ(symbol, new, f"new although clean: {each}")
        for each in (old - now).elements():
            self._differ(symbol, new, f"gone although clean: {each}")

    def texts(self) -> Texts:
        files = (path for path in self.root.rglob("*") if path.suffix in self.suffixes)
        return {str(path.relative_to(self.root)): path.read_bytes().decode() for path in sorted(files)}

    def _new_name(self, symbol: Symbol, number: int, rng: random.Random) -> str:
        """Mostly one that is nowhere, at times one that is in the same file."""
        words = set(re.findall(r"\b[a-z]\w{3,}\b", self.texts()[symbol.file])) - {symbol.name}
        fresh = (f"z{number}", f"renamed_{number}_{'x' * rng.randrange(20)}", f"näme_{number}", f"_own_{number}")
        return rng.choice(sorted(words)) if words and rng.random() < 0.2 else rng.choice(fresh)

    async def _call(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return (await self.app.boundary.call("rename_symbol", {**arguments, **_ALL})).data

    def _differ(self, symbol: Symbol, new: str, what: str) -> None:
        self.summary.differences.append(f"  {symbol} to {new}: {what}")


def _why_not(data: dict[str, Any]) -> str:
    """Why a rename is not to be applied; empty if it is clean."""
    if not data["ok"]:
        return f"refused: {data['error']['message']}"
    if data["verdict"] == "clean":
        return ""
    kinds = sorted({warning["kind"] for warning in data.get("warnings", [])})
    rules = sorted({each.get("rule") or "syntax" for each in data["introduced"]})
    return f"{data['verdict']}: {', '.join([*kinds, *rules])}"


def _nameless(findings: Findings, names: re.Pattern[str]) -> Counter[tuple[Any, ...]]:
    """Without columns, which shift, and with one word for both names."""
    nameless: Counter[tuple[Any, ...]] = Counter()
    for (file, line, _, severity, rule, message), count in findings.items():
        nameless[file, line, severity, rule, names.sub("…", message)] += count
    return nameless


def _column_after(symbol: Symbol, new: str, text: str) -> int:
    """Where the name is in its line now: those before it have shifted it."""
    line = text.split("\n")[symbol.line - 1]
    growth = len(new) - len(symbol.name)
    places = [found.start() + 1 for found in re.finditer(rf"(?<!\w){re.escape(new)}(?!\w)", line)]
    fitting = [place for index, place in enumerate(places) if place - index * growth == symbol.column]
    assert fitting, f"{symbol} is not where it should be as {new}: {line}"
    return fitting[0]


def choose_python_symbols(texts: Texts, rng: random.Random, count: int) -> list[Symbol]:
    """Of all kinds the same number, as far as there are that many."""
    by_kind: dict[str, list[Symbol]] = {}
    for file, text in texts.items():
        for symbol in _symbols(file, text):
            by_kind.setdefault(symbol.kind, []).append(symbol)
    for symbols in by_kind.values():
        rng.shuffle(symbols)
    kinds = sorted(by_kind)
    chosen = [by_kind[kinds[index % len(kinds)]].pop() for index in range(count) if by_kind[kinds[index % len(kinds)]]]
    rng.shuffle(chosen)
    return chosen


def _symbols(file: str, text: str) -> Iterator[Symbol]:
    lines = text.split("\n")
    for kind, name, line, offset in _definitions(ast.parse(text)):
        start = len(lines[line - 1].encode()[:offset].decode())
        place = re.compile(rf"(?<!\w){name}(?!\w)").search(lines[line - 1], start)
        if place and not name.startswith("__") and name not in ("self", "cls", "_"):
            yield Symbol(kind, file, line, place.start() + 1, name)


def _definitions(tree: ast.Module) -> Iterator[tuple[str, str, int, int]]:
    """Kind, name, line, and the byte from which on the name is to be found there."""
    for node in tree.body:
        if isinstance(node, _FUNCTION):
            yield "function", node.name, node.lineno, node.col_offset
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield "variable", node.targets[0].id, node.lineno, node.col_offset
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield "class", node.name, node.lineno, node.col_offset
            yield from (("method", each.name, each.lineno, 0) for each in node.body if isinstance(each, _FUNCTION))
        if isinstance(node, _FUNCTION):
            for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                yield "parameter", each.arg, each.lineno, each.col_offset
            for each in ast.walk(node):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    yield "local", each.id, each.lineno, each.col_offset
