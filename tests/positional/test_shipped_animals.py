"""The dictionaries that come with the package."""

from importlib.resources import files

import pytest

from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game
from inarow.verify.positional.dictionary import verify_dictionary

FOLDER = files("inarow") / "data" / "dictionaries"
NAMES = sorted(file.name for file in FOLDER.iterdir() if file.name.startswith(("mnk-", "polyomino-")))


@pytest.mark.parametrize("name", NAMES)
def test_it_wins_as_its_header_says(name: str) -> None:
    dictionary = Dictionary.parse((FOLDER / name).read_text())
    title, _, _ = dictionary.header.partition(" X wins in ")
    game_name, rule = title.removesuffix(":").split(", ")
    assert f"{game_name.replace(':', '-')}.txt" == name
    game = Game.named(game_name, rule == "maker-breaker")
    report = verify_dictionary(game, dictionary, assisted=False)
    assert report.exhaustive
    assert not report.unused_lines
    assert f"X wins in {(report.longest_game_plies + 1) // 2} moves" in dictionary.header
    assert f"{len(dictionary.lines)} lines" in dictionary.header


def test_those_of_maker_maker_games_win_maker_breaker_ones_too() -> None:
    for name in ("polyomino-n-pentomino-5.txt", "polyomino-y-pentomino-6.txt", "polyomino-i-tetromino-7.txt"):
        dictionary = Dictionary.parse((FOLDER / name).read_text())
        game = Game.named(dictionary.header.partition(",")[0], maker_breaker=True)
        assert verify_dictionary(game, dictionary, assisted=False).exhaustive
