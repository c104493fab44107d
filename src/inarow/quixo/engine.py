"""Engines of Quixo: programs that play over standard input and output. docs/engine-protocol.md specifies how.

`serve` is the side of the engine and `Engine` that of a program that asks one for moves, inarow's or another.
"""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import islice
from queue import Empty, Queue
from threading import Lock, Thread
from time import monotonic
from typing import IO, NamedTuple

from inarow.errors import InarowError, NotationError, Stopped
from inarow.quixo.player import Player
from inarow.quixo.probe import MoveProbe, Probe
from inarow.quixo.rules import Move, Position, Quixo
from inarow.stopping import Stop
from inarow.values import Value

SECONDS = 2.0  # for a move, if nothing else is said
_LEAST_SECONDS = 0.01
# A probe takes up to its seconds and a tenth, and then the player may search for as long again.
_SHARE = 0.4
_LINE = 16  # moves of a line of play that are shown
_PATIENCE = 10.0  # seconds that an engine may be late
_VALUES: dict[str, Value] = {"win": "win", "draw": "draw", "loss": "loss"}


# --- The engine's side ---


def serve(player: Player, name: str, lines: Iterable[str], out: IO[str]) -> None:
    """Answer the commands of a program, line by line, until it quits: an engine that plays like this player.

    >>> import sys
    >>> from inarow.quixo.prober import open_prober
    >>> with open_prober(Quixo(3)) as prober:
    ...     serve(Player(prober), "mine", ["position fen xx./.../o.o x", "query gameover"], sys.stdout)
    response false
    """
    session = _Session(player, name, out)
    try:
        for line in lines:
            if not session.answer(line.split()):
                return
    finally:
        session.stop()


class _Session:
    """A conversation with a program that asks for moves."""

    def __init__(self, player: Player, name: str, out: IO[str]) -> None:
        self._rules, self._player, self._name, self._out = player.prober.rules, player, name, out
        self._players: dict[float, Player] = {}  # by the seconds of their searches
        self._game = [self._rules.start()]
        self._saying = Lock()
        self._thought: tuple[Thread, Stop] | None = None

    def answer(self, words: Sequence[str]) -> bool:
        """Do what a line asks for; False at the end."""
        match words:
            case []:
                pass
            case ["quit", *_]:
                return False
            case ["stop", *_]:
                self.stop()
            case ["isready", *_]:
                self._say("readyok")
            case _:
                self._finish()
                try:
                    self._obey(words)
                except (InarowError, ValueError) as error:
                    reason = error.reason if isinstance(error, NotationError) else str(error)
                    self._say(f"error {reason}".replace("\n", " "))
        return True

    def stop(self) -> None:
        """End a search, whose move is then said at once."""
        if self._thought is not None:
            self._thought[1].stop()
        self._finish()

    def _obey(self, words: Sequence[str]) -> None:
        match words:
            case ["ugi"]:
                who = f"id name {self._name}\nid author The inarow authors"
                self._say(f"{who}\n{' '.join(_rules_words(self._rules))}\nugiok")
            case ["uginewgame"]:
                self._game = [self._rules.start()]
            case ["position", *where]:
                self._game = self._read(where)
            case ["go"]:
                self._go(SECONDS)
            case ["go", "movetime", milliseconds] if milliseconds.isascii() and milliseconds.isdecimal():
                self._go(int(milliseconds[:9]) / 1000)
            case ["query", ("p1turn" | "gameover" | "result") as asked]:
                end = self._game[-1]
                won = {"x": "p1win", "o": "p2win", None: "draw" if end.is_over else "none"}
                said = {"p1turn": end.turn == "x", "gameover": end.is_over, "result": won[end.winner]}
                self._say(f"response {str(said[asked]).lower()}")
            case _:
                raise InarowError(f"no such command: {' '.join(words)[:80]}")

    def _read(self, words: Sequence[str]) -> list[Position]:
        """The positions of a game: where it begins, and what the moves lead to."""
        match words:
            case ["startpos", *rest]:
                game = [self._rules.start()]
            case ["fen", board, side, *rest]:
                game = [self._rules.parse(f"{board} {side}")]
            case _:
                raise InarowError("a position is startpos, or fen with a board and a side to move")
        if rest and rest[0] != "moves":
            raise InarowError(f"after a position come moves, not {rest[0]}")
        for move in rest[1:]:
            game.append(game[-1].play(move))
        return game

    def _go(self, seconds: float) -> None:
        if self._game[-1].is_over:
            raise InarowError("the game is over")
        stop = Stop()
        thread = Thread(target=self._think, args=(self._game, seconds, stop))
        self._thought = thread, stop
        thread.start()

    def _finish(self) -> None:
        if self._thought is not None:
            self._thought[0].join()
            self._thought = None

    def _think(self, game: Sequence[Position], seconds: float, stop: Stop) -> None:
        began = monotonic()
        try:
            try:
                with stop:
                    probe, best = self._choice(game, max(_LEAST_SECONDS, seconds * _SHARE))
            except Stopped:
                probe, best = self._choice(game, _LEAST_SECONDS)
            line = [best]
            if self._player.prober.is_fast:
                line += islice(self._player.prober.line(best.position), _LINE - 1)
            plies = "" if probe.plies is None else f" plies {probe.plies}"
            told = f"info value {probe.value or 'unknown'}{plies} source {probe.source}"
            took = int(1000 * (monotonic() - began))
            self._say(f"{told} time {took} pv {' '.join(move.text for move in line)}")
            self._say(f"bestmove {best.text}")
        except InarowError as error:  # a table is damaged, or a server is gone
            self._say(f"error {error}".replace("\n", " "))

    def _choice(self, game: Sequence[Position], seconds: float) -> tuple[Probe, MoveProbe]:
        if seconds not in self._players:
            self._players[seconds] = self._player.within(seconds)
        player = self._players[seconds]
        return player.prober.probe(game[-1]), player.choose(game[-1], game)

    def _say(self, line: str) -> None:
        with self._saying, suppress(BrokenPipeError):  # without a reader the input ends as well
            print(line, file=self._out, flush=True)


