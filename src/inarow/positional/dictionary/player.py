"""A player that plays by a dictionary, with or without assistance."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Literal

from inarow.errors import InarowError
from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game, Position
from inarow.positional.search.threats import blocking_cells, forced_win, promising_cells, winning_cells
from inarow.symmetry import SymmetryKind, image
from inarow.words import listed

Reason = Literal["win", "block", "dictionary", "forced"]


class NoAnswer(InarowError):
    """The player has no move in a position: the dictionary is not exhaustive."""

    exit_code = 1

    def __init__(self, reason: str, what: str | None = None) -> None:
        """`reason` is the message for those who see the position, `what` the one for others."""
        super().__init__(what or reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Answer:
    """A move and the reason for it."""

    cell: int
    reason: Reason
    line_number: int | None = None  # in the dictionary's file
    sequence: tuple[int, ...] | None = None  # the forced win, as `forced_win` returns it

    @property
    def threats(self) -> int:
        """The number of threats in the forced win."""
        return 0 if self.sequence is None else len(self.sequence) // 2


class DictionaryPlayer:
    """Plays X, the first player.

    It looks up the position or any of its images under the game's symmetries; of several lines, the first
    counts. An *assisted* player needs no entries for obvious moves. In this order, it completes a line,
    blocks the cell where O would complete one, looks the position up, and forces a win by threats.

    >>> game = Game.named("mnk:4x4x3")
    >>> player = DictionaryPlayer(game, Dictionary.parse(".....X.........."))
    >>> player.answer(game.start())
    Answer(cell=5, reason='dictionary', line_number=1, sequence=None)
    >>> player.answer(game.start().play(5).play(9))
    Answer(cell=6, reason='forced', line_number=None, sequence=(6, 4, 7))
    """

    def __init__(
        self, game: Game, dictionary: Dictionary, symmetry: SymmetryKind = "full", assisted: bool = True
    ) -> None:
        if dictionary.cells != game.cells:
            raise InarowError(
                f"the dictionary is for a board of {dictionary.cells} cells, but {game.name} has {game.cells}"
            )
        self.game = game
        self.assisted = assisted
        self._symmetries = game.symmetries(symmetry)
        self._lines: dict[tuple[int, int], int] = {}
        self._dictionary = dictionary
        for index, line in enumerate(dictionary.lines):
            for entry in line.entries():
                self._lines.setdefault((entry.x, entry.o), index)

    def answer(self, position: Position) -> Answer:
        """X's move; `NoAnswer` if the player has none, `ValueError` if it is not X's turn."""
        if position.rules != self.game or position.is_over or position.turn != "x":
            raise ValueError(f"{position!r}: not a position of {self.game.name} with X to move")
        if self.assisted:
            wins, blocks = winning_cells(position), blocking_cells(position)
            if wins:
                return Answer(wins[0], "win")
            if len(blocks) > 1:
                cells = listed([str(cell) for cell in blocks], "and")
                raise NoAnswer(f"O threatens the cells {cells}, and X can block only one of them")
            if blocks:
                return Answer(blocks[0], "block")
        if found := self._look_up(position):
            return found
        if self.assisted and (sequence := forced_win(position)):
            return Answer(sequence[0], "forced", sequence=sequence)
        also = ", and threats do not force a win" if self.assisted else ""
        what = "the dictionary has no answer"
        raise NoAnswer(what + also, f"{what} to {position.text}{also}")

    def choose(self, position: Position, random: Random) -> int:
        """A move of either side in a game that is not over.

        X's is the answer. Without one, and for O, it is one of the `promising_cells`.
        """
        if position.turn == "x":
            with suppress(NoAnswer):
                return self.answer(position).cell
        return random.choice(promising_cells(position))

    def _look_up(self, position: Position) -> Answer | None:
        # The first line counts, whichever image it contains.
        images = ((image(position.x, to), image(position.o, to), to) for to in self._symmetries)
        hits = [(self._lines[x, o], to) for x, o, to in images if (x, o) in self._lines]
        if not hits:
            return None
        index, to = min(hits)
        line = self._dictionary.lines[index]
        return Answer(to.index(line.move), "dictionary", line.number or index + 1)
