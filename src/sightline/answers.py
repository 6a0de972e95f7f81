"""The one envelope around every answer, in two forms that say the same: text and JSON.

Some clients show the model only the text, others only the JSON, so neither may lack a fact that the other has,
and neither may exceed the cap. What does not fit is cut here, for every tool alike, and the answer says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from sightline.contract import SCHEMA_VERSION, Evidence, Notice, Outcome, to_json
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.tool import AnyTool

_INPUT_STRING = 200
_ELISION_STEPS = (600, 200, 80, 40)
_SMALLEST_RESULT = 16


@dataclass(frozen=True, slots=True)
class Limits:
    """How long an answer may be; `chars` holds for the text and for the JSON, each."""

    chars: int
    results: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer: `text` for people and some clients, `data` for the others."""

    ok: bool
    text: str
    data: dict[str, Any]

    def json(self) -> str:
        return compact_json(self.data)


@dataclass(frozen=True, slots=True)
class _Draft:
    """An answer before it is written: head and tail of the envelope around a body."""

    tool: str
    root: str
    arguments: dict[str, Any]
    server_id: str | None
    body_text: str
    body: dict[str, Any]
    truncated: bool = False
    counts: tuple[int, int] | None = None
    remedy: str = ""
    warnings: tuple[Notice, ...] = ()
    evidence: Evidence | None = None
    ok: bool = True


def compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def success(tool: AnyTool, arguments: Mapping[str, Any], root: str, outcome: Outcome[Any], limits: Limits) -> Answer:
    """The outcome of a call as an answer within its limits."""
    draft_with = _drafter(tool, understood(arguments), root, outcome)
    total = tool.cut.total(outcome.output) if tool.cut else 0
    most = min(total, limits.results if limits.results is not None else total)
    shown = _largest_that_fits(draft_with, total, min(most, limits.chars // _SMALLEST_RESULT), limits.chars)
    if shown is not None:
        return _written(draft_with(shown))
    for count, longest in [(min(total, 1), longest) for longest in _ELISION_STEPS] + [(0, _ELISION_STEPS[-1])]:
        answer = _written(_elided(draft_with(count), longest))
        if _fits(answer, limits.chars):
            return answer
    return failure(tool.name, arguments, root, _too_large(limits.chars), limits.chars)


def failure(tool: str, arguments: Mapping[str, Any], root: str, error: ToolFailure, chars: int) -> Answer:
    """A failed call as an answer: what happened, and what to do next."""
    draft = _Draft(
        tool=tool,
        root=root,
        arguments=understood(arguments),
        server_id=None,
        body_text=_error_text(error),
        body={"error": _error_json(error), "next_steps": [to_json(step) for step in error.next_steps]},
        ok=False,
    )
    answer = _written(draft)
    for longest in _ELISION_STEPS:
        if _fits(answer, chars):
            break
        answer = _written(_elided(draft, longest))
    return answer


def understood(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as they were understood, long strings and lists elided."""
    plain = cast("dict[str, Any]", to_json(arguments))
    kept = {elide(name, 60): _elide_in(value, _INPUT_STRING) for name, value in list(plain.items())[:20]}
    return {name: value for name, value in kept.items() if value is not None}


def elide(text: str, longest: int) -> str:
    """The text, or its beginning and how much is missing."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} more characters)"


def _drafter(tool: AnyTool, arguments: dict[str, Any], root: str, outcome: Outcome[Any]) -> Callable[[int], _Draft]:
    total = tool.cut.total(outcome.output) if tool.cut else 0

    def draft_with(count: int) -> _Draft:
        output = outcome.output
        if tool.cut and count < total:
            output = tool.cut.keep(output, count)
        return _Draft(
            tool=tool.name,
            root=root,
            arguments=arguments,
            server_id=outcome.server_id,
            body_text=tool.render(output),
            body=to_json(output),
            truncated=count < total,
            counts=(count, total) if tool.cut else None,
            remedy=tool.cut.narrower if tool.cut else "",
            warnings=outcome.warnings,
            evidence=outcome.evidence,
        )

    return draft_with


def _largest_that_fits(draft_with: Callable[[int], _Draft], total: int, most: int, chars: int) -> int | None:
    """The largest number of results whose answer fits; None if not even none of them do."""
    if _fits(_written(draft_with(most)), chars):
        return most
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        if _fits(_written(draft_with(middle)), chars):
            low = middle
        else:
            high = middle
    return None if low < 0 or (low == 0 and total > 0) else low


def _fits(answer: Answer, chars: int) -> bool:
    return len(answer.text) <= chars and len(answer.json()) <= chars


def _too_large(chars: int) -> ToolFailure:
    return ToolFailure(
        ErrorKind.TOO_LARGE,
        f"the answer does not fit in {chars:,} characters, not even shortened",
        NextStep("doc", "ask again with a larger `max_total_chars`, or for less"),
    )


def _error_json(error: ToolFailure) -> dict[str, Any]:
    fields = {
        "kind": str(error.kind),
        "message": error.message,
        "retryable": error.retryable,
        "retry_after_ms": error.retry_after_ms,
        "code": error.code,
        "data": to_json(error.data) if error.data else None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _error_text(error: ToolFailure) -> str:
    wait = f" after {error.retry_after_ms} ms" if error.retry_after_ms is not None else ""
    lines = [f"error {error.kind}: {error.message}"]
    if error.retryable:
        lines.append(f"retryable: ask again{wait}")
    if error.code is not None:
        lines.append(f"code: {error.code}")
    if error.data:
        lines.append(f"data: {compact_json(to_json(error.data))}")
    lines.extend(_step_text(step) for step in error.next_steps)
    return "\n".join(lines)


def _step_text(step: NextStep) -> str:
    call = f" -> {step.tool} {compact_json(to_json(step.arguments or {}))}" if step.tool else ""
    return f"next ({step.kind}): {step.message}{call}"


def _written(draft: _Draft) -> Answer:
    envelope: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "ok": draft.ok,
        "tool": draft.tool,
        "server_id": draft.server_id,
        "input": draft.arguments,
        "root": draft.root,
        **draft.body,
        "warnings": [notice.as_json() for notice in draft.warnings],
        "truncated": draft.truncated,
    }
    if draft.counts:
        envelope["returned_results"], envelope["total_estimate"] = draft.counts
    if draft.evidence:
        envelope["evidence"] = draft.evidence.as_json()
    return Answer(draft.ok, "\n".join([draft.body_text.rstrip(), *_footer(draft)]), envelope)


def _footer(draft: _Draft) -> list[str]:
    lines = [_notice_text(notice) for notice in draft.warnings]
    if draft.counts:
        shown, total = draft.counts
        more = f"; for the rest {draft.remedy}" if draft.truncated else ""
        lines.append(f"results: {shown} of {total}{more}")
    elif draft.truncated:
        lines.append("truncated: ask again with a larger `max_total_chars`")
    if draft.evidence:
        lines.append("evidence: " + _pairs(draft.evidence.as_json()))
    by = f" by {draft.server_id}" if draft.server_id else ""
    lines.append(f"call: {draft.tool} {_pairs(draft.arguments)}".rstrip() + by)
    lines.append(f"root: {draft.root}")
    return lines


def _notice_text(notice: Notice) -> str:
    extra = _pairs(to_json(notice.data))
    return f"warning ({notice.kind}): {notice.message}" + (f" [{extra}]" if extra else "")


def _pairs(values: Mapping[str, Any]) -> str:
    def written(value: Any) -> str:
        return value if isinstance(value, str) else compact_json(value)

    return "; ".join(f"{name}={written(value)}" for name, value in values.items())


def _elided(draft: _Draft, longest: int) -> _Draft:
    note = Notice("text_elided", "long texts are cut; ask again with a larger `max_total_chars`")
    body_text = "\n".join(elide(line, longest) for line in draft.body_text.splitlines()[:longest])
    return replace(
        draft,
        root=elide(draft.root, max(longest, 200)),
        arguments=_elide_in(draft.arguments, longest),
        body_text=body_text,
        body=_elide_in(draft.body, longest),
        warnings=tuple(_elided_notice(each, longest) for each in draft.warnings[:3]) + (note,) * draft.ok,
        evidence=_elided_evidence(draft.evidence, longest),
        truncated=True,
    )


def _elided_notice(notice: Notice, longest: int) -> Notice:
    return Notice(notice.kind, elide(notice.message, longest), _elide_in(to_json(notice.data), longest))


def _elided_evidence(evidence: Evidence | None, longest: int) -> Evidence | None:
    if evidence is None:
        return None
    scope = elide(evidence.scope, longest) if evidence.scope else None
    return replace(evidence, scope=scope, details=_elide_in(to_json(evidence.details), longest))


def _elide_in(value: Any, longest: int) -> Any:
    """The JSON value with every string in it elided, and lists and objects bounded likewise."""
    if isinstance(value, str):
        return elide(value, longest)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        kept = [_elide_in(item, longest) for item in items[:longest]]
        return kept if len(items) <= longest else [*kept, f"… ({len(items) - longest:,} more)"]
    if isinstance(value, dict):
        pairs = list(cast("dict[str, Any]", value).items())[:longest]
        return {elide(name, longest): _elide_in(item, longest) for name, item in pairs}
    return value
