"""A table on another host, read by pages through range requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from serving import Files, hosting

from inarow.errors import InarowError, MissingTable
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.solve import solve
from inarow.quixo.table.table import open_table
from inarow.web.site.data import data_files
from inarow.web.site.write import write_site

from .conftest import core

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RULES = Quixo(2, 9, line=2)  # of the boards that are not solved in the page, the quickest to solve


class RangeHost(SimpleHTTPRequestHandler):
    """Serves files and single ranges of them, to pages of any origin."""

    log_message = Files.log_message

    def do_GET(self) -> None:
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("range", ""))
        if asked is None:
            super().do_GET()
            return
        content = Path(self.translate_path(self.path)).read_bytes()
        begin, end = int(asked[1]), int(asked[2]) + 1
        self.send_response(206)
        self.send_header("content-range", f"bytes {begin}-{end - 1}/{len(content)}")
        self.send_header("content-length", str(end - begin))
        self.end_headers()
        self.wfile.write(content[begin:end])

    def do_OPTIONS(self) -> None:
        self.send_response(204)
        self.end_headers()

    def end_headers(self) -> None:
        self.send_header("access-control-allow-origin", "*")
        self.send_header("access-control-allow-headers", "range")
        super().end_headers()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("table")
    solve(RULES, folder / "table")
    return folder / "table"


@pytest.fixture(scope="module")
def url(table: Path) -> Iterator[str]:
    with hosting(table, RangeHost) as address:
        yield address


def answers(folder: Path, positions: list[Position]) -> list[dict[str, Any]]:
    """Of the core with the data of this folder."""
    questions = [("probe", {"position": it.text, "line": it.rules.line}) for it in positions]
    with core("quixo", folder) as ask:
        return [answer["record"] for answer in ask(questions)]


def written(folder: Path, url: str) -> Path:
    for name, content in data_files(url):
        if "5x5" not in name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    return folder


def random_positions(count: int) -> list[Position]:
    random = Random(9)
    positions = []
    for _ in range(count):
        marks = random.randint(0, RULES.cells)
        cells = random.sample(range(RULES.cells), marks)
        x = sum(1 << cell for cell in cells[: marks // 2])
        positions.append(Position(RULES, x, sum(1 << cell for cell in cells) & ~x))
    return positions


def test_the_same_answers_as_from_its_folder(table: Path, url: str, tmp_path: Path) -> None:
    """But for the plies of moves that give something away, which would take hundreds of requests."""
    positions = random_positions(200)
    with open_table(table) as opened:
        for position, found in zip(positions, answers(written(tmp_path, url), positions), strict=True):
            expected = opened.probe(position)
            assert (found["value"], found["plies"], found["source"]) == (
                expected.value,
                expected.plies,
                "table",
            )
            moves = {move["move"]: (move["value"], move["plies"]) for move in found["moves"]}
            for move in expected.moves:
                given_away = move.value == "loss" and expected.value != "loss"
                plies = None if given_away and moves[move.text][1] is None else move.plies
                assert moves[move.text] == (move.value, plies)


def test_a_damaged_part_is_not_used(table: Path, url: str, tmp_path: Path) -> None:
    """A search answers in its place."""
    folder = written(tmp_path, url)
    listed = folder / "quixo" / RULES.name / "table.txt"
    # Digests of other files: no index matches them.
    listed.write_text(re.sub(r"\b[0-9a-f]{64} ", f"{'0' * 64} ", listed.read_text()))
    position = Position.parse("x......../....o.... x", 2)
    [found] = answers(folder, [position])
    assert found["source"] == "search"
    assert found["value"] == "win"


def test_tables_that_pages_cannot_read(url: str, tmp_path: Path) -> None:
    with pytest.raises(MissingTable):
        list(data_files(f"{url}nothing/"))
    solve(Quixo(2), tmp_path / "outcomes", outcomes_only=True)
    with (
        hosting(tmp_path, RangeHost) as address,
        pytest.raises(InarowError, match="no complete table with plies"),
    ):
        list(data_files(f"{address}outcomes/"))


def test_a_page_reads_it(browser: Browser, url: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(site, table_url=url)
    with hosting(site, RangeHost) as address:
        page = browser.new_page()
        parts = []
        page.on("request", lambda request: parts.append(request.url) if request.url.startswith(url) else None)
        page.goto(f"{address}quixo/?position=......x../.o......._x&line=2")
        page.locator("#status").filter(has_text="X to move wins in 1").wait_for(timeout=15_000)
        assert any(".values" in part for part in parts)
        page.close()
