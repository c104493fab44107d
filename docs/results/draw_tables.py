"""Draw plots of tables in docs/results, from the tables themselves.

    python docs/results/draw_tables.py FOLDER

Writes FOLDER/NAME.svg for each of `PLOTS`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial
from math import log10
from pathlib import Path

HERE = Path(__file__).parent
COLOURS = ("#2a78b5", "#c8553d", "#3f8f5b")
STYLE = (
    "<style>text{font:12px system-ui,sans-serif;fill:#333}.t{font-size:15px;font-weight:600}.s{fill:#666}"
    ".g{stroke:#ddd}@media(prefers-color-scheme:dark){text{fill:#ddd}.s{fill:#aaa}.b{fill:#1b1b1b}"
    ".g{stroke:#444}}</style>"
)
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 360, 64, 20, 72, 52

Rows = list[list[str]]


def table(document: str, heading: str) -> Rows:
    """The cells of the first table under a heading, without the head."""
    text = (HERE / document).read_text(encoding="utf-8")
    section = re.split(rf"^##+ {re.escape(heading)}$", text, flags=re.MULTILINE)[1]
    lines = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert lines is not None, heading
    rows = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in lines[0].splitlines()]
    return rows[2:]


def number(cell: str) -> float:
    """The first number of a cell: 21.4% is 21.4."""
    found = re.search(r"[\d,]+(?:\.\d+)?", cell)
    assert found is not None, cell
    return float(found[0].replace(",", ""))


class Plot:
    """Axes, and what is drawn between them."""

    def __init__(self, title: str, across: str, series: list[str], top: float, scale: str = "") -> None:
        self.title, self.top, self.log = title, top, scale == "log"
        self.body = [
            f'<text class="s" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" '
            f'text-anchor="middle">{across}</text>'
        ]
        x = 16.0
        for name, colour in zip(series, COLOURS, strict=False):
            self.body.append(f'<rect x="{x:.0f}" y="40" width="12" height="12" fill="{colour}"/>')
            self.body.append(f'<text x="{x + 17:.0f}" y="50">{name}</text>')
            x += 36 + 6.4 * len(name)

    def up(self, value: float) -> float:
        share = log10(max(value, 1)) / log10(self.top) if self.log else value / self.top
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    def grid(self, values: list[float], label: Callable[[float], str]) -> None:
        for value in values:
            y = self.up(value)
            self.body.append(f'<path class="g" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
            self.body.append(
                f'<text class="s" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label(value)}</text>'
            )

    def bars(self, labels: list[str], columns: list[list[float]], words: list[list[str]]) -> None:
        """A group of bars for each label, one for each column."""
        pitch = (WIDTH - LEFT - RIGHT) / len(labels)
        wide = pitch * 0.82 / len(columns)
        for nth, label in enumerate(labels):
            x = LEFT + nth * pitch + pitch * 0.09
            for column, colour, word in zip(columns, COLOURS, words, strict=False):
                y = self.up(column[nth])
                self.body.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{HEIGHT - BOTTOM - y:.1f}" '
                    f'fill="{colour}"><title>{label}: {word[nth]}</title></rect>'
                )
                x += wide
            middle, under = LEFT + (nth + 0.5) * pitch, HEIGHT - BOTTOM + 18
            self.body.append(
                f'<text class="s" x="{middle:.1f}" y="{under}" text-anchor="middle">{label}</text>'
            )

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'role="img" aria-label="{self.title}">{STYLE}'
            f'<rect class="b" width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
            f'<text class="t" x="16" y="24">{self.title}</text>' + "".join(self.body) + "</svg>\n"
        )


def percents(plot: Plot) -> None:
    plot.grid([0, 25, 50, 75, 100], lambda value: f"{value:.0f}%")


def blanks(heading: str, board: str) -> Plot:
    rows = table("quixo-questions.md", heading)
    plot = Plot(
        f"{board} Quixo: moves that keep the value",
        "marks on the board",
        ["take a blank tile", "take an own mark"],
        100,
    )
    percents(plot)
    columns = [[number(row[2]) for row in rows], [number(row[3]) for row in rows]]
    plot.bars([row[0] for row in rows], columns, [[row[2] for row in rows], [row[3] for row in rows]])
    return plot


def draws(heading: str, board: str) -> Plot:
    rows = table("quixo-questions.md", heading)
    plot = Plot(
        f"{board} Quixo: drawn positions",
        "marks of X + O, X to move",
        ["moves that keep the draw", "a single saving move"],
        100,
    )
    percents(plot)
    single = [row[5].partition("(")[2].rstrip(")") or "0%" for row in rows]
    columns = [[number(row[3]) for row in rows], [number(cell) for cell in single]]
    # Where there are many classes, there is room for the labels of those with as many marks of each side.
    labels = [f"{row[0]}+{row[1]}" if len(rows) < 16 or row[0] == row[1] else "" for row in rows]
    plot.bars(labels, columns, [[row[3] for row in rows], single])
    return plot


def luck() -> Plot:
    rows = [row for row in table("quixo-questions.md", "How long does a lucky win take?") if row[0] == "4×4"]
    plot = Plot(
        "4×4 Quixo: a lucky win, in plies",
        "how the loser defends",
        ["from the start", "mean of all won positions"],
        200,
    )
    plot.grid([0, 50, 100, 150, 200], lambda value: f"{value:.0f}")
    columns = [[number(row[2]) for row in rows], [number(row[3]) for row in rows]]
    labels = ["at random", "against fastest wins", "against luck"]
    plot.bars(labels, columns, [[row[2] for row in rows], [row[3] for row in rows]])
    return plot


def xavier() -> Plot:
    rows = table("ultimate.md", "Xavier's strategy")
    plot = Plot("Ultimate: games of Xavier’s strategy", "plies", [], 1e12, "log")
    plot.grid(
        [1, 1e3, 1e6, 1e9, 1e12],
        lambda value: ("1", "thousand", "million", "billion", "trillion")[round(log10(value)) // 3],
    )
    plot.bars([row[0] for row in rows], [[number(row[1]) for row in rows]], [[row[1] for row in rows]])
    return plot


def optimal() -> Plot:
    rows = table("ultimate-length.md", "All optimal moves")
    plot = Plot("Ultimate: moves that keep the win at ply 43", "ply", ["of X", "of O"], 100)
    percents(plot)
    # A bar for either side in turn, and a label at every fifth ply.
    shares = [[row[5] if row[1] == side else "0%" for row in rows] for side in "XO"]
    labels = [row[0] if int(row[0]) % 5 == 1 else "" for row in rows]
    plot.bars(labels, [[number(cell) for cell in column] for column in shares], shares)
    return plot


def qubic() -> Plot:
    # Two tables are before the first heading: this one is found by its rows.
    section = (HERE / "strategies-qubic.md").read_text(encoding="utf-8")
    found = {
        who: re.search(rf"^\| {who} \| (1 \|.*)\|$", section, re.MULTILINE) for who in ("Patashnik", "inarow")
    }
    cells = {who: [cell.strip() for cell in line[1].split("|")] for who, line in found.items() if line}
    plot = Plot(
        "Qubic: positions that need an answer",
        "X’s on the board",
        ["Patashnik, 2,929", "inarow, 1,821"],
        1500,
    )
    plot.grid([0, 500, 1000, 1500], lambda value: f"{value:,.0f}")
    plot.bars(
        [str(n) for n in range(10)],
        [[number(cell) for cell in row] for row in cells.values()],
        list(cells.values()),
    )
    return plot


PLOTS = {
    "quixo-question-blanks": partial(blanks, "Is it good to take blank tiles?", "4×4"),
    "quixo-question-blanks-5x5": partial(blanks, "Blank tiles on 5×5", "5×5"),
    "quixo-question-draws": partial(draws, "How hard is it to draw?", "4×4"),
    "quixo-question-draws-5x5": partial(draws, "Draws on 5×5", "5×5"),
    "quixo-question-luck": luck,
    "ultimate-xavier-games": xavier,
    "ultimate-optimal": optimal,
    "qubic-positions": qubic,
}


def main(folder: str) -> None:
    for name, plot in PLOTS.items():
        (Path(folder) / f"{name}.svg").write_text(plot().svg(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
