"""Where the book ends: a position whose value is known, and unknown moves among which the best one may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest
from quixo.edges import (
    A_WIN_AMONG_UNKNOWN_MOVES,
    assert_ranked,
    edge_positions,
    play_out,
    random_position,
)
from quixo.forms import Forms

from inarow.quixo import prober as prober_module
from inarow.quixo.player import Player
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.rules import Move, Position, Quixo
from inarow.quixo.table.book import Book


@pytest.fixture(scope="module")
def large() -> Iterator[Prober]:
    with open_prober(Quixo(5), search_plies=2, search_nodes=1 << 6) as prober:
        yield prober


def chosen(player: Player) -> Callable[[Position], tuple[Move, str | None]]:
    def choose(position: Position) -> tuple[Move, str | None]:
        move = player.choose(position)
        return move.move, move.value

    return choose


@pytest.mark.parametrize("kind", ["best", "trap", "weaker", "level"])
def test_every_player_has_a_move_where_no_winning_one_is_known(large: Prober, kind: str) -> None:
    position = Position.parse(A_WIN_AMONG_UNKNOWN_MOVES)
    probe = large.probe(position)
    assert probe.value == "win"
    assert {move.value for move in probe.moves} == {None, "draw", "loss"}
    chosen = Player(large, kind, 1, mistakes=0).choose(position)  # type: ignore[arg-type]
    assert chosen.value is None or kind == "level"


@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.exhaustive)])
def test_ten_marks_rank_first_what_may_keep_the_value(large: Prober, count: int) -> None:
    for position, value in edge_positions(count):
        probe = large.probe(position)
        assert probe.value == value
        assert_ranked(value, [move.value for move in probe.moves])


def test_games_across_the_edge_give_nothing_away_that_is_known(large: Prober) -> None:
    player, random = Player(large, "best", 1), Random(1)
    for nth in range(8):
        play_out(large.rules, "xo"[nth % 2], random, chosen(player), most=30)


@pytest.mark.exhaustive
def test_whole_games(large: Prober) -> None:
    for seed in range(200):
        player, random = Player(large, "best", seed), Random(seed)
        play_out(large.rules, "xo"[seed % 2], random, chosen(player), most=400)


def test_what_is_deduced_is_right(four: Forms, book_of_four: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """4×4 as if only a book of it was there."""
    table, book = four.compact, book_of_four
    monkeypatch.setattr(prober_module, "QUICK_CELLS", 0)
    monkeypatch.setattr(prober_module, "shipped_book", lambda rules: book)
    random, deduced = Random(4), 0
    with open_prober(Quixo(4), search_plies=1, search_nodes=1) as prober:
        for _ in range(500):
            marks = random.randint(book.outcome_marks - 1, book.outcome_marks)
            position = random_position(Quixo(4), random, marks)
            if position.is_over:
                continue
            probe = prober.probe(position)
            true = {move.move: move for move in table.probe(position).moves}
            assert probe.value is not None
            assert probe.value == table.probe(position).value
            assert_ranked(probe.value, [move.value for move in probe.moves])
            for move in probe.moves:
                assert move.value in (None, true[move.move].value)
                assert move.plies in (None, true[move.move].plies)
                marks = sum(move.position.counts)
                deduced += marks > book.outcome_marks and move.value is not None
    assert deduced
