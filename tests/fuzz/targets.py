"""What is fed to every parser and reader, and what must come out: an answer, or the error for bad input.

Any other exception is a bug. Where two readers share no code, they must agree. Formats with checksums get
right ones, or nothing behind them would ever be reached.
"""

from __future__ import annotations

import hashlib
import socket
import struct
import zlib
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from web.running import running

from inarow.errors import DamagedFile, InarowError, NotationError
from inarow.game_record import UnreadableGame, parse_games
from inarow.positional.dictionary.defend import DefenceLine
from inarow.positional.dictionary.text import Dictionary, DictionaryError
from inarow.positional.rules import Game
from inarow.quixo.arrays import parse_many
from inarow.quixo.engine import serve
from inarow.quixo.player import Player
from inarow.quixo.prober import open_prober
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.user_table import table_in_memory
from inarow.quixo.table.book import Book
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pieces import PieceFile, header
from inarow.ultimate.certificate import read_certificate
from inarow.ultimate.rules import Ultimate
from inarow.verify.positional.defence import read_defence, verify_defence
from inarow.verify.positional.text import UnreadableDictionary, read_answers
from inarow.verify.quixo.manifest import Manifest as JudgedManifest
from inarow.verify.ultimate.certificate import read_claim
from inarow.web.app import create_app

DIGEST = 32


def positions(data: bytes) -> None:
    """Positions of all games, and what is written of them."""
    text = data.decode(errors="replace")
    with suppress(NotationError, ValueError):
        quixo = Position.parse(text)
        assert Position.parse(quixo.text, quixo.rules.line) == quixo
    for game in _games():
        with suppress(NotationError):
            position = game.parse(text)
            assert game.parse(position.text) == position


def words(data: bytes) -> None:
    """Positions by the thousand, by the reader of one and by that of many."""
    texts = data.decode(errors="replace").splitlines()
    for rules in (Quixo(4), Quixo(3, 5)):
        for text in texts:
            try:
                one = [rules.parse(text).mover_word]
            except NotationError:
                one = []
            many: list[int] = []
            with suppress(NotationError):
                many = parse_many(rules, [text]).tolist()
            assert one == many


def engine(data: bytes) -> None:
    """What a program says to an engine: each line is answered or changes nothing, and `quit` ends it."""
    lines = [line for line in data.decode(errors="replace").splitlines() if not line.strip().startswith("go")]
    out = StringIO()
    serve(_player(), "fuzzed", [*lines, "isready", "quit"], out)
    assert "readyok\n" in out.getvalue() or any(line.split()[:1] == ["quit"] for line in lines)


def games(data: bytes) -> None:
    """Moves of Quixo and of Ultimate, one after the other, until one cannot be made."""
    words = data.decode(errors="replace").split()
    position = Quixo(4).start()
    with suppress(NotationError, ValueError):
        for word in words:
            position = position.play(word)
    with suppress(NotationError):
        ultimate = Ultimate().parse(" ".join(words) or "start")
        assert Ultimate().parse(ultimate.text) == ultimate


def records(data: bytes) -> None:
    """Games as text, and what is written of them."""
    text = data.decode(errors="replace")
    with suppress(UnreadableGame):
        read = parse_games(text)
        assert parse_games("\n".join(game.text for game in read)) == read


def dictionaries(data: bytes) -> None:
    """Dictionaries in both notations, by the reader that makes them and by the one that judges them."""
    cells = 1 + data[0] % 64 if data else 9
    text = data[1:].decode(errors="replace")
    try:
        read = Dictionary.parse(text, cells, balanced=False)
        again = Dictionary.parse(read.text(), cells, balanced=False)
        assert again.entries() == read.entries()
        entries = len(read.entries())
    except DictionaryError:
        entries = None
    with suppress(UnreadableDictionary):
        answers = read_answers(text, cells)
        if entries is not None:
            assert len(answers.moves) == entries


