"""The API of Quixo: probe positions, follow optimal play, count."""

from __future__ import annotations

from collections import OrderedDict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from inarow.errors import MissingTable
from inarow.games.quixo import DoubleLine, NotationError, Position, Quixo
from inarow.solve.cpu import MAX_SIZE
from inarow.solve.results import results
from inarow.tables.table import Table
from inarow.web.replies import A_DAY, FAILURES, Answer, Invalid
from inarow.web.sources import Sources
from inarow.web.work import Work

MOST_POSITIONS = 1000  # in a batch
_KEPT = 4096  # answers, of some 3 kB each

# The whole notation, for machines that read the description of the API; people get the parser's own words.
_BOARD = "|".join(f"[xoXO.]{{{n}}}(/[xoXO.]{{{n}}}){{{n - 1}}}" for n in (2, 3, 4, 5))
_PATTERN = {"pattern": f"^({_BOARD})[ _][xoXO]$"}
_POSITION = "Rows from the top joined by '/', then the side to move: '.x../o.../..../...._x'."

PositionText = Annotated[str, Field(max_length=40, json_schema_extra=_PATTERN)]
PositionQuery = Annotated[
    str,
    Query(
        max_length=40,
        description=_POSITION,
        json_schema_extra=_PATTERN,
        examples=["..../.oox/..../xo.._x"],
    ),
]
LineQuery = Annotated[
    int | None,
    Query(ge=2, le=5, description="How many in a row win; as many as the board is wide unless said."),
]
DoubleLineQuery = Annotated[
    DoubleLine, Query(description="What becomes of who leaves lines of both marks; officially 'loses'.")
]


# --- Records ---


class MoveRecord(BaseModel):
    move: str = Field(description="The cell whose tile is taken and the cell where it is pushed in: 'a1a4'.")
    value: Literal["win", "draw", "loss"] | None = Field(description="For the side that makes the move.")
    plies: int | None = Field(description="To the end of the game, from the position before the move.")
    position: str = Field(description="The position after the move.")


class ProbeRecord(BaseModel):
    position: str
    value: Literal["win", "draw", "loss"] | None = Field(
        description="For the side to move; null where nothing is known, and then `reason` says why."
    )
    plies: int | None = Field(description="To the end of the game with best play; null for a draw.")
    moves: list[MoveRecord] = Field(description="Every legal move, best first.")
    source: Literal["table", "book", "search"] | None = Field(description="Where the value is from.")
    reason: str | None = Field(None, description="Why there is no value, where there is none.")
    winner: Literal["x", "o"] | None = Field(description="Who has won, if the game is over.")
    winning_cells: list[str] = Field(description="The cells of the winner's lines.")


class LineRecord(ProbeRecord):
    moves: list[MoveRecord] = Field(
        description="Optimal play to the end: the winner takes the shortest way, the loser the longest. "
        "Empty for a draw, which never ends."
    )


class Batch(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"positions": [".../.../..._x", "x../.o./..._x"]}]}
    )

    positions: list[PositionText] = Field(
        min_length=1, max_length=MOST_POSITIONS, description=f"Up to {MOST_POSITIONS:,} positions."
    )
    line: int | None = Field(None, ge=2, le=5)
    double_line: DoubleLine = "loses"


class ProbeRecords(BaseModel):
    probes: list[ProbeRecord] = Field(description="In the order of the positions.")


class PlyCounts(BaseModel):
    plies: int
    win: int
    loss: int


class ClassRecord(BaseModel):
    x: int = Field(description="Marks of the side to move.")
    o: int = Field(description="Marks of the other side.")
    win: int
    loss: int
    draw: int
    max_plies: int | None


class StatesRecord(BaseModel):
    win: int
    loss: int
    draw: int


class StatsRecord(BaseModel):
    game: Literal["quixo"]
    size: int
    line: int
    double_line: DoubleLine
    value: Literal["win", "draw", "loss"] = Field(description="Of the empty board.")
    plies: int | None
    states: StatesRecord
    by_plies: list[PlyCounts]
    classes: list[ClassRecord]


# --- Answers ---


