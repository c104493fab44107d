"""Whether the first player wins a positional game, and in how few moves.

The search is in C++ (`native/positional`). It is split at the root into tasks, one for each first move of X
and reply of O. Settled tasks can be kept in a file, from which a later search resumes, and the workers of a
Dask cluster can settle them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeAlias

from inarow._native.positional import UNLIMITED, WinSearch
from inarow.cluster import connect
from inarow.errors import DamagedFile, InarowError
from inarow.files import write_atomically
from inarow.positional.rules import Game
from inarow.positional.search import MEMORY
from inarow.positional.search.pairings import Pairs, find_pairing
from inarow.symmetry import Symmetry, SymmetryKind
from inarow.words import counted

_FORMAT = "inarow search"
_FIRST_BUDGET = 1 << 16  # nodes
_PAIRING_SECONDS = 5.0
_SECONDS_BETWEEN_SAVES = 10.0
_MOST_SYMMETRIES = 512  # more take longer to try than they save
_TASKS_PER_THREAD = 2  # submitted to a cluster at a time, so that no thread waits for its next task


@dataclass(slots=True)
class SearchProgress:
    """How far a search has come."""

    none_within: int = 0  # moves in which there is no win
    nodes: int = 0
    kept: int = 0  # positions in memory
    settled: int = 0  # tasks
    refuted: int = 0  # of X's first moves
    firsts: int = 0  # X's first moves up to symmetry

    def describe(self) -> str:
        return (
            f"searching: no win in {counted(self.none_within, 'move')}; {counted(self.nodes, 'node')}, "
            f"{counted(self.kept, 'position')} kept, {self.refuted} of "
            f"{counted(self.firsts, 'first move')} refuted"
        )


OnProgress: TypeAlias = Callable[[SearchProgress], None]
Why: TypeAlias = Literal["search", "pairing"]


@dataclass(frozen=True, slots=True)
class Proof:
    """What a search found out about a game."""

    wins: bool  # X wins
    moves: int | None  # the fewest in which X wins; None if X does not win, or the number is not known
    first: int | None  # X's first move of a win
    none_within: int  # X does not win in this many moves
    never: bool  # X does not win in any number of moves
    why: Why
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
        return asdict(self) | {"seconds": round(self.seconds, 3)}


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

    >>> prove(Game.named("mnk:4x4x3")).moves
    3
    """
    if moves is not None and moves < 1:
        raise InarowError(f"moves {moves}: there must be at least one")
    began = time.monotonic()
    state = SearchProgress()
    most = (game.cells + 1) // 2
    last = most if moves is None else min(moves, most)

    def found(win: tuple[int, int] | None, never: bool, pairing: Pairs | None = None) -> Proof:
        fewest, first = (None, None) if win is None else win
        none_within = most if pairing else state.none_within
        why: Why = "pairing" if pairing else "search"
        seconds = time.monotonic() - began
        wins = win is not None
        return Proof(wins, fewest, first, none_within, never, why, pairing, state.nodes, seconds)

    if last == most and (pairing := find_pairing(game, _PAIRING_SECONDS)):
        return found(None, True, pairing)

    def report() -> None:
        if progress is not None:
            progress(state)

    with ExitStack() as stack:
        if dask is None:
            workers: _Workers = partial(_on_this_thread, win_search(game, memory), state, report)
        else:
            client = connect(dask)
            stack.callback(client.close)
            workers = partial(_on_cluster, client, game, memory, state)
        root = _Root(game, workers, state, _Settled(game, checkpoint), report)
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


class Task(NamedTuple):
    """A position after O's first reply, which X is to win within some number of moves."""

    x: int
    o: int
    moves: int
    nodes: int | None  # the most to search; None for any number


# Settle tasks in any order: True if X wins, False if not, None if the nodes did not suffice.
_Workers: TypeAlias = Callable[[Iterable[Task]], Iterator[tuple[Task, bool | None]]]


@dataclass(slots=True)
class _Root:
    """The empty board, split into a task for each first move and reply, up to symmetry."""

    game: Game
    workers: _Workers
    state: SearchProgress
    settled: _Settled
    report: Callable[[], None]
    replies: dict[int, list[int]] = field(default_factory=dict)  # to each first move

    def __post_init__(self) -> None:
        cells, symmetries = range(self.game.cells), _symmetries(self.game)
        lines_through = [sum(line >> cell & 1 for line in self.game.lines) for cell in cells]

        def orbits(among: Iterable[int], symmetries: Iterable[Symmetry]) -> list[int]:
            """The least cell of each orbit, those in many lines first."""
            least = {min(to[cell] for to in symmetries) for cell in among}
            return sorted(least, key=lambda cell: (-lines_through[cell], cell))

        for first in orbits(cells, symmetries):
            fixing = [to for to in symmetries if to[first] == first]
            self.replies[first] = orbits((cell for cell in cells if cell != first), fixing)
        self.state.firsts = len(self.replies)

    def settle(self, moves: int, nodes: int | None) -> tuple[bool | None, int]:
        """Whether X wins within `moves` moves, and its first move; None if the nodes did not suffice."""
        if at_once := [first for first in self.replies if self.game.wins(1 << first)]:
            return True, at_once[0]
        left = moves if moves == UNLIMITED else moves - 1
        if left < 1 or self.game.cells < 2:
            return False, -1
        open_replies = {first: set(replies) for first, replies in self.replies.items()}
        values: dict[int, bool | None] = {}  # of first moves; None: the nodes did not suffice

        def note(task: Task, won: bool | None) -> None:
            first = task.x.bit_length() - 1
            if won:
                open_replies[first].discard(task.o.bit_length() - 1)
                if not open_replies[first]:
                    values[first] = True
            elif values.get(first) is not False:
                values[first] = won
            self.state.refuted = list(values.values()).count(False)

        def wanted() -> Iterator[Task]:
            for first, replies in self.replies.items():
                for reply in replies:
                    if True in values.values():
                        return
                    if first in values:
                        break
                    task = Task(1 << first, 1 << reply, left, nodes)
                    known = self.settled.won.get(task[:3])
                    if known is None:
                        yield task
                    else:
                        note(task, known)

        try:
            for task, won in self.workers(wanted()):
                if won is not None:
                    self.settled.add(task, won)
                    self.state.settled += 1
                note(task, won)
                self.report()
                if True in values.values():
                    break
        finally:
            self.settled.save()
        for first, value in values.items():
            if value:
                return True, first
        return (None if None in values.values() else False), -1