def defences(data: bytes) -> None:
    """Defences: what is read can be walked, and is written as it was read."""
    game = Game.named("mnk:3x3x3")
    with suppress(UnreadableDictionary):
        text = data.decode(errors="replace")
        lines = read_defence(text, game.cells)
        verify_defence(game, text)
        rows = [DefenceLine(x, o, answer, tuple(pairs)).text(9) for x, o, answer, pairs in lines.values()]
        assert list(read_defence("\n".join(rows), game.cells).values()) == list(lines.values())


def certificates(data: bytes) -> None:
    """Certificates of Ultimate, by the reader that uses them and by the one that judges them."""
    data += hashlib.sha256(data).digest()
    claims = []
    with suppress(DamagedFile):
        found = read_claim("fuzz", data)
        claims.append((found.side, found.plies, list(found.moves), found.answers))
    (file := _folder() / "fuzz.u3t").write_bytes(data)
    with suppress(DamagedFile):
        claim = read_certificate(file)
        claims.append((claim.side, claim.plies, claim.position.move_numbers, claim.answers))
    assert len(claims) != 1, "one reader takes what the other refuses"
    assert len(claims) == 0 or claims[0] == claims[1]


def books(data: bytes) -> None:
    """Books, and the positions in them."""
    with suppress(DamagedFile):
        book = Book(data + hashlib.sha256(data).digest(), "fuzz")
        words = np.array([book.rules.start().mover_word], np.uint64)
        book.native.probe_many(words)
        for pair in book.pairs:
            book.entries(*pair)


def manifests(data: bytes) -> None:
    """Manifests of tables, by the reader of tables and by the one that judges them."""
    with suppress(InarowError):
        Manifest.parse(data, "fuzz")
    (_folder() / "manifest.json").write_bytes(data)
    with suppress(InarowError):
        JudgedManifest.load(_folder())


def pieces(data: bytes) -> None:
    """Files of compact tables: right headers and checksums around whatever the pieces are."""
    rules, a, b = Quixo(3), 3, 2
    width, rest = (data[0] % 3, data[1:]) if data else (0, b"")
    head = header(rules, a, b, width, 1680)
    half = len(rest) // 2
    stored = [rest[:half], rest[half:]]
    index = b"".join(struct.pack("<II", len(piece), zlib.crc32(piece)) for piece in stored)
    content = head + rest + index + hashlib.sha256(head + index).digest()
    with suppress(DamagedFile):
        name = "pair.values" if width == 0 else "pair.plies"
        file = PieceFile(_Source(name, content), rules, a, b, content[-DIGEST:].hex())
        file.check()
        for number in range(file.pieces):
            file.unpack(number, np.array([420 if width == 0 else len(rest)], np.uint32))


def http(data: bytes) -> None:
    """Whatever a connection may send to the server: it answers or refuses, and is there for the next."""
    with socket.create_connection(_server(), timeout=10) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        answer = client.makefile("rb").readline()
    assert answer[:12] not in (b"HTTP/1.1 500", b"HTTP/1.1 502"), answer


_ALL = (
    positions,
    words,
    games,
    engine,
    records,
    dictionaries,
    defences,
    certificates,
    books,
    manifests,
    pieces,
)
TARGETS: dict[str, Callable[[bytes], None]] = {target.__name__: target for target in (*_ALL, http)}


# --- What they need ---


@dataclass(frozen=True, slots=True)
class _Source:
    """A file in memory."""

    name: str
    content: bytes

    @property
    def size(self) -> int:
        return len(self.content)

    def ends(self, first: int, last: int) -> tuple[bytes, bytes]:
        return self.content[:first], self.content[max(0, self.size - last) :]

    def read(self, begin: int, end: int) -> bytes:
        return self.content[begin:end]


@cache
def _player() -> Player:
    return Player(open_prober(Quixo(2), [table_in_memory(Quixo(2))]))


@cache
def _games() -> list[Game]:
    return [Game.named(name) for name in ("qubic", "mnk:3x3x3")]


_running = ExitStack()


@cache
def _folder() -> Path:
    return Path(_running.enter_context(TemporaryDirectory()))


@cache
def _server() -> tuple[str, int]:
    return _running.enter_context(running(create_app(search_seconds=0.01)))


def close() -> None:
    """Ends the server and removes the folder, if there are any."""
    _running.close()
    _server.cache_clear()
    _folder.cache_clear()
