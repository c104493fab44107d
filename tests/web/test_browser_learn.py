"""Opponents, puzzles, threats and views on the pages, and what a game teaches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from web.visiting import AGAINST_INAROW, TWO_PEOPLE, arrives, box, count, expect, play, status

if TYPE_CHECKING:
    from web.visiting import Open


def test_moves_that_are_alike_share_a_row(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", said="wins in 7")
    expect(page.locator("#moves section.win .count")).to_have_text("20", use_inner_text=True)
    rows = page.locator("#moves li")
    assert rows.count() < 8
    folded = rows.filter(has_text="×").first
    expect(folded.locator("button")).to_have_attribute("title", re.compile(re.escape("same by symmetry")))


def test_threats_are_drawn_and_told(visit: Open) -> None:
    page = visit("/quixo/?position=xx./o../..o_x", said="X to move wins in 1")
    page.locator("#threats", has_text="X needs one move for a line").wait_for()
    count(page, ".threat.by-x", 1)
    page = visit("/quixo/?position=oo./x../..x_x", said="X to move")
    expect(page.locator("#threats")).to_contain_text(re.compile("O (needs|threatens)"))
    page.locator("#hints").uncheck()
    count(page, ".threat", 0)
    expect(page.locator("#threats")).to_have_text("", use_inner_text=True)


def test_opponents_of_quixo(visit: Open) -> None:
    page = visit("/quixo/?position=.../.../..._x", AGAINST_INAROW, said="wins in 7")
    for strength in ("1", "trap"):
        page.locator("#strength").select_option(strength)
        page.locator("#moves button").first.click()
        count(page, "#lines .ply", 2)
        expect(page.locator("#player-note")).not_to_be_empty()
        page.locator("#new").click()
        status(page, "wins in 7")
    page.locator("#strength").select_option("none")
    page.locator("#moves button").first.click()
    status(page, "O to move")
    page.wait_for_timeout(400)
    status(page, "O to move")
    expect(page.locator("#player-o")).to_have_value("person")


def test_closed_rules_of_ultimate_as_either_side(visit: Open) -> None:
    page = visit("/ultimate/")
    count(page, "#lines .ply", 1)
    page.locator("#variant").select_option("closed")
    arrives(page, "**?variant=closed&position=**")
    expect(page.locator("#strategy")).not_to_be_visible()
    page.locator("#player-x").select_option("person")
    page.locator("#player-o").select_option("search")
    page.locator("#new").click()
    page.locator(".tile.usable[data-cell='44']").click()
    count(page, "#lines .ply", 2)
    status(page, "X to move")
    page.locator("#game-text").click()
    page.locator("#exchange-copy").wait_for()
    expect(page.locator("#exchange-text")).to_have_value(re.compile(re.escape('[Variant "closed"]')))


def test_advice_names_and_the_cube_of_qubic(visit: Open) -> None:
    threat = "xxx" + "." * 13 + "o...o..." + "." * 39 + "o"
    page = visit(f"/qubic/?position={threat}", said="X to move, with a forced win.")
    page.locator("#player-x").select_option("person")
    count(page, ".tile.threat-x", 1)
    count(page, ".ball.of-x", 3)
    page.locator("#advice").uncheck()
    status(page, "X to move.")
    count(page, ".tile.threat-x, .tile.advised, .ball.threat-x", 0)
    expect(page.locator("#why")).not_to_be_empty()
    expect(page.locator("#why")).not_to_contain_text("completes a line", use_inner_text=True)
    page.locator("#names").check()
    expect(page.locator(".tile[data-cell='37'] .number")).to_have_text("37")
    cube = page.locator(".cube")
    before = page.locator(".ball[data-cell='0']").get_attribute("cx")
    cube.focus()
    page.keyboard.press("ArrowRight")
    turned = page.locator(".ball[data-cell='0']").get_attribute("cx")
    assert turned != before
    x, y = box(page, ".cube").centre
    page.mouse.move(x - 50, y - 50)
    page.mouse.down()
    page.mouse.move(x + 50, y - 30, steps=3)
    page.mouse.up()
    expect(page.locator(".ball[data-cell='0']")).not_to_have_attribute("cx", str(turned))
    page.locator(".ball.usable[data-cell='3']").click(force=True)
    status(page, "X has won")


def cube(x: list[int], o: list[int]) -> str:
    return "".join("x" if cell in x else "o" if cell in o else "." for cell in range(64))


def test_o_of_qubic_sees_a_forced_win_coming_and_forces_one(visit: Open) -> None:
    page = visit(f"/qubic/?position={cube([1, 2, 4], [21, 42, 62])}")
    page.locator("#player-x").select_option("person")
    page.locator("#player-o").select_option("inarow")
    # X will mark 0 for two threats at once, at 3 and 12; these are the only cells that prevent it.
    page.locator(".tile.usable[data-cell='8']").click()
    count(page, "#lines .ply", 2)
    status(page, "X to move.")
    expect(page.locator("#lines .ply").last).to_have_text(re.compile("^(0|3|12)$"))
    page.goto(page.url.split("?")[0] + f"?position={cube([21, 42, 62, 59], [1, 2, 4, 8])}")
    page.locator(".tile.usable[data-cell='38']").click()
    page.locator(".tile.threat-o[data-cell='12']").wait_for()
    page.locator(".tile.usable.threat-o[data-cell='3']").click()
    status(page, "O has won.")
    count(page, ".tile.won", 4)


def test_a_puzzle_is_solved(visit: Open) -> None:
    page = visit("/puzzles/?size=4x4&puzzle=8", permissions=["clipboard-read", "clipboard-write"])
    status(page, "Only one move wins. Find it.")
    for move in ("d4a4", "d4d1"):
        page.locator(".tile.usable[data-cell=d4]").click()
        page.locator(f".insertion[data-move={move}]").click()
    status(page, "Solved, after 1 wrong move.")
    told = ["d4 to d1 is right: win in 2 moves.", "d4 to a4: loss in 3 moves."]
    expect(page.locator("#feedback li")).to_have_text(told, use_inner_text=True)
    page.locator("#copy-result").click()
    page.locator("#result", has_text="inarow").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "inarow 4×4 #8 ★★☆☆☆ ✗✓"
    expect(page.locator("#count")).to_have_text("1 of 200 solved.", use_inner_text=True)
    page.locator("#next").click()
    arrives(page, "**?size=4x4&puzzle=9")
    status(page, "Every move loses")


def test_the_puzzle_of_a_day(visit: Open) -> None:
    page = visit("/puzzles/?size=4x4&day=2026-11-16")
    page.locator("#puzzle-name", has_text="2026-11-16: 4×4, number 174").wait_for()
    page.locator("#size").select_option("5x5")
    count(page, ".tile", 25)
    page.locator("#daily").click()
    page.wait_for_url(re.compile(r"size=5x5&day=20\d\d-\d\d-\d\d$"))


@pytest.mark.parametrize(
    ("game", "told", "moves"),
    [
        (
            "quixo",
            "Four of your marks in a row win",
            [".tile.usable[data-cell=d4]", ".insertion[data-move=d4d1]"],
        ),
        ("qubic", "Two threats at once", [".table .tile.usable[data-cell='0']"]),
        ("ultimate", "three fields in a row win", [".table .tile.usable[data-cell='31']"]),
    ],
)
def test_the_rules_in_three_steps_and_a_win_to_try(
    visit: Open, game: str, told: str, moves: list[str]
) -> None:
    page = visit(f"/{game}/")
    page.locator("#welcome-no").click()
    page.reload()
    status(page, "to move")
    expect(page.locator("#welcome")).not_to_be_visible()
    page.locator("#learn").click()
    page.locator("#lesson-step", has_text="Step 1 of 3").wait_for()
    page.locator("#lesson-next").click()
    page.locator("#lesson-next").click()
    page.locator("#lesson-text", has_text=told).wait_for()
    assert page.locator("#lesson .tile[data-mark=x]").count() >= 3
    page.locator("#lesson-next", has_text="Try it").click()
    expect(page.locator("#lesson")).not_to_be_visible()
    count(page, "#lines .ply", 0)
    for move in moves:
        page.locator(move).click()
    count(page, "#lines .ply", 2)
    status(page, "X to move")


def test_the_tree_of_openings(visit: Open) -> None:
    page = visit("/quixo/?position=...../...../...../...../....._x", said="X to move: a draw")
    page.locator("#openings > summary").click()
    first = page.locator("#openings-tree > li")
    first.nth(2).wait_for()
    assert sorted(first.locator("> details > summary .name").all_inner_texts()) == [
        "Gate",
        "Tower",
        "Wall",
    ]
    tower = first.filter(has=page.locator("> details > summary .name", has_text="Tower")).first
    tower.locator("> details > summary").click()
    reply = tower.locator("ul > li").first
    reply.wait_for()
    expect(reply.locator(".name").first).to_contain_text("Tower, ", use_inner_text=True)
    reply.locator("summary").first.click()
    reply.locator("button").first.click()
    count(page, "#lines .ply", 2)
    page.locator("#size").select_option("3x3")
    status(page, "wins in 7")
    expect(page.locator("#openings")).not_to_be_visible()


def test_names_of_openings_and_players_in_french(visit: Open) -> None:
    page = visit("/fr/quixo/?position=...../...../...../...../....._x", AGAINST_INAROW)
    page.locator("#moves button").first.wait_for()
    page.locator("#openings > summary").click()
    page.locator("#openings-tree > li").nth(2).wait_for()
    names = page.locator("#openings-tree > li > details > summary .name").all_inner_texts()
    assert sorted(names) == ["Mur", "Porte", "Tour"]
    page.locator("#size").select_option("3x3")
    page.locator("#moves section.win button").first.click()
    page.locator("#player-note", has_text="Joue parfaitement : prend le gain le plus rapide").wait_for()


# --- What a game of Quixo teaches ---

START = "/quixo/?position=x../..o/..._x"  # X wins in 5


def test_a_mistake_is_named_taken_back_and_refuted(visit: Open) -> None:
    page = visit(START, said="wins in 5")
    page.locator("#moves section.loss button").first.click()
    page.locator("#notice", has_text="won in 5 plies → lost in").wait_for()
    turned = page.locator("#strip .turned")
    expect(turned).to_have_attribute("aria-label", re.compile("turned a win in 5 into a loss"))
    page.locator("#notice button", has_text="Take back").click()
    status(page, "X to move wins in 5")
    expect(page.locator("#notice")).not_to_be_visible()
    page.locator("#redo").click()
    page.locator("#notice button", has_text="Show why").click()
    status(page, "O has won.")
    # The refutation is a line of its own, and the game goes on where it was.
    page.locator("#lines .ply").first.click()
    status(page, "O to move wins")


def test_hidden_values_and_a_warning_only_then(visit: Open) -> None:
    page = visit(START, {**AGAINST_INAROW, "hints": False, "warn": True}, said="X to move.")
    page.locator("#hints").check()
    wrong = page.locator("#moves section.loss button .move").first.inner_text()
    right = page.locator("#moves section.win button .move").first.inner_text()
    page.locator("#hints").uncheck()
    count(page, "#moves li, .badge", 0)
    for move, seen, plies in ((right, False, 2), (wrong, True, 4)):
        page.locator(f".tile[data-cell={move[:2]}]").click()
        page.locator(f".insertion[data-move={move[:2]}{move[-2:]}]").click()
        count(page, "#lines .ply", plies)
        if seen:
            page.locator("#notice", has_text="won in 5 plies → lost").wait_for()
        else:
            expect(page.locator("#notice")).not_to_be_visible()
            page.locator("#undo").click()
            status(page, "X to move.")
    page.locator("#warn").uncheck()
    page.locator("#notice").wait_for(state="hidden")


def test_the_summary_of_a_game(visit: Open) -> None:
    page = visit(START, {**TWO_PEOPLE, "speed": "1"}, said="wins in 5")
    page.locator("#moves section.loss button").first.click()
    page.locator("#notice button", has_text="Show why").click()
    status(page, "O has won.")
    notice = page.locator("#notice")
    notice.filter(has_text="O: 0 mistakes, accuracy 100 %").wait_for()
    expect(notice).to_contain_text("X: 1 mistake, accuracy", use_inner_text=True)
    expect(notice.locator(".turns li")).to_contain_text("Best was", use_inner_text=True)
    notice.locator("button", has_text="Practise the position").click()
    status(page, "X to move wins in 5")
    count(page, "#lines .ply", 0)
    page.go_back()
    status(page, "O has won.")
    notice.locator("button", has_text="Play again").click()
    arrives(page, "**?position=x../..o/..._x")


def test_a_repetition_is_told_and_may_end_in_a_draw(visit: Open) -> None:
    begin = "xo../..../..../...._x"
    page = visit(f"/quixo/?position={begin}", said="X to move")
    # Each side pushes its own corner tile along the row and back.
    cycle = ["a4a1", "b4b1", "a1a4", "b1b4"]
    for nth, move in enumerate(cycle * 2):
        play(page, move)
        count(page, "#lines .ply", nth + 1)
        if nth == 3:
            page.locator("#notice", has_text="for the second time").wait_for()
    page.locator("#notice button", has_text="Agree on a draw").click()
    status(page, "Drawn.")
    page.locator("#notice", has_text="Drawn by agreement").wait_for()
    count(page, ".tile.usable", 0)
    page.go_back()
    page.locator("#repetition").uncheck()
    page.locator("#notice button", has_text="Agree on a draw").wait_for(state="detached")
