"""`sightline sync … --json`: the same answers that the tools give, with their envelope, and nothing else on stdout."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from sightline.answers import Answer, Limits, failure, success
from sightline.contract import SCHEMA_VERSION, Outcome, to_json
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.sync.explaining import Explained, hint_of
from sightline.sync.service import SyncAsk
from sightline.sync.tools.get_sync_status import GET_SYNC_STATUS, SyncStatusOutput
from sightline.sync.tools.sync_all import SYNC_ALL
from sightline.sync.tools.sync_answer import SyncOutput

_WHOLE = Limits(chars=sys.maxsize)


@dataclass(frozen=True, slots=True)
class JsonAnswers:
    """What was asked, and how it is answered on stdout; nothing is cut."""

    root: Path
    ask: SyncAsk

    @property
    def _arguments(self) -> dict[str, Any]:
        given = {"targets": list(self.ask.targets) or None, "scope": self.ask.scope, "choices": dict(self.ask.choices)}
        return {name: value for name, value in given.items() if value}

    def show_sync(self, outcome: Outcome[SyncOutput]) -> None:
        _echo(success(SYNC_ALL, self._arguments, str(self.root), outcome, _WHOLE))

    def show_status(self, outcome: Outcome[SyncStatusOutput]) -> None:
        only = self.ask.targets
        kept = [each for each in outcome.output.targets if not only or each.target in only]
        shown = replace(outcome, output=replace(outcome.output, targets=kept))
        _echo(success(GET_SYNC_STATUS, self._arguments, str(self.root), shown, _WHOLE))

    def show_failure(self, error: ToolFailure) -> None:
        _echo(failure(SYNC_ALL.name, self._arguments, str(self.root), error, _WHOLE.chars))

    def show_explained(self, item: str, found: Explained) -> None:
        """There is no such tool; the envelope is the same."""
        if not found.is_found:
            error = ToolFailure(ErrorKind.NO_MATCH, f"no item `{item}`", NextStep("command", hint_of(found)))
            _echo(failure("explain", {"item": item, **self._arguments}, str(self.root), error, _WHOLE.chars))
            return
        head = {"schema_version": SCHEMA_VERSION, "ok": True, "tool": "explain", "input": {"item": item}}
        body = {**head, "root": str(self.root), **to_json(found)}
        click.echo(json.dumps(body, ensure_ascii=False, indent=2))


def _echo(answer: Answer) -> None:
    click.echo(json.dumps(answer.data, ensure_ascii=False, indent=2))
