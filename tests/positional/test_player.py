"""Players who go by a dictionary."""

from __future__ import annotations

import pytest
from golden.dictionaries import THREE_OF_FOUR

from inarow.errors import InarowError
from inarow.positional.dictionary.player import Answer, DictionaryPlayer, NoAnswer
from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game, Position
from inarow.symmetry import SymmetryKind

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
def test_who_wins_every_game(symmetry: SymmetryKind) -> None:
    player = DictionaryPlayer(GAME, Dictionary.parse(THREE_OF_FOUR), symmetry, assisted=False)
    assert games(player, GAME.start()) == 15 * 13
    # An assisted player needs no more than the first two lines.
    two = Dictionary.parse("\n".join(THREE_OF_FOUR.splitlines()[:2]))
    assert games(DictionaryPlayer(GAME, two, symmetry), GAME.start()) == 15 * 13
    with pytest.raises(NoAnswer, match="no answer to"):
        games(DictionaryPlayer(GAME, two, assisted=False), GAME.start())


def test_without_symmetry_only_what_is_written_counts() -> None:
    player = DictionaryPlayer(GAME, Dictionary.parse(THREE_OF_FOUR), "none", assisted=False)
    assert player.answer(GAME.parse("o....x..........")) == Answer(6, "dictionary", 2)
    with pytest.raises(NoAnswer, match=r"the dictionary has no answer to \.\.\.\.\.x\.o\.\.\.\.\.\.\.\.$"):
        player.answer(GAME.parse(".....x.o........"))


def test_an_answer_is_turned_the_way_the_position_is() -> None:
    player = DictionaryPlayer(GAME, Dictionary.parse(THREE_OF_FOUR), assisted=False)
    turned = GAME.parse(".o...xx........o").symmetries("full")
    answers = [player.answer(position) for position in turned]
    assert {answer.reason for answer in answers} == {"dictionary"}
    assert len({answer.cell for answer in answers}) > 2
    for position, answer in zip(turned, answers, strict=True):
        assert position.play(answer.cell).winner == "x"


def test_of_several_lines_the_first_counts_even_for_an_image() -> None:
    game = Game.named("mnk:4x1x3")
    dictionary = Dictionary.parse("# Lines are numbered as in the file.\n.Xox\nxo.X")
    position = game.parse("xo..")
    full, none = (DictionaryPlayer(game, dictionary, kind, assisted=False) for kind in ("full", "none"))
    assert full.answer(position) == Answer(2, "dictionary", 2)
    assert none.answer(position) == Answer(3, "dictionary", 3)


def test_the_rules_come_in_their_order() -> None:
    # Every line is the worst there could be, and only the last one is asked for.
    text = "xx.......oo....X\noo.....x.x.....X\no....x.........X\n"
    player = DictionaryPlayer(GAME, Dictionary.parse(text))
    assert player.answer(GAME.parse("xx.......oo.....")) == Answer(2, "win")
    assert player.answer(GAME.parse("oo.....x.x......")) == Answer(2, "block")
    assert player.answer(GAME.parse("o....x..........")) == Answer(15, "dictionary", 3)
    assert player.answer(GAME.parse(".....x...o......")) == Answer(6, "forced", sequence=(6, 4, 7))
    dumb = DictionaryPlayer(GAME, Dictionary.parse(text), assisted=False)
    assert dumb.answer(GAME.parse("xx.......oo.....")) == Answer(15, "dictionary", 1)


def test_no_answer_says_what_was_tried() -> None:
    player = DictionaryPlayer(GAME, Dictionary.parse(THREE_OF_FOUR))
    with pytest.raises(NoAnswer, match="O threatens the cells 0 and 3, and X can block only one"):
        player.answer(GAME.parse(".oo...x......x.."))
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


def test_only_positions_of_the_game_with_x_to_move() -> None:
    player = DictionaryPlayer(GAME, Dictionary.parse(THREE_OF_FOUR))
    over = GAME.parse("xxx......oo.....")
    for position in (GAME.start().play(5), over, Game.named("mnk:3x3x3").start()):
        with pytest.raises(ValueError, match="not a position of mnk:4x4x3 with X to move"):
            player.answer(position)
    with pytest.raises(InarowError, match="a board of 16 cells, but mnk:3x3x3 has 9"):
        DictionaryPlayer(Game.named("mnk:3x3x3"), Dictionary.parse(THREE_OF_FOUR))
