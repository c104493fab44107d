"""Dictionaries from nothing but the rules: find a win, and write it in few lines.

>>> from inarow.games.positional import Game
>>> made = make_dictionary(Game.named("polyomino:el:3"))
>>> print(made.dictionary.header)
polyomino:el:3, maker-breaker: X wins in 3 moves, and in no fewer.
4 lines, and no strategy that wins in 3 moves has fewer.
>>> make_dictionary(Game.named("polyomino:el:2")).dictionary is None
True
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inarow import _positional
from inarow.errors import InarowError
from inarow.games.positional import Game
from inarow.search.positional import MEMORY, Progress, Proof, prove, solver_of
from inarow.strategy.compress import Compression, compress
from inarow.strategy.dictionary import Dictionary, Entry
from inarow.strategy.smallest import TooMany, smallest
from inarow.verify.dictionary import DictionaryReport, verify_dictionary
from inarow.verify.pairing import check_pairing

__all__ = ["Made", "make_dictionary"]

_OPTIMAL = 20_000  # more positions are compressed greedily
_ANSWERS = 20_000  # that an integer program takes
_BOUND_SECONDS = 10.0  # for a bound from the first levels


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

    It is verified before it is returned. See `inarow.search.positional.prove` for the arguments; `time_limit`
    is in seconds, for choosing few lines.
    """
    began = time.monotonic()
    proof = prove(game, moves, memory=memory, progress=progress, checkpoint=checkpoint, dask=dask)
    if proof.pairing is not None:
        check_pairing(game.cells, game.lines, proof.pairing)
    if proof.moves is None or proof.first is None:
        return Made(game, proof, None, None, 0, 0, time.monotonic() - began)
    solver = solver_of(game, memory)
    symmetries = game.symmetries("full")
    entries = [Entry(*answer) for answer in solver.strategy(proof.moves, proof.first)]
    found = _compressed(entries, game, time_limit)
    chosen, bound = _chosen(game, solver, proof.moves, found, time_limit)
    if chosen is not None:
        better = compress(chosen, symmetries, "optimal", time_limit)
        if len(better.lines) < len(found.lines):
            found = better
    written = Dictionary(game.cells, found.lines)
    checked = verify_dictionary(game, written, assisted=False)
    if not checked.exhaustive or checked.longest_game_plies > 2 * proof.moves - 1:
        raise InarowError(f"{game.name}: the dictionary does not stand up to its verification")
    dictionary = Dictionary(game.cells, found.lines, _header(game, proof.moves, len(found.lines), bound))
    return Made(game, proof, dictionary, checked, bound, found.positions, time.monotonic() - began)


def _compressed(entries: list[Entry], game: Game, time_limit: float) -> Compression:
    symmetries = game.symmetries("full")
    if len(entries) > _OPTIMAL:
        return compress(entries, symmetries, "greedy")
    return compress(entries, symmetries, "optimal", time_limit)


def _chosen(
    game: Game, solver: _positional.Solver, moves: int, known: Compression, time_limit: float
) -> tuple[tuple[Entry, ...] | None, int]:
    """The strategy of an integer program, if there is one, and a bound on the lines of any."""
    symmetries = game.symmetries("full")
    entries, bound = None, moves
    for levels in range(1, moves + 1):
        whole = levels == moves
        try:
            found = smallest(
                game,
                solver,
                symmetries,
                moves,
                moves,
                levels=levels,
                most=_ANSWERS,
                time_limit=time_limit if whole else min(time_limit, _BOUND_SECONDS),
                known=known.lines if whole else (),
            )
        except TooMany:
            break
        entries = found.entries
        bound = max(bound, found.lower_bound)
    return entries, bound


def _header(game: Game, moves: int, lines: int, bound: int) -> str:
    rule = "maker-breaker" if game.maker_breaker else "maker-maker"
    fewer = (
        f"and no strategy that wins in {moves} moves has fewer"
        if lines == bound
        else f"and at least {bound} in any strategy that wins in {moves} moves"
    )
    return f"{game.name}, {rule}: X wins in {moves} moves, and in no fewer.\n{lines} lines, {fewer}."
