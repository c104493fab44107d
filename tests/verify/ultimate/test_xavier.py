"""The check of Xavier's strategy: what it finds, and that it finds what is wrong."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from random import Random

import pytest
from golden.ultimate_paper import LONGEST_XAVIER
from oracle.ultimate import ROWS
from ultimate.boards import any_move, played_on

from inarow.ultimate.claims import by_moves
from inarow.ultimate.rules import Move, Position, Ultimate
from inarow.ultimate.strategy import xavier
from inarow.verify.ultimate.rules import Board, Game
from inarow.verify.ultimate.strategies import XavierReport, endgame_properties, verify_xavier


def game_of(position: Position) -> Game:
    game = Game()
    for move in position.moves_played:
        game = game.play(move.number)
    return game


@pytest.fixture(scope="module")
def xavier_report() -> XavierReport:
    return verify_xavier(by_moves(xavier))


def test_xavier_wins_in_at_most_43_plies(xavier_report: XavierReport) -> None:
    found = xavier_report.to_json()
    assert (xavier_report.verdict, xavier_report.reason) == ("proven", "X wins by ply 43, whatever O plays")
    assert (found["verdict"], found["wins"]) == ("proven", True)
    assert (found["shortest"], found["longest"]) == (29, LONGEST_XAVIER)
    assert found["positions"] == {"olivia_to_move": 16_767, "xavier_to_move": 46_153, "final": 1_040}
    assert found["endgame"]["rounds"] == 14_976
    assert not any(found["endgame"]["violations"].values())


def test_games_against_xavier_are_all_counted(xavier_report: XavierReport) -> None:
    """Counted once more, without a board: all that matters is where O has played at home and far from it."""
    expected: Counter[int] = Counter()
    for home in (0, 1, 2, 3, 5, 6, 7, 8):
        for plies, games in lengths_from(home).items():
            # In the opening O fills field 4 in any order, but for home, which comes last.
            expected[plies] += math.factorial(7) * games
    assert xavier_report.lengths == expected
    assert sum(expected.values()) == 602_430_151_680


def lengths_from(home: int) -> Counter[int]:
    """How many games end at each ply when X is sent to field `home` last in the opening."""
    far = 8 - home

    @cache
    def games(plies: int, active: int, at_home: frozenset[int], at_far: frozenset[int]) -> Counter[int]:
        won = at_home & at_far | ({far} if {4, far} <= at_home else set())
        if any(won.issuperset(row) for row in ROWS):
            return Counter({plies: 1})
        lengths: Counter[int] = Counter()
        for spot in range(9):
            if active == home and spot != home and spot not in at_home:
                sent_before = bool({4, far} & at_home) if spot in (4, far) else spot in at_far
                after = games(plies + 2, far if sent_before else home, at_home | {spot}, at_far)
            elif active == far and spot not in (home, 4, far) and spot not in at_far:
                after = games(plies + 2, far if spot in at_home else home, at_home, at_far | {spot})
            else:
                continue
            lengths.update(after)
        return lengths

    return games(17, home, frozenset(), frozenset())


def test_a_wrong_move_of_xaviers_is_found() -> None:
    # Illegal, after the opening of one game of billions.
    path = played_on(Ultimate().start(), xavier, lambda position: position.legal_moves()[-1], plies=20)

    def broken(position: Position) -> Move:
        return Move(path.legal_moves()[0].field, 4) if position == path else xavier(position)

    report = verify_xavier(by_moves(broken))
    assert (report.wins, report.verdict) == (False, "wrong")
    moves = report.to_json()["counterexample"]["moves"]
    assert Ultimate().parse(moves) == path
    assert report.reason.startswith(f"after {moves}: an illegal move: ")
    report = verify_xavier(by_moves(lambda position: Move(0, 0) if position.ply == 0 else xavier(position)))
    assert not report.wins
    assert "X has not followed Xavier's strategy" in report.reason


def test_losses_and_draws_are_found() -> None:
    """Random games up to their last moves, where X plays without thinking."""
    random = Random(2)
    found: set[str] = set()
    while found != {"O has won", "the game is drawn", "won"}:
        position = played_on(Ultimate().start(), any_move(random), any_move(random), plies=76)
        if not position.is_over:
            first_legal = by_moves(lambda position: position.legal_moves()[0])
            wrong = verify_xavier(first_legal, game_of(position)).wrong
            found.add("won" if wrong is None else wrong.reason)


def test_faults_without_a_wrong_game_are_reported() -> None:
    report = XavierReport(lengths=Counter({29: 1}), endgame_rounds=1000, violations=Counter({"P2": 1}))
    assert (report.wins, report.verdict) == (True, "wrong")
    assert report.reason == "of 1,000 positions of the endgame, some lack a property: P2 in 1"
    assert report.to_json()["endgame"]["violations"]["P2"] == 1
    report = XavierReport(lengths=Counter({29: 1, 45: 1}))
    assert (report.verdict, report.reason) == ("wrong", "a game takes 45 plies, more than 43")


def test_each_property_can_fail() -> None:
    """P1 to P6 are checked by what they say: marks changed one by one break each of them."""
    random = Random(1)
    broken: set[str] = set()
    board = game_of(played_on(Ultimate().start(), xavier, any_move(random), plies=37)).board
    held = endgame_properties(board)
    assert held
    assert all(held.values())
    for bit in range(81):
        for active in range(9):
            for x, o in ((board.x ^ 1 << bit, board.o), (board.x, board.o ^ 1 << bit), (board.x, board.o)):
                found = endgame_properties(Board(x, o, board.x_fields, board.o_fields, active))
                broken |= {name for name, holds in found.items() if not holds}
    assert broken == {"P1", "P2", "P3", "P4", "P5", "P6"}