class _Settled:
    """The settled tasks, kept in a file if a path is given."""

    def __init__(self, game: Game, path: Path | None) -> None:
        lines = [f"{line:x}" for line in game.lines]
        self._head = {
            "format": _FORMAT,
            "game": game.name,
            "maker_breaker": game.maker_breaker,
            "lines": lines,
        }
        self._path = path
        self.won: dict[tuple[int, int, int], bool] = {}
        if path is not None and path.exists():
            self._read(path)
        self._saved = len(self.won)
        self._saved_at = time.monotonic()

    def add(self, task: Task, won: bool) -> None:
        self.won[task[:3]] = won
        if time.monotonic() - self._saved_at > _SECONDS_BETWEEN_SAVES:
            self.save()

    def save(self) -> None:
        if self._path is None or len(self.won) == self._saved:
            return
        rows = [[f"{x:x}", f"{o:x}", moves, won] for (x, o, moves), won in self.won.items()]
        write_atomically(self._path, [json.dumps({**self._head, "settled": rows}).encode()])
        self._saved = len(self.won)
        self._saved_at = time.monotonic()

    def _read(self, path: Path) -> None:
        try:
            kept = json.loads(path.read_bytes())
            head = {key: kept[key] for key in self._head}
            self.won = {(int(x, 16), int(o, 16), int(moves)): bool(w) for x, o, moves, w in kept["settled"]}
        except (ValueError, KeyError, TypeError):
            reason = "not the state of a search; remove it to start from the beginning"
            raise DamagedFile(f"{path}: {reason}") from None
        if head != self._head:
            other = f"the state of a search for another game, {head['game']}"
            raise InarowError(f"{path}: {other}; remove it first")


# --- Who settles the tasks ---


class _OutOfNodes(Exception):
    pass


def _on_this_thread(
    search: WinSearch, state: SearchProgress, report: Callable[[], None], tasks: Iterable[Task]
) -> Iterator[tuple[Task, bool | None]]:
    return ((task, _settle(search, task, state, report)) for task in tasks)


def _settle(
    search: WinSearch, task: Task, state: SearchProgress, report: Callable[[], None] = lambda: None
) -> bool | None:
    limit = None if task.nodes is None else search.nodes + task.nodes

    def count(nodes: int, kept: int) -> None:
        state.nodes, state.kept = nodes, kept
        report()
        if limit is not None and nodes > limit:
            raise _OutOfNodes

    try:
        return search.solve(task.x, task.o, task.moves, count) is not None
    except _OutOfNodes:
        return None
    finally:
        state.nodes, state.kept = search.nodes, search.kept


def win_search(game: Game, memory: int = MEMORY) -> WinSearch:
    """The C++ search for a game, with at most `memory` bytes for positions."""
    symmetries = [list(to) for to in _symmetries(game)]
    return WinSearch(game.cells, list(game.lines), game.maker_breaker, symmetries, memory)


@lru_cache(maxsize=64)
def _symmetries(game: Game) -> tuple[Symmetry, ...]:
    """All symmetries, or the geometric ones where there are too many to try."""
    most = game.symmetries(symmetry_kind(game))
    return most if len(most) <= _MOST_SYMMETRIES else game.symmetries("geometric")


def symmetry_kind(game: Game) -> SymmetryKind:
    """All symmetries, if they can be listed."""
    try:
        game.symmetries("full")
    except ValueError:
        return "geometric"
    return "full"


def _on_cluster(
    client: Any, game: Game, memory: int, state: SearchProgress, tasks: Iterable[Task]
) -> Iterator[tuple[Task, bool | None]]:
    """Have the workers of a Dask cluster settle tasks. If one is lost, another gets its tasks."""
    from distributed import as_completed  # optional: `connect` says how to install it

    rest = iter(tasks)
    done: Any = as_completed(loop=client.loop)  # type: ignore[no-untyped-call]
    waiting: dict[Any, Task] = {}

    def submit() -> None:
        while len(waiting) < max(1, _TASKS_PER_THREAD * sum(client.nthreads().values())):
            task = next(rest, None)
            if task is None:
                return
            future = client.submit(_settle_there, game, memory, task, pure=False)
            waiting[future] = task
            done.add(future)

    try:
        submit()
        while waiting:
            future = next(done)
            task = waiting.pop(future)
            won, nodes = future.result()
            state.nodes += nodes
            yield task, won
            submit()
    finally:
        client.cancel(list(waiting))


_ONE_AT_A_TIME = Lock()  # the threads of a cluster's worker share one search and what it has found
_one_search = lru_cache(maxsize=1)(win_search)


def _settle_there(game: Game, memory: int, task: Task) -> tuple[bool | None, int]:
    """Whether X wins, and the nodes that took: on a worker of a cluster."""
    with _ONE_AT_A_TIME:
        search = _one_search(game, memory)
        before = search.nodes
        return _settle(search, task, SearchProgress()), search.nodes - before
