"""A win in Qubic for the first player, found from nothing but the rules, in few positions.

What needs an answer are positions with X to move where nobody can complete a line and X has no forced win by
threats: an assisted player finds the rest by itself. Everything rests on one question: after a quiet move of
X's, which such positions are left when O has replied in every way? Most replies do not stop the forced win
that X would have if O passed. Three things are made of the answers:

1. *Prove*: a best-first search over positions that need an answer, until a set of answers leaves none open.
2. *Widen*: other answers, where they might save positions because other games come to the same ones.
3. *Choose*: one answer for each position, such that few are come to. Annealing; then 2 and 3 again.

The same seed and effort give the same dictionary, where arithmetic rounds in the same way.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from inarow._native.qubic import Choice, Graph
from inarow.errors import DamagedFile, InarowError
from inarow.files import write_atomically
from inarow.positional.dictionary.compress import compress
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game

__all__ = ["DEFAULT_EFFORT", "Progress", "find_win"]

Phase = Literal["prove", "widen", "choose", "compress"]

DEFAULT_EFFORT = 12

_MAGIC = b"inarow search for a win in Qubic, 1\n"
_TABLE_BITS = 22  # of positions without a forced win, 8 bytes each
_AT_ONCE = 500  # expansions between two reports

# How much is looked at. Costs are positions of the dictionary.
_OPENING_SLACK = 220  # answers to O's first move that may cost so much more than the best
_REPLY_SLACK = 6  # likewise to O's second
_DEAREST_REPLY = 75
_SLACKS = (6, 10, 15, 25)  # round by round, what an answer may add beyond what it saves
_EXPANSIONS = 25  # for one position of an alternative
_EXPANSIONS_OF_A_REPLY = 2000  # likewise, after O's second move
_STEPS, _AROUND, _STEPS_AROUND = 1_000_000, 200, 60_000  # of annealing


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the search has come."""

    phase: Phase
    round: int  # of widening and choosing; the proof is 0
    threat_nodes: int  # in this run
    expansions: int  # positions whose moves were judged
    positions: int  # in the smallest dictionary so far; in the proof, what is guessed to be needed


