"""A board to play on in a Jupyter notebook: Quixo, Qubic and other positional games, Ultimate Tic-Tac-Toe.

Needs the extra `jupyter`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from inarow.adapters.numbers import AnyRules, Chooser, opponent_named
from inarow.positional.rules import Game
from inarow.quixo.rules import Quixo
from inarow.ultimate.rules import Ultimate
from inarow.values import Mark


class GameWidget(anywidget.AnyWidget):
    """A game against an opponent, or between two people: the last line of a cell shows it.

    `opponent` is a name as `opponent_named` takes it, a function from a position to a move, or None for two
    people; `side` is what the person plays. `position` is the position on the board, and the game so far is
    in `game`.

    >>> import inarow
    >>> board = GameWidget(inarow.Quixo(3), opponent="perfect")
    >>> board.play("a1a3")
    >>> board.position.turn, board.status
    ('x', 'x to move')
    """

    _esm = Path(__file__).parent / "widget.js"
    _css = Path(__file__).parent / "widget.css"

    places = traitlets.List().tag(sync=True)  # row and column of each cell
    labels = traitlets.List().tag(sync=True)
    marks = traitlets.Unicode().tag(sync=True)  # one character for each cell
    owners = traitlets.Unicode().tag(sync=True)  # in Ultimate who has won its field
    moves = traitlets.List().tag(sync=True)  # the cells to click for each legal move
    last = traitlets.List().tag(sync=True)  # the cells of the last move
    status = traitlets.Unicode().tag(sync=True)
    turns = traitlets.Int().tag(sync=True)  # grows with every change

    def __init__(
        self,
        rules: AnyRules,
        opponent: str | Chooser | None = None,
        side: Mark = "x",
        *,
        position: Any = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.rules, self.side = rules, side
        self._choose = opponent_named(opponent, rules, seed) if isinstance(opponent, str) else opponent
        self._begin = rules.start() if position is None else position
        self.game: list[Any] = [self._begin]
        self._played: list[Any] = []
        self.places, self.labels, self._clicks = _cells(rules)
        self.on_msg(self._receive)
        self._reply()

    @property
    def position(self) -> Any:
        return self.game[-1]

    def play(self, move: Any) -> None:
        """Make a move, given as such or as its text; the opponent answers. `ValueError` if it is illegal."""
        self._push(self.rules.parse_move(move) if isinstance(move, str) else move)
        self._reply()

    def undo(self) -> None:
        """Take the person's last move back, and the opponent's answer to it."""
        while len(self.game) > 1:
            self.game.pop()
            self._played.pop()
            if self._choose is None or self.position.turn == self.side:
                break
        self._reply()

    def restart(self) -> None:
        """Begin again."""
        self.game, self._played = [self._begin], []
        self._reply()

    def _push(self, move: Any) -> None:
        self.game.append(self.position.play(move))
        self._played.append(move)

    # --- What the page shows, and says ---

    def _reply(self) -> None:
        if self._choose is not None and not self.position.is_over and self.position.turn != self.side:
            self._push(self._choose(self.position))
        self._show()

    def _receive(self, _: object, message: dict[str, Any], buffers: object) -> None:
        """What was clicked; a move that a page sends too late, or twice, is not legal and is left out."""
        match message:
            case {"action": "play", "move": cells} if cells in self.moves:
                self.play(self.position.legal_moves()[self.moves.index(cells)])
            case {"action": "undo"}:
                self.undo()
            case {"action": "restart"}:
                self.restart()

    def _show(self) -> None:
        position, cells = self.position, range(len(self.places))
        if isinstance(self.rules, Ultimate):
            self.marks = "".join(position.mark(*divmod(cell, 9)) or "." for cell in cells)
            self.owners = "".join(position.field_winner(cell // 9) or "." for cell in cells)
        else:
            self.marks = "".join(position.mark_at(cell) or "." for cell in cells)
            self.owners = "." * len(cells)
        self.moves = [self._clicks(move) for move in position.legal_moves()]
        self.last = self._clicks(self._played[-1])[-1:] if self._played else []
        winner = position.winner
        over = f"{winner} has won" if winner else "drawn"
        self.status = over if position.is_over else f"{position.turn} to move"
        self.turns += 1


def _cells(rules: AnyRules) -> tuple[list[list[int]], list[str], Callable[[Any], list[int]]]:
    """The place and the label of each cell, and which cells make a move."""
    match rules:
        case Quixo(rows=rows, columns=columns):  # numbered from the lower right
            cells = range(rules.cells)
            places = [[rows - 1 - cell // columns, columns - 1 - cell % columns] for cell in cells]
            return places, list(map(rules.cell_text, cells)), lambda move: [move.taken, move.pushed]
        case Game(shape=(layers, rows, columns)):  # layers side by side
            boxes = product(range(layers), range(rows), range(columns))
            places = [[row, layer * (columns + 1) + column] for layer, row, column in boxes]
            return places, list(map(str, range(rules.cells))), lambda move: [move]
        case _:
            spots = list(product(range(9), repeat=2))
            places = [[field // 3 * 4 + spot // 3, field % 3 * 4 + spot % 3] for field, spot in spots]
            return places, [f"{field}{spot}" for field, spot in spots], lambda move: [move.number]
