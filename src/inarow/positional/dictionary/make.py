"""Make a dictionary from the rules alone: find a win, and write it in few lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from inarow._native.positional import WinSearch
from inarow.errors import InarowError
from inarow.files import require_writable
from inarow.positional.dictionary.compress import Compression, Method, compress
from inarow.positional.dictionary.fewest_lines import TooManyAnswers, fewest_lines
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game
from inarow.positional.search import MEMORY
from inarow.positional.search.qubic import EFFORT, SEED, QubicProgress, find_win
from inarow.positional.search.small_boards import Proof, SearchProgress, prove, symmetry_kind, win_search
from inarow.symmetry import SymmetryKind
from inarow.verify.positional.dictionary import DictionaryReport, NotExhaustive, verify_dictionary
from inarow.verify.positional.pairing import verify_pairing
from inarow.words import counted

_QUBIC = Game.named("qubic")
_SECONDS = 60.0  # to choose few lines, by default
_MOST_OPTIMAL = 20_000  # positions; more are compressed greedily
_MOST_ANSWERS = 20_000  # for an integer program
_BOUND_SECONDS = 10.0  # for the lower bound of each number of levels

Phase: TypeAlias = Literal["write", "bound", "compress", "choose", "verify"]

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


@dataclass(frozen=True, slots=True)
class Made:
    """What the search found out, and if X wins, a dictionary and its verification."""

    game: Game
    proof: Proof
    dictionary: Dictionary | None = None  # None if X does not win, or not in the moves asked for
    report: DictionaryReport | None = None
    positions: int = 0  # in the dictionary
    symmetry: SymmetryKind = "full"  # by which the player looks up; geometric if the lines have too many
    assisted: bool = False  # the dictionary is for an assisted player; otherwise for one that only looks up
    lower_bound: int | None = None  # on the lines of any strategy that wins in as many moves, if known
    effort: int | None = None  # of the search for Qubic
    seed: int | None = None  # likewise
    seconds: float = 0

    @property
    def optimal(self) -> bool:
        return self.dictionary is not None and len(self.dictionary.lines) == self.lower_bound

    def describe(self) -> str:
        """The result in one line."""
        work = f"({counted(self.proof.nodes, 'node')}, {self.seconds:.2f} s)"
        if self.dictionary is None:
            return f"{self.proof.describe()} {work}"
        lines, fewer = len(self.dictionary.lines), ""
        if self.lower_bound is not None:
            fewer = f"; {_bound_text(self.proof.moves or 0, lines, self.lower_bound)}"
        return (
            f"{self.proof.describe().removesuffix('.')}: {counted(lines, 'line')}, "
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
    workers search. `memory` is the number of bytes for positions that the search keeps.

    The dictionary is verified, and then written to the file `out`, if any. Until then the state of the search
    is kept beside it (see `checkpoint_of`), and a later call with the same file resumes from there.

    :raises NotExhaustive: if the verification fails, because of a bug in the search; nothing is written.
    :raises DamagedFile: if the state of the search is damaged.
    :raises InarowError: if an option does not apply to the game, the state belongs to another search, the
        memory does not suffice, or the game is Qubic as maker-breaker, for which there is no search.

    >>> made = make_dictionary(Game.named("mnk:4x4x3"))
    >>> made.report.verdict
    'proven'
    >>> print(made.dictionary.header)
    mnk:4x4x3, maker-maker: X wins in 3 moves, and in no fewer.
    8 lines, and no strategy that wins in 3 moves has fewer.
    """
    began = time.monotonic()
    is_qubic = _is_qubic(game)
    others: dict[str, object] = {"effort": effort, "seed": seed}
    if is_qubic:
        others = {"moves": moves, "time-limit": time_limit, "dask": dask}
    for option, value in others.items():
        if value is not None:
            raise InarowError(f"--{option} does not apply to {game.name}")
    path, checkpoint = None, None
    if out is not None:
        path = Path(out)
        require_writable(path)
        checkpoint = checkpoint_of(path)
    maker = _Maker(game, memory, checkpoint, progress)
    if is_qubic:
        made = maker.qubic(EFFORT if effort is None else effort, SEED if seed is None else seed)
    else:
        made = maker.small(moves, _SECONDS if time_limit is None else time_limit, dask)
    if path is not None and made.dictionary is not None:
        made.dictionary.write(path)
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    return replace(made, seconds=time.monotonic() - began)


def checkpoint_of(out: Path) -> Path | None:
    """The file beside the result that keeps the state of a search; None if the result is no regular file."""
    return None if out.exists() and not out.is_file() else out.with_name(f"{out.name}.search")


