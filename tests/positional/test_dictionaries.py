"""Dictionaries made from others by rolling out, and those that come with the package."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from golden.dictionaries import THREE_OF_FOUR

from inarow.positional.dictionary.compress import compress
from inarow.positional.dictionary.entries import Entries
from inarow.positional.dictionary.reached import complete, prune
from inarow.positional.dictionary.shipped import NoDictionary, shipped_dictionary
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game
from inarow.symmetry import SymmetryKind
from inarow.verify.positional.dictionary import NotExhaustive, WrongDictionary, verify_dictionary

GAME = Game.named("mnk:4x4x3")
FIRST = [Entry(0, 0, 5)]  # after which every game has a forced win

# --- Complete ---


@pytest.mark.parametrize("symmetry", ["none", "geometric", "full"])
def test_complete(symmetry: SymmetryKind) -> None:
    whole = complete(GAME, FIRST, symmetry=symmetry)
    assisted = verify_dictionary(GAME, FIRST, symmetry=symmetry, assisted=True)
    plain = verify_dictionary(GAME, whole, symmetry=symmetry, assisted=False)
    assert (assisted.exhaustive, plain.exhaustive, plain.unused_entries) == (True, True, 0)
    assert plain.positions.total == plain.positions.dictionary == assisted.positions.total == len(whole)
    assert plain.longest_game_plies == assisted.longest_game_plies
    assert list(whole)[3:5] == list(whole[3:5])
    strategic = complete(GAME, FIRST, symmetry=symmetry, obvious=False)
    assert len(strategic) == assisted.positions.dictionary + assisted.positions.forced
    assert verify_dictionary(GAME, strategic, symmetry=symmetry, assisted=True).unused_entries == 0
    with pytest.raises(NotExhaustive, match="X has no answer at"):
        complete(Game.named("mnk:3x3x3"), [Entry(0, 0, 4)], symmetry=symmetry)


def test_threads_do_not_matter() -> None:
    game = Game.named("mnk:8x7x3")
    one, three = (complete(game, [Entry(0, 0, 27)], symmetry="none", threads=threads) for threads in (1, 3))
    assert len(one) > 1000
    assert np.array_equal(one.positions, three.positions)
    assert np.array_equal(one.moves, three.moves)


@pytest.mark.parametrize(("name", "first"), [("mnk:8x7x3", 27), ("mnk:9x8x3", 31)])
def test_many_entries_are_written_in_parts(tmp_path: Path, name: str, first: int) -> None:
    game = Game.named(name)
    whole = complete(game, [Entry(0, 0, first)])
    whole.write(tmp_path / "whole.txt")
    assert Dictionary.read(tmp_path / "whole.txt", game.cells).entries() == list(whole)


def test_prune() -> None:
    """What is left wins and is used; of several answers, the first is left; arrays stay arrays."""
    kept = prune(GAME, Dictionary.parse(THREE_OF_FOUR), assisted=False)
    report = verify_dictionary(GAME, kept, assisted=False)
    assert (len(kept), report.exhaustive, report.unused_entries) == (58, True, 0)
    assert len(prune(GAME, Dictionary.parse(THREE_OF_FOUR), assisted=True)) == 10
    right = [Entry(0, 0, 1), Entry(0, 0, 4), Entry(0, 0, 0), Entry(0, 0, 1)]
    assert prune(Game.named("mnk:3x2x2"), right, symmetry="geometric", assisted=True) == right[:1]
    whole = complete(GAME, FIRST)
    some = prune(GAME, whole, assisted=True)
    assert isinstance(some, Entries)
    assert (next(iter(some)), len(some) < len(whole)) == (FIRST[0], True)
    with pytest.raises(WrongDictionary, match="line 1: the move is to a cell that is taken"):
        prune(GAME, [Entry(1, 2, 0)], assisted=False)


# --- Those that come with the package ---

FOLDER = files("inarow") / "data" / "dictionaries"
NAMES = sorted(file.name for file in FOLDER.iterdir() if file.name.startswith(("mnk-", "polyomino-")))


def test_qubic_is_won_and_compressed() -> None:
    game = Game.named("qubic")
    dictionary = shipped_dictionary(game)
    report = verify_dictionary(game, dictionary, assisted=True, proof_only=True)
    assert report.exhaustive
    assert report.positions.dictionary == len(dictionary.entries()) == 1821
    assert (report.unused_lines, report.conflicts) == ((), ())
    found = compress(dictionary.entries(), game.symmetries("full"))
    assert (found.positions, found.lower_bound) == (1821, 301)
    assert len(found.lines) == len(dictionary.lines) == 301


@pytest.mark.parametrize("name", NAMES)
def test_it_wins_as_its_header_says(name: str) -> None:
    dictionary = Dictionary.parse((FOLDER / name).read_text())
    title, _, _ = dictionary.header.partition(" X wins in ")
    game_name, rule = title.removesuffix(":").split(", ")
    assert f"{game_name.replace(':', '-')}.txt" == name
    game = Game.named(game_name, rule == "maker-breaker")
    assert shipped_dictionary(game) == dictionary
    report = verify_dictionary(game, dictionary, assisted=False)
    assert (report.exhaustive, report.unused_lines) == (True, ())
    assert f"X wins in {(report.longest_game_plies + 1) // 2} moves" in dictionary.header
    assert f"{len(dictionary.lines)} lines" in dictionary.header


def test_those_of_maker_maker_games_win_maker_breaker_ones_too() -> None:
    for name in ("polyomino:n-pentomino:5", "polyomino:y-pentomino:6", "polyomino:i-tetromino:7"):
        game = Game.named(name, maker_breaker=True)
        assert verify_dictionary(game, shipped_dictionary(game), assisted=False).exhaustive


def test_other_games_have_none() -> None:
    for game in (
        Game.named("mnk:3x3x3"),
        Game.named("polyomino:i-tetromino:6", maker_breaker=False),
        Game.named("qubic", maker_breaker=True),
        Game("qubic", 4, [0b1111]),
        Game("any/other: name", 4, [0b1111]),
    ):
        with pytest.raises(NoDictionary, match="name a file"):
            shipped_dictionary(game)