def find_win(
    *,
    effort: int = DEFAULT_EFFORT,
    seed: int = 1,
    memory: int = 4 << 30,
    checkpoint: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Dictionary:
    """Find a win for the first player, and a small dictionary for an assisted one.

    `effort` is the number of rounds in which the dictionary is made smaller; with 0 it is the first that was
    found. With a `checkpoint` the search goes on from that file if it is there, and keeps it up to date: the
    result is the same as without a break. `memory` is in bytes.

    :raises DamagedFile: if the checkpoint is not one.
    :raises InarowError: if the checkpoint is of another seed, or the memory does not suffice.
    """
    search = _Search(seed, memory, progress)
    if checkpoint is not None and checkpoint.exists():
        search.restore(checkpoint)
    try:
        search.prove()
    finally:
        if checkpoint is not None:
            search.keep(checkpoint)
    while search.round < effort:
        search.minimise()
        if checkpoint is not None:
            search.keep(checkpoint)
    return search.dictionary()


@dataclass(slots=True)
class _Search:
    """The graph of positions that need an answer, and the best choice of answers so far."""

    seed: int
    memory: int
    progress: Callable[[Progress], None] | None
    start: tuple[int, int] = (0, 0)  # the position to win from, X's and O's cells
    graph: Graph = field(default_factory=lambda: Graph(_TABLE_BITS))
    root: int = 0
    round: int = 0
    moves: list[tuple[int, int]] = field(default_factory=list)  # the choice: nodes and X's moves there

    def __post_init__(self) -> None:
        self.root = self.graph.node(*self.start)

    # --- Prove ---

    def prove(self) -> None:
        graph = self.graph
        while not graph.solve(self.root, math.inf, _AT_ONCE):
            if not math.isfinite(graph.cost(self.root)):
                raise InarowError("no win was found")
            self._report("prove", int(graph.cost(self.root)))

    # --- Widen ---

    def minimise(self) -> None:
        """A round: more to choose from, then a choice."""
        if self.round == 0:
            self._choose()
            self._widen_openings()
        else:
            self._widen(_SLACKS[(self.round - 1) % len(_SLACKS)])
        self._choose()
        self.round += 1

    def _widen_openings(self) -> None:
        """Other answers to O's first move, and to the second one that follows, where they may be good."""
        graph = self.graph
        graph.reprice(hopeful=False)
        replies: dict[int, None] = {}  # in order, each once
        for node in self._used(1):
            for children in self._good_openings(node):
                for child in children:
                    self._report("widen")
                    if not graph.solve(child, math.inf, _EXPANSIONS_OF_A_REPLY):
                        break
                replies |= dict.fromkeys(children)
        graph.reprice(hopeful=True)
        for node in replies:
            self._report("widen")
            actions = sorted((children for _, children in graph.actions(node)), key=len)
            fewest = min((len(children) for children in actions if len(children) > 1), default=0)
            for children in actions:
                if len(children) <= fewest + _REPLY_SLACK:
                    self._settle(children, set(), 1.5 * fewest + _REPLY_SLACK)

    def _good_openings(self, node: int) -> list[list[int]]:
        """What follows the answers to O's first move that may be worth a look, the best first."""
        graph = self.graph
        if graph.most(node) < 0:
            graph.expand(node)
        guesses = []
        for move, children in graph.actions(node):
            for child in children:
                if graph.most(child) < 0:
                    graph.expand(child)
                    self._report("widen")
            guesses.append((sum(map(self._guess, children)), move, children))
        least = min(guesses)[0]
        return [children for guess, _, children in sorted(guesses) if guess <= least + _OPENING_SLACK]

    def _widen(self, slack: int) -> None:
        """Other answers in the dictionary that might add no more positions than they save, or little more."""
        graph = self.graph
        choice = self._choice()
        used = choice.used(graph)
        known = {node for node, _, _ in used}
        for node, chosen, worth in used:
            if worth == 0 or self._level(node) < 2:
                continue
            while graph.most(node) < worth:  # what is left to find could not save any
                graph.expand(node)
            for move, children in graph.actions(node):
                if move != chosen:
                    self._settle(children, known, worth + slack)
            self._report("widen")

    def _settle(self, children: Iterable[int], known: set[int], bound: float) -> None:
        """Solve the children of an action, as long as those not known may cost no more than the bound."""
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
        """What a position may cost at best, as far as one can tell."""
        cost = self.graph.cost(node)
        return cost if self.graph.solved(node) else min(cost, _DEAREST_REPLY)

    def _guess(self, node: int) -> float:
        """What a position after O's second move may cost."""
        actions = (children for _, children in self.graph.actions(node) if len(children) > 1)
        cost = min((1 + len(children) for children in actions), default=_DEAREST_REPLY)
        return min(cost, self.graph.cost(node)) if self.graph.solved(node) else cost

    # --- Choose ---

    def _choose(self) -> None:
        """Go on from the best choice so far, and begin anew: no small changes may lead to a better one."""
        best = before = len(self._choice())
        for moves in [self.moves, []] if self.moves else [[]]:
            choice = self._choice(moves)
            choice.anneal(_STEPS, 4, 0.15)
            for number in range(_AROUND):
                choice.anneal_around(1, 1 + number % 3, _STEPS_AROUND, 1, 0.15)
                self._report("choose", min(best, len(choice)))
            if len(choice) < best or (len(choice) == before and moves):
                best = len(choice)
                self.moves = [(node, move) for node, move, _ in choice.used(self.graph)]

    def _choice(self, moves: list[tuple[int, int]] | None = None) -> Choice:
        """A choice on the graph as it is now: these moves, or the best so far."""
        choice = Choice(self.graph, self.root, self.seed + self.round)
        choice.start(self.moves if moves is None else moves)
        return choice

    def _used(self, level: int) -> list[int]:
        return [node for node, _, _ in self._choice().used(self.graph) if self._level(node) == level]

    def _level(self, node: int) -> int:
        return self.graph.position(node)[0].bit_count()

    # --- The result ---

    def dictionary(self) -> Dictionary:
        """The positions in the fewest lines that any of the moves found for them give."""
        graph = self.graph
        for node, _, _ in self._choice().used(graph):
            if graph.most(node) < 0:
                graph.expand(node)
        self._report("compress")
        entries = [Entry(*answer) for answer in self._choice().answers(graph, all_moves=True)]
        entries.sort(key=lambda entry: (entry.x.bit_count(), entry))
        found = compress(entries, Game.named("qubic").symmetries("full"), alternatives=True)
        header = (
            "Four in a row in a cube of 4x4x4: a win for the first player, if assisted.\n"
            f"Found by inarow, seed {self.seed}, effort {self.round}: "
            f"{found.positions} positions in {len(found.lines)} lines."
        )
        return Dictionary(Game.named("qubic").cells, found.lines, header)

    # --- Progress and checkpoints ---

    def _report(self, phase: Phase, positions: int | None = None) -> None:
        if self.graph.memory > self.memory:
            raise InarowError(f"the search for a win takes more memory than {self.memory / 1e9:.1f} GB")
        if self.progress is not None:
            if positions is None:
                positions = len(self.moves)
            nodes, expansions = self.graph.threat_nodes, self.graph.expansions
            self.progress(Progress(phase, self.round, nodes, expansions, positions))

    def keep(self, path: Path) -> None:
        state = json.dumps({"seed": self.seed, "round": self.round, "moves": self.moves}).encode()
        data = zlib.compress(len(state).to_bytes(8, "little") + state + self.graph.save(), 1)
        write_atomically(path, [_MAGIC, hashlib.sha256(data).digest(), data])

    def restore(self, path: Path) -> None:
        content = path.read_bytes()
        head = len(_MAGIC) + hashlib.sha256().digest_size
        data = content[head:]
        if content[:head] != _MAGIC + hashlib.sha256(data).digest():
            raise DamagedFile(f"{path}: not the state of a search for a win in Qubic, or damaged")
        data = zlib.decompress(data)
        size = int.from_bytes(data[:8], "little")
        state = json.loads(data[8 : 8 + size])
        if state["seed"] != self.seed:
            raise InarowError(
                f"{path}: the search there was begun with seed {state['seed']}, not {self.seed}"
            )
        self.graph.load(data[8 + size :])
        self.root = self.graph.node(*self.start)
        self.round = state["round"]
        self.moves = [(node, move) for node, move in state["moves"]]
