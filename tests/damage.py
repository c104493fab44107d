"""Damages files and kills runs, and sees whether that is noticed, or does no harm.

    python tests/damage.py flips --count 1000     # of each kind of file
    python tests/damage.py kills --count 100      # of each kind of run

A flip changes one bit, or one byte, of a file. It must be recognised by whoever reads the file, or change
no answer. A run that is killed must leave a table that is sound as far as it goes, and that the same command
completes, byte for byte. Prints a line for each kind, and exits with 1 if anything slipped through.
`test_damage.py` runs a small number of both.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

import inarow
from inarow.errors import DamagedFile, InarowError, MissingTable
from inarow.positional.dictionary.make import make_dictionary
from inarow.positional.dictionary.player import DictionaryPlayer
from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game
from inarow.positional.rules import Position as MarkedPosition
from inarow.quixo.rules import Quixo
from inarow.quixo.table.book import open_book
from inarow.quixo.table.manifest import MANIFEST_NAME
from inarow.ultimate.certificate import read_certificate, write_certificate
from inarow.ultimate.prover import prove
from inarow.ultimate.rules import Ultimate
from inarow.verify.positional.dictionary import verify_dictionary
from inarow.verify.quixo.table import verify_table
from inarow.verify.ultimate.certificate import check_certificate

Result = Literal["recognised", "harmless", "slipped through"]

_TABLE = Quixo(3)
_GAME = Game.named("mnk:4x4x3")
_MEMORY = 16 << 20
_LONG = 10.0  # seconds


# --- Flips ---


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of file, and what happens when it is read."""

    name: str
    files: tuple[Path, ...]
    judge: Callable[[], Result]  # with one of the files damaged


def targets(folder: Path) -> Iterator[Target]:
    """All kinds of files, made in a folder."""
    inarow.solve(_TABLE, folder / "plies")
    inarow.solve(_TABLE, folder / "outcomes", outcomes_only=True)
    for form in ("plies", "outcomes"):
        yield _table_target(folder / form, f"table, {form}", "pair-*")
        yield _table_target(folder / form, f"manifest, {form}", MANIFEST_NAME)
    yield _book_target(folder / "book")
    yield _dictionary_target(folder / "dictionary.txt")
    yield _certificate_target(folder / "certificate.u3t")


def flips(target: Target, count: int, chance: random.Random) -> Counter[Result]:
    """Damage the files of a target one by one, and put them right again."""
    found: Counter[Result] = Counter()
    for _ in range(count):
        file = chance.choice(target.files)
        content = file.read_bytes()
        at = chance.randrange(len(content))
        byte = content[at] ^ (1 << chance.randrange(8) if chance.random() < 0.5 else chance.randrange(1, 256))
        file.write_bytes(content[:at] + bytes([byte]) + content[at + 1 :])
        try:
            result = target.judge()
        finally:
            file.write_bytes(content)
        if result == "slipped through":
            print(f"{file}: byte {at} is {byte} in place of {content[at]}", file=sys.stderr)
        found[result] += 1
    return found


def _judged(
    is_right: Callable[[], bool], refused: tuple[type[Exception], ...] = (DamagedFile, MissingTable)
) -> Result:
    """What comes of reading a damaged file: the answers are right, or it is refused."""
    try:
        return "harmless" if is_right() else "slipped through"
    except refused:
        return "recognised"


def _agreed(*results: Result) -> Result:
    """What several readers of a file found: they must agree."""
    return results[0] if len(set(results)) == 1 else "slipped through"


def _table_target(folder: Path, name: str, pattern: str) -> Target:
    cells = range(1 << _TABLE.cells)
    words = np.array([x << 32 | o for x in cells for o in cells if not x & o], np.uint64)

    def read() -> tuple[Any, ...]:
        with inarow.open_table(folder) as table:
            return *table.probe_many(words), table.statistics

    values, plies, statistics = read()

    def is_same() -> bool:
        found = read()
        return np.array_equal(found[0], values) and np.array_equal(found[1], plies) and found[2] == statistics

    def judge() -> Result:
        # A byte that its checksum alone tells is not read to look a position up.
        agreed = _agreed(
            _judged(lambda: _is_whole(folder)),
            _judged(lambda: verify_table(folder, threads=1).verdict == "proven"),
        )
        return agreed if _judged(is_same) in ("harmless", agreed) else "slipped through"

    return Target(name, tuple(sorted(folder.glob(pattern))), judge)


def _is_whole(folder: Path) -> bool:
    """Whether every pair passes the check of its bytes, as in `inarow quixo check`."""
    with inarow.open_table(folder) as table:
        return len(list(table.check())) == len(table.manifest.pairs)


