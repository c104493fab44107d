"""`inarow quixo results`, and the results of solving a game for people to read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from rich.box import SIMPLE_HEAD
from rich.columns import Columns
from rich.console import Console
from rich.table import Table
from rich.text import Text

from inarow.cli.console import print_json, stdout
from inarow.cli.options import JsonOption
from inarow.cli.quixo import options
from inarow.cli.quixo.words import STYLES, board, start_text
from inarow.quixo.results import longest_win
from inarow.quixo.results import results as results_of
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.solution import Solution
from inarow.quixo.statistics import ClassCounts, Statistics


@options.with_rules(size="5")
def results(
    rules: Quixo,
    classes: options.ClassesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the results for 5×5 that come with inarow.

    They cover all lengths of a line and both rules for double lines.
    """
    solution = results_of(rules)
    longest = longest_win() if solution.rules.name == "5x5-line5-loses" else ()
    if as_json:
        data = solution.to_json()
        if longest:
            moves = [
                position.rules.move_text(position.last_move) for position in longest if position.last_move
            ]
            data["longest_win"] = {"position": str(longest[0]), "moves": moves}
        print_json(data)
        return
    console = stdout()
    show(console, solution, classes)
    if longest:
        console.print(f"\nThe longest win takes {len(longest) - 1} plies, from this position:\n")
        console.print(board(longest[0], f"{longest[0].turn.upper()} to move"))


# Distinguished by shape as well, for terminals without colours, and for those without Unicode.
_BAR = (("win", "█"), ("draw", "▒"), ("loss", "░"))
_ASCII_BAR = (("win", "#"), ("draw", "="), ("loss", "-"))
_BAR_WIDTH = 24

_Signs = tuple[tuple[str, str], ...]


def show(console: Console, solution: Solution, all_classes: bool) -> None:
    """The value of the start, and counts of positions by value, plies and class."""
    statistics = solution.statistics
    states = statistics.states
    console.print(str(solution.rules), style="bold")
    if solution.start is None:
        fewest = min(c.x + c.o for c in statistics.classes)
        console.print(f"Solved down to {fewest} marks: the value of the start is not known.")
    else:
        start = solution.start
        console.print(start_text(start.value, start.plies), style=STYLES[start.value])
    console.print(f"\n{sum(states.values()):,} states, counted with X to move:\n")
    console.print(_totals(statistics))
    console.print()
    tables = [_by_plies(statistics)] if statistics.by_plies else []
    console.print(Columns([*tables, _by_class(statistics, all_classes, _signs(console))], padding=(1, 5)))
    on = f" on one {solution.device}" if solution.device else ""
    console.print(f"\nSolved in {solution.seconds:.2f} s{on}.")
    if solution.timing:
        parts = (f"{part} {seconds:.1f}" for part, seconds in solution.timing.items() if seconds >= 0.05)
        console.print(f"Seconds by part: {', '.join(parts)}.")
    if solution.table is not None:
        console.print(f"The table is in {solution.table}", soft_wrap=True)


def _totals(statistics: Statistics) -> Table:
    states = statistics.states
    table = Table(box=None, show_header=False, pad_edge=True)
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    for value in ("win", "loss", "draw"):
        share = states[value] / sum(states.values())
        table.add_row(value.capitalize(), f"{states[value]:,}", f"{share:.1%}", style=STYLES[value])
    return table


def _by_plies(statistics: Statistics) -> Table:
    table = Table(title="By plies to the end", title_justify="left", box=SIMPLE_HEAD)
    for name in ("Plies", "Win states", "Loss states"):
        table.add_column(name, justify="right")
    for plies, win, loss in statistics.by_plies:
        table.add_row(str(plies), f"{win:,}", f"{loss:,}")
    return table


def _signs(console: Console) -> _Signs:
    """What the console can show."""
    try:
        "".join(sign for _, sign in _BAR).encode(console.encoding)
    except UnicodeEncodeError:
        return _ASCII_BAR
    return _BAR


def _by_class(statistics: Statistics, show_all: bool, signs: _Signs) -> Table:
    chosen = [c for c in statistics.classes if show_all or abs(c.x - c.o) <= 1]
    title = "By the numbers of marks"
    caption = None if show_all else f"{len(statistics.classes)} classes in all: --classes shows them"
    table = Table(title=title, caption=caption, title_justify="left", caption_justify="left", box=SIMPLE_HEAD)
    for name in ("X", "O", "States", "Win", "Draw", "Loss"):
        table.add_column(name, justify="right")
    table.add_column("".join(f"{sign} {value} " for value, sign in signs))
    for counts in reversed(chosen):
        shares = _shares(counts)
        table.add_row(
            str(counts.x),
            str(counts.o),
            f"{counts.win + counts.draw + counts.loss:,}",
            *(f"{100 * share:.0f}%" for share in shares),
            _bar(shares, signs),
        )
    return table


def _shares(counts: ClassCounts) -> Sequence[float]:
    """The shares of wins, draws and losses, in the order of the bar."""
    all_states = counts.win + counts.draw + counts.loss
    return [getattr(counts, value) / all_states for value, _ in _BAR]


def _bar(shares: Sequence[float], signs: _Signs) -> Text:
    # Ends are rounded, not lengths: so the parts always fill the bar.
    ends = [0, *(round(_BAR_WIDTH * end) for end in accumulate(shares))]
    bar = Text()
    for (value, sign), begin, end in zip(signs, ends, ends[1:], strict=False):
        bar.append(sign * (end - begin), STYLES[value])
    return bar
