"""What is right: questions about the sample project in several states, and what an undisturbed server says.

An answer that differs is wrong; so is an empty one where the truth is not empty. `not known` is neither.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from sightline.answers import Answer
from sightline.app import App

_TELLING = ("verdict", "diagnostics", "references", "count", "symbol", "type", "documentation", "symbols")
_MOST_TRIES = 20

_LATE = "shop/late.py"
_BASKET = "shop/basket.py"


@dataclass(frozen=True, slots=True)
class Question:
    tool: str
    arguments: Mapping[str, Any] = field(hash=False)


QUESTIONS = (
    Question("check_types", {"path": "."}),
    Question("check_types", {"path": "shop/basket.py"}),
    Question("find_references", {"symbol": "Catalogue.find"}),
    Question("find_references", {"file": "shop/catalogue.py", "line": 7, "column": 7}),
    Question("get_hover", {"file": "shop/basket.py", "symbol": "Basket"}),
    Question("get_outline", {"file": "shop/basket.py"}),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """The sample project, which an outside hand puts into one of several states."""

    root: Path
    original: str

    @classmethod
    def at(cls, root: Path) -> Sample:
        return cls(root, (root / _BASKET).read_text())

    def enter(self, state: int) -> None:
        """0 as it was; 1 with one file more; 2 with a file changed; 3 with both."""
        changed = f"{self.original}\n\ndef peek(shelf: Catalogue) -> Item:\n    return shelf.find('é')\n"
        _put(self.root / _BASKET, changed if state & 2 else self.original)
        late = self.root / _LATE
        if state & 1:
            _put(late, "from shop.catalogue import Catalogue\n\nfound: int = Catalogue().find('late')\n")
        else:
            late.unlink(missing_ok=True)


STATES = range(4)
Truths = dict[tuple[int, Question], str]


def essence(answer: Answer) -> str | None:
    """What an answer claims, without what may differ from one time to the next; None if it claims nothing."""
    if not answer.ok or answer.data.get("verdict") == "unknown":
        return None
    claims = {name: answer.data[name] for name in _TELLING if name in answer.data}
    return json.dumps(claims, sort_keys=True)


async def learn(app: App, questions: Sequence[Question]) -> dict[Question, str]:
    """The truths of one state, asked for until they are known."""
    return {question: await _known(app, question) for question in questions}


async def _known(app: App, question: Question) -> str:
    for _ in range(_MOST_TRIES):
        answer = await app.boundary.call(question.tool, question.arguments)
        if claim := essence(answer):
            return claim
        await anyio.sleep(answer.data.get("error", {}).get("retry_after_ms", 0) / 1000)
    raise AssertionError(f"no truth about {question} after {_MOST_TRIES} tries")


def _put(file: Path, text: str) -> None:
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
