"""The dashboard in a real browser, over a real service with a real language server."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import mcp_types as types
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client
from playwright.sync_api import Browser

from tests.conftest import EXAMPLES
from tests.server.dashboard.browsing import Watched, browser, needs_browser, watched_page
from tests.server.dashboard.cut_wire import CutWire
from tests.server.dashboard.visiting import new_token
from tests.support.http_service import HttpServer, modern_call, modern_headers, serving_http

pytestmark = needs_browser

KEY = secrets.token_urlsafe(24)
HOSTILE = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>"
HOSTILE_NAME = "shop<b>bold"


@dataclass(frozen=True, slots=True)
class Place:
    server: HttpServer
    home: Path

    @property
    def link(self) -> str:
        return f"{self.server.url}/#link={new_token(self.home, self.server)}"

    def enter(self, watched: Watched) -> None:
        watched.page.goto(self.link)
        watched.page.wait_for_selector("#board[data-loaded]")

    def call(self, tool: str, arguments: dict[str, Any], *, name: str = "browser-test") -> None:
        """By the official client, in a loop of its own."""

        async def call() -> None:
            info = types.Implementation(name=name, version="1.2")
            async with Client(self.server.mcp, client_info=info) as client:
                await client.call_tool(tool, arguments)

        with start_blocking_portal() as portal:
            portal.call(call)


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    """A project with a hostile name and something to sync, whose language server runs."""
    home = tmp_path_factory.mktemp("home")
    project = home / HOSTILE_NAME
    shutil.copytree(EXAMPLES / "shop", project)
    (project / "CLAUDE.md").write_text(f"# Rules\n\n{HOSTILE}\n")
    with serving_http(project.resolve(), home=home) as server:
        started = Place(server, home)
        started.call("check_types", {"path": "."})
        yield started


def test_a_real_call_is_shown_as_it_happens(chromium: Browser, place: Place) -> None:
    with watched_page(chromium) as watched:
        place.enter(watched)
        place.call("find_symbol", {"query": "Basket"}, name="some-agent")
        row = watched.page.locator("#calls-body tr", has_text="some-agent").first
        row.wait_for()
        assert [row.locator(f".{part}").inner_text() for part in ("tool-name", "result")] == ["find_symbol", "ok"]
        assert "query=Basket" in row.inner_text()
        assert row.locator(".took").inner_text().split()[1] in ("ms", "s")
        histogram = watched.page.locator(".histogram", has_text="find_symbol")
        histogram.wait_for()
        assert histogram.locator("svg rect.bar-ok").count() == 13
        assert watched.is_clean()


def test_a_pause_holds_the_list_and_the_filter_narrows_it(chromium: Browser, place: Place) -> None:
    with watched_page(chromium) as watched:
        place.enter(watched)
        watched.page.get_by_role("button", name="Pause").click()
        place.call("check_types", {"path": "not/there.py"})
        watched.page.get_by_role("button", name="Resume (1 new)").wait_for()
        assert watched.page.locator("#calls-body tr", has_text="not/there.py").count() == 0
        watched.page.get_by_role("button", name="Resume").click()
        watched.page.get_by_role("button", name="Failed only").click()
        watched.page.locator("#calls-body tr", has_text="not/there.py").first.wait_for()
        endings = watched.page.locator("#calls-body tr").evaluate_all("rows => rows.map((row) => row.dataset.ending)")
        assert set(endings) == {"failed"}
        watched.page.get_by_label("Filter calls").fill("no such words")
        assert "No call fits the filter" in watched.text_of("#calls-empty")


def test_the_keyboard_alone_reaches_and_restarts_a_server(chromium: Browser, place: Place) -> None:
    with watched_page(chromium) as watched:
        place.enter(watched)
        page = watched.page
        before = page.locator('.server [data-fact="process"]').inner_text()
        focused: list[str] = []
        while "restart" not in (focused[-1] if focused else ""):
            page.keyboard.press("Tab")
            focused.append(page.evaluate("document.activeElement.className + ' ' + document.activeElement.id"))
            assert len(focused) < 40, focused
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline == "solid", f"where the focus is must be seen: {focused[-1]}"
        assert focused[0].strip() == "skip"
        page.keyboard.press("Enter")
        changed = """before => {
            const fact = document.querySelector('.server [data-fact="process"]');
            return fact && fact.textContent.startsWith('pid') && fact.textContent !== before && fact.textContent;
        }"""
        assert watched.wait(changed, before) != before
        page.locator("#calls-body tr", has_text="restart_server").first.wait_for()
        assert watched.is_clean()


def test_without_a_proof_it_is_locked_and_a_link_opens_it_once(chromium: Browser, place: Place) -> None:
    link = place.link
    with watched_page(chromium) as first, watched_page(chromium) as second:
        first.page.goto(place.server.url)
        first.page.get_by_role("heading", name="This dashboard is locked").wait_for()
        assert not first.page.locator("#board").is_visible()
        first.page.goto(link)
        first.page.wait_for_selector("#board[data-loaded]")
        assert first.page.url == f"{place.server.url}/", "the link leaves the address bar"
        second.page.goto(link)
        second.page.get_by_text("This link was used already.").wait_for()
        assert not second.page.locator("#board").is_visible()
        first.page.reload()
        first.page.wait_for_selector("#board[data-loaded]")
        first.page.get_by_role("button", name="Sign out").click()
        first.page.get_by_role("heading", name="This dashboard is locked").wait_for()
        first.wait("() => !document.body.textContent.includes('check_types')")
        assert first.is_clean()


def test_the_key_unlocks_and_a_wrong_one_does_not(chromium: Browser, tmp_path: Path) -> None:
    key = {"SIGHTLINE_SERVER_KEY": KEY}
    with (
        serving_http(EXAMPLES / "shop", "--read-only", home=tmp_path, environment=key) as server,
        watched_page(chromium) as watched,
    ):
        watched.page.goto(server.url)
        watched.page.get_by_label("Key of the service").fill("wrong")
        watched.page.get_by_role("button", name="Unlock").click()
        watched.page.get_by_text("The key is wrong.").wait_for()
        watched.page.get_by_label("Key of the service").fill(KEY)
        watched.page.keyboard.press("Enter")
        watched.page.wait_for_selector("#board[data-loaded]")
        assert watched.page.locator("#read-only").is_visible()
        assert "No calls yet." in watched.text_of("#calls-empty")
        assert "No language server runs." in watched.text_of("#servers-empty")
        cookies = watched.page.context.cookies()
        assert [(each.get("httpOnly"), each.get("sameSite")) for each in cookies] == [(True, "Strict")]


def test_hostile_text_is_shown_as_text(chromium: Browser, place: Place) -> None:
    with watched_page(chromium) as watched:
        place.enter(watched)
        place.call("find_symbol", {"query": HOSTILE}, name=HOSTILE[:60])
        watched.page.locator("#calls-body tr", has_text="onerror").first.wait_for()
        watched.page.locator("#logs-body tr", has_text="onerror").first.wait_for()
        watched.page.locator(".target").first.wait_for()
        for summary in watched.page.locator(".target summary").all():
            summary.click()
        assert HOSTILE in watched.text_of("#sync-list")
        assert watched.text_of("#project") == HOSTILE_NAME
        assert watched.page.evaluate("window.pwned") is None
        assert watched.page.locator("#board img, #board script, #board b.bold").count() == 0
        assert watched.is_clean()


def test_a_number_that_json_does_not_have_does_not_stop_the_page(chromium: Browser, place: Place) -> None:
    body = modern_call("find_symbol", {"query": "odd-number", "max_results": 1}).replace(b" 1}", b" 1e999}")
    place.server.post(body, **modern_headers("find_symbol"))
    with watched_page(chromium) as watched:
        place.enter(watched)
        watched.page.locator("#calls-body tr", has_text="odd-number").first.wait_for()
        place.call("find_symbol", {"query": "after-it"})
        watched.page.locator("#calls-body tr", has_text="after-it").first.wait_for()
        assert watched.page.locator("#connection").get_attribute("data-state") == "live"
        assert watched.is_clean()


def test_markup_made_of_strings_is_refused_by_the_browser(chromium: Browser, place: Place) -> None:
    """What keeps a mistake of ours from becoming a hole."""
    with watched_page(chromium) as watched:
        place.enter(watched)
        script = (
            "() => { try { document.body.innerHTML = '<b>x</b>'; return 'set' } catch (error) { return error.name } }"
        )
        assert watched.page.evaluate(script) == "TypeError"


def test_it_goes_on_by_itself_when_the_stream_breaks(chromium: Browser, place: Place) -> None:
    with CutWire(place.server.address) as wire, watched_page(chromium) as watched:
        watched.page.goto(place.link.replace(place.server.url, wire.url))
        watched.page.wait_for_selector("#board[data-loaded]")
        watched.wait("() => document.querySelectorAll('#calls-body tr').length > 0")
        rows = watched.page.locator("#calls-body tr").count()
        wire.cut()
        watched.wait("() => document.getElementById('connection').dataset.state === 'waiting'")
        place.call("find_symbol", {"query": "while-away"})
        wire.mend()
        watched.page.locator("#calls-body tr", has_text="while-away").first.wait_for()
        assert watched.page.locator("#calls-body tr").count() == rows + 1, "nothing is shown twice"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_and_follows_the_scheme(
    width: int, scheme: Literal["light", "dark"], chromium: Browser, place: Place, tmp_path: Path
) -> None:
    with watched_page(chromium, width=width, scheme=scheme) as watched:
        place.enter(watched)
        watched.page.locator(".target").first.wait_for()
        watched.page.locator(".target summary").first.click()
        widths = watched.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert widths == [width, width], "there is nothing to scroll to the side"
        red, green, blue = watched.page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g)")
        assert (int(red) + int(green) + int(blue) < 200) is (scheme == "dark")
        assert _least_contrast(watched) >= 4.5
        assert len(watched.page.screenshot(path=tmp_path / "page.png")) > 10_000
        assert watched.is_clean()


def test_the_locked_page_fits_a_phone(chromium: Browser, place: Place) -> None:
    with watched_page(chromium, width=360) as watched:
        watched.page.goto(place.server.url)
        watched.page.get_by_role("heading", name="This dashboard is locked").wait_for()
        card = watched.page.locator(".gate-card").bounding_box()
        assert card is not None
        assert card["x"] >= 0
        assert card["x"] + card["width"] <= 360


def _least_contrast(watched: Watched) -> float:
    """The smallest contrast of a text to the surface it stands on."""
    return watched.page.evaluate(
        """() => {
        const parts = (text) => text.match(/[\\d.]+/g).map(Number);
        const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
            .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const surface = (node) => {
            for (let at = node; at; at = at.parentElement) {
                const color = parts(getComputedStyle(at).backgroundColor);
                if (color.length === 3 || color[3] > 0) return color;
            }
            return [255, 255, 255];
        };
        let least = 21;
        for (const node of document.querySelectorAll("body *")) {
            const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
            if (!hasText || node.disabled || !node.checkVisibility()) continue;
            const [a, b] = [light(parts(getComputedStyle(node).color)), light(surface(node))];
            least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
        }
        return least;
    }"""
    )
