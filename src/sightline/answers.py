"""The one envelope around every answer, in two forms that say the same: text and JSON.

Some clients show the model only the text, others only the JSON, so neither may lack a fact that the other has,
and neither may exceed the cap. What does not fit is cut here, for every tool alike, and the answer says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from itertools import product
from typing import Any, cast

from sightline.contract import SCHEMA_VERSION, Evidence, Notice, Outcome, to_json
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.frozen import frozen
from sightline.redaction import without_secrets
from sightline.tool import AnyTool

_INPUT_STRING = 200
_ELISION_STEPS = (600, 200, 80, 40)
_SMALLEST_RESULT = 4
_ELIDED = Notice("text_elided", "long texts are cut; ask again with a larger `max_total_chars`")


@frozen
class Limits:
    """How long an answer may be; `chars` holds for the text and for the JSON, each.

    A character beyond ASCII counts as its bytes: Codex and OpenCode cut by bytes, in the middle of an answer.
    """

    chars: int
    results: int | None = None


@frozen
class Answer:
    """A finished answer: `text` for some clients, `data` for the others; `body` is the text without how we know."""

    ok: bool
    text: str
    data: dict[str, Any]
    body: str = ""

    def json(self) -> str:
        return compact_json(self.data)


@frozen
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
    whole = _drafter(tool, understood(arguments), root, outcome)
    total = tool.cut.total(outcome.output) if tool.cut else 0
    most = min(total, limits.results if limits.results is not None else total, limits.chars // _SMALLEST_RESULT)
    answer = _written(whole(most))
    if _fits(answer, limits.chars):
        return answer
    shown = _largest_that_fits(whole, most, limits.chars)
    if shown > 0:
        return _written(whole(shown))
    for count, longest in product((min(total, 1), 0), _ELISION_STEPS):
        answer = _written(_drafter(tool, understood(arguments), root, outcome, longest)(count))
        if _fits(answer, limits.chars):
            return answer
    return failure(tool.name, arguments, root, _too_large(limits.chars), limits.chars)


def failure(tool: str, arguments: Mapping[str, Any], root: str, error: ToolFailure, chars: int) -> Answer:
    """A failed call as an answer: what happened, and what to do next."""
    answer = _written(_failure_draft(tool, understood(arguments), root, error))
    for longest in _ELISION_STEPS:
        if _fits(answer, chars):
            break
        shorter = _elide_in(understood(arguments), longest)
        answer = _written(_failure_draft(tool, shorter, elide(root, longest), _elided_failure(error, longest)))
    return answer


def understood(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as they were understood, long strings and lists elided."""
    plain = cast("dict[str, Any]", without_secrets(to_json(arguments)))
    kept = {elide(name, 60): _elide_in(value, _INPUT_STRING) for name, value in list(plain.items())[:20]}
    return {name: value for name, value in kept.items() if value is not None}


def elide(text: str, longest: int) -> str:
    """The text, or its beginning and how much is missing."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} more characters)"


def _drafter(
    tool: AnyTool, arguments: dict[str, Any], root: str, outcome: Outcome[Any], longest: int | None = None
) -> Callable[[int], _Draft]:
    """Drafts with the first so many results; with `longest`, every text in them is elided to that."""
    total = tool.cut.total(outcome.output) if tool.cut else 0
    warnings, evidence = outcome.warnings, outcome.evidence
    if longest is not None:
        arguments, root, evidence = _elide_in(arguments, longest), elide(root, longest), _elide_in(evidence, longest)
        warnings = (*_elide_in(warnings[:3], longest), _ELIDED)

    def draft_with(count: int) -> _Draft:
        output = outcome.output
        if tool.cut and count < total:
            output = tool.cut.keep(output, count)
        if longest is not None:
            output = _elide_in(output, longest)
        return _Draft(
            tool=tool.name,
            root=root,
            arguments=arguments,
            server_id=outcome.server_id,
            body_text=tool.render(output),
            body=to_json(output),
            truncated=count < total or longest is not None,
            counts=(count, total) if tool.cut else None,
            remedy=tool.cut.narrower if tool.cut else "",
            warnings=warnings,
            evidence=evidence,
        )

    return draft_with


def _failure_draft(tool: str, arguments: dict[str, Any], root: str, error: ToolFailure) -> _Draft:
    return _Draft(
        tool=tool,
        root=root,
        arguments=arguments,
        server_id=None,
        body_text=_error_text(error),
        body={"error": _error_json(error), "next_steps": [to_json(step) for step in error.next_steps]},
        ok=False,
    )


def _elided_failure(error: ToolFailure, longest: int) -> ToolFailure:
    return ToolFailure(
        error.kind,
        elide(error.message, longest),
        *_elide_in(error.next_steps[:3], longest),
        retryable=error.retryable,
        retry_after_ms=error.retry_after_ms,
        code=error.code,
        data=_elide_in(error.data, longest),
    )


def _largest_that_fits(draft_with: Callable[[int], _Draft], too_many: int, chars: int) -> int:
    """The largest number of results, below `too_many`, whose answer fits; -1 if not even none of them do."""
    low, high = -1, too_many
    while high - low > 1:
        middle = (low + high) // 2
        if _fits(_written(draft_with(middle)), chars):
            low = middle
        else:
            high = middle
    return low


def _fits(answer: Answer, chars: int) -> bool:
    return _weight(answer.text) <= chars and _weight(answer.json()) <= chars


def _weight(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


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
    body = draft.body_text.rstrip()
    return Answer(draft.ok, "\n".join([body, *_footer(draft)]), envelope, body)


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


def _elide_in(value: Any, longest: int) -> Any:
    """The value with every string in it elided, and lists and objects bounded likewise; records stay records."""
    if isinstance(value, str):
        return value if isinstance(value, Enum) else elide(value, longest)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {each.name: _elide_in(getattr(value, each.name), longest) for each in fields(value)}
        return replace(value, **changed)
    if isinstance(value, list | tuple):
        items = cast("Sequence[Any]", value)
        return type(items)(_elide_in(item, longest) for item in items[:longest])  # pyright: ignore[reportCallIssue] - list or tuple
    if isinstance(value, Mapping):
        pairs = list(cast("Mapping[str, Any]", value).items())[:longest]
        return {elide(name, longest): _elide_in(item, longest) for name, item in pairs}
    return value
