"""A setting of `[docs]` that cannot be used, as a failure of the tool that needs it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sightline.errors import ErrorKind, NextStep, SettingsError, ToolFailure
from sightline.on_demand import OnDemand

if TYPE_CHECKING:
    from sightline.library_docs.service import DocsService


@contextmanager
def settings_as_failures() -> Generator[None]:
    try:
        yield
    except SettingsError as error:
        raise ToolFailure(ErrorKind.UNSUPPORTED, str(error), NextStep("config", error.hint or "mend it")) from None


async def service_behind(docs: OnDemand[DocsService]) -> DocsService:
    """The service, opened if need be; raises `ToolFailure` if its settings do not allow that."""
    with settings_as_failures():
        return await docs.get()
