"""Whether the first player wins a positional game, and in how few moves.

>>> from inarow.positional.rules import Game
>>> proof = prove(Game.named("polyomino:el:3"))
>>> proof.moves, proof.none_within
(3, 2)
>>> prove(Game.named("polyomino:fatty:4")).never
True

The search is in C++ (`native/positional`). It is split at the root, into X's first move and O's reply to it:
what is settled of these can be kept in a file and gone on with, or settled by the workers of a Dask cluster.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from inarow._native import positional as _positional
from inarow.errors import DamagedFile, InarowError
from inarow.files import write_atomically
from inarow.positional.rules import Game
from inarow.positional.search.pairings import Pairs, find_pairing
from inarow.symmetry import Symmetry

__all__ = ["MEMORY", "UNLIMITED", "Progress", "Proof", "Searching", "prove", "solver_of"]

UNLIMITED = _positional.UNLIMITED  # moves
MEMORY = 2 << 30  # bytes for the positions a search keeps, unless said

Progress: TypeAlias = Callable[["Searching"], None]

_FORMAT = "inarow search"
_MOST_SYMMETRIES = 512  # more take longer to try than they save
_FIRST_BUDGET = 1 << 16  # nodes
_PAIRING_SECONDS = 5.0
_SAVE_EVERY = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class Proof:
    """What is known of a game: X wins in `moves` moves, or does not win within `none_within`, or never."""

    moves: int | None  # the fewest in which X wins, if it does
    first: int | None  # a move to begin with
    none_within: int  # there is no win in so many moves
    never: bool  # there is none in any number
    why: Literal["search", "pairing"]
    pairing: Pairs | None  # by which O holds every line
    nodes: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        return {
            "wins": self.moves is not None,
            "moves": self.moves,
            "first": self.first,
            "none_within": self.none_within,
            "never": self.never,
            "why": self.why,
            "pairing": None if self.pairing is None else [list(pair) for pair in self.pairing],
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
        }


@dataclass(slots=True)
class Searching:
    """How far a search has come."""

    moves: int = 0  # that are being looked at; `UNLIMITED` for any number
    none_within: int = 0
    nodes: int = 0
    kept: int = 0  # positions in memory
    settled: int = 0  # positions after O's first reply
    refuted: int = 0  # of X's first moves
    firsts: int = 0  # that there are up to symmetry


@dataclass(frozen=True, slots=True)
class Task:
    """A position after O's first reply, and the moves in which X is to win it."""

    x: int
    o: int
    moves: int
    nodes: int | None  # at most; None for any number


class Workers(Protocol):
    """Settle tasks, in any order: True if X wins, False if not, None if the nodes did not suffice."""

    def __call__(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, bool | None, int]]: ...


class _OutOfNodes(Exception):
    pass


def prove(
    game: Game,
    moves: int | None = None,
    *,
    memory: int = MEMORY,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
    dask: str | None = None,
) -> Proof:
    """Find the fewest moves in which X wins, within `moves` if given, or prove that it does not win.

    `memory` is in bytes. What is settled goes to the file `checkpoint` now and then, and when the search is
    interrupted; a later call with the same file goes on from there. `dask` is the address of a scheduler
    whose workers settle the parts.
    """
    if moves is not None and moves < 1:
        raise InarowError(f"moves {moves}: there must be at least one")
    began = time.monotonic()
    state = Searching()
    most = (game.cells + 1) // 2
    last = most if moves is None else min(moves, most)
    if moves is None or moves >= most:
        pairing = find_pairing(game, _PAIRING_SECONDS)
        if pairing is not None:
            return Proof(None, None, most, True, "pairing", pairing, 0, time.monotonic() - began)

    def found(win: tuple[int, int] | None, never: bool) -> Proof:
        fewest, first = (None, None) if win is None else win
        seconds = time.monotonic() - began
        return Proof(fewest, first, state.none_within, never, "search", None, state.nodes, seconds)

    with _workers(game, memory, state, progress, dask) as workers:
        root = _Root(game, workers, state, _Settled(game, checkpoint), progress)
        budget: int | None = _FIRST_BUDGET
        while state.none_within < last:
            won, first = root.settle(state.none_within + 1, budget)
            if won:
                return found((state.none_within + 1, first), False)
            if won is False:
                state.none_within += 1
                continue
            # It takes long. If there is no win at all, that may be easier to see.
            if last == most:
                won, _ = root.settle(UNLIMITED, budget)
                if won is False:
                    state.none_within = most
                    break
            budget = None if won or budget is None else 4 * budget
        return found(None, state.none_within >= most)


