"""A probe as HTML, for notebooks: the board, and its moves by what they are worth.

Like the drawings it stands alone, and looks the same on a light and a dark page.
"""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarow.quixo.table.table import MoveProbe, Probe

__all__ = ["table_of_moves"]

# A shape and a word as well as a colour.
_SHAPES = {
    "win": ("▲", "#126848"),
    "draw": ("=", "#6b5710"),
    "loss": ("▼", "#8c2f62"),
    None: ("?", "#5d544c"),
}


def table_of_moves(probe: Probe) -> str:
    """The board beside a table: a row for each outcome, best first, with the moves that have it."""
    position = probe.position
    size = position.rules.size
    rows = [
        f"<tr>{_outcome(value, plies)}<td style='text-align:left'>"
        f"{' '.join(move.move.text(size) for move in moves)}</td></tr>"
        for (value, plies), moves in groupby(probe.moves, key=_worth)
    ]
    status = "game over" if position.terminal else f"{position.turn.upper()} to move"
    return (
        "<div style='display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start'>"
        f"{position.svg(240)}"
        "<table style='background:#fffdf8;color:#2c2520;border-collapse:collapse'>"
        f"<caption style='text-align:left'><code>{escape(str(position))}</code></caption>"
        f"<tr>{_outcome(probe.value, probe.plies)}<td style='text-align:left'><b>{status}</b></td></tr>"
        f"{''.join(rows)}</table></div>"
    )


def _worth(move: MoveProbe) -> tuple[str | None, int | None]:
    return move.value, move.plies


def _outcome(value: str | None, plies: int | None) -> str:
    shape, colour = _SHAPES[value]
    words = "not known" if value is None else value if plies is None else f"{value} in {plies}"
    return f"<td style='text-align:left;color:{colour};white-space:nowrap'>{shape} {words}</td>"
