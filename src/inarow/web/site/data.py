"""The files that the core asks for in the pages of a site: books in pieces, results and dictionaries.

docs/site.md specifies them. They are small, so that a page fetches little more than it needs, and text where
that is no waste.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import closing

from inarow.errors import InarowError, MissingTable
from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.positional.rules import Game
from inarow.quixo.openings import shipped_openings
from inarow.quixo.puzzles import shipped_puzzles
from inarow.quixo.results import class_value, kept_outcomes, results
from inarow.quixo.rules import Quixo
from inarow.quixo.search import class_facts
from inarow.quixo.solver.solution import Solution
from inarow.quixo.table.book import Book, shipped_book
from inarow.quixo.table.http import HttpFolder
from inarow.quixo.table.pieces import batched, header
from inarow.quixo.table.remote import fetch_manifest
from inarow.values import Value
from inarow.web.quixo import StatsRecord

_FILE = 1 << 13  # bytes of a file of the book, unless one chunk has more
_NUMBERS: dict[Value | None, int] = {"win": 1, "draw": 0, "loss": -1, None: 2}


def data_files(table_url: str | None = None) -> Iterator[tuple[str, bytes]]:
    """Every file, by its path from the folder of the data; with a list of the parts of a table elsewhere."""
    yield from _quixo(table_url)
    lines = shipped_dictionary(Game.named("qubic")).lines
    rows = (
        f"{line.x:x} {line.o:x} {line.options:x} {line.move} {line.number or nth + 1}\n"
        for nth, line in enumerate(lines)
    )
    yield "qubic/dictionary.txt", "".join(rows).encode()


def _quixo(table_url: str | None) -> Iterator[tuple[str, bytes]]:
    listed = []
    if table_url is not None:
        rules, parts = _table_text(table_url)
        listed.append(f"table {rules.name}")
        yield f"quixo/{rules.name}/table.txt", parts.encode()
    for rules in _five_by_five():
        try:
            found = results(rules)
        except MissingTable:
            continue
        listed.append(f"results {rules.name}")
        yield f"quixo/{rules.name}/results.txt", _results_text(rules).encode()
        yield f"quixo/{rules.name}/stats.json", json.dumps(_stats(found), separators=(",", ":")).encode()
        book = shipped_book(rules)
        if book is not None:
            listed.append(f"book {rules.name}")
            for name, content in book_files(book):
                yield f"quixo/{rules.name}/book/{name}", content
    for rules in (Quixo(4), Quixo(5)):
        yield f"quixo/{rules.name}/puzzles.json", json.dumps(shipped_puzzles(rules).to_json()).encode()
    yield f"quixo/{Quixo(5).name}/openings.json", json.dumps(shipped_openings(Quixo(5))).encode()
    yield "quixo/index.txt", "".join(f"{line}\n" for line in listed).encode()


def _table_text(url: str) -> tuple[Quixo, str]:
    """The rules of a table on a web server, and a list of its files; nothing else is fetched."""
    with closing(HttpFolder(url)) as folder:
        manifest = fetch_manifest(folder)
    if not (manifest.plies and manifest.complete):
        raise InarowError(f"{url} is no complete table with plies: pages can read no other")
    lines = [url if url.endswith("/") else f"{url}/"]
    for record in manifest.pairs:
        assert record.plies is not None  # the manifest says so
        a, b = record.pair
        in_plane = record.entries // record.planes
        lines.append(f"{a} {b} {in_plane}")
        for width, size, digest in (
            (0, record.values.size, record.values.sha256),
            (record.width, record.plies.size, record.plies.sha256),
        ):
            begin = header(manifest.rules, a, b, width, in_plane)
            lines.append(f"{width} {size} {digest} {begin.hex()}")
    return manifest.rules, "\n".join(lines) + "\n"


def _five_by_five() -> Iterator[Quixo]:
    for line in range(2, 6):
        for double_line in ("loses", "wins"):
            yield Quixo(5, line=line, double_line=double_line)


def _results_text(rules: Quixo) -> str:
    side = rules.cells + 1
    facts = [
        (number // side, number % side, *fact)
        for number, fact in enumerate(class_facts(rules))
        if number // side + number % side < side
    ]
    lines = [str(len(facts))]
    for m, o, longest_win, longest_loss, has_draws, score in facts:
        value = _NUMBERS[class_value(rules, m, o)]
        lines.append(f"{m} {o} {longest_win} {longest_loss} {has_draws:d} {score} {value}")
    for word, outcome in kept_outcomes(rules).items():
        plies = -1 if outcome.plies is None else outcome.plies
        lines.append(f"{word} {_NUMBERS[outcome.value]} {plies}")
    return "\n".join(lines) + "\n"


def _stats(found: Solution) -> dict[str, object]:
    """The counts as the API has them."""
    return {key: value for key, value in found.to_json().items() if key in StatsRecord.model_fields}


def book_files(book: Book) -> Iterator[tuple[str, bytes]]:
    """A book in pieces: an index, and files of some chunks each."""
    lines = [f"{book.plies_marks} {book.outcome_marks}"]
    for (a, b), pair in book.pairs.items():
        chunks = book.packed_chunks(a, b)
        per_file = max(1, _FILE * len(chunks) // sum(map(len, chunks)))
        alphabet = pair.alphabet.tolist()
        numbers = [a, b, pair.kind == "plies", pair.blocks, pair.blocks_per_chunk, per_file, len(alphabet)]
        lines.append(" ".join(str(int(number)) for number in [*numbers, *alphabet]))
        for nth, some in enumerate(batched(chunks, per_file)):
            lengths = struct.pack(f"<{len(some) + 1}I", len(some), *map(len, some))
            yield f"{a}-{b}-{nth}.chunks", lengths + b"".join(some)
    yield "index.txt", ("\n".join(lines) + "\n").encode()
