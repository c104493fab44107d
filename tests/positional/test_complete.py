"""What an assisted player does, written out."""

from pathlib import Path

import numpy as np
import pytest

from inarow.positional.dictionary.complete import complete
from inarow.positional.dictionary.entries import Entries
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game, SymmetryKind
from inarow.verify.positional.dictionary import NotExhaustive, verify_dictionary


@pytest.mark.parametrize("symmetry", ["none", "geometric", "full"])
def test_complete(symmetry: SymmetryKind) -> None:
    game = Game.named("mnk:4x4x3")
    first = [Entry(0, 0, 5)]  # after which every game has a forced win
    whole = complete(game, first, symmetry=symmetry)
    assisted = verify_dictionary(game, first, symmetry=symmetry, assisted=True)
    assert assisted.exhaustive
    plain = verify_dictionary(game, whole, symmetry=symmetry, assisted=False)
    assert plain.exhaustive
    assert plain.unused_entries == 0
    assert plain.positions.total == plain.positions.dictionary == assisted.positions.total == len(whole)
    assert plain.longest_game_plies == assisted.longest_game_plies
    assert list(whole)[3:5] == [whole[3], whole[4]] == list(whole[3:5])
    strategic = complete(game, first, symmetry=symmetry, obvious=False)
    assert len(strategic) == assisted.positions.dictionary + assisted.positions.forced
    assert verify_dictionary(game, strategic, symmetry=symmetry, assisted=True).unused_entries == 0
    with pytest.raises(NotExhaustive, match="X has no answer at"):
        complete(Game.named("mnk:3x3x3"), [Entry(0, 0, 4)], symmetry=symmetry)


def test_threads_do_not_matter() -> None:
    game = Game.named("mnk:8x7x3")
    one, three = (complete(game, [Entry(0, 0, 27)], symmetry="none", threads=threads) for threads in (1, 3))
    assert len(one) > 1000
    assert np.array_equal(one.positions, three.positions)
    assert np.array_equal(one.moves, three.moves)


def test_many_entries_are_written_in_parts(tmp_path: Path) -> None:
    for name, first in (("mnk:8x7x3", 27), ("mnk:9x8x3", 31)):
        game = Game.named(name)
        whole = complete(game, [Entry(0, 0, first)])
        whole.write(tmp_path / "whole.txt")
        assert Dictionary.read(tmp_path / "whole.txt", game.cells).entries() == list(whole)
        assert b"".join(Entries.texts(whole)) == (tmp_path / "whole.txt").read_bytes()
