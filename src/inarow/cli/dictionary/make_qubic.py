"""The part of `inarow dictionary make` for Qubic, which has a search of its own."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.cli.console import print_json, tell
from inarow.cli.dictionary import common
from inarow.cli.dictionary.common import counted

if TYPE_CHECKING:
    from inarow.positional.search.qubic import Progress

_PATIENCE = 0.5  # seconds of silence before counting aloud
_DOING = {
    "prove": "looking for a win",
    "widen": "looking for other answers",
    "choose": "choosing answers",
    "compress": "compressing",
}


def make_qubic(memory: int, effort: int | None, seed: int, out: Path | None, as_json: bool) -> None:
    """Find a win, verify it, and put it where it belongs; a search for a file goes on if interrupted."""
    from inarow.positional.rules import Game
    from inarow.positional.search.qubic import DEFAULT_EFFORT, find_win
    from inarow.verify.positional.dictionary import NotExhaustive, verify_dictionary

    began = time.monotonic()
    effort = DEFAULT_EFFORT if effort is None else effort
    checkpoint = None if out is None else out.with_name(f"{out.name}.search")
    with _searching() as report:
        found = find_win(effort=effort, seed=seed, memory=memory, checkpoint=checkpoint, progress=report)
    with common.counting("verifying") as count:
        verified = verify_dictionary(
            Game.named("qubic"), found, assisted=True, proof_only=True, progress=count
        )
    if verified.counterexample is not None:
        raise NotExhaustive(verified.counterexample)
    common.put(found, out, as_json)
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    seconds = time.monotonic() - began
    positions = verified.positions.dictionary
    if as_json:
        print_json(
            {
                "game": "qubic",
                "effort": effort,
                "seed": seed,
                "positions": positions,
                "lines_out": len(found.lines),
                "verified": True,
                "seconds": round(seconds, 1),
            }
        )
    else:
        tell(
            f"X wins: {counted(positions, 'position')} in {counted(len(found.lines), 'line')}, verified "
            f"({seconds:.0f} s)"
        )


@contextmanager
def _searching() -> Iterator[Callable[[Progress], None] | None]:
    """A function to tell the search's progress to, if there is a terminal to show it on."""
    if not sys.stderr.isatty():
        yield None
        return

    from rich.console import Console

    began = time.monotonic()
    status = Console(stderr=True).status("")

    def report(progress: Progress) -> None:
        if time.monotonic() - began > _PATIENCE:
            status.start()
            about = "about " if progress.phase == "prove" else ""
            status.update(
                f"{_DOING[progress.phase]}, round {progress.round}: "
                f"{about}{counted(progress.positions, 'position')}, "
                f"{progress.threat_nodes / 1e6:,.0f} million nodes, {progress.expansions:,} expanded"
            )

    try:
        yield report
    finally:
        status.stop()
