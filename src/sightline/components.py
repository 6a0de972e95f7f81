"""Parts that tools depend on, and whether they work: told by the capability that owns them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sightline.tool import record


@record
class Component:
    """A part: whether it answered, which version, and what is wrong with it."""

    name: str
    works: bool
    version: str | None = None
    problem: str | None = None
    detail: str | None = None


Probe = Callable[[], Awaitable[Component]]
