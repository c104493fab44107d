"""Dictionaries from nothing but the rules, and the fewest lines of any."""

from pathlib import Path

import pytest

from inarow._native.positional import UNLIMITED
from inarow.errors import DamagedFile
from inarow.positional.dictionary import make
from inarow.positional.dictionary.compress import compress
from inarow.positional.dictionary.fewest_lines import TooManyAnswers, fewest_lines
from inarow.positional.dictionary.make import Made, MakeProgress, make_dictionary
from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game
from inarow.positional.search.small_boards import win_search
from inarow.verify.positional.dictionary import DictionaryReport, NotExhaustive, verify_dictionary

QUBIC = Game.named("qubic")


def won(made: Made) -> tuple[Dictionary, DictionaryReport]:
    """The dictionary that was made, and its report."""
    assert made.dictionary is not None
    assert made.report is not None
    assert made.report.exhaustive
    return made.dictionary, made.report


@pytest.mark.parametrize(
    ("name", "lines"),
    [("polyomino:el:3", 4), ("polyomino:tic:4", 6), ("polyomino:tippy:3", 10), ("mnk:4x4x3", 8)],
)
@pytest.mark.parametrize("maker_breaker", [False, True])
def test_the_fewest_lines(name: str, lines: int, maker_breaker: bool) -> None:
    game = Game.named(name, maker_breaker)
    made = make_dictionary(game)
    dictionary, report = won(made)
    assert (len(dictionary.lines), made.lower_bound, made.optimal) == (lines, lines, True)
    assert not report.unused_lines


@pytest.mark.parametrize("time_limit", [0, 1])
def test_larger_ones_come_with_a_bound(time_limit: float) -> None:
    made = make_dictionary(Game.named("polyomino:elly:4"), time_limit=time_limit)
    dictionary, _ = won(made)
    assert made.lower_bound is not None
    assert 4 <= made.lower_bound <= len(dictionary.lines) <= (61 if time_limit else 200)
    assert f"at least {made.lower_bound} in any strategy" in dictionary.header


def test_a_strategy_of_all_levels_is_one() -> None:
    game = Game.named("polyomino:tippy:3")
    symmetries = game.symmetries("full")
    found = fewest_lines(game, win_search(game), symmetries, 5)
    assert found.entries is not None
    assert verify_dictionary(game, found.entries, assisted=False).exhaustive
    assert len(compress(found.entries, symmetries).lines) == found.lines
    first_levels = fewest_lines(game, win_search(game), symmetries, 5, levels=3)
    assert first_levels.entries is None
    assert 5 <= first_levels.lower_bound <= found.lines
    # Three in a row on 4×4: eight lines are the fewest, however many moves a strategy takes.
    game = Game.named("mnk:4x4x3")
    found = fewest_lines(game, win_search(game), game.symmetries("full"), UNLIMITED, fewest=3)
    assert found.lower_bound == found.lines == 8


def test_answers_that_take_too_long_to_find() -> None:
    """To find all that win the L-pentomino on 7×7 takes a minute for the first move alone."""
    small = Game.named("polyomino:elly:4")
    with pytest.raises(TooManyAnswers):
        fewest_lines(small, win_search(small), small.symmetries("full"), 4, most=100)
    game = Game.named("polyomino:l-pentomino:7", maker_breaker=False)
    search = win_search(game)
    with pytest.raises(TooManyAnswers):
        fewest_lines(game, search, game.symmetries("full"), 9, levels=1, time_limit=0.2)
    assert search.solve(1 << 24, 1 << 0, 8) is not None  # it is still usable


def test_large_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many positions and answers, lines are chosen greedily, and the bound is weak."""
    monkeypatch.setattr(make, "_MOST_OPTIMAL", 100)
    monkeypatch.setattr(make, "_MOST_ANSWERS", 100)
    states: list[object] = []
    made = make_dictionary(Game.named("polyomino:elly:4"), progress=states.append)
    dictionary, report = won(made)
    assert made.positions == report.positions.dictionary > 100
    assert made.lower_bound is not None
    assert made.lower_bound < len(dictionary.lines) < made.positions
    compressing = [state for state in states if isinstance(state, MakeProgress) and state.phase == "compress"]
    assert [state.done for state in compressing] == sorted({state.done for state in compressing})
    assert compressing[-1].done == compressing[-1].total == made.positions
    assert not any(isinstance(state, MakeProgress) and state.phase == "choose" for state in states)


def test_lines_with_too_many_symmetries_to_list() -> None:
    made = make_dictionary(Game.named("polyomino:monomino:4"))  # 16! of them
    dictionary, _ = won(made)
    assert (made.symmetry, len(dictionary.lines)) == ("geometric", 1)
    assert dictionary.header.endswith("Positions are up to geometric symmetry.")


# --- Files ---


def test_where_it_is_written(tmp_path: Path) -> None:
    game, out = Game.named("polyomino:tic:4"), tmp_path / "tic.txt"
    dictionary, _ = won(make_dictionary(game, out=out))
    assert (out.read_text(), list(tmp_path.iterdir())) == (dictionary.text(), [out]), "no state is left"
    with pytest.raises(FileNotFoundError, match="no such folder"):
        make_dictionary(Game.named("mnk:7x7x5"), out=tmp_path / "none" / "out.txt")
    assert make.checkpoint_of(Path("/dev/null")) is None
    out.with_name("tic.txt.search").write_text("no state")
    for searched in (game, QUBIC):
        with pytest.raises(DamagedFile, match=r"tic\.txt\.search"):
            make_dictionary(searched, out=out)


# --- Qubic has a search of its own ---


def test_qubic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the search finds, without its minutes."""
    shipped = shipped_dictionary(QUBIC)
    answers = sorted(shipped.entries())
    monkeypatch.setattr(make, "find_win", lambda **options: (answers, 7))
    made = make_dictionary(QUBIC, out=tmp_path / "qubic.txt")
    dictionary, _ = won(made)
    assert (made.assisted, made.effort, made.seed, made.proof.wins, made.proof.moves) == (
        True,
        12,
        1,
        True,
        None,
    )
    assert (made.positions, len(dictionary.lines)) == (len(shipped.entries()), len(shipped.lines))
    assert Dictionary.read(tmp_path / "qubic.txt").header == dictionary.header
    assert made.describe().startswith("X wins: 301 lines, 1,821 positions, verified (7 nodes, ")
    same = Game("four in a cube", 64, QUBIC.lines, shape=(4, 4, 4))
    assert make_dictionary(same).assisted, "its lines make a game Qubic"
    assert not make_dictionary(Game("qubic", 4, [0b0011, 0b0110])).assisted, "its name does not"


def test_a_win_that_does_not_stand_up_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make, "find_win", lambda **options: ([(0, 0, 0)], 0))
    with pytest.raises(NotExhaustive, match="X has no answer") as caught:
        make_dictionary(QUBIC, out=tmp_path / "qubic.txt")
    assert caught.value.exit_code == 1
    assert not list(tmp_path.iterdir())