def _book_target(folder: Path) -> Target:
    inarow.solve(_TABLE, folder, store=False)
    file = next(folder.glob("*.book"))
    return Target("book", (file,), lambda: _judged(lambda: bool(open_book(file)) and False))


def _dictionary_target(file: Path) -> Target:
    """Nothing but the games that are played by it can tell whether a dictionary is right."""
    made = make_dictionary(_GAME)
    assert made.dictionary is not None
    made.dictionary.write(file)

    def is_right() -> bool:
        dictionary = Dictionary.read(file, _GAME.cells)
        if verify_dictionary(_GAME, dictionary, assisted=True).verdict == "wrong":
            raise DamagedFile("recognised")
        return _wins(DictionaryPlayer(_GAME, dictionary), _GAME.start())

    return Target("dictionary", (file,), lambda: _judged(is_right, (InarowError,)))


def _wins(player: DictionaryPlayer, position: MarkedPosition) -> bool:
    """Whether X wins every game from here, played out plainly."""
    try:
        after = position.play(player.answer(position).cell)
    except InarowError:
        return False
    if after.is_over:
        return after.winner == "x"
    return all(not reply.is_over and _wins(player, reply) for reply in map(after.play, after.legal_moves()))


def _certificate_target(file: Path) -> Target:
    claim = prove(Ultimate().parse("44 40"), 19, policy=True, memory=_MEMORY).claim
    assert claim is not None
    write_certificate(file, claim)

    def judge() -> Result:
        return _agreed(
            _judged(lambda: read_certificate(file) == claim),
            _judged(lambda: check_certificate(file).verdict == "proven"),
        )

    return Target("certificate", (file,), judge)


# --- Kills ---


@dataclass(frozen=True, slots=True)
class Run:
    """A command that writes a table, and how to say where."""

    name: str
    arguments: tuple[str, ...]

    def begin(self, out: Path) -> subprocess.Popen[bytes]:
        arguments = [argument.replace("OUT", str(out)) for argument in self.arguments]
        quiet = subprocess.DEVNULL
        return subprocess.Popen([sys.executable, "-m", "inarow", *arguments], stdout=quiet, stderr=quiet)


def runs(folder: Path) -> Iterator[Run]:
    inarow.solve(Quixo(4), folder / "4x4")
    solve = "quixo", "solve", "--threads", "1", "--out", "OUT"
    yield Run("solve 4x4", (*solve, "--size", "4"))
    yield Run("solve 4x4 outcomes", (*solve, "--size", "4", "--outcomes-only"))
    yield Run("copy 4x4", ("quixo", "copy", str(folder / "4x4"), "OUT"))
    yield Run("solve 5x5 down to 23 marks", (*solve, "--size", "5", "--stop-at", "23"))


def kills(run: Run, folder: Path, count: int, chance: random.Random) -> Counter[str]:
    """Kill a run so many times: a short one up to five times in a row, a long one always."""
    began = time.monotonic()
    assert run.begin(folder / "whole").wait() == 0
    lasts = time.monotonic() - began
    whole = _contents(folder / "whole")
    is_short = lasts < _LONG
    found: Counter[str] = Counter()
    while found["killed"] + found["too late"] < count:
        out = folder / f"{found['completed']}"
        left = count - found["killed"] - found["too late"]
        for _ in range(min(chance.randint(1, 5), left) if is_short else left):
            process = run.begin(out)
            time.sleep(chance.random() * min(lasts, _LONG))
            process.send_signal(signal.SIGKILL)
            found["killed" if process.wait() else "too late"] += 1
            found["unsound"] += not _is_sound(out)
        same = run.begin(out).wait() == 0 and _contents(out) == whole
        found["completed"] += 1
        found["different"] += not same
    return found


def _contents(folder: Path) -> dict[str, bytes]:
    """All files, but for planes that the next run would need and that it derives if they are lost."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def _is_sound(folder: Path) -> bool:
    """Whether what the manifest lists is there and right; no manifest at all is right, too."""
    return not (folder / MANIFEST_NAME).exists() or _is_whole(folder)


# --- The command ---


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=["flips", "kills"])
    parser.add_argument("--count", type=int, default=1000, metavar="N", help="of each kind")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--only", default="", metavar="NAME", help="kinds with this in their name")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        kinds: Any = targets(Path(name)) if options.what == "flips" else runs(Path(name))
        for number, kind in enumerate(kinds):
            if options.only not in kind.name:
                continue
            (folder := Path(name) / f"run {number}").mkdir()
            if options.what == "flips":
                counts: Any = flips(kind, options.count, chance)
            else:
                counts = kills(kind, folder, options.count, chance)
            failed += counts["slipped through"] + counts["unsound"] + counts["different"]
            told = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
            print(f"{kind.name:28}", told, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
