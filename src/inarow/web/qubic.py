"""The API of Qubic: threats, forced wins, and the moves of the proof that the first player wins."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from inarow.positional.dictionary.player import Answer as Proposal
from inarow.positional.dictionary.player import DictionaryPlayer, NoAnswer
from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.positional.dictionary.text import Dictionary
from inarow.positional.rules import Game, Position
from inarow.positional.search.threats import blocking_cells, forced_win, winning_cells
from inarow.values import Mark
from inarow.web.replies import (
    A_MINUTE,
    FAILURES,
    MOST_POSITIONS,
    Answer,
    Impossible,
    Invalid,
    SeedQuery,
    about,
    blaming,
    encode,
)
from inarow.web.work import Work

QUBIC = Game.named("qubic")

_NOTATION = "[xo.]{64}"
_PATTERN = {"pattern": f"^{_NOTATION}$"}

PositionQuery = Annotated[
    str,
    Query(
        max_length=100,
        description="The 64 cells, layer by layer and row by row: 'x', 'o' or '.'. X begins.",
        json_schema_extra=_PATTERN,
        examples=["x....................o" + "." * 42],
    ),
]

MoveQuery = Annotated[int | None, Query(ge=0, lt=64, description="A cell to mark first.")]


class Threats(BaseModel):
    """The cells where a side would complete a line at once."""

    x: list[int]
    o: list[int]


class ProofRecord(BaseModel):
    cell: int
    reason: Literal["win", "block", "dictionary", "forced"]
    why: str = about("The reason as a sentence.")
    line_number: int | None = about("The line of the dictionary, where it is the reason.")
    sequence: list[int] | None = about("The forced win to its end: the moves of both sides in order.")


class QubicRecord(BaseModel):
    position: str
    turn: Mark
    over: bool
    winner: Mark | None
    winning_cells: list[int] = about("The cells of the winner's lines.")
    moves: list[int] = about("The cells that can be marked.")
    threats: Threats
    forced: list[int] | None = about("A win of the side to move by threats alone: the moves of both sides.")
    answer: ProofRecord | None = about("X's move by the proof; null where it has none.")
    reason: str | None = about("Why the proof has no move, if it is X's turn.", default=None)


class QubicBatch(BaseModel):
    model_config = ConfigDict(extra="forbid")

    positions: list[Annotated[str, Field(max_length=100, json_schema_extra=_PATTERN)]] = Field(
        min_length=1, max_length=MOST_POSITIONS
    )


class QubicRecords(BaseModel):
    probes: list[QubicRecord] = about("In the order of the positions.")


class QubicLine(BaseModel):
    position: str
    moves: list[int] = about("A forced win of the side to move; empty if it has none.")
    winner: Mark | None = about("The side that wins by it.")


class QubicMove(BaseModel):
    move: int = about("The cell to mark.")


class QubicStats(BaseModel):
    game: Literal["qubic"]
    cells: int
    lines: int
    symmetries: int
    dictionary_lines: int = about("Lines of the dictionary, on which the proof is based.")
    dictionary_positions: int = about("The positions that these lines stand for.")


class Proof:
    """The player that follows the dictionary, and explanations of its moves."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self._player = DictionaryPlayer(QUBIC, dictionary)

    def answer(self, position: Position) -> dict[str, Any]:
        found = self._player.answer(position)
        return {
            "cell": found.cell,
            "reason": found.reason,
            "why": _why(found),
            "line_number": found.line_number,
            "sequence": None if found.sequence is None else list(found.sequence),
        }

    def record(self, position: Position) -> dict[str, Any]:
        """What the explorer shows about a position."""
        answer, reason = None, {}
        if position.turn == "x" and not position.is_over:
            try:
                answer = self.answer(position)
            except NoAnswer as error:
                reason = {"reason": error.reason}
        mine, theirs = winning_cells(position), blocking_cells(position)
        x, o = (mine, theirs) if position.turn == "x" else (theirs, mine)
        forced = forced_win(position)
        return {
            "position": position.text,
            "turn": position.turn,
            "over": position.is_over,
            "winner": position.winner,
            "winning_cells": list(position.winning_cells),
            "moves": list(position.legal_moves()),
            "threats": {"x": list(x), "o": list(o)},
            "forced": None if forced is None else list(forced),
            "answer": answer,
            **reason,
        }

    def move(self, position: Position, random: Random) -> int:
        """inarow's move, for either side."""
        return self._player.choose(position, random)


def _why(found: Proposal) -> str:
    match found.reason:
        case "win":
            return "This completes a line and wins."
        case "block":
            return "O would complete a line here, so X must block."
        case "dictionary":
            return f"Line {found.line_number:,} of the dictionary has X's answer to this position."
    threats = "one threat" if found.threats == 1 else f"{found.threats} threats"
    return f"A forced win: {threats}, each of which O must answer, and then a line."


def router(work: Work) -> APIRouter:
    routes = APIRouter(prefix="/api/qubic", tags=["Qubic"], responses=FAILURES)

    @lru_cache(maxsize=1)
    def proof() -> Proof:
        return Proof(shipped_dictionary(QUBIC))

    @lru_cache(maxsize=4096)
    def answer(position: Position) -> Answer:
        return Answer(proof().record(position))

    @routes.get("/probe", response_model=QubicRecord, summary="A position, its threats, and the proof's move")
    async def probe(position: PositionQuery = "." * 64, move: MoveQuery = None) -> Response:
        """Threats and forced wins, and X's next move by the proof with its reason."""
        here = _position(position)
        with blaming(Impossible, "query", "move"):
            here = here if move is None else here.play(move)
        return await work.run(answer, here)

    @routes.post("/probe", response_model=QubicRecords, summary="The same for many positions")
    async def probe_many(batch: QubicBatch) -> Response:
        """The same for up to 1,000 positions at once."""
        positions = [_position(text, "body", "positions", nth) for nth, text in enumerate(batch.positions)]
        records = await work.each(lambda position: encode(proof().record(position)), positions)
        return Answer.of_probes(records)

    @routes.get("/move", response_model=QubicMove, summary="inarow's move")
    async def move(position: PositionQuery, seed: SeedQuery = None) -> Response:
        """The proof's move for X; for O the one that looks best after a search of threats."""
        begin = _position(position)
        if begin.is_over:
            raise Impossible("the game is over", ["query", "position"])
        found = await work.run(lambda: proof().move(begin, Random(seed)))
        return Answer({"move": found}, None if seed is None else A_MINUTE)

    @routes.get("/line", response_model=QubicLine, summary="A forced win to its end")
    async def line(position: PositionQuery) -> Response:
        """The threats that win for the side to move, and the answers to them."""
        begin = _position(position)
        moves = await work.run(forced_win, begin)
        winner = None if moves is None else begin.turn
        return Answer({"position": begin.text, "moves": list(moves or ()), "winner": winner})

    @routes.get("/stats", response_model=QubicStats, summary="The game and the dictionary in numbers")
    async def stats() -> Response:
        """How many lines the game has, and how many the dictionary."""
        dictionary = (await work.run(proof)).dictionary
        return Answer(
            {
                "game": "qubic",
                "cells": QUBIC.cells,
                "lines": len(QUBIC.lines),
                "symmetries": len(QUBIC.symmetries("full")),
                "dictionary_lines": len(dictionary.lines),
                "dictionary_positions": len(await work.run(dictionary.entries)),
            }
        )

    return routes


def _position(text: str, *where: str | int) -> Position:
    kind = Impossible if re.fullmatch(_NOTATION, text) else Invalid
    with blaming(kind, *(where or ("query", "position"))):
        return QUBIC.parse(text)