def _is_qubic(game: Game) -> bool:
    if game.cells != _QUBIC.cells or game.lines != _QUBIC.lines:
        return False
    if game.maker_breaker:
        raise InarowError(
            f"{game.name}, maker-breaker: too large for the search of small boards, and Qubic's own search "
            "is for maker-maker only; X wins that, and so wins maker-breaker as well"
        )
    return True


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the dictionary of a game."""

    game: Game
    memory: int
    checkpoint: Path | None
    progress: OnProgress | None

    def qubic(self, effort: int, seed: int) -> Made:
        began, game = time.monotonic(), self.game
        answers, nodes = find_win(
            effort=effort, seed=seed, memory=self.memory, checkpoint=self.checkpoint, progress=self.progress
        )
        entries = [Entry(*answer) for answer in answers]
        found = compress(entries, game.symmetries("full"), progress=self._count("compress"))
        header = (
            "Four in a row in a cube of 4x4x4: a win for the first player, if assisted.\n"
            f"Found by inarow, seed {seed}, effort {effort}: "
            f"{found.positions} positions in {len(found.lines)} lines."
        )
        dictionary = Dictionary(game.cells, found.lines, header)
        report = self._verified(dictionary, "full", assisted=True)
        first = next(entry.move for entry in dictionary.entries() if entry.x == 0)
        proof = Proof(True, None, first, 0, False, "search", None, nodes, time.monotonic() - began)
        made = Made(game, proof, dictionary, report, found.positions, assisted=True)
        return replace(made, effort=effort, seed=seed)

    def small(self, moves: int | None, time_limit: float, dask: str | None) -> Made:
        game = self.game
        proof = prove(
            game, moves, memory=self.memory, progress=self.progress, checkpoint=self.checkpoint, dask=dask
        )
        if proof.pairing is not None:
            pairing = verify_pairing(game.cells, game.lines, proof.pairing)
            if pairing.verdict != "proven":
                raise InarowError(f"{game.name}: the pairs do not block every line: {pairing.reason}")
        if proof.moves is None or proof.first is None:
            return Made(game, proof)
        search = win_search(game, self.memory)
        answers = search.strategy(proof.moves, proof.first, self._count("write"))
        entries = [Entry(*answer) for answer in answers]
        kind = symmetry_kind(game)
        found, bound = self._few_lines(search, kind, proof.moves, entries, time_limit)
        header = _header(game, kind, proof.moves, len(found.lines), bound)
        dictionary = Dictionary(game.cells, found.lines, header)
        report = self._verified(dictionary, kind, assisted=False)
        if report.longest_game_plies > 2 * proof.moves - 1:
            raise InarowError(
                f"{game.name}: the dictionary takes {counted(report.longest_game_plies, 'ply')}, "
                f"but the search found a win in {counted(proof.moves, 'move')}"
            )
        return Made(game, proof, dictionary, report, found.positions, kind, lower_bound=bound)

    def _few_lines(
        self, search: WinSearch, kind: SymmetryKind, moves: int, entries: list[Entry], time_limit: float
    ) -> tuple[Compression, int]:
        """A strategy in few lines, the given one or another, and a bound on the lines of any."""
        began = time.monotonic()
        symmetries = self.game.symmetries(kind)

        def left(share: float = 1.0) -> float:
            return share * max(0.0, began + time_limit - time.monotonic())

        fewest = partial(fewest_lines, self.game, search, symmetries, moves, most=_MOST_ANSWERS)
        bound, third = moves, left(1 / 3)
        is_small = True
        try:
            for levels in range(1, moves):
                seconds = min(_BOUND_SECONDS, third - (time.monotonic() - began))
                found = fewest(levels=levels, time_limit=seconds, progress=self._count("bound"))
                bound = max(bound, found.lower_bound)
        except TooManyAnswers:
            is_small = False
        method: Method = "greedy" if len(entries) > _MOST_OPTIMAL else "optimal"
        seconds = left(1 / 2 if is_small else 1)
        best = compress(entries, symmetries, method, seconds, self._count("compress"))
        if not is_small:
            return best, bound
        reserved = max(left(1 / 20), 2 * best.seconds)  # to compress what is chosen
        try:
            seconds = left() - reserved
            found = fewest(time_limit=seconds, known=best.lines, progress=self._count("choose"))
        except TooManyAnswers:
            return best, bound
        if found.entries is not None:
            better = compress(found.entries, symmetries, "optimal", left(), self._count("compress"))
            best = min(best, better, key=lambda compression: len(compression.lines))
        return best, max(bound, found.lower_bound)

    def _verified(
        self, dictionary: Dictionary, symmetry: SymmetryKind, *, assisted: bool
    ) -> DictionaryReport:
        how = partial(verify_dictionary, symmetry=symmetry, assisted=assisted, proof_only=assisted)
        report = how(self.game, dictionary, progress=self._count("verify"))
        if report.counterexample is not None:
            raise NotExhaustive(report.counterexample)
        return report

    def _count(self, phase: Phase) -> Callable[[int, int], None]:
        """A function to call with the work done and all work, which only compression knows."""

        def count(done: int, total: int) -> None:
            if self.progress is not None:
                self.progress(MakeProgress(phase, done, total if phase == "compress" else None))

        return count


def _bound_text(moves: int, lines: int, bound: int) -> str:
    """What is known of the lines of any strategy that wins in as many moves."""
    in_moves = f"strategy that wins in {counted(moves, 'move')}"
    return f"no {in_moves} has fewer" if lines == bound else f"at least {bound} in any {in_moves}"


def _header(game: Game, kind: SymmetryKind, moves: int, lines: int, bound: int) -> str:
    rows = [
        f"{game.name}, {game.rule}: X wins in {counted(moves, 'move')}, and in no fewer.",
        f"{lines} {'line' if lines == 1 else 'lines'}, and {_bound_text(moves, lines, bound)}.",
    ]
    if kind != "full":
        rows.append(f"Positions are up to {kind} symmetry.")
    return "\n".join(rows)
