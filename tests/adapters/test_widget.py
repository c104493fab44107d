"""The board for notebooks: what it shows, and a game played on it in a browser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from inarow.positional.rules import Game
from inarow.quixo.rules import Quixo
from inarow.ultimate.rules import Ultimate

pytest.importorskip("anywidget", reason="anywidget is not installed: pip install 'inarow[jupyter]'")
from inarow.adapters.widget import GameWidget

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TRAITS = ("places", "labels", "marks", "owners", "moves", "last", "status", "turns")


@pytest.mark.parametrize("rules", [Quixo(2, 3), Quixo(5), Game.named("qubic"), Ultimate("closed")], ids=str)
def test_every_legal_move_can_be_clicked(rules: Any) -> None:
    board = GameWidget(rules)
    assert len({tuple(place) for place in board.places}) == len(board.places) == len(board.marks)
    for _ in range(5):
        legal = board.position.legal_moves()
        assert len(board.moves) == len(legal)
        before, clicks = board.position, board.moves[-1]
        board._receive(board, {"action": "play", "move": clicks}, [])
        assert board.position == before.play(legal[-1])
        assert board.last == clicks[-1:]
    assert sum(mark != "." for mark in board.marks) == sum(mark in "xo" for mark in board.marks) <= 5
    board.restart()
    assert (board.position, board.last, board.status) == (rules.start(), [], "x to move")


def test_places_are_those_of_the_board() -> None:
    board = GameWidget(Quixo(2, 3), position=Quixo(2, 3).parse("x.o/..o x"))
    shown = [[""] * 3 for _ in range(2)]
    for (row, column), mark, label in zip(board.places, board.marks, board.labels, strict=True):
        shown[row][column] = mark
        assert label == "abc"[column] + str(2 - row)
    assert shown == [list("x.o"), list("..o")]
    ultimate = GameWidget(Ultimate())
    ultimate.play("48")
    assert ultimate.places[ultimate.marks.index("x")] == [6, 6]  # the fields stand apart
    won = GameWidget(Ultimate(), position=Ultimate().parse("44 40 08 88 80 03 36 67 77 73 30 00 05 50 02"))
    assert won.owners[:9] == "x" * 9


def test_the_opponent_answers() -> None:
    board = GameWidget(Quixo(3), lambda position: position.legal_moves()[0], side="o")
    assert (len(board.game), board.position.turn) == (2, "o")
    board.play(board.position.legal_moves()[0])
    assert len(board.game) == 4
    board.undo()
    assert len(board.game) == 2
    board.undo()
    assert (len(board.game), board.position.turn) == (2, "o")  # its first move is made again


def test_a_notebook_shows_it() -> None:
    board = GameWidget(Quixo(3))
    shown = board._repr_mimebundle_()
    assert shown[0]["application/vnd.jupyter.widget-view+json"]["model_id"] == board.model_id
    state = board.get_state()
    assert state["marks"] == "." * 9
    assert "export default" in state["_esm"]
    assert ".inarow" in state["_css"]


def test_what_cannot_be_played_is_left_out() -> None:
    board = GameWidget(Quixo(3))
    for message in ({"action": "play", "move": [0, 0]}, {"action": "play"}, {"action": "jump"}, {}):
        board._receive(board, message, [])
    assert board.position == Quixo(3).start()
    with pytest.raises(ValueError, match="only a tile on the border"):
        board.play("b2b1")


# --- In a browser ---

PAGE = """<!doctype html><html lang="en"><title>board</title><style>{css}</style><main></main>
<script type="module">
{esm}
const traits = await window.traits();
const listeners = [];
const model = {{
  get: (name) => traits[name],
  on: (name, listener) => listeners.push(listener),
  off: () => {{}},
  send: async (message) => {{
    Object.assign(traits, await window.received(message));
    listeners.forEach((listener) => listener());
  }},
}};
widget.render({{ model, el: document.querySelector("main") }});
document.body.dataset.ready = "yes";
</script></html>"""


def shown(browser: Browser, board: GameWidget) -> Page:
    """The board on a page of its own, which takes the place of Jupyter between the two."""
    page = browser.new_page()

    def traits() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(json.dumps({name: getattr(board, name) for name in TRAITS}))
        return found

    def received(message: dict[str, Any]) -> dict[str, Any]:
        board._receive(board, message, [])
        return traits()

    page.expose_function("traits", traits)
    page.expose_function("received", received)
    esm = str(board._esm).replace("export default", "const widget =")
    page.set_content(PAGE.format(css=board._css, esm=esm))
    page.wait_for_selector("body[data-ready]")
    return page


def test_a_game_is_played_in_a_browser(browser: Browser) -> None:
    board = GameWidget(Quixo(3))
    page = shown(browser, board)
    status = page.get_by_role("status")
    assert status.inner_text() == "x to move"
    assert page.get_by_role("button", name="b2 empty").is_disabled()  # not on the border
    page.get_by_role("button", name="a1 empty").click()
    assert status.inner_text() == "a1: push it in where?"
    page.get_by_role("button", name="b2 empty").click()  # changes one's mind
    assert status.inner_text() == "x to move"
    page.get_by_role("button", name="a1 empty").click()
    page.get_by_role("button", name="a3 empty").click()
    page.get_by_role("button", name="a3 X").wait_for()
    assert board.position == Quixo(3).start().play("a1a3")
    assert status.inner_text() == "o to move"
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="a3 empty").wait_for()
    assert board.position == Quixo(3).start()
    page.close()


def test_a_game_ends_in_a_browser(browser: Browser) -> None:
    board = GameWidget(Quixo(3), position=Quixo(3).parse("xx./oo./... x"))
    page = shown(browser, board)
    page.get_by_role("button", name="c3 empty").click()
    page.get_by_role("button", name="a3 X").click()
    page.get_by_role("button", name="c3 X").wait_for()
    assert page.get_by_role("status").inner_text() == "x has won"
    assert page.locator(".board button:enabled").count() == 0
    page.close()


def test_ultimate_in_a_browser(browser: Browser) -> None:
    board = GameWidget(Ultimate())
    page = shown(browser, board)
    page.get_by_role("button", name="44 empty", exact=True).click()
    page.get_by_role("button", name="44 X", exact=True).wait_for()
    assert page.get_by_role("button", name="00 empty", exact=True).is_disabled()
    page.get_by_role("button", name="40 empty", exact=True).click()
    page.get_by_role("button", name="40 O", exact=True).wait_for()
    assert board.position == Ultimate().parse("44 40")
    page.get_by_role("button", name="New game").click()
    page.get_by_role("button", name="44 empty", exact=True).wait_for()
    assert board.position == Ultimate().start()
    page.close()
