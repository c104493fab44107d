"""Optimal play of Ultimate Tic-Tac-Toe: which moves of either side keep the win at ply 43.

With best play X wins at ply 43: X can force it by then, and O can prevent it before. A move *keeps* that if
it is still so after the move. The file that comes with inarow has every move that does, in every position
that such moves lead to.

>>> from inarow.ultimate.rules import Ultimate
>>> found = optimal_moves(Ultimate().parse("44 40"))
>>> [str(move) for move in found.moves]
['04']
>>> found = optimal_moves(Ultimate().parse("44 40 08 80"))
>>> found.moves, found.left_at
((), 3)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from inarow._native import ultimate as native
from inarow.errors import DamagedFile, InarowError
from inarow.files import write_atomically
from inarow.ultimate.prover import DEFAULT_MEMORY
from inarow.ultimate.rules import SYMMETRIES, Move, Position, Ultimate

PLIES = 43
"""The length of the game with best play."""

Progress: TypeAlias = Callable[[int, int, int], None]
"""Called with the ply, how many of its positions are done, and how many there are; may raise to stop."""

_END = -1  # in place of a node: the game is over
_KIND = "optimal play of Ultimate Tic-Tac-Toe"
_VERSION = 1
_MOVES = 81
_FRAMES = len(SYMMETRIES)


@dataclass(frozen=True, slots=True)
class OptimalMoves:
    """The moves of a position that keep the win at ply 43.

    There are none where the game is over, or where a move before, that of ply `left_at`, did not keep it.
    """

    position: Position
    moves: tuple[Move, ...]
    left_at: int | None

    def to_json(self) -> dict[str, Any]:
        return {
            "position": self.position.text,
            "turn": self.position.turn,
            "moves": [str(move) for move in self.moves],
            "others": [str(move) for move in self.others],
            "left_at": self.left_at,
        }

    @property
    def others(self) -> tuple[Move, ...]:
        """The moves that do not keep it; none if it has been left before."""
        if self.left_at is not None:
            return ()
        return tuple(move for move in self.position.legal_moves() if move not in self.moves)


class PlyCounts(NamedTuple):
    """Of all positions of optimal play before a ply, up to symmetry."""

    ply: int
    positions: int
    moves: int  # of these positions
    kept: int  # of these moves, those that keep the win at ply 43


# A position of optimal play is a node with one edge for each move that keeps the win. The moves are those of
# the position's canonical image; the number of a symmetry leads from there to that of the next position.
_Edge: TypeAlias = tuple[int, int, int]  # move, node, symmetry
_Node: TypeAlias = tuple[_Edge, ...]


class OptimalPlay:
    """All optimal games, as a graph."""

    def __init__(self, begin: Position, nodes: list[_Node], image: int, counts: Iterable[PlyCounts]) -> None:
        self.begin = begin
        self.counts = tuple(counts)
        self._nodes = nodes
        self._image = image  # the number of the symmetry to the canonical image of `begin`

    def __len__(self) -> int:
        """How many positions it has, up to symmetry."""
        return len(self._nodes)

    def moves(self, position: Position) -> OptimalMoves:
        """The moves of a position that keep the win; it must follow `begin`."""
        if position.rules.variant != "open":
            raise InarowError("optimal play is known for the open variant, where a won field stays playable")
        begun = self.begin.ply
        if position.moves_played[:begun] != self.begin.moves_played:
            raise InarowError(f"the game does not begin with {self.begin}")
        node, frame = 0, self._image
        for ply, move in enumerate(position.moves_played[begun:], begun + 1):
            wanted = _image(move.number, frame)
            edge = next((edge for edge in self._nodes[node] if edge[0] == wanted), None)
            if edge is None:
                return OptimalMoves(position, (), ply)
            node, frame = edge[1], _THEN[frame][edge[2]]
            if node == _END:
                return OptimalMoves(position, (), None)
        back = _THEN[frame].index(0)
        kept = sorted(_image(move, back) for move, _, _ in self._nodes[node])
        return OptimalMoves(position, tuple(map(Move.of_number, kept)), None)

    def positions(self, ply: int) -> list[Position]:
        """The positions in which this ply is played, one for each up to symmetry.

        >>> [position.text for position in shipped_play().positions(3)]
        ['44 40', '44 41']
        """
        level = {0: self.begin.image(SYMMETRIES[self._image])}
        for _ in range(self.begin.ply + 1, ply):
            following: dict[int, Position] = {}
            for node, position in level.items():
                for move, after, symmetry in self._nodes[node]:
                    if after != _END and after not in following:
                        played = position.play(Move.of_number(move))
                        following[after] = played.image(SYMMETRIES[symmetry])
            level = following
        return list(level.values())

    def to_json(self) -> dict[str, Any]:
        """What the file holds."""
        return {
            "kind": _KIND,
            "version": _VERSION,
            "plies": PLIES,
            "begin": self.begin.text,
            "symmetries": [list(to) for to in SYMMETRIES],
            "counts": list(map(list, self.counts)),
            "image": self._image,
            "nodes": _packed(self._nodes),
        }

    def write(self, path: Path | str) -> None:
        """Write the file, whole or not at all."""
        text = json.dumps(self.to_json(), separators=(",", ":"))
        write_atomically(Path(path), [text.replace('"nodes":', '"nodes":\n').encode() + b"\n"])

    @classmethod
    def read(cls, file: Path | Traversable | str) -> OptimalPlay:
        """Read a file; `DamagedFile` if it is not one."""
        try:
            found = json.loads((Path(file) if isinstance(file, str) else file).read_bytes())
            if (found["kind"], found["version"], found["plies"]) != (_KIND, _VERSION, PLIES):
                raise ValueError("it is of another kind or version")
            if found["symmetries"] != [list(to) for to in SYMMETRIES]:
                raise ValueError("its symmetries are others")
            counts = [PlyCounts(*row) for row in found["counts"]]
            nodes, frame = _unpacked(found["nodes"]), found["image"]
            if frame not in range(len(SYMMETRIES)):
                raise ValueError("its first image is none")
            return cls(Ultimate().parse(found["begin"]), nodes, frame, counts)
        except (ValueError, LookupError, TypeError) as error:
            raise DamagedFile(f"{file}: not {_KIND}: {error}") from None


# Nodes are in the order in which edges first lead to them, from node 0 on. In the file an edge is one number:
# the symmetry and the move, and how far back the node is from the next new one; 0 for a new one. An edge to
# the end of the game is the negative of its move, less 1.


def _packed(nodes: list[_Node]) -> list[list[int]]:
    packed, new = [], 1
    for edges in nodes:
        numbers = []
        for move, node, symmetry in edges:
            numbers.append(-1 - move if node == _END else ((new - node) * _FRAMES + symmetry) * _MOVES + move)
            new += node == new
        packed.append(numbers)
    return packed


def _unpacked(packed: list[list[int]]) -> list[_Node]:
    nodes, new = [], 1
    for nth, numbers in enumerate(packed):
        edges = []
        for number in numbers:
            rest, move = divmod(number, _MOVES) if number >= 0 else (0, -1 - number)
            back, symmetry = divmod(rest, _FRAMES)
            node = new - back if number >= 0 else _END
            if not 0 <= move < _MOVES or (number >= 0 and node <= nth):  # no game goes round in circles
                raise ValueError(f"node {nth} has an impossible edge")
            new += node == new
            edges.append((move, node, symmetry))
        nodes.append(tuple(edges))
    if new != len(nodes):
        raise ValueError("it does not have all nodes")
    return nodes


@lru_cache(maxsize=1)
def shipped_play() -> OptimalPlay:
    """All optimal games, as they come with inarow."""
    return OptimalPlay.read(shipped_file())


def shipped_file() -> Traversable:
    """The file of `shipped_play`, JSON."""
    return files("inarow") / "data" / "ultimate" / "optimal-play.json"


def optimal_moves(position: Position) -> OptimalMoves:
    """The moves of a position that keep the win at ply 43, or the ply at which the game left optimal play.

    >>> len(optimal_moves(Ultimate().parse("44")).moves)
    8
    """
    return shipped_play().moves(position)


# --- Finding it ---


def find_optimal_play(
    begin: Position, *, memory: int = DEFAULT_MEMORY, progress: Progress | None = None
) -> OptimalPlay:
    """Find all optimal games from a position in which X wins at ply 43; `InarowError` if X does not.

    Every move of every position of optimal play is decided by the prover: after a move of X, whether X still
    wins by ply 43; after a move of O, whether X does not win by ply 41. From the empty board this takes half
    an hour.

    >>> moves = "44 42 24 41 14 43 34 45 54 40 04 46 64 47 74 48 88 82 28 83 38 81 18 85 58 86 68 87 78 80 08"
    >>> found = find_optimal_play(Ultimate().parse(moves), memory=1 << 24)
    >>> found.counts[0].positions, found.counts[0].moves, found.counts[0].kept
    (1, 1, 1)
    """
    prover = native.Prover(memory)

    def wins(position: Position, plies: int) -> bool:
        return prover.wins(position.move_numbers, plies, None)

    if begin.rules.variant != "open" or not wins(begin, PLIES) or wins(begin, PLIES - 2):
        raise InarowError(f"X does not win at ply {PLIES} after {begin}")
    counts: list[PlyCounts] = []
    nodes: list[_Node] = []
    level = _Level(0)
    _, image = level.add(begin)
    while level.positions:
        following = _Level(level.first + len(level.positions))
        moves = kept = 0
        for nth, position in enumerate(level.positions):
            if progress is not None:
                progress(position.ply + 1, nth, len(level.positions))
            x_moves = position.turn == "x"
            edges: list[_Edge] = []
            for move in position.legal_moves():
                moves += 1
                after = position.play(move)
                if wins(after, PLIES if x_moves else PLIES - 2) == x_moves:
                    edges.append((move.number, *((_END, 0) if after.is_over else following.add(after))))
            kept += len(edges)
            nodes.append(tuple(edges))
        counts.append(PlyCounts(level.positions[0].ply + 1, len(level.positions), moves, kept))
        level = following
    return OptimalPlay(begin, nodes, image, counts)


class _Level:
    """The positions of a ply, each in its canonical image."""

    def __init__(self, first: int) -> None:
        self.first = first  # the number of its first position among those of all plies
        self.positions: list[Position] = []
        self._numbers: dict[Position, int] = {}

    def add(self, position: Position) -> tuple[int, int]:
        """The number of the position, and that of the symmetry to its canonical image."""
        canonical = position.canonical()
        number = self._numbers.setdefault(canonical, self.first + len(self.positions))
        if number == self.first + len(self.positions):
            self.positions.append(canonical)
        return number, next(nth for nth, to in enumerate(SYMMETRIES) if position.image(to) == canonical)


def _image(move: int, symmetry: int) -> int:
    to = SYMMETRIES[symmetry]
    return 9 * to[move // 9] + to[move % 9]


# By numbers: the symmetry that is one after the other.
_THEN = [
    [SYMMETRIES.index(tuple(second[cell] for cell in first)) for second in SYMMETRIES] for first in SYMMETRIES
]
