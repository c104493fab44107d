"""Optimal play: the file that comes with inarow, and what finds it."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from random import Random

import pytest
from ultimate.boards import played_on

from inarow._native import ultimate as native
from inarow.errors import DamagedFile, InarowError
from inarow.ultimate.optimal import OptimalPlay, find_optimal_play, optimal_moves, shipped_play
from inarow.ultimate.rules import SYMMETRIES, Move, Position, Ultimate
from inarow.verify.ultimate.rules import Board

BEST_GAME = (
    "44 42 24 41 14 43 34 45 54 40 04 46 64 47 74 48 88 82 28 83 38 81 18 85 58 86 68 87 78 80 08 84 00 06 60"
    " 01 10 07 70 05 50 02 20"
)


def optimal_game(random: Random) -> Position:
    def choose(position: Position) -> Move:
        return random.choice(optimal_moves(position).moves)

    return played_on(Ultimate().start(), choose, choose)


def after(game: Position, plies: int) -> Position:
    return Ultimate().parse(" ".join(map(str, game.moves_played[:plies])))


@lru_cache(maxsize=100_000)
def wins_by(moves: tuple[int, ...], plies: int) -> bool:
    """Whether X wins by the ply, by trying everything, with the checker's own rules."""
    board = Board()
    for move in moves:
        board = board.play(move)
    if board.winner is not None or len(moves) >= plies:
        return board.winner == "x"
    replies = (wins_by((*moves, move), plies) for move in range(81) if board.why_illegal(move) is None)
    return any(replies) if len(moves) % 2 == 0 else all(replies)


def test_the_first_moves() -> None:
    """Of X only the middle, of O every reply, and then X must send O back."""
    start = Ultimate().start()
    assert [str(move) for move in optimal_moves(start).moves] == ["44"]
    replies = optimal_moves(start.play("44"))
    assert " ".join(map(str, replies.moves)) == "40 41 42 43 45 46 47 48"
    for reply in replies.moves:
        answers = optimal_moves(start.play("44").play(reply))
        assert (answers.moves, len(answers.others)) == ((Move(reply.spot, 4),), 8)
    left = optimal_moves(Ultimate().parse("44 40 00 01 14"))
    assert (left.moves, left.others, left.left_at) == ((), (), 3)


def test_the_certificates_play_an_optimal_game() -> None:
    game = Ultimate().parse(BEST_GAME)
    for plies in range(43):
        assert game.moves_played[plies] in optimal_moves(after(game, plies)).moves
    assert optimal_moves(game).moves == ()
    assert optimal_moves(game).left_at is None


def test_optimal_games_end_at_ply_43_and_their_images_are_optimal_too() -> None:
    random = Random(1)
    for _ in range(50):
        game, to = optimal_game(random), random.choice(SYMMETRIES)
        assert (game.winner, game.ply) == ("x", 43)
        for position in (after(game, plies) for plies in range(0, 43, 5)):
            images = {move.image(to) for move in optimal_moves(position).moves}
            assert images == set(optimal_moves(position.image(to)).moves)


def test_the_prover_and_trying_everything_agree() -> None:
    random = Random(2)
    prover = native.Prover(1 << 26)
    for nth in range(30):
        game = optimal_game(random)
        for ply in range(26, 43):
            position = after(game, ply)
            x_moves = position.turn == "x"
            plies = 43 if x_moves else 41
            for move in position.legal_moves():
                numbers = [*position.move_numbers, move.number]
                keeps = prover.wins(numbers, plies, None) == x_moves
                assert keeps == (move in optimal_moves(position).moves)
                if nth < 10 and ply >= 39:
                    assert keeps == (wins_by(tuple(numbers), plies) == x_moves)


def test_it_is_found_again(tmp_path: Path) -> None:
    begin = after(Ultimate().parse(BEST_GAME), 27)
    seen = []
    found = find_optimal_play(begin, memory=1 << 26, progress=lambda *progress: seen.append(progress))
    assert [row.ply for row in found.counts] == list(range(28, 44))
    assert (found.counts[0].positions, found.counts[0].moves, found.counts[0].kept) == (1, 3, 3)
    assert seen[0] == (28, 0, 1)
    found.write(tmp_path / "found.json")
    again = OptimalPlay.read(tmp_path / "found.json")
    assert again.to_json() == found.to_json()
    random = Random(4)
    position = begin
    while not position.is_over:
        assert again.moves(position) == optimal_moves(position)
        position = position.play(random.choice(again.moves(position).moves))
    with pytest.raises(InarowError, match="does not begin with"):
        again.moves(Ultimate().start())


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InarowError, match="open variant"):
        optimal_moves(Ultimate("closed").start())
    position = after(Ultimate().parse(BEST_GAME), 30)
    left = position.play(optimal_moves(position).others[0])
    with pytest.raises(InarowError, match="X does not win at ply 43"):
        find_optimal_play(left, memory=1 << 24)
    whole = shipped_play().to_json()
    for wrong in (
        {**whole, "version": 2},
        {**whole, "image": 8},
        {**whole, "nodes": [[81 * 8 + 40], *whole["nodes"][1:]]},
        {**whole, "nodes": [[-82], *whole["nodes"][1:]]},
        {**whole, "nodes": whole["nodes"][:-1]},
        {key: value for key, value in whole.items() if key != "counts"},
    ):
        (tmp_path / "wrong.json").write_text(json.dumps(wrong))
        with pytest.raises(DamagedFile, match=r"wrong\.json: not optimal play"):
            OptimalPlay.read(tmp_path / "wrong.json")
    (tmp_path / "wrong.json").write_text("[")
    with pytest.raises(DamagedFile):
        OptimalPlay.read(tmp_path / "wrong.json")
