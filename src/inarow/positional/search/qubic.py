"""A win in Qubic for the first player, in few positions, found from the rules alone.

The positions that need an answer are those with X to move in which nobody can complete a line and X has no
forced win by threats: an assisted player handles all others without help. The search rests on one question:
after a quiet move of X, which positions that need an answer remain, over all replies of O? Most replies do
not stop the forced win that X would have if O passed. The search has three phases:

1. *Prove*: a best-first search over the positions that need an answer, until a set of answers covers all of
   them.
2. *Widen*: look for alternative answers that could save positions because they lead to positions needed
   anyway.
3. *Choose*: by annealing, one answer for each position such that few positions are reachable. Then widen
again.

The same seed and effort give the same win, on machines that round alike.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Literal, TypeAlias

from inarow._native.qubic import Choice, Graph
from inarow.errors import DamagedFile, InarowError
from inarow.files import write_atomically
from inarow.positional.search import MEMORY
from inarow.words import counted, size_text

EFFORT, SEED = 12, 1  # by default

Phase = Literal["prove", "widen", "choose"]

_MAGIC = b"inarow search for a win in Qubic, 1\n"
_TABLE_BITS = 22  # of the table of positions without a forced win, 8 bytes each
_EXPANSIONS_PER_REPORT = 500

# The extent of the search. Costs are counted in positions that need an answer.
_OPENING_SLACK = 220  # how much more than the best an answer to O's first move may cost
_REPLY_SLACK = 6  # likewise for O's second move
_DEAREST_REPLY = 75
_SLACKS = (6, 10, 15, 25)  # for each round, what an answer may add beyond what it saves
_EXPANSIONS = 25  # for one position of an alternative
_EXPANSIONS_OF_A_REPLY = 2000  # likewise, after O's second move
_STEPS, _AROUND, _STEPS_AROUND = 1_000_000, 200, 60_000  # of annealing

_DOING: dict[Phase, str] = {
    "prove": "looking for a win",
    "widen": "looking for other answers",
    "choose": "choosing answers",
}


@dataclass(frozen=True, slots=True)
class QubicProgress:
    """How far the search has come."""

    phase: Phase
    round: int  # of widening and choosing; 0 in the proof
    threat_nodes: int  # in this run
    expansions: int  # positions whose moves were judged
    positions: int  # of the smallest win so far; in the proof, an estimate

    def describe(self) -> str:
        about = "about " if self.phase == "prove" else ""
        return (
            f"{_DOING[self.phase]}, round {self.round}: {about}{counted(self.positions, 'position')}, "
            f"{self.threat_nodes / 1e6:,.0f} million nodes, {self.expansions:,} expanded"
        )


OnProgress: TypeAlias = Callable[[QubicProgress], None]


# Positions that need an answer, as X's cells, O's cells and the cell of an answer, in order.
Answers: TypeAlias = list[tuple[int, int, int]]


def find_win(
    *,
    effort: int = EFFORT,
    seed: int = SEED,
    memory: int = MEMORY,
    checkpoint: Path | None = None,
    progress: OnProgress | None = None,
) -> tuple[Answers, int]:
    """A win of the first player in which few positions need an answer, and the nodes searched for it.

    A position has every answer after which only positions of the win remain: any of them will do. `effort` is
    the number of rounds in which the win is made smaller; 0 gives the first win found. `memory` is in bytes.
    With a `checkpoint`, the search resumes from that file if it exists and keeps it up to date; the result is
    the same as that of an uninterrupted search.

    :raises DamagedFile: if the checkpoint is not one.
    :raises InarowError: if the checkpoint has another seed or more rounds, or the memory does not suffice.
    """
    if min(effort, seed) < 0:
        raise InarowError(f"effort {effort}, seed {seed}: must not be negative")
    search = _Search(seed, memory, progress)
    if checkpoint is not None and checkpoint.exists():
        search.restore(checkpoint)
        if search.round > effort:
            raise InarowError(
                f"{checkpoint}: the search there has had {counted(search.round, 'round')}, more than "
                f"effort {effort} asks for; remove the file first"
            )
    try:
        search.prove()
    finally:
        if checkpoint is not None:
            search.save(checkpoint)
    while search.round < effort:
        search.minimise()
        if checkpoint is not None:
            search.save(checkpoint)
    return search.answers(), search.graph.threat_nodes


class _Search:
    """The graph of positions that need an answer, and the best choice of answers so far."""

    def __init__(
        self, seed: int, memory: int, progress: OnProgress | None, start: tuple[int, int] = (0, 0)
    ) -> None:
        self.seed, self.memory, self.progress = seed, memory, progress
        self.start = start  # X's and O's cells in the position to win
        self.graph = Graph(_TABLE_BITS)
        self.root = self.graph.node(*start)
        self.round = 0
        self.moves: list[tuple[int, int]] = []  # the choice: nodes and X's moves there

    # --- Prove ---

    def prove(self) -> None:
        graph = self.graph
        while not graph.solve(self.root, math.inf, _EXPANSIONS_PER_REPORT):
            if not math.isfinite(graph.cost(self.root)):
                raise InarowError("no win was found")
            self._report("prove", int(graph.cost(self.root)))

    # --- Widen ---

    def minimise(self) -> None:
        """One round: widen, then choose."""
        if self.round == 0:
            self._choose()
            self._widen_openings()
        else:
            self._widen(_SLACKS[(self.round - 1) % len(_SLACKS)])
        self._choose()
        self.round += 1

    def _widen_openings(self) -> None:
        """Look for other promising answers to O's first move, and to O's second move after those."""
        graph = self.graph
        graph.reset_costs(optimistic=False)
        replies: dict[int, None] = {}  # an ordered set
        for node in self._used(1):
            for children in self._good_openings(node):
                for child in children:
                    self._report("widen")
                    if not graph.solve(child, math.inf, _EXPANSIONS_OF_A_REPLY):
                        break
                replies |= dict.fromkeys(children)
        graph.reset_costs(optimistic=True)
        for node in replies:
            self._report("widen")
            actions = sorted((children for _, children in graph.actions(node)), key=len)
            fewest = min((len(children) for children in actions if len(children) > 1), default=0)
            for children in actions:
                if len(children) <= fewest + _REPLY_SLACK:
                    self._settle(children, set(), 1.5 * fewest + _REPLY_SLACK)

    def _good_openings(self, node: int) -> list[list[int]]:
        """The children of the answers to O's first move that are worth a look, the best first."""
        graph = self.graph
        if graph.known_up_to(node) < 0:
            graph.expand(node)
        guesses = []
        for move, children in graph.actions(node):
            for child in children:
                if graph.known_up_to(child) < 0:
                    graph.expand(child)
                    self._report("widen")
            guesses.append((sum(map(self._guess, children)), move, children))
        least = min(guesses)[0]
        return [children for guess, _, children in sorted(guesses) if guess <= least + _OPENING_SLACK]

    def _widen(self, slack: int) -> None:
        """Look for other answers that may add no more positions than they save, or at most `slack` more."""
        graph = self.graph
        choice = self._choice()
        used = choice.used(graph)
        known = {node for node, _, _ in used}
        for node, chosen, worth in used:
            if worth == 0 or self._level(node) < 2:
                continue
            while graph.known_up_to(node) < worth:  # other moves leave too many positions to save any
                graph.expand(node)
            for move, children in graph.actions(node):
                if move != chosen:
                    self._settle(children, known, worth + slack)
            self._report("widen")

    def _settle(self, children: Iterable[int], known: set[int], bound: float) -> None:
        """Solve the children of an action, as long as the unknown ones may cost no more than the bound."""
        new = [child for child in children if child not in known]
        least = {child: self._least_cost(child) for child in new}
        total = sum(least.values())
        open_ones = [child for child in new if not self.graph.solved(child)]
        for child in sorted(open_ones, key=lambda child: -least[child]):
            if total > bound:
                return
            room = bound - (total - least[child])
            if not self.graph.solve(child, room + 0.5, _EXPANSIONS):
                return
            total += self.graph.cost(child) - least[child]

    def _least_cost(self, node: int) -> float:
        """A lower estimate of what a position costs."""
        cost = self.graph.cost(node)
        return cost if self.graph.solved(node) else min(cost, _DEAREST_REPLY)

    def _guess(self, node: int) -> float:
        """An estimate of what a position after O's second move costs."""
        actions = (children for _, children in self.graph.actions(node) if len(children) > 1)
        cost = min((1 + len(children) for children in actions), default=_DEAREST_REPLY)
        return min(cost, self.graph.cost(node)) if self.graph.solved(node) else cost

    # --- Choose ---

    def _choose(self) -> None:
        """Anneal from the best choice so far, and from scratch in case that is a local minimum."""
        best = before = len(self._choice())
        starts = [self.moves, []] if self.moves else [[]]
        choices = [self._choice(moves) for moves in starts]
        ended = Event()
        with ThreadPoolExecutor(1) as beside:  # neither depends on the other
            others = [beside.submit(_anneal, choice, ended) for choice in choices[1:]]
            try:
                _anneal(choices[0], ended, lambda: self._report("choose", min(best, len(choices[0]))))
                for other in others:
                    other.result()
            finally:
                ended.set()
        for moves, choice in zip(starts, choices, strict=True):
            if len(choice) < best or (len(choice) == before and moves):
                best = len(choice)
                self.moves = [(node, move) for node, move, _ in choice.used(self.graph)]

    def _choice(self, moves: list[tuple[int, int]] | None = None) -> Choice:
        """A choice on the current graph: the given moves, or the best so far."""
        choice = Choice(self.graph, self.root, self.seed + self.round)
        choice.start(self.moves if moves is None else moves)
        return choice

    def _used(self, level: int) -> list[int]:
        return [node for node, _, _ in self._choice().used(self.graph) if self._level(node) == level]

    def _level(self, node: int) -> int:
        return self.graph.position(node)[0].bit_count()

    # --- The result ---

    def answers(self) -> Answers:
        graph = self.graph
        for node, _, _ in self._choice().used(graph):
            if graph.known_up_to(node) < 0:
                graph.expand(node)
        answers = self._choice().answers(graph, all_moves=True)
        return sorted(answers, key=lambda answer: (answer[0].bit_count(), answer))

    # --- Progress and checkpoints ---

    def _report(self, phase: Phase, positions: int | None = None) -> None:
        if self.graph.memory > self.memory:
            raise InarowError(f"the search for a win needs more than {size_text(self.memory)} of memory")
        if self.progress is not None:
            positions = len(self.moves) if positions is None else positions
            nodes, expansions = self.graph.threat_nodes, self.graph.expansions
            self.progress(QubicProgress(phase, self.round, nodes, expansions, positions))

    def save(self, path: Path) -> None:
        state = json.dumps({"seed": self.seed, "round": self.round, "moves": self.moves}).encode()
        data = zlib.compress(len(state).to_bytes(8, "little") + state + self.graph.save(), 1)
        write_atomically(path, [_MAGIC, hashlib.sha256(data).digest(), data])

    def restore(self, path: Path) -> None:
        content = path.read_bytes()
        head = len(_MAGIC) + hashlib.sha256().digest_size
        data = content[head:]
        if content[:head] != _MAGIC + hashlib.sha256(data).digest():
            reason = "not the state of a search for a win in Qubic, or damaged"
            raise DamagedFile(f"{path}: {reason}; remove it to start from the beginning")
        data = zlib.decompress(data)
        size = int.from_bytes(data[:8], "little")
        state = json.loads(data[8 : 8 + size])
        if state["seed"] != self.seed:
            reason = f"the search there was started with seed {state['seed']}, not {self.seed}"
            raise InarowError(f"{path}: {reason}")
        self.graph.load(data[8 + size :])
        self.root = self.graph.node(*self.start)
        self.round = state["round"]
        self.moves = [(node, move) for node, move in state["moves"]]


def _anneal(choice: Choice, ended: Event, report: Callable[[], None] = lambda: None) -> None:
    choice.anneal(_STEPS, 4, 0.15)
    for number in range(_AROUND):
        if ended.is_set():
            return
        choice.anneal_around(1, 1 + number % 3, _STEPS_AROUND, 1, 0.15)
        report()
