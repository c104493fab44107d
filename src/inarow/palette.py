"""The colours of all drawings: dark wood, light tiles, blue X and red O."""

from __future__ import annotations

from inarow.values import Mark

BOARD = "#4a3b32"
WELL = "#3a2e27"
LABELS = "#cbb9a4"
INK: dict[Mark, str] = {"x": "#1d4f7c", "o": "#b4452b"}
BRIGHT: dict[Mark, str] = {"x": "#8fc1ea", "o": "#f2a184"}  # the same on the dark board
GOLD = "#f5bd2e"
