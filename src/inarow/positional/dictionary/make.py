"""Make a dictionary from the rules alone: find a win, and write it in few lines.

>>> from inarow.positional.rules import Game
>>> made = make_dictionary(Game.named("polyomino:el:3"))
>>> print(made.dictionary.header)
polyomino:el:3, maker-breaker: X wins in 3 moves, and in no fewer.
4 lines, and no strategy that wins in 3 moves has fewer.
>>> make_dictionary(Game.named("polyomino:el:2")).dictionary is None
True
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from inarow._native.positional import WinSearch
from inarow.errors import InarowError
from inarow.positional.dictionary.compress import Compression, compress
from inarow.positional.dictionary.fewest_lines import TooManyAnswers, fewest_lines
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game, SymmetryKind
from inarow.positional.search.qubic import DEFAULT_EFFORT, QubicProgress, find_win
from inarow.positional.search.small_boards import Proof, prove
from inarow.positional.search.tasks import MEMORY, SearchProgress, win_search
from inarow.symmetry import Symmetry
from inarow.verify.positional.dictionary import DictionaryReport, NotExhaustive, verify_dictionary
from inarow.verify.positional.pairing import verify_pairing
from inarow.words import counted

__all__ = ["Made", "MakeProgress", "OnProgress", "WrongOption", "checkpoint_of", "make_dictionary"]

_QUBIC = Game.named("qubic")
_SECONDS = 60.0  # to choose few lines, by default
_SEED = 1
_MOST_OPTIMAL = 20_000  # positions; more are compressed greedily
_MOST_ANSWERS = 20_000  # for an integer program
_BOUND_SECONDS = 10.0  # for the lower bound of each number of levels

Phase: TypeAlias = Literal["write", "bound", "compress", "choose", "verify"]
Count: TypeAlias = Callable[[int, int], None]

_DOING: dict[Phase, str] = {
    "write": "writing the strategy",
    "bound": "bounding the lines of any strategy",
    "compress": "compressing",
    "choose": "choosing moves and lines together",
    "verify": "verifying",
}


@dataclass(frozen=True, slots=True)
class MakeProgress:
    """What is being done with a win that was found, and how far it has come."""

    phase: Phase
    done: int  # positions compressed or verified; otherwise, nodes searched
    total: int | None  # if known

    def describe(self) -> str:
        what = "position" if self.phase in ("compress", "verify") else "node"
        of = "" if self.total is None else f"{self.done:,} of "
        return f"{_DOING[self.phase]}: {of}{counted(self.total or self.done, what)}"


OnProgress: TypeAlias = Callable[[SearchProgress | QubicProgress | MakeProgress], None]


class WrongOption(InarowError):
    """An option of `make_dictionary` does not apply to a game."""

    def __init__(self, option: str, game: Game) -> None:
        super().__init__(option, game)
        self.option = option
        self.game = game

    def __str__(self) -> str:
        return f"{self.option} does not apply to {self.game.name}"


@dataclass(frozen=True, slots=True)
class Made:
    """What the search found out, and if X wins, a dictionary and its verification."""

    game: Game
    proof: Proof
    seconds: float
    dictionary: Dictionary | None = None  # None if X does not win, or not in the moves asked for
    report: DictionaryReport | None = None
    positions: int = 0  # in the dictionary
    symmetry: SymmetryKind = "full"  # by which the player looks up; geometric if the lines have too many
    assisted: bool = False  # the dictionary is for an assisted player; otherwise for one that only looks up
    lower_bound: int | None = None  # on the lines of any strategy that wins in as many moves, if known
    effort: int | None = None  # of the search for Qubic
    seed: int | None = None  # likewise

    @property
    def optimal(self) -> bool:
        return self.dictionary is not None and len(self.dictionary.lines) == self.lower_bound

    def describe(self) -> str:
        """The result in one line."""
        work = f"({counted(self.proof.nodes, 'node')}, {self.seconds:.2f} s)"
        if self.dictionary is None:
            return f"{self.proof.describe()} {work}"
        fewer = ""
        if self.lower_bound is not None:
            of_as_many = f"strategy that wins in {counted(self.proof.moves or 0, 'move')} has"
            fewer = (
                f"; no {of_as_many} fewer"
                if self.optimal
                else f"; any {of_as_many} at least {self.lower_bound:,}"
            )
        return (
            f"{self.proof.describe().removesuffix('.')}: {counted(len(self.dictionary.lines), 'line')}, "
            f"{counted(self.positions, 'position')}, verified{fewer} {work}"
        )

    def to_json(self) -> dict[str, Any]:
        found = self.dictionary
        return {
            "game": self.game.name,
            "maker_breaker": self.game.maker_breaker,
            **self.proof.to_json(),
            "lines": None if found is None else len(found.lines),
            "positions": None if found is None else self.positions,
            "symmetry": self.symmetry,
            "assisted": self.assisted,
            "lower_bound": self.lower_bound,
            "optimal": None if found is None else self.optimal,
            "verified": None if self.report is None else self.report.exhaustive,
            "effort": self.effort,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
        }


def make_dictionary(
    game: Game,
    moves: int | None = None,
    *,
    out: str | Path | None = None,
    memory: int = MEMORY,
    time_limit: float | None = None,
    effort: int | None = None,
    seed: int | None = None,
    dask: str | None = None,
    progress: OnProgress | None = None,
) -> Made:
    """Find a win of X and write it as a small dictionary, or prove that there is none.

    Qubic has a search of its own, for any win, and its dictionary is for an assisted player: `effort` is the
    number of rounds in which it is made smaller, and `seed` that of the random choices. For other games the
    win is in the fewest moves, at most `moves` if given, and the dictionary for a player that only looks up:
    `time_limit` is the number of seconds for choosing few lines, and `dask` the address of a scheduler whose
    workers search.

    The dictionary is verified, and then written to the file `out`, if any. Until then the state of the search
    is kept beside it (see `checkpoint_of`), and a later call with the same file resumes from there. `memory`
    is the number of bytes for positions that the search keeps.

    :raises WrongOption: if an option does not apply to the game.
    :raises NotExhaustive: if the verification fails, because of a bug in the search; nothing is written.
    :raises DamagedFile: if the state of the search is damaged.
    :raises InarowError: if the state belongs to another search, the memory does not suffice, or the game is
        Qubic as maker-breaker, for which there is no search.

    >>> made = make_dictionary(Game.named("mnk:4x4x3"))
    >>> made.proof.moves, len(made.dictionary.lines), made.report.verdict
    (3, 8, 'proven')
    """
    began = time.monotonic()
    is_qubic = _is_qubic(game)
    others: dict[str, object] = (
        {"moves": moves, "time_limit": time_limit, "dask": dask}
        if is_qubic
        else {"effort": effort, "seed": seed}
    )
    for option, value in others.items():
        if value is not None:
            raise WrongOption(option, game)
    path = None if out is None else Path(out)
    if path is not None and not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(path.parent))
    checkpoint = None if path is None else checkpoint_of(path)
    if is_qubic:
        effort = DEFAULT_EFFORT if effort is None else effort
        made = _make_qubic(game, memory, effort, _SEED if seed is None else seed, checkpoint, progress, began)
    else:
        seconds = _SECONDS if time_limit is None else time_limit
        made = _make_small(game, moves, memory, seconds, checkpoint, dask, progress, began)
    if path is not None and made.dictionary is not None:
        made.dictionary.write(path)
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    return made


def checkpoint_of(out: Path) -> Path | None:
    """The file beside the result that keeps the state of a search; None if the result is no regular file."""
    return None if out.exists() and not out.is_file() else out.with_name(f"{out.name}.search")


def _verify(
    game: Game,
    dictionary: Dictionary,
    symmetry: SymmetryKind,
    progress: OnProgress | None,
    *,
    assisted: bool,
) -> DictionaryReport:
    report = verify_dictionary(
        game,
        dictionary,
        symmetry=symmetry,
        assisted=assisted,
        proof_only=assisted,
        progress=_count("verify", progress),
    )
    if report.counterexample is not None:
        raise NotExhaustive(report.counterexample)
    return report


# --- Qubic ---


def _is_qubic(game: Game) -> bool:
    if game.cells != _QUBIC.cells or game.lines != _QUBIC.lines:
        return False
    if game.maker_breaker:
        raise InarowError(
            f"{game.name}, maker-breaker: too large for the search of small boards, and Qubic's own search "
            "is for maker-maker only; X wins that, and so wins maker-breaker as well"
        )
    return True


def _make_qubic(
    game: Game,
    memory: int,
    effort: int,
    seed: int,
    checkpoint: Path | None,
    progress: OnProgress | None,
    began: float,
) -> Made:
    win = find_win(effort=effort, seed=seed, memory=memory, checkpoint=checkpoint, progress=progress)
    entries = [Entry(*answer) for answer in win.answers]
    found = compress(
        entries, game.symmetries("full"), progress=_count("compress", progress), alternatives=True
    )
    header = (
        "Four in a row in a cube of 4x4x4: a win for the first player, if assisted.\n"
        f"Found by inarow, seed {seed}, effort {effort}: "
        f"{found.positions} positions in {len(found.lines)} lines."
    )
    dictionary = Dictionary(game.cells, found.lines, header)
    report = _verify(game, dictionary, "full", progress, assisted=True)
    seconds = time.monotonic() - began
    first = next(entry.move for entry in dictionary.entries() if entry.x == 0)
    proof = Proof(True, None, first, 0, False, "search", None, win.threat_nodes, seconds)
    return Made(
        game, proof, seconds, dictionary, report, found.positions, assisted=True, effort=effort, seed=seed
    )


# --- Other games ---


def _make_small(
    game: Game,
    moves: int | None,
    memory: int,
    time_limit: float,
    checkpoint: Path | None,
    dask: str | None,
    progress: OnProgress | None,
    began: float,
) -> Made:
    proof = prove(game, moves, memory=memory, progress=progress, checkpoint=checkpoint, dask=dask)
    if proof.pairing is not None:
        pairing = verify_pairing(game.cells, game.lines, proof.pairing)
        if pairing.verdict != "proven":
            raise InarowError(f"{game.name}: the pairs do not block every line: {pairing.reason}")
    if proof.moves is None or proof.first is None:
        return Made(game, proof, time.monotonic() - began)
    search = win_search(game, memory)
    answers = search.strategy(proof.moves, proof.first, _count("write", progress))
    entries = [Entry(*answer) for answer in answers]
    kind = _symmetry_kind(game)
    found, bound = _few_lines(game, search, kind, proof.moves, entries, time_limit, progress)
    dictionary = Dictionary(
        game.cells, found.lines, _header(game, kind, proof.moves, len(found.lines), bound)
    )
    report = _verify(game, dictionary, kind, progress, assisted=False)
    if report.longest_game_plies > 2 * proof.moves - 1:
        raise InarowError(
            f"{game.name}: the dictionary takes {counted(report.longest_game_plies, 'ply')}, "
            f"but the search found a win in {counted(proof.moves, 'move')}"
        )
    seconds = time.monotonic() - began
    return Made(game, proof, seconds, dictionary, report, found.positions, kind, lower_bound=bound)


def _symmetry_kind(game: Game) -> SymmetryKind:
    try:
        game.symmetries("full")
    except ValueError:  # too many to list
        return "geometric"
    return "full"


def _few_lines(
    game: Game,
    search: WinSearch,
    kind: SymmetryKind,
    moves: int,
    entries: list[Entry],
    time_limit: float,
    progress: OnProgress | None,
) -> tuple[Compression, int]:
    """A strategy in few lines, the given one or another, and a bound on the lines of any."""
    end = time.monotonic() + time_limit

    def left(share: float = 1.0) -> float:
        return share * max(0.0, end - time.monotonic())

    symmetries = game.symmetries(kind)
    bound, small = _bound(game, search, symmetries, moves, left(1 / 3), _count("bound", progress))
    found = compress(
        entries,
        symmetries,
        "greedy" if len(entries) > _MOST_OPTIMAL else "optimal",
        left(1 / 2 if small else 1),
        _count("compress", progress),
    )
    if not small:
        return found, bound
    reserved = max(left(1 / 20), 2 * found.seconds)  # to compress what is chosen
    try:
        chosen = fewest_lines(
            game,
            search,
            symmetries,
            moves,
            moves,
            most=_MOST_ANSWERS,
            time_limit=left() - reserved,
            known=found.lines,
            progress=_count("choose", progress),
        )
    except TooManyAnswers:
        return found, bound
    if chosen.entries is not None:
        better = compress(chosen.entries, symmetries, "optimal", left(), _count("compress", progress))
        found = min(found, better, key=lambda compression: len(compression.lines))
    return found, max(bound, chosen.lower_bound)


def _bound(
    game: Game,
    search: WinSearch,
    symmetries: tuple[Symmetry, ...],
    moves: int,
    time_limit: float,
    count: Count,
) -> tuple[int, bool]:
    """A bound on the lines of any strategy from its first levels, and whether there was time for all."""
    end = time.monotonic() + time_limit
    bound = moves
    for levels in range(1, moves):
        try:
            found = fewest_lines(
                game,
                search,
                symmetries,
                moves,
                moves,
                levels=levels,
                most=_MOST_ANSWERS,
                time_limit=min(_BOUND_SECONDS, end - time.monotonic()),
                progress=count,
            )
        except TooManyAnswers:
            return bound, False
        bound = max(bound, found.lower_bound)
    return bound, True


def _count(phase: Phase, progress: OnProgress | None) -> Count:
    """A function to call with the work done and all work, which only compression knows."""

    def count(done: int, total: int) -> None:
        if progress is not None:
            progress(MakeProgress(phase, done, total if phase == "compress" else None))

    return count


def _header(game: Game, kind: SymmetryKind, moves: int, lines: int, bound: int) -> str:
    in_moves = f"in {counted(moves, 'move')}"
    fewer = (
        f"and no strategy that wins {in_moves} has fewer"
        if lines == bound
        else f"and at least {bound} in any strategy that wins {in_moves}"
    )
    rows = [
        f"{game.name}, {game.rule}: X wins {in_moves}, and in no fewer.",
        f"{lines} {'line' if lines == 1 else 'lines'}, {fewer}.",
    ]
    if kind != "full":
        rows.append(f"Positions are up to {kind} symmetry.")
    return "\n".join(rows)
