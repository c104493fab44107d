"""The schedule of all solving: layers of pairs, from full boards down to the empty one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from inarow.quixo.rules import Quixo
from inarow.quixo.solver.engines.engine import Engine
from inarow.quixo.statistics import ClassCounts, Statistics
from inarow.quixo.table.pairs import PairId, entry_count, layers_of, pairs_of
from inarow.quixo.table.store import Progress, Store, StoredPair

LARGE = 1 << 22  # bytes of a pair in memory that are given up for its file


def solve_pairs(
    rules: Quixo,
    engine: Engine,
    store: Store,
    *,
    stop_at: int = 0,
    room: int = 0,
    progress: Progress | None = None,
    work: Callable[[PairId], int] | None = None,
) -> Statistics:
    """Solve all pairs with at least `stop_at` marks that the store does not have yet.

    Large pairs are given up for their files, and the next one waits until they are written, unless there is
    `room`: bytes of memory for pairs that the layer below will need, or that are still to be written. For an
    engine that solves pairs side by side, half of what is left of it when a layer begins is for those.

    `progress` hears of the `work` done and of all of it: how much a pair is, by default its entries. What the
    store has is not mentioned before something is solved, so that it does not pass for speed.

    An exception may leave it at any time, also from `progress`: a store on disk is resumed by the next run.
    """
    work = work or partial(_entries, rules)
    total = sum(map(work, pairs_of(rules, stop_at)))
    done = 0
    begun = False
    classes: list[ClassCounts] = []
    above: dict[PairId, Any] = {}
    held_above: list[_Held] = []
    for layer in layers_of(rules, stop_at):
        # Pairs with the same number of marks do not depend on each other, and may be solved together.
        stored = {pair: store.find(*pair) for pair in layer}
        left = [pair for pair in layer if stored[pair] is None]
        if left:  # stored pairs are loaded only if something is solved from them
            above = {p: engine.load(of) if isinstance(of, StoredPair) else of for p, of in above.items()}
        beside = 0
        if engine.pairs_at_once > 1:
            beside = max(0, room - sum(other.memory for other in held_above)) // 2
        kept: dict[PairId, Any] = {}
        held: list[_Held] = []
        with closing(engine.solve_layer(left, above, beside)) as solving:
            for pair in layer:
                found = stored[pair]
                if found is None:
                    begun = True
                    solved = next(solving)
                    classes += solved.classes
                    kept[pair] = solved.kept
                    saving = store.save(*pair, solved.classes, partial(engine.content, solved.kept))
                    if saving is not None:
                        in_memory = solved.memory + sum(other.memory for other in held_above + held)
                        if solved.memory > LARGE and in_memory > room - beside:
                            solved.put_aside()
                            kept[pair] = saving.result()
                        else:
                            held.append(_Held(solved.memory, saving, solved.put_aside))
                    del solved  # the next pair may need its memory
                else:
                    classes += found.classes
                    kept[pair] = found
                done += work(pair)
                if progress and (begun or done == total):
                    progress(done, total)
        for pair_above in held_above:
            pair_above.saving.result()  # so that its memory is free
        above, held_above = kept, held
    if stop_at:
        for last in held_above:
            last.put_aside()
    return Statistics.of(classes)


def _entries(rules: Quixo, pair: PairId) -> int:
    return entry_count(rules, *pair)


@dataclass(frozen=True, slots=True)
class _Held:
    """A pair that is in memory, and is being written."""

    memory: int
    saving: Future[StoredPair]
    put_aside: Callable[[], None]
