"""Solve 5×5 Quixo on a GPU, and check a sample of every class with an independent program.

    python docs/results/reproduce_quixo_5x5.py FOLDER [--check] [LINE:RULE ...]

Writes to FOLDER, for each of the rules (all six, unless some are named as 4:wins), the counts behind
`inarow quixo results` and a book: what `inarow quixo solve --size 5 --device cuda --out FOLDER --no-store`
does. With --check it solves again, compares the counts with those files, and has a sample of every pair re-
derived from its children by the checker of `inarow quixo verify`, which shares no code with the solver; and
for the official game it writes FOLDER/5x5-longest-win.json, a game of optimal play from a position of the
longest win. To check takes 80 GB of the GPU's memory and 110 GB of the machine's; to solve, 21 and 20 GB.
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

import inarow
from inarow._native.quixo import Locator
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.engines.cuda import CudaEngine, SolvedPair
from inarow.quixo.solver.engines.gpu_pairs import GpuPairSolver
from inarow.quixo.solver.schedule import solve_pairs
from inarow.quixo.solver.solution import data_name
from inarow.quixo.table.store import Store
from inarow.verify.quixo.rules import Rules, planes_of
from inarow.verify.quixo.sample import derived

PIECE, SLAB = 1 << 16, 1 << 26  # entries packed together, and packed by one thread


class Sampler:
    """Has entries of each plane re-derived from the rules and the entries of their children."""

    def __init__(self, rules: Quixo, per_plane: int) -> None:
        self.game, self.per_plane = Rules.from_json(rules.to_json(), rules.name).game, per_plane
        self.random = np.random.default_rng(5)
        self.pairs: dict[tuple[int, int], Any] = {}  # of this layer and the one above
        self.checked = 0

    def __call__(self, a: int, b: int, entries: Any) -> None:
        self.pairs = {pair: kept for pair, kept in self.pairs.items() if sum(pair) <= a + b + 1}
        self.pairs[a, b] = entries
        for plane in planes_of((a, b)):
            numbers = self.random.integers(self.game.of_plane(a, b), size=self.per_plane, dtype=np.uint64)
            words = self.game.positions(a, b, bool(plane), numbers)
            if np.any(self.values(words) != derived(self.game, words, self.values)):
                raise SystemExit(f"pair {{{a}, {b}}}, plane {plane}: an entry does not follow")
            self.checked += numbers.size

    def values(self, words: Any) -> Any:
        found = np.empty(words.size, np.uint32)
        planes, numbers = self.game.places(words)
        for plane in np.unique(planes).tolist():
            here, entries = np.flatnonzero(planes == plane), self.pairs[plane >> 6, plane >> 1 & 31]
            found[here] = entries[numbers[here] + np.uint64((plane & 1) * (entries.size // 2))]
        return found


class Losses:
    """Keeps, packed, the plies of all lost positions: what else there is follows from them."""

    def __init__(self, rules: Quixo) -> None:
        self.rules = rules
        self.locator = Locator(rules.native)
        self.threads = ThreadPoolExecutor()
        self.pairs: dict[tuple[int, int], list[bytes]] = {}
        self.longest = 0, 0, 0, 0  # plies of a win, and where it is: a, b and the number of its entry
        self._piece = lru_cache(maxsize=4096)(self._unpacked)

    def __call__(self, a: int, b: int, entries: Any) -> None:
        slabs = range(0, entries.size, SLAB)
        packed = self.threads.map(self._packed, (entries[i : i + SLAB] for i in slabs))
        self.pairs[a, b] = []
        for first, (pieces, plies, where) in zip(slabs, packed, strict=True):
            self.pairs[a, b] += pieces
            if plies > self.longest[0]:
                self.longest = plies, a, b, first + where

    @staticmethod
    def _packed(slab: Any) -> tuple[list[bytes], int, int]:
        lost = np.where(slab < 255, slab + 1, 0).astype(np.uint8)
        plies = 65535 - int(slab[slab > 32767].min(initial=65535))
        pieces = [zlib.compress(lost[i : i + PIECE].tobytes(), 1) for i in range(0, lost.size, PIECE)]
        return pieces, plies, int(np.argmax(slab == 65535 - plies))

    def _unpacked(self, a: int, b: int, piece: int) -> bytes:
        return zlib.decompress(self.pairs[a, b][piece])

    def lost_in(self, position: Position) -> int | None:
        """The plies of a lost position; None if it is not lost."""
        located = self.locator.locate(position.mover_word)
        assert located is not None
        a, b, plane, block, rank = located
        piece, at = divmod((plane * self.locator.block_count(a) + block) * comb(25 - a, b) + rank, PIECE)
        plies = self._piece(a, b, piece)[at]
        return plies - 1 if plies else None

    def won_in(self, position: Position) -> int:
        """The plies of a position that is known to be won."""
        if position.is_over:
            return 0
        lost = [self.lost_in(position.play(move)) for move in position.legal_moves()]
        return 1 + min(plies for plies in lost if plies is not None)

    def longest_game(self) -> dict[str, Any]:
        """A game of optimal play from a position of the longest win."""
        plies, a, b, entry = self.longest
        block, rank = divmod(entry, comb(25 - a, b))
        plane, block = divmod(block, self.locator.block_count(a))
        begin = position = self.rules.from_word(self.locator.word(a, b, plane, block, rank))
        moves = []
        while not position.is_over:
            children = [position.play(move) for move in position.legal_moves()]
            if len(moves) % 2 == 0:
                position = next(child for child in children if self.lost_in(child) == plies - 1)
            else:
                position = max(children, key=self.won_in)
            plies -= 1
            assert position.last_move is not None
            moves.append(self.rules.move_text(position.last_move))
        assert plies == 0, "the game is as long as the table says"
        return {"position": str(begin), "moves": moves}


def solve(rules: Quixo, folder: Path) -> None:
    solution = inarow.solve(rules, folder, device="cuda", store=False)
    timing = ", ".join(f"{part} {seconds:.1f}" for part, seconds in solution.timing.items())
    states = solution.statistics.states
    print(f"{rules}: {solution.start}, {states}, {solution.seconds:.1f} s ({timing})", flush=True)


def check(rules: Quixo, folder: Path) -> None:
    began = time.perf_counter()
    sampler = Sampler(rules, per_plane=2048)
    losses = Losses(rules) if rules == Quixo(5) else None

    def watch(solver: GpuPairSolver, pair: SolvedPair) -> None:
        entries = solver.device.host(pair.entries)
        sampler(pair.a, pair.b, entries)
        if losses:
            losses(pair.a, pair.b, entries)

    statistics = solve_pairs(rules, CudaEngine(rules, watch=watch), Store())
    found = [[c.x, c.o, c.draw, [list(row) for row in c.by_plies]] for c in statistics.classes]
    expected = json.loads((folder / data_name(rules)).read_text())["classes"]
    if found != [[c["x"], c["o"], c["draw"], c["by_plies"]] for c in expected]:
        raise SystemExit(f"{rules}: other counts than in {folder / data_name(rules)}")
    seconds = time.perf_counter() - began
    print(f"{rules}: the same counts; {sampler.checked:,} entries re-derived, {seconds:.1f} s", flush=True)
    if losses:
        game = losses.longest_game()
        (folder / "5x5-longest-win.json").write_text(json.dumps(game) + "\n")
        print(f"{game['position']} wins in {len(game['moves'])}, no position later", flush=True)


def main(folder: str, *arguments: str) -> None:
    work = check if "--check" in arguments else solve
    variants = [argument for argument in arguments if argument != "--check"]
    for variant in variants or [f"{line}:{rule}" for line in (5, 4, 3) for rule in ("loses", "wins")]:
        line, double_line = variant.split(":")
        work(Quixo(5, int(line), double_line), Path(folder))  # type: ignore[arg-type]


if __name__ == "__main__":
    main(*sys.argv[1:])
