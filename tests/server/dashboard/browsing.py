"""A real browser: Debian's Chromium, driven by Playwright, which downloads nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: `make browser` installs Debian's")
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""


@dataclass(frozen=True, slots=True)
class Watched:
    """A page, and everything that went wrong in it."""

    page: Page
    complaints: list[str] = field(default_factory=list[str])

    def text_of(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()

    def wait(self, script: str, argument: Any = None) -> Any:
        """Wait until the script is true in the page."""
        return self.page.wait_for_function(script, arg=argument, timeout=20_000).json_value()

    def is_clean(self) -> bool:
        """Whether nothing was refused by the page's policy and no script failed."""
        assert self.complaints == []
        return self.page.evaluate("window.violations") == []


@contextmanager
def browser() -> Generator[Browser]:
    with sync_playwright() as playwright:
        flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        try:
            yield started
        finally:
            started.close()


@contextmanager
def watched_page(
    started: Browser, *, width: int = 1280, height: int = 900, scheme: Literal["light", "dark"] = "light"
) -> Generator[Watched]:
    context = started.new_context(
        color_scheme=scheme, viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    try:
        context.add_init_script(WATCH)
        watched = Watched(context.new_page())

        def note(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                watched.complaints.append(message.text)

        def note_failure(error: Any) -> None:
            watched.complaints.append(str(error))

        watched.page.on("console", note)
        watched.page.on("pageerror", note_failure)
        yield watched
    finally:
        context.close()
