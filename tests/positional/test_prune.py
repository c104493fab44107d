"""Entries that no game reaches are dropped."""

import pytest
from golden.dictionaries import THREE_OF_FOUR

from inarow.positional.dictionary.complete import complete
from inarow.positional.dictionary.entries import Entries
from inarow.positional.dictionary.prune import prune
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game
from inarow.verify.positional.dictionary import WrongDictionary, verify_dictionary

GAME = Game.named("mnk:4x4x3")


def test_what_is_left_wins_and_is_used() -> None:
    kept = prune(GAME, Dictionary.parse(THREE_OF_FOUR), assisted=False)
    report = verify_dictionary(GAME, kept, assisted=False)
    assert report.exhaustive
    assert (len(kept), report.unused_entries) == (58, 0)
    assert len(prune(GAME, Dictionary.parse(THREE_OF_FOUR), assisted=True)) == 10


def test_the_first_of_several_answers_is_kept() -> None:
    game = Game.named("mnk:3x2x2")
    right = [Entry(0, 0, 1), Entry(0, 0, 4), Entry(0, 0, 0), Entry(0, 0, 1)]
    assert prune(game, right, symmetry="geometric", assisted=True) == right[:1]


def test_arrays_stay_arrays() -> None:
    whole = complete(GAME, [Entry(0, 0, 5)])
    kept = prune(GAME, whole, assisted=True)
    assert isinstance(kept, Entries)
    assert list(kept) == [Entry(0, 0, 5), *list(kept)[1:]]
    assert len(kept) < len(whole)


def test_entries_must_be_of_the_board() -> None:
    with pytest.raises(WrongDictionary, match="line 1: the move is to a cell that is taken"):
        prune(GAME, [Entry(1, 2, 0)], assisted=False)
