"""Draw the plots of docs/results/quixo.md from the data in the package.

    python docs/results/draw_quixo_5x5.py FOLDER

Writes FOLDER/quixo-5x5-classes.svg, the shares of wins, draws and losses in all 351 classes; and
FOLDER/quixo-5x5-plies.svg, how many positions are decided in how many plies, under all rules.
"""

from __future__ import annotations

import sys
from math import log10
from pathlib import Path

from inarow.quixo.results import results
from inarow.quixo.rules import DoubleLine, Quixo
from inarow.quixo.statistics import ClassCounts

WIN, DRAW, LOSS = "#2a78b5", "#d9d4c7", "#c8553d"
STYLE = (
    "<style>text{font:11px system-ui,sans-serif;fill:#333}.t{font-size:14px;font-weight:600}.s{fill:#666}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.s{fill:#aaa}.b{fill:#1b1b1b}.g{stroke:#444}}</style>"
)


def page(width: int, height: int, title: str, body: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="{title}">{STYLE}<rect class="b" width="{width}" height="{height}" fill="#fff"/>'
        f'<text class="t" x="16" y="24">{title}</text>' + "".join(body) + "</svg>\n"
    )


def classes_plot() -> str:
    """A square for each class: as wide a part of it is blue, grey and red as is won, drawn and lost."""
    cell, left, top = 22, 56, 76
    body = []
    for i, (colour, word) in enumerate(((WIN, "win"), (DRAW, "draw"), (LOSS, "loss"))):
        body.append(f'<rect x="{16 + 70 * i}" y="38" width="12" height="12" fill="{colour}"/>')
        body.append(f'<text x="{32 + 70 * i}" y="48">{word}</text>')
    body.append('<text class="s" x="236" y="48">for X, who is to move</text>')
    for n in range(26):
        body.append(
            f'<text class="s" x="{left + n * cell + cell / 2}" y="{top - 6}" text-anchor="middle">{n}</text>'
        )
        body.append(f'<text class="s" x="{left - 6}" y="{top + n * cell + 15}" text-anchor="end">{n}</text>')
    body.append(f'<text x="{left + 26 * cell - 110}" y="{top + 14 * cell}">marks of O: across</text>')
    body.append(f'<text x="{left + 26 * cell - 110}" y="{top + 15 * cell}">marks of X: down</text>')
    for counts in results(Quixo(5)).statistics.classes:
        body.append(_square(counts, left + counts.o * cell, top + counts.x * cell, cell - 2))
    size = left + 26 * cell + 16, top + 26 * cell + 16
    return page(*size, "5×5 Quixo: what becomes of each class (the paper’s Figure 6, all classes)", body)


def _square(counts: ClassCounts, x: float, y: float, size: int) -> str:
    parts, total = [], counts.win + counts.draw + counts.loss
    text = f"X {counts.x}, O {counts.o}: {counts.win:,} won, {counts.draw:,} drawn, {counts.loss:,} lost"
    for count, colour in ((counts.win, WIN), (counts.draw, DRAW), (counts.loss, LOSS)):
        width = size * count / total
        if count:
            parts.append(
                f'<rect x="{x:.2f}" y="{y}" width="{max(width, 0.4):.2f}" height="{size}" fill="{colour}"/>'
            )
        x += width
    return f"<g><title>{text}</title>{''.join(parts)}</g>"


def plies_plot() -> str:
    """Positions decided in so many plies, both axes logarithmic upwards, for each of the rules."""
    width, height, left, top, bottom, right = 760, 420, 64, 64, 48, 20
    games: list[tuple[int, DoubleLine, str]] = [
        (5, "loses", WIN),
        (5, "wins", LOSS),
        (4, "loses", "#3f8f5b"),
        (4, "wins", "#9a7b1c"),
        (3, "loses", "#7a55a3"),
    ]
    longest, most = log10(500), 12.0

    def across(plies: int) -> float:
        return left + (width - left - right) * log10(plies + 1) / longest

    def up(count: int) -> float:
        return height - bottom - (height - top - bottom) * log10(count) / most

    body = []
    for power in range(0, 13, 3):
        y = up(10**power)
        body.append(f'<path class="g" d="M{left} {y:.1f}H{width - right}" stroke="#ddd"/>')
        label = ("1", "thousand", "million", "billion", "trillion")[power // 3]
        body.append(f'<text class="s" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for plies in (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 498):
        x = across(plies)
        body.append(
            f'<text class="s" x="{x:.1f}" y="{height - bottom + 18}" text-anchor="middle">{plies}</text>'
        )
    body.append(
        f'<text class="s" x="{width / 2}" y="{height - 8}" text-anchor="middle">plies to the end</text>'
    )
    for i, (line, double_line, colour) in enumerate(games):
        rows = results(Quixo(5, line=line, double_line=double_line)).statistics.by_plies
        points = [(across(p), up(won + lost)) for p, won, lost in rows if won + lost]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        body.append(f'<rect x="{16 + 146 * i}" y="38" width="12" height="12" fill="{colour}"/>')
        body.append(f'<text x="{32 + 146 * i}" y="48">line {line}, double line {double_line}</text>')
    return page(width, height, "5×5 Quixo: positions won or lost, by plies", body)


def main(folder: str) -> None:
    (Path(folder) / "quixo-5x5-classes.svg").write_text(classes_plot())
    (Path(folder) / "quixo-5x5-plies.svg").write_text(plies_plot())


if __name__ == "__main__":
    main(*sys.argv[1:])
