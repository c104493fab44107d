"""The pages in a real browser: games by mouse, finger and keyboard, addresses, sizes, accessibility."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import pytest
from web.visiting import AGAINST_INAROW, TWO_PEOPLE, arrives, at, box, count, expect, of_a_server, status

from inarow import Quixo, open_prober

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from web.visiting import Open


@pytest.mark.parametrize(
    ("begin", "plies"), [(".../.../..._x", (7, 5, 3, 1)), ("..../...._x&line=3", (9, 7, 5, 3, 1))]
)
def test_a_game_to_its_win_by_mouse(visit: Open, begin: str, plies: tuple[int, ...]) -> None:
    page = visit(f"/quixo?position={begin}", AGAINST_INAROW)
    for left in plies:
        status(page, f"X to move wins in {left} ")
        best = page.locator("#moves li").first.locator(".move").inner_text()
        page.locator(f".tile[data-cell={best[:2]}]").click()
        insertion = page.locator(f".insertion[data-move={best[:2]}{best[-2:]}]")
        expect(insertion).to_have_attribute("aria-label", re.compile(re.escape(f"win in {left}")))
        insertion.click()
    status(page, "X has won.")
    page.locator(".tile.won").nth(2).wait_for()
    count(page, "#strip .step", plies[0] + 1)
    count(page, "#strip .turned", 0)
    expect(page.locator("#live")).to_contain_text("X has won", use_inner_text=True)


def test_moves_in_groups_with_distances_for_people(visit: Open) -> None:
    page = visit("/quixo/?position=.x../o.../..../...x_o", said="O to move: a draw")
    expect(page.locator("#moves h3")).to_have_text(["Drawing1", "Losing26"], use_inner_text=True)
    drawing = page.locator("#moves section.draw li")
    expect(drawing).to_contain_text("5 of 28 replies lose", use_inner_text=True)
    losing = page.locator("#moves section.loss li").first
    expect(losing).to_contain_text("loss in 20", use_inner_text=True)
    page.locator("#distances").select_option("moves")
    losing.filter(has_text="loss in 10 moves").wait_for()
    page.goto(page.url.split("?")[0] + "?position=.../.../..._x")
    status(page, "X to move wins in 4 moves.")


QUIXO_IN_SIGHT = [".board", ".table .buttons", "#strip", "#lines", "#notice", "#hints"]
CELLS_IN_SIGHT = [".board", ".table .buttons", "#why", "#lines", "#player-o", "#advice"]


@of_a_server
@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("quixo/?position=x../..o/..._x", QUIXO_IN_SIGHT),
        *((path, CELLS_IN_SIGHT) for path in ("qubic/", "ultimate/", "fr/qubic/", "fr/ultimate/")),
    ],
)
def test_everything_is_in_sight_on_a_laptop(visit: Open, path: str, parts: list[str]) -> None:
    page = visit(f"/{path}")
    page.set_viewport_size({"width": 1366, "height": 768})
    if "quixo" in path:
        status(page, "wins in 5")
        page.locator("#moves section.loss button").first.click()
        page.locator("#strip .turned").wait_for()
        assert page.evaluate("document.documentElement.scrollHeight") <= 768
    count(page, "#lines .ply", 1)
    assert all(box(page, part).bottom <= 768 for part in parts)
    if "quixo" in path:
        open_editor(page)
        assert all(box(page, part).bottom <= 768 for part in (".board", "#editor"))


def test_a_phone_on_its_side_has_the_board_beside_the_rest(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", has_touch=True, is_mobile=True)
    page.set_viewport_size({"width": 844, "height": 390})
    status(page, "wins in 7")
    board = box(page, ".board")
    assert board.bottom <= 390
    for selector in ("#status", "#undo", ".course", "#moves"):
        assert box(page, selector).x >= board.right
    assert page.evaluate("document.documentElement.scrollWidth") <= 844


def test_the_board_is_mostly_tiles_and_dims_those_that_stay(visit: Open) -> None:
    page = visit("/quixo/?position=.x../o.../..../...x_o", said="O to move")
    fixed = page.locator(".tile.fixed").evaluate_all("all => all.map((tile) => tile.dataset.cell)")
    assert fixed == ["b4", "b3", "c3", "b2", "c2", "d1"]
    faces = page.locator(".tile.fixed .face, .tile.usable .face")
    opacity = faces.evaluate_all("all => all.map((face) => getComputedStyle(face).opacity)")
    assert set(opacity) == {"1", "0.62"}
    first, last = (box(page, f".tile[data-cell={cell}] .front") for cell in ("a4", "d1"))
    board = box(page, ".quixo-board")
    assert (last.right - first.x) * (last.bottom - first.y) > 0.57 * board.width * board.height


def test_undo_redo_and_the_back_button(visit: Open) -> None:
    page = visit("/quixo?position=.../.../..._x", said="X to move")
    begin = page.url
    page.locator("#moves button").first.click()
    status(page, "O to move")
    at(page, "moves=")
    after = page.url
    page.locator("#undo").click()
    status(page, "X to move wins in 7")
    arrives(page, begin)
    page.locator("#redo").click()
    status(page, "O to move")
    arrives(page, after)
    page.go_back()
    status(page, "X to move wins in 7")
    count(page, "#strip .step", 2)
    page.keyboard.press("Control+y")
    status(page, "O to move")
    page.reload()
    status(page, "O to move")
    count(page, "#strip .step", 2)


def test_back_returns_to_ones_own_decisions_and_then_leaves_quixo(visit: Open, address: str) -> None:
    page = visit("/", AGAINST_INAROW)
    page.goto(address + "/quixo/?position=.../.../..._x")
    for plies in (7, 5):
        status(page, f"X to move wins in {plies} ")
        page.locator("#moves button").first.click()
    status(page, "X to move wins in 3 ")
    for plies in (5, 7):
        page.go_back()
        status(page, f"X to move wins in {plies} ")
    page.go_back()
    arrives(page, address + "/")


@pytest.mark.parametrize(("path", "cells"), [("/qubic/", ["1", "2"]), ("/ultimate/", ["40", "41"])])
def test_back_returns_to_ones_own_decisions_and_then_leaves(
    visit: Open, address: str, path: str, cells: list[str]
) -> None:
    page = visit("/")
    page.goto(address + path)
    marked = ".tile[data-mark=x], .tile[data-mark=o]"
    count(page, marked, 1)
    for nth, cell in enumerate(cells):
        page.locator(f".tile.usable[data-cell='{cell}']").click()
        count(page, marked, 2 * nth + 3)
    page.go_back()
    count(page, marked, 3)
    page.go_back()
    count(page, marked, 1)
    page.go_back()
    arrives(page, address + "/")


@pytest.mark.parametrize("late", [0, 300])
def test_a_double_click_is_one_move(visit: Open, late: int) -> None:
    page = visit("/quixo/?position=.../.../..._x", late=late, said="wins in 7")
    page.locator("#moves button").first.dblclick()
    status(page, "O to move loses in 6")
    page.wait_for_timeout(2 * late + 100)
    status(page, "O to move loses in 6")
    count(page, "#strip .step", 2)
    # A double click on the button neither stops the best line nor starts another.
    page.locator("#line").dblclick()
    status(page, "X has won.")


def test_one_move_at_a_time_while_the_answer_is_late(visit: Open) -> None:
    for path, first, second in [("/qubic/", "1", "2"), ("/ultimate/", "40", "41")]:
        page = visit(path, late=300)
        page.locator(f".tile.usable[data-cell='{first}']").wait_for()
        # From within the page: from here the second click might come after the answer.
        page.evaluate(
            """cells => cells.forEach((cell) => document.querySelector(`.tile[data-cell='${cell}']`)
                .dispatchEvent(new MouseEvent("click", { bubbles: true })))""",
            [first, second],
        )
        count(page, ".tile[data-mark=o]", 1)
        count(page, ".tile[data-mark=x]", 2)
        page.wait_for_timeout(700)
        count(page, ".tile[data-mark=o]", 1)


def test_a_shared_position_waits_to_be_seen(visit: Open) -> None:
    page = visit("/quixo/?position=x../.../..._o", AGAINST_INAROW, said="O to move loses in 6")
    page.wait_for_timeout(600)
    at(page, "position=x../.../..._o")
    page.reload()
    status(page, "O to move loses in 6")
    page.wait_for_timeout(600)
    at(page, "position=x../.../..._o")
    page.locator("#resume").click()
    status(page, "X to move wins in 5")
    expect(page.locator("#resume")).not_to_be_visible()
    page = visit("/ultimate/?position=44,40", said="X to move in field 0")
    page.wait_for_timeout(900)
    at(page, "?position=44,40")
    page.locator("#resume").click()
    arrives(page, "**position=44,40,04")


def test_keyboard_alone(visit: Open) -> None:
    page = visit("/quixo?position=.../.../..._x", said="wins in 7")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.cell"):
            break
    expect(page.locator(":focus")).to_have_attribute("data-cell", "a1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")  # b2 is in the middle, and cannot be taken
    expect(page.locator(":focus")).to_have_attribute("aria-label", re.compile("b2"))
    page.keyboard.press("Enter")
    count(page, ".insertion", 0)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(":focus")).to_have_attribute("data-move", re.compile("^b1"))
    page.keyboard.press("ArrowRight")
    chosen = page.evaluate("document.activeElement.dataset.move")
    page.keyboard.press("Escape")
    expect(page.locator(":focus")).to_have_attribute("data-cell", "b1")
    page.keyboard.press("Enter")
    while page.evaluate("document.activeElement.dataset.move") != chosen:
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    status(page, "O to move")
    expect(page.locator(":focus")).to_have_attribute("data-cell", chosen[2:])
    page.keyboard.press("Control+z")
    status(page, "X to move")


def test_the_list_of_moves_by_keyboard(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", said="wins in 7")
    page.locator("#moves button").first.focus()
    for turn in ("O", "X"):
        page.keyboard.press("Enter")
        status(page, f"{turn} to move")
        page.wait_for_function("document.activeElement.closest('#moves li') !== null")


def test_dragging_a_tile(visit: Open) -> None:
    page = visit("/quixo?position=.../.../..._x", reduced_motion="no-preference", said="wins in 7")
    drag(page, "a1", "a3", down=-1)
    expect(page.locator(".insertion.aimed")).to_have_attribute("data-move", "a1a3")
    page.mouse.up()
    status(page, "O to move")
    at(page, "position=x../.../..._o")
    # Let go beside the board, a tile goes back.
    page.mouse.move(*box(page, ".tile[data-cell=b1]").centre)
    page.mouse.down()
    page.mouse.move(5, 5, steps=4)
    page.mouse.up()
    at(page, "position=x../.../..._o")


def drag(page: Page, taken: str, pushed: str, across: float = 0, down: float = 0) -> None:
    """Drags a tile to beside a cell, further across or down by so many tiles; lets it hang there."""
    aim = box(page, f".tile[data-cell={pushed}]")
    x, y = aim.centre
    page.mouse.move(*box(page, f".tile[data-cell={taken}]").centre)
    page.mouse.down()
    page.mouse.move(x, y, steps=4)
    page.mouse.move(x + aim.width * across, y + aim.height * down, steps=4)


def test_a_rectangle(visit: Open, address: str) -> None:
    """A game on 2×4 by click and drag, its address, and the board turned."""
    page = visit("/quixo?position=..../...._x&line=3", permissions=["clipboard-read", "clipboard-write"])
    status(page, "X to move wins in 9")
    count(page, ".tile", 8)
    board = box(page, ".quixo-board")
    assert board.width > 1.4 * board.height
    expect(page.locator("#size")).to_have_value("2x4")
    expect(page.locator("#length option")).to_have_text(["2", "3", "4"], use_inner_text=True)
    # By click: a tile of the middle is on the border, and has three places.
    page.locator(".tile[data-cell=b1]").click()
    moves = page.locator(".insertion").evaluate_all("found => found.map((one) => one.dataset.move)")
    assert sorted(moves) == ["b1a1", "b1b2", "b1d1"]
    page.locator(".insertion[data-move=b1d1]").click()
    status(page, "O to move")
    arrives(page, "**position=..../...x_o&line=3")
    # By drag, to the right of the row.
    drag(page, "a2", "d2", across=1)
    expect(page.locator(".insertion.aimed")).to_have_attribute("data-move", "a2d2")
    page.mouse.up()
    arrives(page, "**position=...o/...x_x&line=3")
    status(page, "X to move")
    page.locator("#share").click()
    page.locator("#share", has_text="Link copied").wait_for()
    shared = page.evaluate("navigator.clipboard.readText()")
    other = visit(shared.removeprefix(address))
    status(other, page.locator("#status").inner_text())
    expect(other.locator("#length")).to_have_value("3")
    # Turned, it is a board of 4×2 with the same value.
    page.locator("#turn").click()
    arrives(page, "**position=../../../xo_x&line=3")
    status(page, other.locator("#status").inner_text())
    expect(page.locator("#size")).to_have_value("4x2")
    count(page, "#strip .step", 3)


def test_boards_with_more_than_nine_rows(visit: Open) -> None:
    page = visit("/quixo?position=" + "/".join([".."] * 12) + "_x&line=2", said="X to move")
    page.locator(".tile[data-cell=a1]").click()
    page.locator(".insertion[data-move=a1a12]").click()
    arrives(page, "**position=x./../../../../../../../../../../.._o&line=2")
    status(page, "O to move")
    expect(page.locator("#live")).to_contain_text("a1 to a12", use_inner_text=True)
    page.locator("#turn").click()
    arrives(page, "**position=" + "." * 11 + "x/" + "." * 12 + "_o&line=2")
    page.locator(".tile[data-cell=l2][data-mark=x]").wait_for()


def open_editor(page: Page) -> None:
    """Its code is loaded first; what is clicked before then is still of the game."""
    page.locator("#edit").click()
    page.locator("#editor").wait_for()


def test_a_game_kept_by_an_earlier_version_is_read_from_its_address(visit: Open) -> None:
    page = visit("/quixo?position=x../..o/..._x", said="wins in 5")
    page.evaluate("history.replaceState({rules: {size: 3, line: 3}, begin: '', moves: [], at: 0}, '')")
    page.reload()
    status(page, "X to move wins in 5")


def test_turning_mirroring_and_editing(visit: Open) -> None:
    page = visit("/quixo?position=x../..o/..._x", refused=True, said="X to move")
    page.locator("#turn").click()
    arrives(page, "**position=..x/.../.o._x")
    page.locator("#mirror").click()
    arrives(page, "**position=x../.../.o._x")
    open_editor(page)
    page.locator(".tile[data-cell=b2]").click()
    page.locator(".tile[data-cell=a3]").click()
    expect(page.locator("#edit-text")).to_have_value("o../.x./.o. x")
    page.locator("#edit-turn").select_option("o")
    page.locator("#editor button[type=submit]").click()
    arrives(page, "**position=o../.x./.o._o")
    status(page, "O to move")
    open_editor(page)
    page.locator("#edit-text").fill("o../.x./.q. x")
    page.locator("#edit-text").press("Enter")
    page.locator("#edit-error", has_text="Character 10: 'q' is not a cell").wait_for()
    page.locator("#edit-cancel").click()
    status(page, "O to move")


def test_the_editor_leaves_the_board_in_sight(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", width=390, has_touch=True, is_mobile=True)
    status(page, "wins in 7")
    page.locator("#edit").scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    page.locator("#edit").tap()
    status(page, "Editing")
    assert page.evaluate("scrollY") == before
    assert page.evaluate("document.activeElement.id") != "edit-text"


def test_typed_text_is_drawn_and_kept(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", said="wins in 7")
    open_editor(page)
    page.locator("#edit-text").fill("x../.o./... o")
    page.locator(".tile[data-cell=a3][data-mark=x]").wait_for()
    expect(page.locator("#edit-turn")).to_have_value("o")
    page.locator(".tile[data-cell=c1]").click()
    expect(page.locator("#edit-text")).to_have_value("x../.o./..x o")
    # Text that is not a board yet stays as it is, whatever is clicked.
    page.locator("#edit-text").fill("x../.o./. o")
    page.locator(".tile[data-cell=a1]").click()
    expect(page.locator("#edit-text")).to_have_value("x../.o./. o")
    page.locator("#edit-text").fill("xo/ox x")
    count(page, ".tile", 4)
    expect(page.locator("#size")).to_have_value("2x2")


def test_cancel_leaves_everything_as_it_was(visit: Open) -> None:
    page = visit("/quixo/?position=x../..o/..._x", said="wins in 5")
    url = page.url
    open_editor(page)
    page.locator("#size").select_option("4x4")
    count(page, ".tile", 16)
    page.locator("#double-line").select_option("wins")
    page.locator("#edit-cancel").click()
    status(page, "X to move wins in 5")
    count(page, ".tile", 9)
    arrives(page, url)
    expect(page.locator("#size")).to_have_value("3x3")
    expect(page.locator("#double-line")).to_have_value("loses")
    page.reload()
    status(page, "X to move wins in 5")


def test_inarow_against_itself_ends_even_a_draw(visit: Open) -> None:
    both = {**TWO_PEOPLE, "x": "inarow", "o": "inarow", "speed": "1"}
    page = visit("/quixo?position=.x../o.../..../...x_o", both)
    page.locator("#resume").click()
    status(page, "A draw: best play never ends.")
    count(page, "#strip .step", 51)
    page = visit("/quixo?position=.x../o.../..../...x_o", said="O to move: a draw")
    page.locator("#line").click()
    status(page, "A draw: best play never ends.")
    count(page, "#strip .step", 1)


def test_rules_and_sizes(visit: Open) -> None:
    page = visit("/quixo", said="X to move wins in 21")
    page.locator("#double-line").select_option("wins")
    status(page, "X to move wins in 19")
    at(page, "&double_line=wins")
    page.locator("#length").select_option("3")
    status(page, "X to move wins in 7")
    page.locator("#size").select_option("5x5")
    status(page, "X to move")
    count(page, ".tile", 25)
    page.locator("#size").select_option("2x3")
    status(page, "X to move: a draw")
    count(page, ".tile", 6)
    expect(page.locator("#length")).to_have_value("3")
    page.locator("#size").select_option("3x3")
    status(page, "X to move wins in 7")


def test_ultimate_explains_itself(visit: Open) -> None:
    page = visit("/ultimate", said="O to move in field 4")
    expect(page.locator("#why")).to_contain_text("The centre of the board", use_inner_text=True)
    count(page, ".layer.lit", 1)
    page.locator(".tile[data-cell='40']").click()
    status(page, "O to move in field 4")
    expect(page.locator("#phases [aria-current]")).to_have_text("Opening", use_inner_text=True)
    arrives(page, "**position=44,40,04")
    page.locator("#speed").select_option("fast")
    page.locator("#player-o").select_option("inarow")
    status(page, "X has won.")
    at(page, "position=44,40,04,")


def test_qubic_says_why(visit: Open) -> None:
    page = visit("/qubic")
    page.wait_for_url(re.compile(r"position=x\.{63}"))
    status(page, "O to move")
    expect(page.locator("#why")).to_contain_text("dictionary", use_inner_text=True)
    page.locator("#undo").click()
    page.locator("#player-x").select_option("person")
    page.locator(".tile[data-cell='5']").wait_for()
    threat = "xxx" + "." * 13 + "o...o..." + "." * 39 + "o"
    page.goto(page.url.split("?")[0] + f"?position={threat}")
    status(page, "X to move, with a forced win")
    page.locator(".tile.threat-x[data-cell='3']").click()
    status(page, "X has won")
    count(page, ".tile.won", 4)


def test_the_proof_of_qubic_wins(visit: Open) -> None:
    page = visit("/qubic")
    page.locator("#speed").select_option("fast")
    page.locator("#player-o").select_option("inarow")
    status(page, "X has won.")
    expect(page.locator("#reasons [aria-current]")).to_have_text("Win", use_inner_text=True)


def test_results(visit: Open) -> None:
    page = visit("/results", refused=True)
    page.locator("#summary", has_text="847,288,609,443 positions. The game is a draw").wait_for()
    page.locator("#size").select_option("3x3")
    page.locator("#summary", has_text="19,683 positions. The first player wins in 7 plies").wait_for()
    page.locator("summary").first.click()
    count(page, "#plies-table tbody tr", 9)
    page.locator("#size").select_option("2x4")
    page.locator("#summary", has_text="6,561 positions").wait_for()
    page.goto(page.url.replace("size=2x4&line=4", "size=4&line=9"))
    page.locator("#summary", has_text="Line 9").wait_for()
    expect(page.locator("#length")).to_have_value("4")
    page.locator("#length").select_option("3")
    page.locator("#summary", has_text="43,046,721 positions. The first player wins in 7 plies").wait_for()


@of_a_server
def test_the_api_page_asks(visit: Open) -> None:
    page = visit("/api/docs")
    form = page.locator(".operation", has_text="/api/quixo/probe").first.locator("form")
    form.locator("button").click()
    form.locator(".output", has_text='"value": "loss"').wait_for()


class Finger:
    """One finger on a page: real touches, for which the browser itself decides whether they scroll."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._browser = page.context.new_cdp_session(page)

    def _touch(self, kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        self._browser.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def drag(self, begin: tuple[float, float], end: tuple[float, float], steps: int = 12) -> None:
        self._touch("touchStart", begin)
        for step in range(1, steps + 1):
            across, down = ((to - at) * step / steps for at, to in zip(begin, end, strict=True))
            self._touch("touchMove", (begin[0] + across, begin[1] + down))
            self._page.wait_for_timeout(16)
        self._touch("touchEnd")


def test_a_tile_is_dragged_by_finger(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", width=390, has_touch=True, is_mobile=True)
    status(page, "wins in 7")
    before = page.evaluate("scrollY")
    x, y = box(page, ".tile[data-cell=a3]").centre
    finger = Finger(page)
    # Down, as one would scroll up; and to the side, as one would go back.
    finger.drag((x, y), (x, y + 2 * (y - box(page, ".tile[data-cell=a1]").centre[1]) * -0.75))
    arrives(page, "**position=.../.../x.._o")
    status(page, "O to move")
    begin = box(page, ".tile[data-cell=b3]").centre
    end = box(page, ".tile[data-cell=c3]").centre
    finger.drag(begin, (end[0] + 0.8 * (end[0] - begin[0]), end[1]))
    arrives(page, "**position=..o/.../x.._x")
    assert page.evaluate("scrollY") == before
    # On a tile that cannot be taken, a finger scrolls.
    x, y = box(page, ".tile[data-cell=b2]").centre
    finger.drag((x, y), (x, y - 150))
    page.wait_for_function("scrollY > 50")
    page.locator(".tile[data-cell=a1]").tap()
    page.locator(".insertion").first.tap()
    status(page, "O to move")
    page = visit("/ultimate/", width=390, has_touch=True, is_mobile=True)
    tile = box(page, ".tile[data-cell='00']")
    assert min(tile.width, tile.height) >= 36


ADDRESSES: list[tuple[str, str, str, str | re.Pattern[str]]] = [
    # address, status, part of the page and its text
    (
        "/quixo/?position=...../...../...../...../....._x&line=4",
        "X to move wins in 17",
        "#moves-note",
        "first",
    ),
    (
        "/quixo/?position=o..o./x.oox/....o/...ox/x..xx_x",
        "in 169",
        "#moves-note",
        re.compile("first; .* not known"),
    ),
    (f"/quixo/?position={'/'.join(['..'] * 12)}_x&line=12", "not known", "#moves-note", "are not known"),
    ("/quixo/?position=../.._x", "X to move wins in 3", "#size option:checked", "2×2"),
    (
        f"/qubic/?position=xoo{'.' * 60}x",
        "",
        "#why",
        re.compile("The dictionary has no answer[^.]*\\.$"),
    ),
    ("/fr/ultimate/?position=44,40", "", "#why", "X joue 04. Le centre de la grille 0 : O doit encore jouer"),
    ("/fr/ultimate/?position=44,51", "", "#status", "Demi-coup 2, coup 51 : il doit être dans la grille 4"),
    ("/fr/qubic/", "", "#why", "La ligne 3 du dictionnaire a la réponse de X"),
    ("/fr/quixo/?position=xx./o../..o_x", "", "#threats", "Il manque un coup à X"),
    (
        "/fr/quixo/?position=.../.../..._x&line=7",
        "",
        "#status",
        "Ligne de 7 : ce doit être 2 ou 3 sur un plateau",
    ),
]


@pytest.mark.parametrize(("path", "said", "part", "told"), ADDRESSES)
def test_what_an_address_shows(
    visit: Open, path: str, said: str, part: str, told: str | re.Pattern[str]
) -> None:
    page = visit(path, width=390, refused=True, said=said)
    expect(page.locator(part)).to_contain_text(told, use_inner_text=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_best_play_never_swings_back(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", said="wins in 7")
    page.locator("#line").click()
    status(page, "X has won.")
    count(page, "#strip .for-x", 8)
    expect(page.locator("#line")).to_have_text("Best line", use_inner_text=True)
    heights = page.locator("#strip .bar").evaluate_all("bars => bars.map((bar) => bar.offsetHeight)")
    assert heights == sorted(heights)
    assert heights[0] < heights[-1]


def test_bars_are_seen_in_forced_colours(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", forced_colors="active", said="wins in 7")
    for selector in ("#strip .bar", "#moves .bar"):
        bar, behind = page.locator(selector).first.evaluate(
            "bar => [bar, document.body].map((one) => getComputedStyle(one).backgroundColor)"
        )
        assert bar != behind
        assert bar != "rgba(0, 0, 0, 0)"


def test_an_address_with_a_wrong_line_shows_the_usual_game(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x&line=9", refused=True)
    page.locator("#status.wrong", has_text="9").wait_for()
    expect(page.locator("#length")).to_have_value("3")
    page.locator("#moves button").first.click()
    status(page, "O to move")
    page.wait_for_url(re.compile(r"position=[x./]+_o$"))


@pytest.mark.parametrize("path", ["/quixo/", "/qubic/", "/ultimate/"])
def test_an_address_that_is_no_position_shows_the_start(visit: Open, path: str) -> None:
    page = visit(f"{path}?position=99", refused=True)
    page.locator("#status.wrong").wait_for()
    page.locator(".tile").first.wait_for()
    page.locator("#new").click()
    status(page, "to move")


def test_a_page_that_does_not_exist(visit: Open, address: str) -> None:
    for path in ("/nothing", "/results/nothing/", "/nothing/at/all"):
        page = visit(path, refused=True)
        expect(page.locator("h1")).to_have_text("There is no such page", use_inner_text=True)
        page.locator("main a", has_text="Qubic").click()
        arrives(page, address + "/qubic/**")


STATES = [
    *("/", "/quixo/", "/puzzles/", "/qubic/", "/ultimate/", "/results/", "/results/quixo/", "/api/docs/"),
    "/nothing",
    "/quixo/?position=xxx/oo./..._o",
    "/quixo/?position=x../.../..._o#edit",
    "/quixo/?position=xx./oo./..._x#game-text",
    "/qubic/#learn",
    "/qubic/?position=xxx" + "." * 13 + "o...o..." + "." * 39 + "o",
]


@of_a_server
@pytest.mark.parametrize("path", STATES)
def test_accessibility(visit: Open, path: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(path)
    page.wait_for_load_state("networkidle")
    if path == "/quixo/":
        status(page, "wins in 21")
        page.locator(".tile[data-cell=a1]").click()
    if "#" in path:
        page.locator(path[path.index("#") :]).click()
        page.wait_for_timeout(200)
    found = []
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    # All that passes is most of a long page, and of the time if it were reported too.
    violations = {"resultTypes": ["violations"]}
    # Nothing but the colours differs in the dark.
    options = {"light": violations, "dark": {**violations, "runOnly": ["cat.color"]}}
    for width, scheme in product((1280, 390), schemes):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found += [
            (width, scheme, finding["id"], node["target"], node["failureSummary"])
            for finding in axe.run(page, options=options[scheme]).response["violations"]
            for node in finding["nodes"]
        ]
    assert found == []


# What is the same in French: names, notation, and what is the same word.
SAME_IN_FRENCH = re.compile(
    r"(inarow|Quixo|Qubic|Ultimate|API|HTTP|Notation|At Most .*|[XO]|[a-m]\d*|[\d\W]+|\d×\d+)+", re.IGNORECASE
)
TEXTS = """() => {
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!element.closest("script, [lang]:not(html)")) found.add(walk.currentNode.data.trim());
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
    for (const name of ["aria-label", "title", "placeholder"]) found.add(element.getAttribute(name) ?? "");
  }
  return [...found];
}"""


@of_a_server
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/quixo/?position=xx./.o./..._x",
        "/puzzles/?size=4x4&puzzle=8",
        f"/qubic/?position={'.' * 64}",
        "/ultimate/?position=44",
        "/results/",
    ],
)
def test_a_page_in_french_has_no_english_left(visit: Open, path: str) -> None:
    found = []
    for prefix in ("", "/fr"):
        page = visit(prefix + path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.lang") == (prefix[1:] or "en")
        # The source's own sentences are in English, also to programs.
        page.evaluate("for (const id of ['why', 'player-note']) document.getElementById(id)?.remove()")
        found.append(set(page.evaluate(TEXTS)))
    english, french = found
    assert len(french) > 10
    left = {text for text in (english & french) - {""} if not SAME_IN_FRENCH.fullmatch(text)}
    assert left - {"Analyse", "Pages", "Normal", "normal"} == set()


def test_the_language_can_be_chosen(visit: Open) -> None:
    page = visit("/quixo/?position=x../..o/..._x", said="X to move wins in 5 plies")
    page.locator(".languages a", has_text="Français").click()
    status(page, "Trait à X, qui gagne en 5 demi-coups.")
    at(page, "/fr/quixo/?position=x../..o/..._x")
    page.locator("#moves button").first.click()
    status(page, "Trait à O, qui perd en 4 demi-coups.")
    page.locator(".top nav a", has_text="Résultats").click()
    page.locator("#summary", has_text="La partie est nulle").wait_for()
    page.locator(".languages a", has_text="English").click()
    page.locator("#summary", has_text="The game is a draw").wait_for()


def test_light_and_dark_can_be_chosen(visit: Open) -> None:
    page = visit("/", color_scheme="light")

    def background() -> Any:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light = background()
    page.locator("#theme").click()
    dark = background()
    assert dark != light
    page.goto(page.url + "results")
    assert background() == dark


def test_variants_by_address_and_by_menu(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x&misere=1&diagonals=0")
    with open_prober(Quixo(3, misere=True, diagonals=False)) as prober:
        plies = prober.probe(prober.rules.start()).plies
    status(page, f"in {plies} " if plies else "draw")
    page.locator("details summary").last.click()
    expect(page.locator(".variant[name=misere]")).to_be_checked()
    page.locator(".variant[name=misere]").uncheck()
    at(page, "position=.../.../..._x&diagonals=0")
    page.locator(".variant[name=diagonals]").check()
    page.locator("#double-line").select_option("draws")
    at(page, "position=.../.../..._x&double_line=draws")
    status(page, "X to move")
