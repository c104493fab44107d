"""What a game of Quixo teaches on its page: mistakes, their refutation, repetitions, and the summary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from web.visiting import AGAINST_INAROW, TWO_PEOPLE, arrives, count, expect, play, status

if TYPE_CHECKING:
    from web.visiting import Open

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
