"""Players who go by a dictionary."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from golden.dictionaries import THREE_OF_FOUR

from inarow.errors import InarowError
from inarow.positional.dictionary.player import Answer, DictionaryPlayer, NoAnswer
from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game, Position, SymmetryKind
from inarow.positional.search.threats import blocking_cells, winning_cells

GAME = Game.named("mnk:4x4x3")


def games(player: DictionaryPlayer, position: Position) -> int:
    """How many games there are, all of which the player must win."""
    after = position.play(player.answer(position).cell)
    if after.is_over:
        assert after.winner == "x"
        return 1
    replies = [after.play(cell) for cell in after.legal_moves()]
    assert not any(reply.is_over for reply in replies)
    return sum(games(player, reply) for reply in replies)


@pytest.mark.parametrize("symmetry", ["geometric", "full"])
def test_a_player_who_only_looks_up(symmetry: SymmetryKind) -> None:
    player = DictionaryPlayer(GAME, Dictionary.parse(THREE_OF_FOUR), symmetry, assisted=False)
    assert games(player, GAME.start()) == 15 * 13


def test_an_assisted_player_needs_the_first_two_lines() -> None:
    two = Dictionary.parse("\n".join(THREE_OF_FOUR.splitlines()[:2]))
    assert games(DictionaryPlayer(GAME, two), GAME.start()) == 15 * 13
    with pytest.raises(NoAnswer, match="no answer to"):
        games(DictionaryPlayer(GAME, two, assisted=False), GAME.start())


def test_without_symmetry_only_what_is_written_counts() -> None:
    player = DictionaryPlayer(GAME, Dictionary.parse(THREE_OF_FOUR), "none", assisted=False)
    assert player.answer(GAME.parse("o....x..........")) == Answer(6, "dictionary", 2)
    with pytest.raises(NoAnswer, match=r"the dictionary has no answer to \.\.\.\.\.x\.o\.\.\.\.\.\.\.\.$"):
        player.answer(GAME.parse(".....x.o........"))


def test_an_answer_is_turned_the_way_the_position_is() -> None:
    player = DictionaryPlayer(GAME, Dictionary.parse(THREE_OF_FOUR), assisted=False)
    position = GAME.parse(".o...xx........o")
    cells = set()
    for to in GAME.symmetries("full"):
        turned = position.image(to)
        answer = player.answer(turned)
        assert answer.reason == "dictionary"
        assert turned.play(answer.cell).winner == "x"
        cells.add(answer.cell)
    assert len(cells) > 2


def test_line_numbers_are_those_of_the_file() -> None:
    dictionary = Dictionary.parse(f"# the blog's\n\n{THREE_OF_FOUR}")
    assert DictionaryPlayer(GAME, dictionary).answer(GAME.start()).line_number == 3


def test_of_several_lines_the_first_counts_even_for_an_image() -> None:
    game = Game.named("mnk:4x1x3")
    dictionary = Dictionary.parse(".Xox\nxo.X")
    position = game.parse("xo..")
    assert DictionaryPlayer(game, dictionary, "full", assisted=False).answer(position) == Answer(
        2, "dictionary", 1
    )
    assert DictionaryPlayer(game, dictionary, "none", assisted=False).answer(position) == Answer(
        3, "dictionary", 2
    )


def test_the_rules_come_in_their_order() -> None:
    # Every line is the worst there could be, and only the last one is asked for.
    text = "xx.......oo....X\noo.....x.x.....X\no....x.........X\n"
    player = DictionaryPlayer(GAME, Dictionary.parse(text))
    assert player.answer(GAME.parse("xx.......oo.....")) == Answer(2, "win")
    assert player.answer(GAME.parse("oo.....x.x......")) == Answer(2, "block")
    assert player.answer(GAME.parse("o....x..........")) == Answer(15, "dictionary", 3)
    forced = player.answer(GAME.parse(".....x...o......"))
    assert (forced.reason, forced.line_number, forced.threats) == ("forced", None, 1)
    assert forced.sequence is not None
    assert forced.sequence[0] == forced.cell
    dumb = DictionaryPlayer(GAME, Dictionary.parse(text), assisted=False)
    assert dumb.answer(GAME.parse("xx.......oo.....")) == Answer(15, "dictionary", 1)


def test_two_threats_cannot_be_blocked() -> None:
    player = DictionaryPlayer(GAME, Dictionary.parse(THREE_OF_FOUR))
    with pytest.raises(NoAnswer, match="O threatens the cells 0 and 3, and X can block only one"):
        player.answer(GAME.parse(".oo...x......x.."))


def test_no_answer_says_what_was_tried() -> None:
    game = Game.named("mnk:3x3x3")
    player = DictionaryPlayer(game, Dictionary.parse("....X...."))
    with pytest.raises(NoAnswer, match="and threats do not force a win") as caught:
        player.answer(game.parse("o...x...."))
    assert caught.value.exit_code == 1


def test_a_maker_breaker_player_has_nothing_to_block() -> None:
    game = Game.named("polyomino:v-tromino:3")
    player = DictionaryPlayer(game, Dictionary.parse("....X...."))
    assert games(player, game.start()) == 8 * 6
    assert player.answer(game.parse("oo..x...x")).reason == "win"


def test_only_positions_with_x_to_move() -> None:
    player = DictionaryPlayer(GAME, Dictionary.parse(THREE_OF_FOUR))
    over = GAME.parse("xxx......oo.....")
    for position in (GAME.start().play(5), over, Game.named("mnk:3x3x3").start()):
        with pytest.raises(ValueError, match="not a position of mnk:4x4x3 with X to move"):
            player.answer(position)


def test_a_dictionary_of_another_board() -> None:
    with pytest.raises(InarowError, match="a board of 16 cells, but mnk:3x3x3 has 9"):
        DictionaryPlayer(Game.named("mnk:3x3x3"), Dictionary.parse(THREE_OF_FOUR))


def test_patashnik(outside_data: Callable[[str], Path]) -> None:
    """His dictionary, as he meant it to be played, wins against replies at random and ones that resist."""
    game = Game.named("qubic")
    player = DictionaryPlayer(game, Dictionary.read(outside_data("patashnik-qubic.txt")))
    reasons = set()
    for seed in range(20):
        chance = random.Random(seed)
        position = game.start()
        while True:
            answer = player.answer(position)
            reasons.add(answer.reason)
            position = position.play(answer.cell)
            if position.is_over:
                break
            sensible = winning_cells(position) or blocking_cells(position) or position.legal_moves()
            position = position.play(chance.choice(sensible))
        assert position.winner == "x"
    assert reasons >= {"win", "dictionary", "forced"}