class _Root:
    """The empty board, split into positions after a move and a reply."""

    def __init__(
        self,
        game: Game,
        workers: Workers,
        state: Searching,
        settled: _Settled,
        progress: Progress | None,
    ) -> None:
        self._workers = workers
        self._state = state
        self._settled = settled
        self._progress = progress
        symmetries = game.symmetries("full") if _has_few(game) else game.symmetries("geometric")
        self._game = game
        self._replies: dict[int, list[int]] = {}
        lines_through = [sum(line >> cell & 1 for line in game.lines) for cell in range(game.cells)]
        for first in sorted(_orbits(range(game.cells), symmetries), key=lambda cell: -lines_through[cell]):
            fixing = [to for to in symmetries if to[first] == first]
            others = (cell for cell in range(game.cells) if cell != first)
            self._replies[first] = sorted(_orbits(others, fixing), key=lambda cell: -lines_through[cell])
        state.firsts = len(self._replies)

    def settle(self, moves: int, nodes: int | None) -> tuple[bool | None, int]:
        """Whether X wins within so many moves, and the first of them; None if the nodes did not suffice."""
        self._state.moves = moves
        for first in self._replies:
            if self._game.wins(1 << first):
                return True, first
        left = moves if moves == UNLIMITED else moves - 1
        if left < 1 or self._game.cells < 2:
            return False, -1
        open_replies = {first: set(replies) for first, replies in self._replies.items()}
        refuted: set[int] = set()
        unknown: set[int] = set()
        self._state.refuted = 0

        def note(task: Task, won: bool | None) -> None:
            first = task.x.bit_length() - 1
            if won:
                open_replies[first].discard(task.o.bit_length() - 1)
            elif won is None:
                unknown.add(first)
            elif first not in refuted:
                refuted.add(first)
                self._state.refuted += 1

        def wanted() -> Iterator[Task]:
            for first, replies in self._replies.items():
                for reply in replies:
                    if first in refuted or first in unknown:
                        break
                    if not open_replies[first] or any(not others for others in open_replies.values()):
                        return
                    task = Task(1 << first, 1 << reply, left, nodes)
                    known = self._settled.get(task)
                    if known is None:
                        yield task
                    else:
                        note(task, known)

        try:
            for task, won, _ in self._workers(wanted()):
                if won is not None:
                    self._settled.add(task, won)
                    self._state.settled += 1
                note(task, won)
                if self._progress is not None:
                    self._progress(self._state)
                if any(not replies for replies in open_replies.values()):
                    break
        finally:
            self._settled.save()
        for first, replies in open_replies.items():
            if not replies:
                return True, first
        return (None if unknown - refuted else False), -1


class _Settled:
    """What is settled, in a file if there is one."""

    def __init__(self, game: Game, path: Path | None) -> None:
        self._head = {
            "format": _FORMAT,
            "game": game.name,
            "maker_breaker": game.maker_breaker,
            "lines": [f"{line:x}" for line in game.lines],
        }
        self._path = path
        self._won: dict[tuple[int, int, int], bool] = {}
        self._saved = time.monotonic()
        self._changed = False
        if path is not None and path.exists():
            self._read(path)

    def get(self, task: Task) -> bool | None:
        return self._won.get((task.x, task.o, task.moves))

    def add(self, task: Task, won: bool) -> None:
        self._won[task.x, task.o, task.moves] = won
        self._changed = True
        if time.monotonic() - self._saved > _SAVE_EVERY:
            self.save()

    def save(self) -> None:
        if self._path is None or not self._changed:
            return
        rows = [[f"{x:x}", f"{o:x}", moves, won] for (x, o, moves), won in self._won.items()]
        write_atomically(self._path, [json.dumps({**self._head, "settled": rows}).encode()])
        self._saved = time.monotonic()
        self._changed = False

    def _read(self, path: Path) -> None:
        try:
            kept = json.loads(path.read_bytes())
            head = {key: kept[key] for key in self._head}
            won = {(int(x, 16), int(o, 16), int(moves)): bool(w) for x, o, moves, w in kept["settled"]}
        except (ValueError, KeyError, TypeError):
            raise DamagedFile(
                f"{path}: not the state of a search; remove it to begin from the start"
            ) from None
        if head != self._head:
            raise InarowError(
                f"{path}: the state of a search in another game, {head['game']}; remove it first"
            )
        self._won = won


# --- Who settles the tasks ---


def solver_of(game: Game, memory: int = MEMORY) -> _positional.Solver:
    """The search in C++."""
    symmetries = game.symmetries("full") if _has_few(game) else game.symmetries("geometric")
    return _positional.Solver(
        game.cells, list(game.lines), game.maker_breaker, [list(to) for to in symmetries], memory
    )


class Local:
    """Settles tasks one after the other in this process."""

    def __init__(self, game: Game, memory: int, state: Searching, progress: Progress | None) -> None:
        self._limit: int | None = None
        self._state = state
        self._progress = progress
        self._solver = solver_of(game, memory)

    def _report(self, nodes: int, kept: int) -> None:
        self._state.nodes, self._state.kept = nodes, kept
        if self._progress is not None:
            self._progress(self._state)
        if self._limit is not None and nodes > self._limit:
            raise _OutOfNodes

    def __call__(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, bool | None, int]]:
        for task in tasks:
            before = self._solver.nodes
            self._limit = None if task.nodes is None else before + task.nodes
            won: bool | None
            try:
                won = self._solver.solve(task.x, task.o, task.moves, self._report) is not None
            except _OutOfNodes:
                won = None
            self._state.nodes, self._state.kept = self._solver.nodes, self._solver.kept
            yield task, won, self._solver.nodes - before


@contextmanager
def _workers(
    game: Game, memory: int, state: Searching, progress: Progress | None, dask: str | None
) -> Iterator[Workers]:
    if dask is None:
        yield Local(game, memory, state, progress)
    else:
        # Not at the top of the module: few have a cluster.
        from inarow.positional.search.cluster import Cluster

        with Cluster(game, memory, state, dask) as cluster:
            yield cluster


# --- Symmetries ---


@lru_cache(maxsize=64)
def _has_few(game: Game) -> bool:
    try:
        return len(game.symmetries("full")) <= _MOST_SYMMETRIES
    except ValueError:
        return False


def _orbits(cells: Iterable[int], symmetries: Iterable[Symmetry]) -> list[int]:
    """One cell of each set that the symmetries take to each other, the least."""
    symmetries = list(symmetries)
    return sorted({min(to[cell] for to in symmetries) for cell in cells})
