"""Games on the pages: lines and variations, addresses, and games as text, SVG and GIF."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from web.visiting import AGAINST_INAROW, arrives, count, expect, play, status

from inarow import GameRecord, parse_games
from inarow.game_record import Line, UnreadableGame

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from web.visiting import Open

CASES = json.loads((Path(__file__).parents[1] / "games" / "cases.json").read_text())
GAME = """[Game "Quixo"]
[Size "3x3"]
[X "Ann"]
[Date "2026-11-16"]
[Result "*"]
[Event "Cup"]

{Short.} 1. a1a3 b1b3 (1... c1c3 {was better} 2. b1b3) 2. c1a1 {so} *
"""


def plies(page: Page) -> list[str]:
    return [text.replace("\u2009→\u2009", "") for text in page.locator("#lines .ply").all_inner_texts()]


def test_another_move_is_a_variation(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x")
    play(page, "a1a3", "b1b3", "c1a1")
    page.locator("#lines .ply").first.click()
    arrives(page, "**?moves=a1a3&position=x../.../..._o")
    play(page, "c1c3")
    assert [ply.rstrip("?") for ply in plies(page)] == ["a1a3", "b1b3", "c1c3", "c1a1"]
    count(page, "#lines .variation .ply", 1)
    # A click leads to the end of the main line, and another back into the variation.
    page.locator("#lines .ply").last.click()
    arrives(page, "**?moves=a1a3,b1b3,c1a1&position=**")
    count(page, "#strip .step", 4)
    page.locator("#lines .variation .ply").click()
    arrives(page, "**?moves=a1a3,c1c3&position=**")
    # The same move again is not another line.
    page.locator("#undo").click()
    status(page, "O to move")
    play(page, "c1c3")
    count(page, "#lines .ply", 4)
    page.reload()
    count(page, "#lines .ply", 4)


def test_inarow_goes_on_in_a_variation(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", AGAINST_INAROW, said="wins in 7")
    page.locator("#moves button").first.click()
    status(page, "X to move wins in 5")
    page.locator("#undo").click()
    status(page, "X to move wins in 7")
    page.locator("#moves button").first.click()
    status(page, "X to move wins in 5")


def test_an_address_tells_the_game(visit: Open, address: str) -> None:
    page = visit("/quixo/?position=.../.../..._x")
    play(page, "a1a3", "b1b3")
    other = visit(page.url.removeprefix(address))
    count(other, "#lines .ply", 2)
    assert plies(other) == plies(page)
    other.locator("#undo").click()
    arrives(other, "**?moves=a1a3&position=x../.../..._o")
    wrong = visit("/quixo/?moves=a1a3,b1b3&position=x../.../..o_x", said="do not lead to its position")
    count(wrong, "#lines .ply", 0)
    cube = visit("/qubic/")
    count(cube, "#lines .ply", 1)
    cube.locator(".tile.usable[data-cell='1']").click()
    count(cube, "#lines .ply", 3)
    again = visit(cube.url.removeprefix(address))
    count(again, "#lines .ply", 3)
    assert plies(again) == plies(cube)


@pytest.mark.parametrize("query", ["position=44,40,04,43", "variant=closed&position=44,40,04,43"])
def test_an_address_of_ultimate_tells_the_game_too(visit: Open, query: str) -> None:
    page = visit(f"/ultimate/?{query}")
    count(page, "#lines .ply", 4)
    assert plies(page) == ["44", "40", "04", "43"]
    page.locator("#player-x").select_option("person")
    for position in ("44,40,04", "44,40", "44", "start"):
        page.locator("#undo").click()
        arrives(page, f"**/ultimate/?{query.partition('position')[0]}position={position}")
    expect(page.locator("#undo")).to_be_disabled()
    for _ in range(4):
        page.locator("#redo").click()
    arrives(page, f"**/ultimate/?{query}")
    wrong = visit("/ultimate/?position=44,45,04", refused=True, said="must be in field 5")
    count(wrong, "#lines .ply", 0)


def exchange(page: Page, text: str) -> None:
    page.locator("#game-text").click()
    page.locator("#exchange-text").fill(text)
    page.locator("#exchange-load").click()


def test_a_game_as_text(visit: Open) -> None:
    page = visit("/quixo/", permissions=["clipboard-read", "clipboard-write"], said="X to move")
    exchange(page, GAME)
    count(page, "#lines .ply", 5)
    count(page, ".tile", 9)
    page.locator("#game-text").click()
    page.locator("#exchange-copy").wait_for()
    expect(page.locator("#exchange-text")).to_have_value(GAME)
    page.locator("#exchange-copy").click()
    page.locator("#exchange-note", has_text="Copied").wait_for()
    assert GameRecord.parse(page.evaluate("navigator.clipboard.readText()")).text == GAME
    page.locator("#exchange-text").fill(GAME.replace("b1b3 (", "b2b3 ("))
    page.locator("#exchange-load").click()
    page.locator(
        "#exchange-note", has_text="Line 8, column 18: only a tile on the border can be taken"
    ).wait_for()


def test_optimal_moves_of_ultimate_are_marked(visit: Open) -> None:
    page = visit("/ultimate/?position=44,40,04")
    page.locator("#optimal").filter(has_text="Every move of O keeps that").wait_for()
    marked = page.locator(".tile").filter(has_text="43")
    assert marked.evaluate_all("tiles => tiles.map((tile) => tile.dataset.cell)") == [
        f"4{spot}" for spot in (1, 2, 3, 5, 6, 7, 8)
    ]
    page.uncheck("#advice")
    count(page, ".tile .number:text('43')", 0)
    left = visit("/ultimate/?position=44,40,04,41,11")
    left.locator("#optimal").filter(has_text="Ply 5 was not best").wait_for()


@pytest.mark.parametrize(("path", "text"), [("/qubic/", "0 16 1"), ("/ultimate/", "44 40 04")])
def test_games_of_cells_as_text(visit: Open, path: str, text: str) -> None:
    page = visit(path)
    count(page, "#lines .ply", 1)
    exchange(page, f'[Game "{path.strip("/")}"] {text} *')
    count(page, "#lines .ply", 3)
    page.locator("#game-text").click()
    page.locator("#exchange-copy").wait_for()
    written = page.locator("#exchange-text").input_value()
    assert [str(move) for move in GameRecord.parse(written).moves] == text.split()


READ = """async (texts) => {
    await import('../static/exchange.js');
    const { askSource, readGames } = await import('../static/game-reader.js');
    const found = [];
    for (const text of texts) found.push(await readGames(text, askSource).catch(({ message }) => message));
    return found;
}"""


def as_python_reads(text: str) -> Any:
    """The games of a text as the page has them, or what is wrong."""
    try:
        games = parse_games(text)
        if not games:
            GameRecord.parse(text)
    except UnreadableGame as error:
        said = str(error).splitlines()[0].capitalize()
        return said.replace("at most 64", "at most 25")  # pages show boards that can be solved
    return [
        (moves_of(game, game.line), game.line.comment, game.x, re.findall(r"\S+\Z", game.text.strip()))
        for game in games
    ]


def moves_of(game: GameRecord, line: Line, before: tuple[Any, ...] = ()) -> list[list[Any]]:
    """A line from the beginning of the game, and then its variations."""
    made, found = before, []
    for step in line.steps:
        for variation in step.variations:
            found += moves_of(game, variation, made)
        made = (*made, (game.rules.move_text(step.move), step.comment))
    return [list(made), *found]


def as_the_page_reads(found: Any) -> Any:
    if isinstance(found, str):
        return found.capitalize()
    return [
        (
            [[(step["move"], step.get("comment") or "") for step in line] for line in game["lines"]],
            game["about"],
            game["headers"].get("X", ""),
            [game["result"]],
        )
        for game in found
    ]


def changed_texts() -> Iterator[str]:
    """Texts that are nearly right."""
    chance = random.Random(5)
    text = (
        '[Game "Quixo"] [Size "3"] [X "A 𝄞"] {why} 1. a1a3 b1b3 (1... c1c3 {so} 2. b1b3 (2. a1c1)) 2. c1a1 *'
    )
    texts = [
        text,
        CASES["good"][4]["text"],
        '[Game "Ultimate"][Position "44 40"] 2. 04 (2. 00 04) 43 3. 33 1-0',
    ]
    for nth in range(180):
        chars = list(texts[nth % 3])
        place = chance.randrange(len(chars))
        chars[place : place + chance.choice([0, 0, 0, 1, 2])] = chance.choice(
            '[]{}()"\\.0123abcxo*-é𝄞' + " \n" * 9
        )
        yield "".join(chars)


def test_texts_of_games_are_read_as_python_reads_them(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", refused=True, said="X to move")
    texts = [case["text"] for case in CASES["good"] + CASES["bad"]]
    texts += [case["written"] for case in CASES["good"]]
    texts += ["\ufeff" + texts[1].replace("\n", "\r\n"), " \n", "\n".join(texts[:5]), *changed_texts()]
    found = page.evaluate(READ, texts)
    for text, read in zip(texts, found, strict=True):
        assert as_the_page_reads(read) == as_python_reads(text), text


def test_one_of_several_games_is_chosen(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", said="X to move")
    exchange(page, f'{GAME} [Game "Qubic"] 1. 0 * [Game "Quixo"] [Size "3"] [X "Zoe"] 1. c3a3 1-0')
    page.locator("#exchange-note", has_text="The text has 3 games").wait_for()
    which = page.locator("#exchange-which")
    expect(which.locator("option:disabled")).to_have_count(2)
    which.select_option(label="Game 3 of 3: Quixo, Zoe–O")
    expect(page.locator("#exchange")).not_to_be_visible()
    count(page, "#lines .ply", 1)
    # X has won because O resigned, as only the text knows.
    page.locator("#game-text").click()
    page.locator("#exchange-copy").wait_for()
    record = GameRecord.parse(page.locator("#exchange-text").input_value())
    assert (record.x, record.result) == ("Zoe", "x")


def test_pictures_of_a_game(visit: Open, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    page = visit("/quixo/?position=.../.../..._x")
    play(page, "a1a3", "b1b3")
    page.locator("#game-text").click()
    kept = {}
    for kind in ("svg", "gif", "save"):
        with page.expect_download() as download:
            page.locator(f"#exchange-{kind}").click()
        download.value.save_as(tmp_path / kind)
        kept[kind] = (tmp_path / kind).read_bytes()
    assert kept["svg"].startswith(b"<svg")
    assert kept["svg"].count(b"#1d4f7c") == kept["svg"].count(b"#b4452b") == 1
    assert GameRecord.parse(kept["save"].decode()).moves
    with image.open(io.BytesIO(kept["gif"])) as gif:
        assert gif.n_frames == 3
        assert gif.size == (400, 400)
        gif.seek(2)
        assert gif.convert("RGB").getpixel((90, 90)) == (0x1D, 0x4F, 0x7C)
