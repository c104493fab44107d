"""Dictionaries from nothing but the rules: find a win, and write it in few lines.

>>> from inarow.positional.rules import Game
>>> made = make_dictionary(Game.named("polyomino:el:3"))
>>> print(made.dictionary.header)
polyomino:el:3, maker-breaker: X wins in 3 moves, and in no fewer.
4 lines, and no strategy that wins in 3 moves has fewer.
>>> make_dictionary(Game.named("polyomino:el:2")).dictionary is None
True
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from inarow._native import positional as _positional
from inarow.errors import InarowError
from inarow.positional.dictionary.compress import Compression, compress
from inarow.positional.dictionary.smallest import TooMany, smallest
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game
from inarow.positional.search.small_boards import MEMORY, Proof, Searching, prove, solver_of
from inarow.verify.positional.dictionary import DictionaryReport, verify_dictionary
from inarow.verify.positional.pairing import check_pairing

__all__ = ["Made", "Making", "make_dictionary"]

_OPTIMAL = 20_000  # more positions are compressed greedily
_ANSWERS = 20_000  # that an integer program takes
_BOUND_SECONDS = 10.0  # for a bound from the first levels, each

Phase: TypeAlias = Literal["write", "bound", "compress", "choose", "verify"]
Count: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Making:
    """What is being done with a win that was found, and how far that has come."""

    phase: Phase
    done: int  # positions compressed or verified; nodes of the search before
    total: int | None  # if it is known


Progress: TypeAlias = Callable[[Searching | Making], None]


@dataclass(frozen=True, slots=True)
class Made:
    """The proof, and where X wins the dictionary, its verification, and how few lines there could be."""

    game: Game
    proof: Proof
    dictionary: Dictionary | None
    report: DictionaryReport | None
    lower_bound: int  # on the lines of any strategy that wins in as many moves
    positions: int
    seconds: float

    @property
    def optimal(self) -> bool:
        return self.dictionary is not None and len(self.dictionary.lines) == self.lower_bound

    def to_json(self) -> dict[str, Any]:
        found = self.dictionary
        return {
            "game": self.game.name,
            "maker_breaker": self.game.maker_breaker,
            **self.proof.to_json(),
            "lines": None if found is None else len(found.lines),
            "positions": None if found is None else self.positions,
            "lower_bound": None if found is None else self.lower_bound,
            "optimal": None if found is None else self.optimal,
            "seconds": round(self.seconds, 3),
        }


def make_dictionary(
    game: Game,
    moves: int | None = None,
    *,
    memory: int = MEMORY,
    time_limit: float = 60.0,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
    dask: str | None = None,
) -> Made:
    """The smallest dictionary found with which X wins in the fewest moves, for a player who only looks up.

    It is verified before it is returned. See `inarow.positional.search.small_boards.prove` for the arguments; `time_limit`
    is in seconds, for choosing few lines. However short, some are found, but the bound may be weak.
    """
    began = time.monotonic()
    proof = prove(game, moves, memory=memory, progress=progress, checkpoint=checkpoint, dask=dask)
    if proof.pairing is not None:
        check_pairing(game.cells, game.lines, proof.pairing)
    if proof.moves is None or proof.first is None:
        return Made(game, proof, None, None, 0, 0, time.monotonic() - began)
    solver = solver_of(game, memory)
    answers = solver.strategy(proof.moves, proof.first, _count("write", progress))
    entries = [Entry(*answer) for answer in answers]
    found, bound = _few_lines(game, solver, proof.moves, entries, time_limit, progress)
    written = Dictionary(game.cells, found.lines)
    checked = verify_dictionary(game, written, assisted=False, progress=_count("verify", progress))
    if not checked.exhaustive or checked.longest_game_plies > 2 * proof.moves - 1:
        raise InarowError(f"{game.name}: the dictionary does not stand up to its verification")
    dictionary = Dictionary(game.cells, found.lines, _header(game, proof.moves, len(found.lines), bound))
    return Made(game, proof, dictionary, checked, bound, found.positions, time.monotonic() - began)


def _few_lines(
    game: Game,
    solver: _positional.Solver,
    moves: int,
    entries: list[Entry],
    time_limit: float,
    progress: Progress | None,
) -> tuple[Compression, int]:
    """A strategy in few lines, the one given or another, and a bound on the lines of any."""
    end = time.monotonic() + time_limit

    def left(share: float = 1.0) -> float:
        return share * max(0.0, end - time.monotonic())

    symmetries = game.symmetries("full")
    bound, small = _bound(game, solver, moves, left(1 / 3), _count("bound", progress))
    found = compress(
        entries,
        symmetries,
        "greedy" if len(entries) > _OPTIMAL else "optimal",
        left(1 / 2 if small else 1),
        _count("compress", progress),
    )
    if not small:
        return found, bound
    kept = max(left(1 / 20), 2 * found.seconds)  # to compress what is chosen
    try:
        chosen = smallest(
            game,
            solver,
            symmetries,
            moves,
            moves,
            most=_ANSWERS,
            time_limit=left() - kept,
            known=found.lines,
            progress=_count("choose", progress),
        )
    except TooMany:
        return found, bound
    if chosen.entries is not None:
        better = compress(chosen.entries, symmetries, "optimal", left(), _count("compress", progress))
        found = min(found, better, key=lambda compression: len(compression.lines))
    return found, max(bound, chosen.lower_bound)


def _bound(
    game: Game, solver: _positional.Solver, moves: int, time_limit: float, count: Count
) -> tuple[int, bool]:
    """What the first levels say of the lines of any strategy, and whether there was time for them all."""
    end = time.monotonic() + time_limit
    bound = moves
    for levels in range(1, moves):
        try:
            found = smallest(
                game,
                solver,
                game.symmetries("full"),
                moves,
                moves,
                levels=levels,
                most=_ANSWERS,
                time_limit=min(_BOUND_SECONDS, end - time.monotonic()),
                progress=count,
            )
        except TooMany:
            return bound, False
        bound = max(bound, found.lower_bound)
    return bound, True


def _count(phase: Phase, progress: Progress | None) -> Count:
    """What takes a count in a phase; only a compression knows of how many."""

    def count(done: int, total: int) -> None:
        if progress is not None:
            progress(Making(phase, done, total if phase == "compress" else None))

    return count


def _header(game: Game, moves: int, lines: int, bound: int) -> str:
    rule = "maker-breaker" if game.maker_breaker else "maker-maker"
    fewer = (
        f"and no strategy that wins in {moves} moves has fewer"
        if lines == bound
        else f"and at least {bound} in any strategy that wins in {moves} moves"
    )
    return f"{game.name}, {rule}: X wins in {moves} moves, and in no fewer.\n{lines} lines, {fewer}."
