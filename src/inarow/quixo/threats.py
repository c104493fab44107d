"""Threats on a Quixo board, by the rules alone: lines that need one move, and what prevents them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inarow.quixo.arrays import board_of
from inarow.quixo.rules import Move, Position, Quixo
from inarow.values import Mark, opponent
from inarow.words import counted, listed

_NAMED = 3  # moves that a sentence names; more are counted


@dataclass(frozen=True, slots=True)
class Threat:
    """A line that a side completes, and wins by, with any of some moves."""

    line: tuple[int, ...]  # its cells, in ascending order
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Threats:
    """What each side could complete with one move if it were to move; nothing once the game is over.

    `blocks` are the moves of the side to move after which the other side can no longer do so at once, and
    that do not end the game; None if the other side threatens nothing.
    """

    position: Position
    mover: tuple[Threat, ...]
    other: tuple[Threat, ...]
    blocks: tuple[Move, ...] | None

    @property
    def of_x(self) -> tuple[Threat, ...]:
        return self.mover if self.position.turn == "x" else self.other

    @property
    def of_o(self) -> tuple[Threat, ...]:
        return self.other if self.position.turn == "x" else self.mover

    def to_json(self) -> dict[str, Any]:
        rules = self.position.rules
        return {
            "x": [_record(rules, threat) for threat in self.of_x],
            "o": [_record(rules, threat) for threat in self.of_o],
            "blocks": None if self.blocks is None else [rules.move_text(move) for move in self.blocks],
        }

    def sentences(self) -> list[str]:
        """The same in words.

        >>> for sentence in threats_of(Position.parse("xxx./o.../..../o... o")).sentences():
        ...     print(sentence)
        X has a threat: to complete a4–d4.
        5 moves prevent it.
        """
        rules, turn = self.position.rules, self.position.turn
        said = [
            f"{turn.upper()} completes {_line_text(rules, threat)} with {_moves_text(rules, threat.moves)}."
            for threat in self.mover
        ]
        if self.blocks is None:
            return said
        said.append(self._threatened(opponent(turn)))
        if not self.mover:
            said.append(
                f"{turn.upper()} cannot prevent it."
                if not self.blocks
                else f"Only {rules.move_text(self.blocks[0])} prevents it."
                if len(self.blocks) == 1
                else f"{counted(len(self.blocks), 'move')} prevent it."
            )
        return said

    def _threatened(self, side: Mark) -> str:
        lines = listed([_line_text(self.position.rules, threat) for threat in self.other], "and")
        what = "a double threat" if len(self.other) > 1 else "a threat"
        return f"{side.upper()} has {what}: to complete {lines}."


def threats_of(position: Position) -> Threats:
    """The threats in a position."""
    mover, other, blocks = board_of(position.rules).threats(position.mover_word)
    return Threats(
        position, _threats(mover), _threats(other), tuple(Move(*move) for move in blocks) if other else None
    )


def _threats(found: list[tuple[int, list[tuple[int, int]]]]) -> tuple[Threat, ...]:
    return tuple(
        Threat(
            tuple(cell for cell in range(line.bit_length()) if line >> cell & 1),
            tuple(Move(*move) for move in moves),
        )
        for line, moves in found
    )


def _record(rules: Quixo, threat: Threat) -> dict[str, Any]:
    return {
        "line": [rules.cell_text(cell) for cell in threat.line],
        "moves": [rules.move_text(move) for move in threat.moves],
    }


def _line_text(rules: Quixo, threat: Threat) -> str:
    """By its ends, as in a1–d4."""
    return f"{rules.cell_text(threat.line[-1])}–{rules.cell_text(threat.line[0])}"


def _moves_text(rules: Quixo, moves: tuple[Move, ...]) -> str:
    if len(moves) > _NAMED:
        return f"any of {len(moves)} moves"
    return listed([rules.move_text(move) for move in moves], "or")
