"""The tool boundary: where arguments become a call, and an outcome or an error becomes an answer.

Both front ends call tools through here and nowhere else. This is one of the three places that catch every
exception: a defect becomes `internal_error`, and its traceback goes to the log under the request id.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sightline.allowed_roots import AllowedRoots
from sightline.answers import Answer, Limits, failure, success, understood
from sightline.arguments import parse_arguments
from sightline.call_feed import CallFeed, CallOutcome
from sightline.config.schema import Settings
from sightline.errors import ErrorKind, NextStep, ToolFailure, invalid_params
from sightline.logs import request_scope
from sightline.metrics import Metrics
from sightline.paths import PathPolicy
from sightline.progress import no_progress
from sightline.selection import Selection
from sightline.tool import AnyTool, Call, Progress, ToolInput

log = logging.getLogger(__name__)

_LARGE_ANSWER = 50_000
_SLOW_CALL_S = 20.0


class UnknownTool(Exception):
    """No tool has, or ever had, this name."""


@dataclass(frozen=True, slots=True)
class ToolBoundary:
    """The tools of one application, ready to be called."""

    root: Path
    selection: Selection
    services: Mapping[str, Any]
    settings: Settings
    metrics: Metrics
    roots: AllowedRoots
    calls: CallFeed = field(default_factory=CallFeed)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        progress: Progress = no_progress,
        client: str = "",
        client_name: str = "",
    ) -> Answer:
        """Answer a client's call; raises only `UnknownTool`, and passes cancellation on."""
        tool = self.selection.find(name)
        if tool is None:
            raise UnknownTool(name)
        started = time.monotonic()
        request_id, said = uuid.uuid4().hex[:8], understood(arguments)
        following = self.calls.following(request_id, tool.name, said, client, client_name)
        with request_scope(request_id), following as outcome:
            answer = await self._answered(tool, arguments, progress, client)
            size = len(answer.text) + len(answer.json())
            self._record(tool, said, answer, size, time.monotonic() - started)
            _tell(outcome, answer, size)
        return answer

    async def _answered(self, tool: AnyTool, arguments: Mapping[str, Any], progress: Progress, client: str) -> Answer:
        root = str(self.root)
        chars = self.settings.output.max_total_chars
        try:
            if refusal := self.selection.hidden.get(tool.name):
                return failure(tool.name, arguments, root, refusal, chars)
            parsed: ToolInput = parse_arguments(tool.input, arguments)
            paths = self._paths(parsed.project)
            root = str(paths.root)
            limits = self._limits(tool, parsed)
            chars = limits.chars
            outcome = await tool.run(self.services[tool.toolset], Call(paths.root, paths, progress, client), parsed)
            return success(tool, arguments, root, outcome, limits)
        except ToolFailure as error:
            return failure(tool.name, arguments, root, error, chars)
        except Exception:
            log.exception("tool failed", extra={"tool": tool.name})
            return failure(tool.name, arguments, root, _defect(), chars)

    def _paths(self, project: str | None) -> PathPolicy:
        """The paths of the project asked for, which must be an allowed root or lie in one."""
        allowed = self.roots.now()
        served = PathPolicy(self.root, allowed)
        if project is None:
            return served
        root = served.resolve(project)
        if not root.is_dir():
            raise invalid_params("`project` is not a folder", "name the root folder of a project")
        return PathPolicy(root, allowed)

    def _limits(self, tool: AnyTool, parsed: ToolInput) -> Limits:
        default = self.settings.output.max_results.get(tool.name, tool.default_max_results)
        return Limits(
            chars=getattr(parsed, "max_total_chars", None) or self.settings.output.max_total_chars,
            results=getattr(parsed, "max_results", None) or default,
        )

    def _record(self, tool: AnyTool, said: Mapping[str, Any], answer: Answer, size: int, seconds: float) -> None:
        if self.settings.logging.metrics:
            self.metrics.record(tool.name, seconds, is_error=not answer.ok)
        facts = {
            "tool": tool.name,
            "arguments": said,
            "ok": answer.ok,
            "ms": round(seconds * 1000, 1),
            "chars": size,
        }
        is_notable = size > _LARGE_ANSWER or seconds > _SLOW_CALL_S
        log.log(logging.WARNING if is_notable else logging.INFO, "call answered", extra=facts)


def _tell(outcome: CallOutcome, answer: Answer, size: int) -> None:
    outcome.ending = "ok" if answer.ok else "failed"
    outcome.root = answer.data.get("root", "")
    outcome.error_kind = None if answer.ok else answer.data["error"]["kind"]
    outcome.chars = size


def _defect() -> ToolFailure:
    return ToolFailure(
        ErrorKind.INTERNAL_ERROR,
        "a defect in Sightline stopped this call; its log has the details",
        NextStep("tool", "see whether the rest works", tool="health_check", arguments={}),
        NextStep("doc", "ask again once; if it happens again, report it with the log"),
    )
