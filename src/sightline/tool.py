"""What a tool is: a record that knows nothing of MCP or of the command line.

A tool module defines its input and output as dataclasses, one async function and one renderer, and binds them
in a `Tool`. Both front ends offer the same records. Schemas and validation are derived from the dataclasses
when they are first needed, so that listing tools stays cheap.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import MISSING, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, dataclass_transform

from sightline.contract import MAX_TOTAL_CHARS, MIN_TOTAL_CHARS, O, Outcome
from sightline.frozen import frozen, frozen_by_name

if TYPE_CHECKING:
    from pathlib import Path

    from sightline.paths import PathPolicy

S = TypeVar("S")
I = TypeVar("I", bound="ToolInput")  # noqa: E741 - the input of a tool, beside `S` and `O`
C = TypeVar("C")


def param(description: str, *, default: Any = MISSING, **limits: Any) -> Any:
    """A parameter of a tool: what it means, its default, and its limits (`ge`, `le`, `max_length`, …)."""
    return field(default=default, metadata={"description": description, **limits}, kw_only=True)


def output_field(
    description: str | None = None, *, default: Any = MISSING, null: bool = False, brief: bool = False
) -> Any:
    """A field of a tool's answer; `null` keeps it in the JSON when there is nothing to tell.

    `brief` leaves the form of its items out of the schema, where they speak for themselves.
    """
    return field(default=default, metadata={"description": description, "null": null, "brief": brief}, kw_only=True)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(param, output_field, field))
def record(cls: type[C]) -> type[C]:
    """A frozen, slotted, keyword-only dataclass: the form of every input and output."""
    return frozen_by_name(cls)


@record
class ToolInput:
    """What every tool takes."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    project: str | None = param("Project root", default=None, max_length=4096)


@record
class LongToolInput(ToolInput):
    """What every tool takes whose answer can be long."""

    max_results: int | None = param("Most results", default=None, ge=1, le=100_000)
    max_total_chars: int | None = param("Most characters", default=None, ge=MIN_TOTAL_CHARS, le=MAX_TOTAL_CHARS)


class Progress(Protocol):
    """Tells a waiting client how far the work is."""

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None: ...


@frozen
class Call:
    """One call of a tool: for which project, within which paths, whom to tell about progress, and whose it is."""

    root: Path
    paths: PathPolicy
    progress: Progress
    client: str = ""


@frozen
class Hints:
    """The four hints that clients use to decide whether to ask their user."""

    read_only: bool
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@frozen
class Cut(Generic[O]):
    """How to shorten an output: its number of results, and the output with only the first `n` of them."""

    total: Callable[[O], int]
    keep: Callable[[O, int], O]
    narrower: str


def cut_list(field_name: str, *, narrower: str) -> Cut[Any]:
    """Shorten an output by dropping the end of one of its lists."""

    def total(output: Any) -> int:
        return len(getattr(output, field_name))

    def keep(output: Any, count: int) -> Any:
        return replace(output, **{field_name: getattr(output, field_name)[:count]})

    return Cut(total, keep, narrower)


@frozen_by_name
class Tool(Generic[S, I, O]):
    """A capability an agent can call. `run` gets the service of its toolset, the call and the parsed input."""

    name: str
    title: str
    description: str
    toolset: str
    input: type[I]
    output: type[O]
    run: Callable[[S, Call, I], Awaitable[Outcome[O]]]
    render: Callable[[O], str]
    hints: Hints
    is_core: bool = False
    cut: Cut[O] | None = None
    default_max_results: int | None = None
    aliases: tuple[str, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Arguments that work on the sample project: shown in the docs, driven by the contract tests."""


AnyTool = Tool[Any, Any, Any]
