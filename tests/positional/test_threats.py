"""Forced wins by threats against a search that knows nothing but the rules."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from oracle.positional import completing, fewest_threats

from inarow.positional.rules import Game, Position
from inarow.positional.search.threats import blocking_cells, forced_win, promising_cells, winning_cells
from inarow.values import opponent

GAMES = [
    Game.named("mnk:3x3x3"),
    Game.named("mnk:3x3x3", maker_breaker=True),
    Game.named("mnk:4x3x3"),
    Game.named("mnk:4x4x3"),
    Game.named("mnk:4x4x3", maker_breaker=True),
    Game.named("polyomino:v-tromino:3"),
    Game.named("polyomino:l-tetromino:4", maker_breaker=False),
    Game.named("mnk:3x2x2"),
    Game("lines of all lengths", 8, [0b1, 0b110, 0b1010, 0b10001010, 0b1110100, 0b11101000]),
]


def random_positions(game: Game, count: int, seed: int = 1) -> Iterator[Position]:
    """Positions in which the game is not over."""
    chance = random.Random(seed)
    for _ in range(count):
        position = game.start()
        for _ in range(chance.randrange(game.cells)):
            after = position.play(chance.choice(position.legal_moves()))
            if after.is_over:
                break
            position = after
        yield position


def check_sequence(position: Position, sequence: tuple[int, ...]) -> None:
    """Every other cell makes a threat that must be answered, the next one answers it, the last one wins."""
    me = position.turn
    for number, cell in enumerate(sequence):
        assert not position.is_over
        if number % 2:
            assert winning_cells(position) == ()
            assert cell in blocking_cells(position)
        else:
            assert number + 1 == len(sequence) or winning_cells(position) == ()
        position = position.play(cell)
        if number % 2 == 0 and number + 1 < len(sequence):
            assert completing(position, me)
    assert position.winner == me
    assert len(sequence) % 2 == 1


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}{'-mb' * game.maker_breaker}")
def test_against_brute_force(game: Game) -> None:
    found = 0
    for position in random_positions(game, 120):
        for mark, cells in (
            (position.turn, winning_cells(position)),
            (opponent(position.turn), blocking_cells(position)),
        ):
            makes_lines = mark == "x" or not game.maker_breaker
            assert list(cells) == (completing(position, mark) if makes_lines else [])
        fewest = fewest_threats(position)
        sequence = forced_win(position)
        assert (sequence is not None) == (fewest < float("inf")), position
        if sequence is None:
            continue
        found += 1
        check_sequence(position, sequence)
        assert len(sequence) // 2 >= fewest
    assert found > 5


@pytest.mark.parametrize(
    ("text", "number"),  # of the move that blocks
    [(".o.x. ...o. .xxo. ..x.o .....", 0), ("xx..o ..... oo... .xxox ..oxo", 2)],
)
def test_a_threat_is_answered_with_a_threat(text: str, number: int) -> None:
    position = Game.named("mnk:5x5x4").parse(text)
    sequence = forced_win(position)
    assert sequence is not None
    check_sequence(position, sequence)
    for cell in sequence[:number]:
        position = position.play(cell)
    assert blocking_cells(position) == (sequence[number],)


def test_no_forced_win_against_two_threats_or_after_the_game() -> None:
    position = Game.named("mnk:4x4x3").parse(".oo. ..x. .... .x..")
    assert blocking_cells(position) == (0, 3)
    assert forced_win(position) is None
    over = Game.named("mnk:3x3x3").parse("xxxoo....")
    assert (winning_cells(over), blocking_cells(over), forced_win(over)) == ((), (), None)


# Met in games against Patashnik's dictionary.
QUBIC = [
    ("x..x........x.............o.........................o..o........", 5),
    ("x..x............xxxo............oo...........o.ox.........o.....", 2),
    ("x..x......o....x...o...........x...............o............o.ox", 15),
    ("xo.x........x..o...ox.x.....x......x..o.oo..o......x..o.....x.o.", 8),
    ("x..x........x.o.o.....................o.........x.....o.........", 12),
]


@pytest.mark.parametrize(("text", "most"), QUBIC)
def test_qubic(text: str, most: int) -> None:
    position = Game.named("qubic").parse(text)
    sequence = forced_win(position)
    assert sequence is not None
    check_sequence(position, sequence)
    assert len(sequence) // 2 <= most
    assert forced_win(Game.named("qubic").start()) is None


def test_promising_cells_complete_block_and_force() -> None:
    game = Game.named("mnk:4x4x3")
    assert promising_cells(game.parse("xx../oo../..../....")) == (2,)
    assert promising_cells(game.parse("xx../o.../..../....")) == (2,)
    assert promising_cells(Game.named("mnk:3x3x3").start()) == (4,)
    assert promising_cells(game.parse("..../.x../.o../....")) == (6,)


def test_promising_cells_do_not_lose_by_force_where_that_can_be_helped() -> None:
    game, chance = Game.named("qubic"), random.Random(1)
    position = game.start()
    while not position.is_over:
        chosen = promising_cells(position)
        assert set(chosen) <= set(position.legal_moves())
        lost = {cell: forced_win(position.play(cell)) for cell in position.legal_moves()}
        if None in lost.values() and not winning_cells(position) and not blocking_cells(position):
            assert all(lost[cell] is None for cell in chosen) or forced_win(position)
        position = position.play(chance.choice(chosen))
