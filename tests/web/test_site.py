"""A site, written as files: what is in it, how it is checked, and how it works in a browser."""

from __future__ import annotations

import json
import re
import shutil
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web.visiting import of_a_site, status

from inarow.errors import DamagedFile, InarowError, MissingTable
from inarow.web.site.check import check_site
from inarow.web.site.write import write_site

if TYPE_CHECKING:
    from playwright.sync_api import Response
    from web.visiting import Open


def test_a_site_is_sound(site: Path) -> None:
    pages = list(check_site(site))
    assert {"index.html", "404.html", "quixo/index.html", "results/quixo/index.html"} <= set(pages)
    assert "api/docs/index.html" not in pages


def test_another_version_takes_its_place(site: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(site, copy)
    before = (copy / "offline-worker.js").read_text()
    write_site(copy, "https://example.org/elsewhere/")
    assert (copy / "offline-worker.js").read_text() != before
    assert list(check_site(copy))
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]


def test_nothing_else_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InarowError, match="not a site"):
        write_site(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(InarowError, match="no address of a site"):
        write_site(tmp_path / "site", "example.org")


def test_what_is_wrong_is_found(site: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingTable, match="no site in"):
        list(check_site(tmp_path))
    copy = tmp_path / "copy"
    shutil.copytree(site, copy, ignore=shutil.ignore_patterns("book"))
    with pytest.raises(MissingTable, match=r"book.*is missing"):
        list(check_site(copy))
    listed = json.loads((copy / "site.json").read_text())
    listed["files"] = {name: digest for name, digest in listed["files"].items() if "/book/" not in name}
    (copy / "site.json").write_text(json.dumps(listed))
    assert list(check_site(copy))
    (copy / "static" / "game.js").write_text("// changed")
    with pytest.raises(DamagedFile, match=r"game\.js is damaged"):
        list(check_site(copy))
    del listed["files"]["static/game.js"]
    (copy / "site.json").write_text(json.dumps(listed))
    with pytest.raises(DamagedFile, match=r"links to \./game\.js, which is not in the site"):
        list(check_site(copy))
    (copy / "site.json").write_text("[]")
    with pytest.raises(DamagedFile, match=r"site\.json is damaged"):
        list(check_site(copy))


def test_heads_of_pages(site: Path) -> None:
    for path in site.rglob("*.html"):
        html = path.read_text()
        found = re.search(r'property="og:image" content="https://example\.org/some/path/(.*?)"', html)
        assert found is not None
        width, height = struct.unpack(">II", (site / found[1]).read_bytes()[16:24])
        assert (width, height) == (1200, 630)
        assert re.search(r'property="og:title" content="[^"]+"', html)
        assert re.search(r'property="og:description" content="[^"]+"', html)
    page = (site / "quixo/index.html").read_text()
    assert '"og:url" content="https://example.org/some/path/quixo/"' in page
    assert 'rel="manifest" href="../manifest.webmanifest"' in page
    manifest = json.loads((site / "manifest.webmanifest").read_text())
    assert (site / manifest["icons"][0]["src"]).is_file()
    assert manifest["start_url"] == manifest["scope"] == "./"
    missing = (site / "404.html").read_text()
    assert 'href="/some/path/static/style.css"' in missing
    assert not re.search(r'(href|src)="\.', missing)


@of_a_site
def test_few_bytes_before_the_first_solve(visit: Open, address: str) -> None:
    page = visit("/", service_workers="block")
    page.wait_for_load_state("networkidle")
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.add_init_script(
        "addEventListener('DOMContentLoaded', () => new MutationObserver(() => {"
        " if (document.getElementById('status').textContent.includes('wins in'))"
        " window.answered ??= performance.now();"
        "}).observe(document.getElementById('status'), { childList: true }))"
    )
    page.goto(f"{address}/quixo/?position=..../..../..../...._x")
    status(page, "wins in 21 ")
    later = page.evaluate(
        "performance.getEntriesByType('resource').filter((one) => one.startTime > answered)"
        ".map((one) => one.name)"
    )
    sizes = {answer.url: len(answer.body()) for answer in answers if answer.ok and answer.url not in later}
    assert any("quixo.wasm.gz" in url for url in sizes)
    assert sum(sizes.values()) < 300_000, sizes


@of_a_site
def test_the_book_comes_in_pieces(visit: Open, address: str) -> None:
    page = visit("/", service_workers="block")
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{address}/quixo/?position=x..../.o.../..x../...o./....._x")
    page.locator("#status").filter(has_text="X to move").filter(
        has_text=re.compile("draw|wins|loses")
    ).wait_for()
    book = {answer.url: len(answer.body()) for answer in answers if "/book/" in answer.url}
    assert len(book) > 5
    assert sum(book.values()) < 600_000


@of_a_site
def test_a_page_goes_on_while_it_solves(visit: Open, address: str) -> None:
    """No frame waits for the solver, which takes far longer than one."""
    page = visit("/", service_workers="block")
    page.add_init_script(
        "window.longest = 0; let last = performance.now();"
        "setInterval(() => { const now = performance.now();"
        " longest = Math.max(longest, now - last); last = now; }, 10)"
    )
    page.goto(f"{address}/quixo/?position=.../.../..._x")
    status(page, "wins in 7 ")
    page.evaluate("longest = 0")
    begun = time.monotonic()
    page.locator("#size").select_option("4x4")
    status(page, "wins in 21 ")
    assert float(page.evaluate("longest")) / 1000 < (time.monotonic() - begun) / 2


@of_a_site
def test_without_a_network(visit: Open, address: str) -> None:
    page = visit("/quixo/?position=.../.../..._x")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)
    page.reload()
    status(page, "wins in 7 ")
    page.goto(f"{address}/quixo/?position=...../...../...../...../....._x")
    status(page, "draw")
    page.goto(f"{address}/ultimate?position=44")
    status(page, "O")
    assert page.url.endswith("/ultimate/?position=44")
    page.goto(f"{address}/qubic/")
    status(page, "O to move")  # X has moved by itself
    page.goto(f"{address}/")
    assert page.locator("h1").count() == 1


@of_a_site
def test_a_solver_that_cannot_be_had(visit: Open, address: str) -> None:
    page = visit("/", service_workers="block")
    page.route("**/*.wasm.gz", lambda route: route.fulfill(status=200, body=b"nothing"))
    page.goto(f"{address}/quixo/?position=.../.../..._x")
    status(page, "The solver of this page failed.")
    page.unroute("**/*.wasm.gz")
    page.locator("#new").click()
    status(page, "wins in 7 ")
