"""`inarow dictionary make`: find a win from nothing but the rules, and write it down."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli.console import print_json, require_folder, stdout, tell
from inarow.cli.dictionary import common
from inarow.cli.dictionary.common import counted
from inarow.cli.dictionary.make_qubic import make_qubic
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.errors import InarowError

if TYPE_CHECKING:
    from inarow.positional.dictionary.make import Made, Making
    from inarow.positional.search.pairings import Pairs
    from inarow.positional.search.small_boards import Proof, Searching

_GIGABYTE = 1_000_000_000
_PATIENCE = 0.5  # seconds of silence before counting aloud
_DOING = {
    "write": "writing the strategy",
    "bound": "bounding the lines of any strategy",
    "compress": "compressing",
    "choose": "choosing moves and lines together",
    "verify": "verifying",
}
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def make(
    game: common.GameOption,
    moves: Annotated[
        int | None,
        typer.Option("--moves", metavar="M", min=1, help="Look for wins in so many moves; any unless said."),
    ] = None,
    maker_breaker: common.MakerBreakerOption = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", metavar="S", min=0, help="Seconds to spend on choosing few lines; 60 unless said."
        ),
    ] = None,
    memory: Annotated[
        float, typer.Option("--memory", metavar="GB", min=0.01, help="For positions kept while searching.")
    ] = 4.0,
    effort: Annotated[
        int | None,
        typer.Option("--effort", metavar="N", min=0, help="Qubic: rounds of making the dictionary smaller."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Qubic: of the random choices; 1 unless said."),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option("--dask", metavar="ADDRESS", help="Search with the workers of a Dask scheduler."),
    ] = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Find a win of the first player and write it in few lines.

    It is verified before it is written. With --out, a search that is interrupted goes on
    when it is called again. Exit code 1: there is no win, and the proof of that is shown.
    """
    if out is not None:
        require_folder(out.parent)
    rules = common.game_of(game, maker_breaker)
    is_qubic = rules.name == "qubic"  # too large for the search of small boards: it has its own
    of_others = {"--moves": moves, "--time-limit": time_limit, "--dask": dask}
    for name, value in (of_others if is_qubic else {"--effort": effort, "--seed": seed}).items():
        if value is not None:
            raise InarowError(f"{name} is not an option for {rules.name}")
    if is_qubic:
        make_qubic(int(memory * _GIGABYTE), effort, 1 if seed is None else seed, out, as_json)
        return
    from inarow.positional.dictionary.make import make_dictionary

    checkpoint = None if out is None else out.with_name(f"{out.name}.search")
    with _showing() as report:
        made = make_dictionary(
            rules,
            moves,
            memory=int(memory * _GIGABYTE),
            time_limit=60.0 if time_limit is None else time_limit,
            progress=report,
            checkpoint=checkpoint,
            dask=dask,
        )
    if made.dictionary is not None:
        common.put(made.dictionary, out, as_json)
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    if as_json:
        print_json(made.to_json())
    else:
        _tell(made)
    if made.dictionary is None:
        raise typer.Exit(CHECK_FAILED)


def _tell(made: Made) -> None:
    proof = made.proof
    effort = f"{counted(proof.nodes, 'node')}, {made.seconds:.2f} s"
    if made.dictionary is not None:
        lines = len(made.dictionary.lines)
        fewer = "no strategy has fewer" if made.optimal else f"any strategy has at least {made.lower_bound:,}"
        tell(
            f"X wins in {counted(proof.moves or 0, 'move')}, and in no fewer: {counted(lines, 'line')}, "
            f"{counted(made.positions, 'position')}, verified; {fewer} ({effort})"
        )
        return
    console = stdout()
    console.print(common.describe(made.game), style="bold")
    console.print(f"{_verdict(proof)} ({effort})")
    if proof.pairing is not None:
        console.print("\nO answers a mark of X's with the same letter:\n")
        console.print(_pairs(made, proof.pairing))


def _verdict(proof: Proof) -> str:
    if not proof.never:
        return f"X has no win in {counted(proof.none_within, 'move')}."
    how = "pairs of cells hold every line" if proof.why == "pairing" else "every game was searched"
    return f"X never wins: {how}."


def _pairs(made: Made, pairs: Pairs) -> str:
    layers, rows, columns = made.game.shape
    letters = dict.fromkeys(range(made.game.cells), ".")
    for number, pair in enumerate(pairs):
        for cell in pair:
            letters[cell] = _LETTERS[number % len(_LETTERS)]
    text = [
        "    ".join(
            " ".join(letters[(layer * rows + row) * columns + column] for column in range(columns))
            for layer in range(layers)
        )
        for row in range(rows)
    ]
    return "\n".join(text)


@contextmanager
def _showing() -> Iterator[Callable[[Searching | Making], None]]:
    """A function to call with how far it has come: tells it on a terminal if it takes long."""
    if not sys.stderr.isatty():
        yield lambda state: None
        return

    from rich.console import Console

    began = time.monotonic()
    status = Console(stderr=True).status("searching")

    def report(state: Searching | Making) -> None:
        if time.monotonic() - began > _PATIENCE:
            status.start()
            status.update(_doing(state))

    try:
        yield report
    finally:
        status.stop()


def _doing(state: Searching | Making) -> str:
    from inarow.positional.dictionary.make import Making

    if isinstance(state, Making):
        what = "position" if state.phase in ("compress", "verify") else "node"
        of = "" if state.total is None else f"{state.done:,} of "
        return f"{_DOING[state.phase]}: {of}{counted(state.total or state.done, what)}"
    return (
        f"searching: no win in {counted(state.none_within, 'move')}; {counted(state.nodes, 'node')}, "
        f"{counted(state.kept, 'position')} kept, {state.refuted} of "
        f"{counted(state.firsts, 'first move')} refuted"
    )
