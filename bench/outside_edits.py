"""Seeded edits of a small package by somebody else, each with the question that it changes the answer to.

The edits are made on a model, from which any number of copies are written. Every round has each kind of edit once, in
an order drawn by the seed.

The errors are of kinds whose messages are plain ASCII: cclsp 0.7.0 counts characters where the protocol counts bytes,
so it loses every message of Pyright with the details of an error, which are indented by no-break spaces.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bench.contestant import Asked, Spot

CHECKED_FILE = "app/basket.py"
SYMBOL = Asked("app/prices.py", "price", line=1, column=5)
KINDS = 6

_USING = "from app.prices import price\n\n"
_BASKET = """\
import click

from app.prices import price


def total(names: list[str]) -> int:
    amount: int = 0
    for name in names:
        amount += price(name)
    return amount


def show(names: list[str]) -> None:
    click.echo(total(names))
"""


@dataclass(frozen=True, slots=True)
class Edit:
    """What was done to the files, and the question that comes next; a text of None deletes its file."""

    kind: str
    question: Literal["diagnostics", "references"]
    changes: Mapping[str, str | None]


@dataclass(slots=True)
class EditedPackage:
    """The package as it should be on disk."""

    seed: int
    errors: list[str] = field(default_factory=lambda: [_error(0)])
    parameters: str = "name: str"
    uses: list[str] = field(default_factory=lambda: ["use_0 = price('0')"])
    extra: list[str] = field(default_factory=lambda: ["app/extra_0.py"])

    def files(self) -> dict[str, str]:
        """Every file with its text."""
        return {
            "app/__init__.py": "",
            CHECKED_FILE: "\n".join([_BASKET, *self.errors, ""]),
            SYMBOL.file: f"def price({self.parameters}) -> int:\n    return len(name)\n",
            "app/uses.py": "\n".join([_USING, *self.uses, ""]),
            **dict.fromkeys(self.extra, f"{_USING}twice = (price('a'), price('b'))\n"),
        }

    def references(self) -> frozenset[Spot]:
        """Where the symbol stands: it is used in no text and no comment, so every word is a use."""
        return frozenset(
            (file, number, found.start() + 1)
            for file, text in self.files().items()
            for number, line in enumerate(text.splitlines(), 1)
            for found in re.finditer(rf"\b{SYMBOL.symbol}\b", line)
        )

    def edits(self, rounds: int) -> Iterator[Edit]:
        """Make the edits one by one; the model is as after the last that was given."""
        chance = random.Random(self.seed)
        for number in range(1, rounds + 1):
            kinds = self._kinds(number, chance)
            for kind in chance.sample(sorted(kinds), len(kinds)):
                before = self.files()
                kinds[kind]()
                question = "diagnostics" if "checked file" in kind else "references"
                yield Edit(kind, question, _changes(before, self.files()))

    def _kinds(self, number: int, chance: random.Random) -> dict[str, Callable[[], object]]:
        return {
            "error added to the checked file": lambda: self.errors.append(_error(number)),
            "error taken out of the checked file": lambda: self.errors.pop(0),
            "signature changed in a file that the checked file imports": self._change_signature,
            "use added to another file": lambda: self.uses.append(f"use_{number} = price('{number}')"),
            "file with uses created": lambda: self.extra.append(f"app/extra_{number}.py"),
            "file with uses deleted": lambda: self.extra.pop(chance.randrange(len(self.extra))),
        }

    def _change_signature(self) -> None:
        self.parameters = "name: str" if "," in self.parameters else "name: str, currency: str"


def _error(number: int) -> str:
    return f"shown_{number} = not_defined_{number}"


def write(changes: Mapping[str, str | None], project: Path) -> None:
    """Do to a copy on disk what was done to the model."""
    for file, text in changes.items():
        if text is None:
            (project / file).unlink()
        else:
            (project / file).parent.mkdir(exist_ok=True)
            (project / file).write_text(text, encoding="utf-8")


def _changes(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str | None]:
    return {file: after.get(file) for file in {**before, **after} if before.get(file) != after.get(file)}
