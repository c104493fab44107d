"""The studies of Quixo once more, with boards as numbers in base 3 and without symmetry: see quixo_arrays.py.

Counts are by class, the marks of the player to move and of the other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import quixo_arrays
from oracle.quixo_arrays import DRAW, LOSS, WIN

from inarow.quixo.rules import Quixo

Class = tuple[int, int]
Numbers = NDArray[np.int64]

AT_ONCE = 1 << 19


def each_game(first: Quixo, *slow: Quixo) -> pytest.MarkDecorator:
    """A test of one game, and of others among the long tests."""
    others = [pytest.param(rules, marks=pytest.mark.exhaustive) for rules in slow]
    return pytest.mark.parametrize("rules", [first, *others], ids=lambda rules: rules.name)


def number(text: str) -> int:
    """A board in base 3."""
    tiles = text.split()[0].replace("/", "")
    return sum(".xo".index(tile) * 3**place for place, tile in enumerate(tiles))


class Solved:
    """Every board of a game, with its value and whether the game is over."""

    def __init__(self, rows: int, columns: int, value: NDArray[np.int8], over: NDArray[np.bool_]) -> None:
        self.rows, self.columns, self.value, self.over = rows, columns, value, over
        self.cells = rows * columns

    @classmethod
    def of(cls, rules: Quixo) -> "Solved":
        _, value, plies = quixo_arrays.solve(rules.rows, rules.columns, rules.line, rules.double_line)
        return cls(rules.rows, rules.columns, value, plies == 0)

    def images(self, boards: Iterable[int]) -> set[int]:
        return {int(self.smallest_image[board]) for board in boards}

    def boards(self, chosen: NDArray[np.bool_]) -> Iterator[tuple[Numbers, list[Class]]]:
        """Some boards that are not over, with their classes, some at a time."""
        numbers = np.flatnonzero(chosen & ~self.over)
        for first in range(0, numbers.size, AT_ONCE):
            here = numbers[first : first + AT_ONCE]
            tiles = quixo_arrays.tiles(self.rows, self.columns, here)
            one, two = (sum((tile == mark).astype(int) for tile in tiles) for mark in (1, 2))
            yield here, list(zip(np.asarray(one).tolist(), np.asarray(two).tolist(), strict=True))

    def moves(self, here: Numbers) -> list[tuple[NDArray[np.bool_], NDArray[np.int32]]]:
        return quixo_arrays.moves(self.rows, self.columns, here)

    def passing(self) -> dict[str, Counter[Class]]:
        found = {name: Counter[Class]() for name in ("loss_to_draw", "loss_to_win", "draw_to_win")}
        for here, classes in self.boards(np.ones_like(self.over)):
            tiles = quixo_arrays.tiles(self.rows, self.columns, here)
            exchanged = sum((3 - tile) % 3 * 3**place for place, tile in enumerate(tiles))
            value, passed = self.value[here], -self.value[exchanged]
            for name, before, after in (
                ("loss_to_draw", LOSS, DRAW),
                ("loss_to_win", LOSS, WIN),
                ("draw_to_win", DRAW, WIN),
            ):
                found[name].update(
                    classes[nth] for nth in np.flatnonzero((value == before) & (passed == after))
                )
        return found

    def blanks(self) -> dict[str, Counter[Class]]:
        names = ("positions", "only_blanks", "only_own", "blank_moves", "blank_kept", "own_moves", "own_kept")
        found = {name: Counter[Class]() for name in names}
        for here, classes in self.boards(self.value != LOSS):
            marks = np.array([x + o for x, o in classes])
            count = {name: np.zeros(here.size, int) for name in names[3:]}
            for legal, child in self.moves(here):
                tiles = quixo_arrays.tiles(self.rows, self.columns, child.astype(np.int64))
                more = sum((tile > 0).astype(int) for tile in tiles) > marks
                kept = -self.value[child] == self.value[here]
                for kind, of_kind in (("blank", legal & more), ("own", legal & ~more)):
                    count[f"{kind}_moves"] += of_kind
                    count[f"{kind}_kept"] += of_kind & kept
            both = (count["blank_moves"] > 0) & (count["own_moves"] > 0)
            count["positions"] = both.astype(int)
            count["only_blanks"] = both & (count["own_kept"] == 0)
            count["only_own"] = both & (count["blank_kept"] == 0)
            for name in names:
                _add(found[name], classes, count[name] * both)
        return found

    @cached_property
    def kept(self) -> tuple[Numbers, Numbers, Numbers]:
        """Of every board that is drawn: its moves, those that keep the draw, and where the last leads."""
        moves, kept, after = (np.zeros(self.value.size, np.int64) for _ in range(3))
        for here, _ in self.boards(self.value == DRAW):
            for legal, child in self.moves(here):
                keeps = legal & (self.value[child] == DRAW)
                moves[here] += legal
                kept[here] += keeps
                after[here[keeps]] = child[keeps]
        return moves, kept, after

    def draws(self) -> dict[str, Counter[Class]]:
        found = {name: Counter[Class]() for name in ("drawn", "moves", "kept", "single", "replies", "losing")}
        moves, kept, _ = self.kept
        for here, classes in self.boards(self.value == DRAW):
            replies, losing = np.zeros(here.size, int), np.zeros(here.size, int)
            for legal, child in self.moves(here):
                keeps = legal & (self.value[child] == DRAW)
                replies += keeps * moves[child]
                losing += keeps * (moves[child] - kept[child])
            found["drawn"].update(classes)
            _add(found["moves"], classes, moves[here])
            _add(found["kept"], classes, kept[here])
            _add(found["single"], classes, kept[here] == 1)
            _add(found["replies"], classes, replies)
            _add(found["losing"], classes, losing)
        return found

    def forced(self) -> tuple[int, int]:
        """The longest sequence of only moves that ends, and how many boards are on those that do not."""
        _, kept, after = self.kept
        single = set(np.flatnonzero(kept == 1).tolist())
        longest, on_loops = 0, 0
        for board in single:
            at, path = board, [board]
            while (at := int(after[at])) in single and at not in path:
                path.append(at)
            if at in path:
                on_loops += at == board
            else:
                longest = max(longest, len(path))
        return longest, on_loops

    # --- Figures, as numbers of boards ---

    @cached_property
    def smallest_image(self) -> Numbers:
        """Of every board, the smallest number of an image of it."""
        square = np.arange(self.cells).reshape(self.rows, self.columns)
        turned = [np.rot90(square, turn) for turn in range(4)]
        images = [image for it in turned for image in (it, it[:, ::-1]) if image.shape == square.shape]
        tiles = quixo_arrays.tiles(self.rows, self.columns)
        numbers = [sum(tiles[p] * 3**k for k, p in enumerate(image.ravel().tolist())) for image in images]
        return np.asarray(np.min(np.array(numbers), axis=0), np.int64)

    def from_blanks(self) -> list[set[int]]:
        """The boards after so many moves that all take blank tiles, of games that are not over before."""
        layers = [{0}]
        for _ in range(self.cells):
            here = np.array(sorted(board for board in layers[-1] if not self.over[board]), np.int64)
            after = set[int]()
            count = np.count_nonzero(quixo_arrays.tiles(self.rows, self.columns, here), axis=0)
            for legal, child in self.moves(here):
                tiles = quixo_arrays.tiles(self.rows, self.columns, child.astype(np.int64))
                new = legal & (np.count_nonzero(tiles, axis=0) > count)
                after.update(child[new].tolist())
            layers.append(after)
        return layers

    def returning(self) -> set[int]:
        """Draws to which, whatever keeps the draw, the other can return up to symmetry."""
        found = set[int]()
        for here, _ in self.boards(self.value == DRAW):
            always = np.ones(here.size, bool)
            for legal, child in self.moves(here):
                keeps = legal & (self.value[child] == DRAW)
                returns = np.zeros(here.size, bool)
                for legal_reply, reply in self.moves(child.astype(np.int64)):
                    returns |= legal_reply & (self.smallest_image[reply] == self.smallest_image[here])
                always &= ~keeps | returns
            found.update(here[always].tolist())
        return found


def _add(counter: Counter[Class], classes: list[Class], amounts: NDArray[np.generic]) -> None:
    for its, amount in zip(classes, amounts.tolist(), strict=True):
        if amount:
            counter[its] += int(amount)