def _rules_words(rules: Quixo) -> list[str]:
    """What an engine says of the rules that it plays."""
    size = f"{rules.rows}x{rules.columns}"
    return ["rules", size, "line", str(rules.line), rules.double_line, *rules.variant_words]


# --- The side that asks ---


class EngineError(InarowError):
    """An engine says what makes no sense, refuses, is late, or has ended."""

    exit_code = 5


class Answer(NamedTuple):
    """A move, and what the engine says of the position: None where it does not know."""

    move: Move
    value: Value | None
    plies: int | None


class Engine(AbstractContextManager["Engine"]):
    """A program that plays, started with a command; use it in a ``with`` statement, or close it.

    >>> import sys
    >>> command = [sys.executable, "-m", "inarow", "quixo", "engine", "--size", "3"]
    >>> with Engine(command, Quixo(3)) as engine:
    ...     engine.choose(Quixo(3).parse("xx./.../o.o x"))
    Answer(move=Move(taken=3, pushed=6), value='win', plies=1)
    """

    def __init__(self, command: Sequence[str], rules: Quixo, *, seconds: float = SECONDS) -> None:
        """It may take some `seconds` for a move. `EngineError` if it does not answer or plays other rules."""
        self.rules, self.seconds, self.name = rules, seconds, command[0]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._lines: Queue[str | None] = Queue()
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()
        try:
            for words in self._ask("ugi", "ugiok"):
                if words[:2] == ["id", "name"]:
                    self.name = " ".join(words[2:])
                if words[:1] == ["rules"] and words != _rules_words(rules):
                    raise EngineError(f"{self.name} plays {' '.join(words[1:])}, not {rules}")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Tell the engine to quit; one that does not is killed."""
        with suppress(OSError, ValueError):  # it may have ended, or have been closed before
            self._input.write("quit\n")
            self._input.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join()
        self._output.close()

    def __exit__(self, *exception: object) -> None:
        self.close()

    def choose(self, position: Position, before: Collection[Position] = ()) -> Answer:
        """A move in a position; `before` are the earlier positions of the game.

        `EngineError` if the answer is late, or no legal move.
        """
        if position.rules != self.rules:
            raise ValueError(f"the engine plays {self.rules}, not {position.rules}")
        begin = position
        moves: list[str] = []
        for earlier in reversed(tuple(before)):
            if begin.last_move is None or not earlier.is_legal(begin.last_move):
                break
            moves.insert(0, self.rules.move_text(begin.last_move))
            begin = earlier
        played = f" moves {' '.join(moves)}" if moves else ""
        self._say(f"position fen {begin}{played}")
        said: dict[str, str] = {}
        for words in self._ask(f"go movetime {int(1000 * self.seconds)}", "bestmove", self.seconds):
            if words[0] == "info":
                said = dict(zip(words[1::2], words[2::2], strict=False))
            if words[0] == "bestmove":
                text = words[1] if len(words) > 1 else ""
                try:
                    move = self.rules.parse_move(text)
                    position.play(move)
                except ValueError as error:
                    raise EngineError(f"{self.name} plays {text!r} in {position}: {error}") from None
                plies = int(said["plies"]) if said.get("plies", "").isdecimal() else None
                return Answer(move, _VALUES.get(said.get("value", "")), plies)
        raise AssertionError  # the last line is the move

    def _ask(self, command: str, last: str, seconds: float = 0.0) -> Iterator[list[str]]:
        """The words of every line of an answer, up to one that begins with `last`."""
        self._say(command)
        deadline = monotonic() + seconds + _PATIENCE
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - monotonic()))
            except Empty:
                raise EngineError(f"{self.name} does not answer to {command!r}") from None
            if line is None:
                raise EngineError(f"{self.name} has ended")
            words = line.split()
            if words[:1] == ["error"]:
                raise EngineError(f"{self.name} says: {' '.join(words[1:])}")
            if words:
                yield words
            if words[:1] == [last]:
                return

    def _say(self, line: str) -> None:
        try:
            self._input.write(f"{line}\n")
        except (OSError, ValueError):
            raise EngineError(f"{self.name} has ended") from None

    def _listen(self) -> None:
        for line in self._output:
            self._lines.put(line)
        self._lines.put(None)
