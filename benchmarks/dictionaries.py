"""Strategy dictionaries: checking them, and the search behind them, against plain programs. One thread.

    python benchmarks/dictionaries.py [--positions N] [--whole]

- Against Python: canonical forms of Qubic positions under 192 symmetries, which the checker finds before a
  roll-out that ends at once; forced wins by threats in Qubic positions that six threats do not win; the
  roll-out of three in a row on 10×10 for a player who only looks positions up.
- Against docs/results/reproduce_animals.cpp, a search of its own compiled for this machine: a fixed proof
  of the search for wins on small boards, that the L-pentomino is made on 7×7 in nine moves when O may
  make it too.
- Against the same search for threats in Python: the nodes a second of the proof that a position of Qubic
  is won, or with --whole the game.

Fails if two do not find the same.
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator

import numpy as np
from rows import ROOT, Row, arguments, compiled, cpu_seconds, main

from inarow._native import qubic as _qubic
from inarow._native import verify_positional as _checker
from inarow.positional.dictionary.player import DictionaryPlayer
from inarow.positional.dictionary.reached import complete
from inarow.positional.dictionary.text import Dictionary, Entry, Line
from inarow.positional.rules import Game, Position
from inarow.positional.search.small_boards import prove
from inarow.positional.search.threats import blocking_cells, winning_cells
from inarow.symmetry import image
from inarow.verify.positional.dictionary import verify_dictionary
from inarow.verify.positional.text import answers_of

SMALL_GAME, FIRST_MOVE = "mnk:10x10x3", 44  # three in a row, won from the middle
QUBIC = Game.named("qubic")
THROUGH = [[line for line in QUBIC.lines if line >> cell & 1] for cell in range(QUBIC.cells)]


def random_positions(plies: tuple[int, ...], count: int, chance: random.Random) -> list[Position]:
    """Different positions of Qubic in which nobody has a line, nor could complete one; X is to move."""
    found: dict[tuple[int, int], Position] = {}
    while len(found) < count:
        half = chance.choice(plies) // 2
        cells = chance.sample(range(QUBIC.cells), 2 * half)
        x, o = (sum(1 << cell for cell in side) for side in (cells[:half], cells[half:]))
        if QUBIC.wins(x) or QUBIC.wins(o):
            continue
        position = Position(QUBIC, x, o)
        if not winning_cells(position) and not blocking_cells(position):
            found[x, o] = position
    return list(found.values())


def against_python(what: str, items: tuple[int, int], native: float, python: float) -> Row:
    return Row(what, items[0] / native, "a CPU second", "the same in Python", items[1] / python)


def canonical_forms(count: int, chance: random.Random) -> Row:
    """The second half of the positions are images of the first half with other answers: all conflict."""
    symmetries = QUBIC.symmetries("full")
    answers, others = [], []
    for position in random_positions((16, 18, 20, 22, 24), count // 2, chance):
        first, second, *_ = position.legal_moves()
        answers.append(Entry(position.x, position.o, first))
        to = chance.choice(symmetries)
        others.append(Entry(image(position.x, to), image(position.o, to), to[second]))
    entries = answers_of(QUBIC.cells, answers + others)
    native, report = cpu_seconds(lambda: verify_dictionary(QUBIC, entries, assisted=False, threads=1))
    some = [Position(QUBIC, it.x, it.o) for half in (answers, others) for it in half[: count // 200]]
    python, forms = cpu_seconds(lambda: [position.canonical() for position in some])
    assert len(report.conflicts) == len(answers)
    assert forms[: len(some) // 2] == forms[len(some) // 2 :]
    return against_python("canonical forms under 192 symmetries", (count, len(some)), native, python)


class PlainThreats:
    """Forced wins of X in a quiet position of Qubic by at most `limit` threats: depth first, in Python."""

    def __init__(self, position: Position, limit: int = 1 << 30) -> None:
        self.nodes = 0
        self.failed: dict[tuple[int, int], int] = {}
        pairs = self.pairs(QUBIC.lines, position.x, position.o)
        self.wins = self.find(position.x, position.o, 0, pairs, limit)

    @staticmethod
    def pairs(lines: Iterable[int], mine: int, theirs: int) -> list[int]:
        return [line & ~mine for line in lines if not line & theirs and (line & ~mine).bit_count() == 2]

    def find(self, mine: int, theirs: int, must: int, pairs: list[int], limit: int) -> bool:
        self.nodes += 1
        once = twice = 0
        for pair in pairs:
            twice |= once & pair
            once |= pair
        allowed = must or -1
        if limit < 1 or twice & allowed:
            return limit >= 1
        if limit < 2 or self.failed.get((mine, theirs), 0) >= limit:
            return False
        for pair in reversed(pairs):
            for move in (pair & -pair, pair & (pair - 1)):
                x, o, reply = mine | move, theirs | pair ^ move, (pair ^ move).bit_length() - 1
                against = [line & ~o for line in THROUGH[reply] if not line & x]
                threats = [cell for cell in against if cell.bit_count() == 1]
                if move & allowed and len(threats) < 2:
                    kept = [other for other in pairs if not other & pair]
                    new = self.pairs(THROUGH[move.bit_length() - 1], x, o)
                    if self.find(x, o, sum(threats), kept + new, limit - 1):
                        return True
        self.failed[mine, theirs] = limit
        return False


def forced_wins(count: int, chance: random.Random) -> Row:
    some = random_positions((16, 18), 10 * count, chance)
    positions = [position for position in some if not PlainThreats(position, 6).wins]
    masks = np.array([[[position.x], [position.o]] for position in positions], np.uint64)
    native, ours = cpu_seconds(lambda: _checker.forced_wins(QUBIC.cells, QUBIC.lines, False, masks))
    python, plain = cpu_seconds(lambda: [PlainThreats(position).wins for position in positions])
    assert [win is not None for win in ours] == plain
    return against_python("forced wins by threats in Qubic", (len(positions),) * 2, native, python)


def roll_outs() -> Row:
    game = Game.named(SMALL_GAME)
    entries = complete(game, [Entry(0, 0, FIRST_MOVE)], threads=1)
    dictionary = Dictionary(game.cells, tuple(Line(e.x, e.o, 0, e.move) for e in entries))
    native, report = cpu_seconds(lambda: verify_dictionary(game, dictionary, assisted=False, threads=1))
    python, reached = cpu_seconds(lambda: roll_out(DictionaryPlayer(game, dictionary, assisted=False)))
    assert report.exhaustive
    assert report.positions.total == len(reached) == len(entries)
    return against_python(f"roll-out of {SMALL_GAME} by looking up", (len(reached),) * 2, native, python)


def roll_out(player: DictionaryPlayer) -> set[Position]:
    """The canonical positions with X to move; X must win every game."""
    reached = {player.game.start()}
    waiting = list(reached)
    while waiting:
        position = waiting.pop()
        after = position.play(player.answer(position).cell)
        for following in {after.play(reply).canonical() for reply in after.legal_moves()} - reached:
            reached.add(following)
            waiting.append(following)
    return reached


def small_boards() -> Row:
    """The plain search is asked twice: whether so many moves suffice, and one less."""
    moves, game = 9, Game.named("polyomino:l-pentomino:7", False)
    took, proof = cpu_seconds(lambda: prove(game))
    assert (proof.moves, proof.never) == (moves, False)
    with compiled(ROOT / "docs/results/reproduce_animals.cpp") as animals:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        for count, says in ((moves, "X wins"), (moves - 1, "X does not win")):
            command = [str(animals), "x./x./x./xx", "7", str(count), "maker"]
            assert says in subprocess.run(command, check=True, capture_output=True, text=True).stdout
        plain = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return Row(f"{game.name}, maker-maker: won in {moves} moves", took, "CPU s", "a plain search", plain)


def qubic(whole: bool, chance: random.Random) -> Row:
    """A node is a position in which threats are looked for: as many wherever arithmetic rounds alike."""
    name, x, o, nodes = (
        ("the game", 0, 0, 476_857_359)
        if whole
        else ("X 0 3, O 21 22", 1 | 1 << 3, 1 << 21 | 1 << 22, 21_423_430)
    )
    graph = _qubic.Graph(22)
    took, won = cpu_seconds(lambda: graph.solve(graph.node(x, o), math.inf, 1 << 40))
    assert won
    if graph.threat_nodes != nodes:
        print(f"{name}: {graph.threat_nodes:,} nodes, not {nodes:,}", file=sys.stderr)
    positions = random_positions((16, 18), 300, chance)
    python, plain = cpu_seconds(lambda: [PlainThreats(position, 6).nodes for position in positions])
    what = f"Qubic, {name} is won: nodes of threats"
    return against_python(what, (graph.threat_nodes, sum(plain)), took, python)


def measure(options: argparse.Namespace) -> Iterator[Row]:
    chance = random.Random(1)
    yield canonical_forms(options.positions, chance)
    yield forced_wins(options.positions // 100, chance)
    yield roll_outs()
    yield small_boards()
    yield qubic(options.whole, chance)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--positions", type=int, default=10_000, metavar="N", help="of Qubic (10,000)")
    parser.add_argument("--whole", action="store_true", help="prove all of Qubic (a minute)")
    main(measure, parser)
