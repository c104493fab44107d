"""A browser on the pages of a server and of a site."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page
    from playwright.sync_api._generated import LocatorAssertions

    Open = Callable[..., Page]

TWO_PEOPLE = {
    "x": "person",
    "o": "person",
    "strength": "0",
    "speed": "200",
    "hints": True,
    "distances": "plies",
}
AGAINST_INAROW = {**TWO_PEOPLE, "o": "inarow"}


# What drives a browser is exhaustive, but for a journey through each page, on a server.
JOURNEYS = {
    "test_a_game_to_its_win_by_mouse",
    "test_a_page_that_does_not_exist",
    "test_a_puzzle_is_solved",
    "test_qubic_says_why",
    "test_results",
    "test_the_api_page_asks",
    "test_ultimate_explains_itself",
    "test_variants_by_address_and_by_menu",
    "test_without_a_network",  # through all pages of a site
}


@pytest.fixture(params=["http", pytest.param("wasm", marks=pytest.mark.exhaustive)])
def address(request: pytest.FixtureRequest) -> str:
    """Of the pages of a server, and of those of a site, which have their answers from WebAssembly."""
    return str(request.getfixturevalue("server_address" if request.param == "http" else "site_address"))


# For what a site does not have, and for what cannot differ in it: its pages are the same.
of_a_server = pytest.mark.parametrize("address", ["http"], indirect=True)
of_a_site = pytest.mark.parametrize("address", ["wasm"], indirect=True)


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Open]:
    """Opens a page and waits for what its status says; errors, also of its security policy, fail the test.

    The browser itself notes when the server refuses: a test that provokes it has `refused` in the arguments.
    Answers of the server are `late` by so many milliseconds.
    """
    errors: list[str] = []
    contexts = []
    is_server = not address.endswith("/some/path")

    def go(
        path: str,
        quixo: dict[str, Any] = TWO_PEOPLE,
        said: str = "",
        width: int = 1280,
        refused: bool = False,
        late: int = 0,
        **options: Any,
    ) -> Page:
        if path.startswith("/api/") and not is_server:
            pytest.skip("a site has no API")
        options = {"reduced_motion": "reduce", **options}
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        context.set_default_timeout(_PATIENCE)
        stored = json.dumps(json.dumps(quixo))
        context.add_init_script(f"localStorage.getItem('quixo') ?? localStorage.setItem('quixo', {stored})")
        if late:
            context.add_init_script(
                "const say = Worker.prototype.postMessage; Worker.prototype.postMessage ="
                f" function (...all) {{ setTimeout(() => say.apply(this, all), {late}); }};"
                "const ask = fetch; window.fetch = (...all) => new Promise((done, failed) =>"
                f" setTimeout(() => ask(...all).then(done, failed), {late}))"
            )
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))

        def note(message: ConsoleMessage) -> None:
            expected = "/nothing" in path or refused  # the browser notes the status by itself
            if message.type == "error" and not (expected and "the server responded with" in message.text):
                errors.append(message.text)

        page.on("console", note)
        page.goto(address + path)
        # A page has loaded before its scripts have, which wait for texts: what is chosen before that is lost.
        scripts = "[...document.querySelectorAll('script[type=module]')].map(({ src }) => import(src))"
        page.evaluate(f"Promise.allSettled({scripts}).then(() => null)")
        if said:
            status(page, said)
        return page

    yield go
    for context in contexts:
        context.close()
    assert errors == []


_PATIENCE = 60_000  # milliseconds: a busy machine takes its time


def expect(part: Locator) -> LocatorAssertions:
    """What has to become true of a part of a page: nothing is asked before the page is ready to answer."""
    from playwright.sync_api import expect

    expect.set_options(timeout=_PATIENCE)
    return expect(part)


class Box(NamedTuple):
    """Where a part of a page is."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


def box(page: Page, selector: str) -> Box:
    found = page.locator(selector).first.bounding_box()
    assert found is not None, selector
    return Box(found["x"], found["y"], found["width"], found["height"])


def at(page: Page, address: str) -> None:
    """Waits until the address of the page contains this."""
    arrives(page, f"**{address}**")


def arrives(page: Page, address: str) -> None:
    """Waits until the address of the page is this one; `**` stands for anything.

    The patterns of Playwright itself match differently from version to version.
    """
    from playwright.sync_api import expect

    pattern = ".*".join(map(re.escape, address.split("**")))
    expect(page).to_have_url(re.compile(f"^{pattern}$"), timeout=_PATIENCE)


def status(page: Page, text: str) -> None:
    """Waits until the status of the page has this text."""
    page.locator("#status").filter(has_text=text).wait_for()


def count(page: Page, selector: str, number: int) -> None:
    """Waits until the page has this many of them."""
    expect(page.locator(selector)).to_have_count(number)


def play(page: Page, *moves: str) -> None:
    """Makes moves of a person, one after the other."""
    for move in moves:
        page.locator(f".tile.usable[data-cell={move[:2]}]").click()
        page.locator(f".insertion[data-move={move}]").click()
        page.locator("#lines [aria-current]").filter(has_text=move[:2]).filter(has_text=move[2:]).wait_for()
