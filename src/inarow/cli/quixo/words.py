"""Positions, boards and values for people to read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from inarow.quixo.rules import Position
from inarow.values import Value
from inarow.words import counted

if TYPE_CHECKING:
    from inarow.quixo.probe import MoveProbe, Probe

STYLES: dict[str | None, str] = {"win": "green", "draw": "yellow", "loss": "red", None: "dim"}
_MARK_STYLES = {"x": "bold bright_blue", "o": "bold bright_red", ".": "dim"}


# --- Words ---


def outcome_text(value: Value | None, plies: int | None) -> str:
    """As in "win in 21"."""
    known = value or "not known"
    return known if plies is None else f"{known} in {plies}"


def position_text(probe: Probe) -> str:
    """The result of best play from a position, as a sentence."""
    position = probe.position
    winner, turn = position.winner, position.turn.upper()
    if winner is not None:
        return f"The game is over: {winner.upper()} has won."
    if position.is_over:
        return "The game is over: it is drawn."
    if probe.value is None:
        return f"{turn} to move: nobody knows. Here {probe.reason}."
    if probe.value == "draw":
        return f"{turn} to move: a draw. Neither side can force a win, and best play never ends."
    verb = "wins" if probe.value == "win" else "loses"
    if probe.plies is None:
        return f"{turn} to move {verb}. In how many plies is not known: {probe.reason}."
    return f"{turn} to move {verb} in {counted(probe.plies, 'ply')}{moves_text(probe.value, probe.plies)}."


def moves_text(value: Value, plies: int) -> str:
    """How many moves the winner makes, for people who count these; nothing where the end is near."""
    moves = (plies + 1) // 2 if value == "win" else plies // 2
    return f" ({moves} moves)" if moves > 1 else ""


def source_text(probe: Probe) -> str | None:
    """How the value is known, if not from a table."""
    known = {
        "table": None,
        "book": "From the book.",
        "search": "By search.",
        "results": "From the results that come with inarow.",
    }
    return None if probe.position.is_over else known[probe.source]


def start_text(value: Value, plies: int | None) -> str:
    """The result of the game with best play, as a sentence."""
    if value == "draw":
        return "The game is a draw: neither player can force a win."
    winner = "first" if value == "win" else "second"
    when = "" if plies is None else f" in {counted(plies, 'ply')}"
    return f"The {winner} player wins{when}."


# --- Drawings ---


def board(position: Position, title: str = "") -> Text:
    """The board alone, under a title if there is one."""
    text = Text()
    if title:
        text.append(f" {title}\n", "bold")
    rows = position.ascii().splitlines()
    for row in rows[: position.rules.rows]:
        text.append(row[:4], "dim")
        for char in row[4:]:
            text.append(char, _MARK_STYLES.get(char, "yellow"))
        text.append("\n")
    text.append(rows[position.rules.rows], "dim")
    return text


def _move_text(move: MoveProbe) -> str:
    """As in "a1a4", or "a1a4 (7/30)" if 7 of 30 replies lose."""
    return move.text if move.losing_replies is None else f"{move.text} ({move.losing_replies}/{move.replies})"


def moves_table(moves: Iterable[MoveProbe]) -> Table:
    """Moves best first, those of equal value together; draws with the number of replies that lose."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("value", no_wrap=True)
    table.add_column("moves", overflow="fold")
    for (value, plies), group in groupby(moves, key=lambda move: (move.value, move.plies)):
        texts = " ".join(_move_text(move) for move in group)
        table.add_row(Text(outcome_text(value, plies), STYLES[value]), texts)
    return table
