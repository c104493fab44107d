"""Whether the first player wins a positional game, and in how few moves.

>>> from inarow.positional.rules import Game
>>> proof = prove(Game.named("polyomino:el:3"))
>>> proof.moves, proof.none_within
(3, 2)
>>> prove(Game.named("polyomino:fatty:4")).never
True

The search is in C++ (`native/positional`). It is split at the root into tasks, one for each first move of X
and reply of O. Settled tasks can be kept in a file, from which a later search resumes, and the workers of a
Dask cluster can settle them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from inarow.errors import DamagedFile, InarowError
from inarow.files import write_atomically
from inarow.positional.rules import Game
from inarow.positional.search.cluster import ClusterWorkers
from inarow.positional.search.pairings import Pairs, find_pairing
from inarow.positional.search.tasks import (
    MEMORY,
    UNLIMITED,
    LocalWorker,
    OnProgress,
    SearchProgress,
    Task,
    Workers,
    search_symmetries,
)
from inarow.symmetry import Symmetry
from inarow.words import counted

__all__ = ["Proof", "prove"]

_FORMAT = "inarow search"
_FIRST_BUDGET = 1 << 16  # nodes
_PAIRING_SECONDS = 5.0
_SECONDS_BETWEEN_SAVES = 10.0


@dataclass(frozen=True, slots=True)
class Proof:
    """What a search found out about a game."""

    wins: bool  # X wins
    moves: int | None  # the fewest in which X wins; None if X does not win, or the number is not known
    first: int | None  # X's first move of a win
    none_within: int  # X does not win in this many moves
    never: bool  # X does not win in any number of moves
    why: Literal["search", "pairing"]
    pairing: Pairs | None  # with which O blocks every line
    nodes: int
    seconds: float

    def describe(self) -> str:
        if self.wins:
            fewest = f" in {counted(self.moves, 'move')}, and in no fewer" if self.moves else ""
            return f"X wins{fewest}."
        if not self.never:
            return f"X has no win in {counted(self.none_within, 'move')}."
        how = "pairs of cells block every line" if self.why == "pairing" else "every game was searched"
        return f"X never wins: {how}."

    def to_json(self) -> dict[str, Any]:
        return {
            "wins": self.wins,
            "moves": self.moves,
            "first": self.first,
            "none_within": self.none_within,
            "never": self.never,
            "why": self.why,
            "pairing": None if self.pairing is None else [list(pair) for pair in self.pairing],
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
        }


def prove(
    game: Game,
    moves: int | None = None,
    *,
    memory: int = MEMORY,
    progress: OnProgress | None = None,
    checkpoint: Path | None = None,
    dask: str | None = None,
) -> Proof:
    """Find the fewest moves in which X wins, or prove that X does not win, within `moves` moves if given.

    `memory` is the number of bytes for positions the search keeps. The file `checkpoint` is updated every few
    seconds and when the search is interrupted; a later call with the same file resumes from it. `dask` is the
    address of a scheduler whose workers settle the tasks.

    :raises DamagedFile: if the checkpoint is not one.
    :raises InarowError: if the checkpoint belongs to another game.

    >>> from inarow.positional.rules import Game
    >>> proof = prove(Game.named("mnk:4x4x3"))
    >>> proof.wins, proof.moves
    (True, 3)
    """
    if moves is not None and moves < 1:
        raise InarowError(f"moves {moves}: there must be at least one")
    began = time.monotonic()
    state = SearchProgress()
    most = (game.cells + 1) // 2
    last = most if moves is None else min(moves, most)
    if moves is None or moves >= most:
        pairing = find_pairing(game, _PAIRING_SECONDS)
        if pairing is not None:
            return Proof(False, None, None, most, True, "pairing", pairing, 0, time.monotonic() - began)

    def found(win: tuple[int, int] | None, never: bool) -> Proof:
        fewest, first = (None, None) if win is None else win
        seconds = time.monotonic() - began
        return Proof(
            win is not None, fewest, first, state.none_within, never, "search", None, state.nodes, seconds
        )

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
            # This takes long. That there is no win at all may be easier to prove.
            if last == most:
                won, _ = root.settle(UNLIMITED, budget)
                if won is False:
                    state.none_within = most
                    break
            budget = None if won or budget is None else 4 * budget
        return found(None, state.none_within >= most)


class _Root:
    """The empty board, split into a task for each first move and reply, up to symmetry."""

    def __init__(
        self,
        game: Game,
        workers: Workers,
        state: SearchProgress,
        settled: _Settled,
        progress: OnProgress | None,
    ) -> None:
        self._workers = workers
        self._state = state
        self._settled = settled
        self._progress = progress
        symmetries = search_symmetries(game)
        self._game = game
        self._replies: dict[int, list[int]] = {}
        lines_through = [sum(line >> cell & 1 for line in game.lines) for cell in range(game.cells)]
        for first in sorted(_orbits(range(game.cells), symmetries), key=lambda cell: -lines_through[cell]):
            fixing = [to for to in symmetries if to[first] == first]
            others = (cell for cell in range(game.cells) if cell != first)
            self._replies[first] = sorted(_orbits(others, fixing), key=lambda cell: -lines_through[cell])
        state.firsts = len(self._replies)

    def settle(self, moves: int, nodes: int | None) -> tuple[bool | None, int]:
        """Whether X wins within `moves` moves, and its first move; None if the nodes did not suffice."""
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
    """The settled tasks, kept in a file if a path is given."""

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
        if time.monotonic() - self._saved > _SECONDS_BETWEEN_SAVES:
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
                f"{path}: not the state of a search; remove it to start from the beginning"
            ) from None
        if head != self._head:
            raise InarowError(
                f"{path}: the state of a search for another game, {head['game']}; remove it first"
            )
        self._won = won


@contextmanager
def _workers(
    game: Game, memory: int, state: SearchProgress, progress: OnProgress | None, dask: str | None
) -> Iterator[Workers]:
    if dask is None:
        yield LocalWorker(game, memory, state, progress)
    else:
        with ClusterWorkers(game, memory, state, dask) as workers:
            yield workers


def _orbits(cells: Iterable[int], symmetries: Iterable[Symmetry]) -> list[int]:
    """The least cell of each orbit under the symmetries."""
    symmetries = list(symmetries)
    return sorted({min(to[cell] for to in symmetries) for cell in cells})