class Quixos:
    """Answers to questions about Quixo, of which the latest are kept."""

    def __init__(self, sources: Sources, work: Work) -> None:
        self._sources = sources
        self._work = work
        self._answers: OrderedDict[Position, Answer] = OrderedDict()

    async def probe(self, position: Position) -> Answer:
        answer = self._answers.get(position)
        if answer is not None:
            self._answers.move_to_end(position)
            return answer
        table = self._sources.ready(position.rules)
        # An open table answers in less time than a thread takes to start.
        record = probe_record(table, position) if table else await self._work.run(self._record, position)
        if record["value"] is None:
            return Answer(record)
        # What a table says of a position will be true for ever; a day is enough.
        answer = self._answers[position] = Answer(record, A_DAY)
        if len(self._answers) > _KEPT:
            self._answers.popitem(last=False)
        return answer

    async def probe_many(self, positions: list[Position]) -> Answer:
        return Answer({"probes": await self._work.run(lambda: [self._record(p) for p in positions])})

    async def line(self, position: Position) -> Answer:
        return Answer(await self._work.run(self._line, position))

    async def stats(self, rules: Quixo) -> Answer:
        return Answer(await self._work.run(self._stats, rules))

    def _record(self, position: Position) -> dict[str, Any]:
        try:
            return probe_record(self._sources.of(position.rules), position)
        except MissingTable as error:
            return unknown_record(position, str(error))

    def _line(self, position: Position) -> dict[str, Any]:
        record = self._record(position)
        moves = self._sources.of(position.rules).line(position) if record["plies"] else ()
        return {**record, "moves": [move.to_json() for move in moves]}

    def _stats(self, rules: Quixo) -> dict[str, Any]:
        if rules.size > MAX_SIZE:
            record = results(rules).to_json()
            del record["seconds"]
            return record
        table = self._sources.of(rules)
        start = table.probe(rules.start())
        return {
            "game": "quixo",
            "size": rules.size,
            "line": rules.line,
            "double_line": rules.double_line,
            "value": start.value,
            "plies": start.plies,
            **table.statistics.to_json(),
        }


def probe_record(table: Table, position: Position) -> dict[str, Any]:
    """What `inarow probe --json` prints, with its source and how the game ended."""
    return {"source": "table", **table.probe(position).to_json(), **_end(position)}


def unknown_record(position: Position, reason: str) -> dict[str, Any]:
    """The same of a position of which nothing is known but how one can go on."""
    moves = [(move, position.play(move)) for move in position.legal_moves()]
    size = position.rules.size
    return {
        "position": str(position),
        "value": position.result,
        "plies": 0 if position.terminal else None,
        "moves": [
            {"move": move.text(size), "value": None, "plies": None, "position": str(after)}
            for move, after in moves
        ],
        "source": "search" if position.terminal else None,
        **({} if position.terminal else {"reason": reason}),
        **_end(position),
    }


def _end(position: Position) -> dict[str, Any]:
    winner = position.winner
    cells: list[str] = []
    if winner is not None:
        size, columns = position.rules.size, "abcde"
        mask = position.x if winner == "x" else position.o
        won = [line for line in position.rules.lines if mask & line == line]
        cells = [
            f"{columns[size - 1 - cell % size]}{cell // size + 1}"
            for cell in range(position.rules.cells)
            if any(line >> cell & 1 for line in won)
        ]
    return {"winner": winner, "winning_cells": cells}


# --- Routes ---


def router(sources: Sources, work: Work) -> APIRouter:
    routes = APIRouter(prefix="/api/quixo", tags=["Quixo"], responses=FAILURES)
    quixos = Quixos(sources, work)

    @routes.get("/probe", response_model=ProbeRecord, summary="What a position is worth")
    async def probe(
        request: Request,
        position: PositionQuery,
        line: LineQuery = None,
        double_line: DoubleLineQuery = "loses",
    ) -> Response:
        """The value of a position and of every move, best first: the record of `inarow probe --json`."""
        return (await quixos.probe(_position(position, line, double_line))).to(request)

    @routes.post("/probe", response_model=ProbeRecords, summary="What many positions are worth")
    async def probe_many(request: Request, batch: Batch) -> Response:
        """The same of up to 1,000 positions at once."""
        positions = [
            _position(text, batch.line, batch.double_line, ("body", "positions", nth))
            for nth, text in enumerate(batch.positions)
        ]
        return (await quixos.probe_many(positions)).to(request)

    @routes.get("/line", response_model=LineRecord, summary="Optimal play to the end")
    async def line_(
        request: Request,
        position: PositionQuery,
        line: LineQuery = None,
        double_line: DoubleLineQuery = "loses",
    ) -> Response:
        """A position's value, and the best moves of both sides: the record of `inarow line --json`."""
        return (await quixos.line(_position(position, line, double_line))).to(request)

    @routes.get("/stats", response_model=StatsRecord, summary="How many positions are won, lost and drawn")
    async def stats(
        request: Request,
        size: Annotated[int, Query(ge=2, le=5, description="Size of the board.")] = 4,
        line: LineQuery = None,
        double_line: DoubleLineQuery = "loses",
    ) -> Response:
        """The counts of all positions of a game, by plies and by marks on the board."""
        try:
            rules = Quixo(size, line, double_line)
        except ValueError as error:
            raise Invalid.of(error, "query", "line") from None
        return (await quixos.stats(rules)).to(request)

    return routes


def _position(
    text: str,
    line: int | None,
    double_line: DoubleLine,
    where: tuple[str | int, ...] = ("query", "position"),
) -> Position:
    try:
        return Position.parse(text, line, double_line)
    except NotationError as error:
        raise Invalid.of(error, *where) from None
    except ValueError as error:
        raise Invalid.of(error, where[0], "line") from None
