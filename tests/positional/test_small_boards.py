"""The search for wins: against brute force, against published values, interrupted, and on a cluster."""

import json
import random
import subprocess
from pathlib import Path

import pytest
from golden.animals import MAKER_BREAKER, MAKER_MAKER
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.positional import winning_moves, wins_within

from inarow._native.positional import UNLIMITED
from inarow.errors import DamagedFile, InarowError
from inarow.positional.rules import Game, cells_of
from inarow.positional.search.small_boards import SearchProgress, prove, win_search
from inarow.verify.positional.dictionary import verify_dictionary
from inarow.verify.positional.pairing import verify_pairing

GAME = Game.named("polyomino:l-pentomino:6")


@st.composite
def tiny_games(draw: st.DrawFn) -> Game:
    cells = draw(st.integers(2, 8))
    size = st.sets(st.integers(0, cells - 1), min_size=1, max_size=min(cells, 4))
    lines = draw(st.lists(size, min_size=1, max_size=12))
    return Game("tiny", cells, [sum(1 << c for c in line) for line in lines], draw(st.booleans()))


def some_position(game: Game, seed: int) -> tuple[int, int]:
    """A few marks of each side, without a line."""
    chance = random.Random(seed)
    cells = chance.sample(range(game.cells), 2 * chance.randint(0, game.cells // 4))
    half = len(cells) // 2
    x, o = (sum(1 << cell for cell in side) for side in (cells[:half], cells[half:]))
    return (0, 0) if game.wins(x) or game.wins(o) else (x, o)


@settings(max_examples=300, deadline=None)
@given(tiny_games(), st.integers(0, 1000))
def test_search_finds_what_brute_force_finds(game: Game, seed: int) -> None:
    x, o = some_position(game, seed)
    most = (game.cells - (x | o).bit_count() + 1) // 2
    search = win_search(game, 1 << 20)
    fewest = next((n for n in range(1, most + 1) if wins_within(game, x, o, n)), None)
    winning = set() if fewest is None else set(winning_moves(game, x, o, fewest))
    for moves in range(1, most + 1):
        found = search.solve(x, o, moves)
        assert (found is not None) == (fewest is not None and moves >= fewest)
        if found is not None:
            assert found[0] == fewest
            assert found[1] in winning
        if found is not None and game.maker_breaker:  # a mark of O's outside the zone does not spoil the win
            outside = (1 << game.cells) - 1 & ~(x | o | found[2])
            assert all(wins_within(game, x, o | 1 << cell, found[0]) for cell in cells_of(outside))
    assert (search.solve(x, o, UNLIMITED) is not None) == (fewest is not None)
    if fewest is not None:
        assert set(cells_of(search.winning_moves(x, o, fewest))) == winning


def test_a_move_that_only_blocks_may_be_the_one_that_wins() -> None:
    """X has two ways to win, but when it forces O to go to b, O threatens both c and the last cell, where X
    cannot make a line. X has to go there first: O has time to spoil one of the ways only."""
    last, only_x, only_o = 10, 1 << 11, 1 << 12
    lines = []
    for a in (0, 5):
        b, c, d, e = range(a + 1, a + 5)
        lines += [only_x | sum(1 << cell for cell in line) for line in ((a, b), (a, c, d), (a, c, e))]
        lines += [only_o | sum(1 << cell for cell in line) for line in ((b, c), (b, last))]
    game = Game("two ways", 13, lines, maker_breaker=False)
    assert [wins_within(game, only_x, only_o, moves) for moves in (4, 5)] == [False, True]
    for moves in (5, UNLIMITED):
        found = win_search(game).solve(only_x, only_o, moves)
        assert found is not None
        assert found[:2] == (5, last)


@settings(max_examples=150, deadline=None)
@given(tiny_games())
def test_proofs(game: Game) -> None:
    most = (game.cells + 1) // 2
    fewest = next((n for n in range(1, most + 1) if wins_within(game, 0, 0, n)), None)
    proof = prove(game)
    assert (proof.wins, proof.moves) == (fewest is not None, fewest)
    assert proof.never == (fewest is None)
    assert proof.none_within == (most if fewest is None else fewest - 1)
    if proof.pairing is not None:
        assert verify_pairing(game.cells, game.lines, proof.pairing).verdict == "proven"
    if fewest is not None and proof.first is not None:
        answers = win_search(game).strategy(fewest, proof.first)
        report = verify_dictionary(game, answers, assisted=False)
        assert (report.exhaustive, report.unused_entries) == (True, 0)
        assert report.longest_game_plies == 2 * fewest - 1


@pytest.mark.parametrize(("maker_breaker", "values"), [(True, MAKER_BREAKER), (False, MAKER_MAKER)])
def test_animals(maker_breaker: bool, values: dict[str, tuple[int, int]]) -> None:
    for name, (side, moves) in values.items():
        if (name, maker_breaker) in (("i-tetromino", False), ("l-pentomino", False)):
            continue  # these take longer: below, and in benchmarks/dictionaries.py
        if side > 3:  # on smaller ones they do not fit, or fill the board
            assert prove(Game.named(f"polyomino:{name}:{side - 1}", maker_breaker)).never, name
        proof = prove(Game.named(f"polyomino:{name}:{side}", maker_breaker))
        assert (proof.moves, proof.none_within) == (moves, moves - 1), name


def test_skinny_when_o_may_make_it_too() -> None:
    within = prove(Game.named("polyomino:skinny:6", maker_breaker=False), moves=7)
    assert (within.moves, within.none_within, within.never) == (None, 7, False)
    game = Game.named("polyomino:skinny:7", maker_breaker=False)
    proof = prove(game)
    assert (proof.moves, proof.none_within) == (7, 6)
    # Little memory gives the same.
    little, plenty = win_search(game, 1), win_search(game)
    for moves in (6, 7):
        assert (little.solve(0, 0, moves) is None) == (plenty.solve(0, 0, moves) is None) == (moves < 7)
    assert little.dropped > 10 * plenty.dropped


# K in a row: draws and wins that are well known (Uiterwijk and van den Herik, *The advantage of the
# initiative*, Information Sciences 122, 2000, and Wikipedia, *m,n,k-game*).
def test_rows() -> None:
    assert prove(Game.named("polyomino:el:9")).wins, "more than 64 cells"
    for name in ("mnk:4x3x3", "mnk:6x5x4", "mnk:6x6x4"):
        assert prove(Game.named(name)).wins, name
    for name in ("mnk:3x3x3", "mnk:4x4x4", "mnk:5x5x4", "mnk:5x5x5"):
        assert prove(Game.named(name)).never, name


def test_progress_tells_how_far_the_search_is() -> None:
    seen: list[tuple[int, int]] = []
    prove(GAME, progress=lambda state: seen.append((state.none_within, state.nodes)))
    assert seen == sorted(seen)
    assert seen[-1][0] == 6


# --- Resuming after an interrupt ---


def interrupted_after(settled: int, checkpoint: Path) -> None:
    def stop(state: SearchProgress) -> None:
        if state.settled >= settled:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prove(GAME, progress=stop, checkpoint=checkpoint)


def test_an_interrupted_search_resumes(tmp_path: Path) -> None:
    file = tmp_path / "state"
    interrupted_after(5, file)
    assert len(json.loads(file.read_text())["settled"]) >= 5
    whole, rest = prove(GAME), prove(GAME, checkpoint=file)
    assert (rest.moves, rest.first, rest.none_within) == (whole.moves, whole.first, whole.none_within)
    again = prove(GAME, checkpoint=file)
    assert (again.moves, again.nodes) == (whole.moves, 0)


def test_a_damaged_state_and_no_moves_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "state"
    file.write_text("{")
    with pytest.raises(DamagedFile, match="not the state of a search"):
        prove(GAME, checkpoint=file)
    interrupted_after(1, tmp_path / "other")
    with pytest.raises(InarowError, match="another game"):
        prove(Game.named("polyomino:el:3"), checkpoint=tmp_path / "other")
    with pytest.raises(InarowError, match="moves 0"):
        prove(GAME, moves=0)


# --- On a cluster ---


def test_two_workers_one_of_which_is_killed(two_workers: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    scheduler, workers = two_workers
    game = Game.named("polyomino:skinny:7", maker_breaker=False)
    settled = 0

    def kill(state: SearchProgress) -> None:
        nonlocal settled
        settled = state.settled
        if settled == 10:
            workers[0].kill()

    proof = prove(game, progress=kill, dask=scheduler)
    assert settled > 10
    assert workers[0].wait(timeout=10) != 0
    assert workers[1].poll() is None
    assert (proof.moves, proof.none_within) == (7, 6)


def test_a_missing_scheduler_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("inarow.cluster._PATIENCE", 1)
    with pytest.raises(InarowError, match="no Dask scheduler at"):
        prove(GAME, dask="tcp://127.0.0.1:1")
