"""The API of Quixo: probe positions, follow optimal play, count."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from itertools import islice
from threading import Lock
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from inarow.errors import NotationError
from inarow.quixo.probe import Source
from inarow.quixo.prober import QUICK_CELLS, Prober, open_prober
from inarow.quixo.rules import DoubleLine, Position, Quixo
from inarow.quixo.table.table import Table
from inarow.web.replies import A_DAY, A_MINUTE, FAILURES, Answer, Invalid
from inarow.web.work import Work

MOST_POSITIONS = 1000  # in a batch
MOST_SEARCHES = 20  # positions in a batch or moves of a line, where there is no table
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
    source: Source = Field(description="Where the value is from.")


class ProbeRecord(BaseModel):
    position: str
    value: Literal["win", "draw", "loss"] | None = Field(
        description="For the side to move; null where it is not known, and then `reason` says why."
    )
    plies: int | None = Field(
        description="To the end of the game with best play; null for a draw, and where they are not known."
    )
    moves: list[MoveRecord] = Field(description="Every legal move, best first.")
    source: Source = Field(description="Where the value is from.")
    reason: str | None = Field(description="Why value or plies are not known, where they are not.")
    winner: Literal["x", "o"] | None = Field(description="Who has won, if the game is over.")
    winning_cells: list[str] = Field(description="The cells of the winner's lines.")


class LineRecord(ProbeRecord):
    moves: list[MoveRecord] = Field(
        description="Optimal play to the end, as far as it is known: the winner takes the shortest way, the "
        "loser the longest. Empty for a draw, which never ends; 20 moves at most where there is no table."
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
    rows: int
    columns: int
    line: int
    double_line: DoubleLine
    value: Literal["win", "draw", "loss"] = Field(description="Of the empty board.")
    plies: int | None
    states: StatesRecord
    by_plies: list[PlyCounts]
    classes: list[ClassRecord]


# --- Answers ---


class Probers:
    """A prober of each game that was asked about, opened when first needed."""

    def __init__(self, tables: Iterable[Table] = ()) -> None:
        self._tables = list(tables)
        self._probers: dict[Quixo, Prober] = {}
        self._lock = Lock()
        self._opening: dict[Quixo, Lock] = {}
        for table in self._tables:
            self.of(table.rules)

    def opened(self, rules: Quixo) -> Prober | None:
        """The prober if it is open already."""
        return self._probers.get(rules)

    def of(self, rules: Quixo) -> Prober:
        """The prober, which may have to solve a small board first: once, whatever the number of threads."""
        with self._lock:
            opening = self._opening.setdefault(rules, Lock())
        with opening:
            if rules not in self._probers:
                tables = [table for table in self._tables if table.rules == rules]
                self._probers[rules] = open_prober(rules, tables)
        return self._probers[rules]

    def close(self) -> None:
        """Close the probers and all tables."""
        for prober in self._probers.values():
            prober.close()
        for table in self._tables:
            table.close()
        self._probers.clear()

    @property
    def rules(self) -> list[Quixo]:
        """The games of which a table is open."""
        found = {table.rules for table in self._tables}
        found |= {rules for rules, prober in self._probers.items() if prober.is_fast}
        return sorted(found, key=lambda rules: tuple(rules.to_json().values()))


class Quixos:
    """Answers to questions about Quixo, of which the latest are kept."""

    def __init__(self, probers: Probers, work: Work) -> None:
        self._probers = probers
        self._work = work
        # Searches take up to a second, and run one at a time.
        self._searches = Work(threads=1, queue=32)
        self._answers: OrderedDict[Position, Answer] = OrderedDict()

    async def probe(self, position: Position) -> Answer:
        answer = self._answers.get(position)
        if answer is not None:
            self._answers.move_to_end(position)
            return answer
        prober = self._probers.opened(position.rules)
        if prober is not None and prober.is_fast:  # it answers in less time than a thread takes to start
            record = _record(prober, position)
        else:
            record = await self._lane([position]).run(self._look_up, position)
        # What is known of a position will be true for ever; a day is enough.
        answer = self._answers[position] = Answer(record, A_DAY if record["reason"] is None else A_MINUTE)
        if len(self._answers) > _KEPT:
            self._answers.popitem(last=False)
        return answer

    async def probe_many(self, positions: list[Position]) -> Answer:
        searched = [nth for nth, position in enumerate(positions) if self._searched(position.rules)]
        if len(searched) > MOST_SEARCHES:
            raise Invalid(
                f"{len(searched)} positions of boards without a table; at most {MOST_SEARCHES} at once",
                ["body", "positions", searched[MOST_SEARCHES]],
            )
        probes = await self._lane(positions).run(lambda: [self._look_up(position) for position in positions])
        return Answer({"probes": probes})

    async def line(self, position: Position) -> Answer:
        return Answer(await self._lane([position]).run(self._line, position))

    async def stats(self, rules: Quixo) -> Answer:
        return Answer(await self._work.run(self._stats, rules))

    def _lane(self, positions: Iterable[Position]) -> Work:
        """Where work on these positions is done."""
        searched = any(self._searched(position.rules) for position in positions)
        return self._searches if searched else self._work

    def _searched(self, rules: Quixo) -> bool:
        """Whether an answer may take a search."""
        prober = self._probers.opened(rules)
        return rules.cells > QUICK_CELLS if prober is None else not prober.is_fast

    def _look_up(self, position: Position) -> dict[str, Any]:
        return _record(self._probers.of(position.rules), position)

    def _line(self, position: Position) -> dict[str, Any]:
        record = self._look_up(position)
        line = self._probers.of(position.rules).line(position)
        moves = islice(line, MOST_SEARCHES if self._searched(position.rules) else None)
        return {**record, "moves": [move.to_json() for move in moves]}

    def _stats(self, rules: Quixo) -> dict[str, Any]:
        prober = self._probers.of(rules)
        counts = prober.statistics.to_json()
        start = prober.probe(rules.start())
        return {
            "game": "quixo",
            **rules.to_json(),
            "value": start.value,
            "plies": start.plies,
            **counts,
        }


def _record(prober: Prober, position: Position) -> dict[str, Any]:
    """What `inarow quixo probe --json` prints, and how the game ended if it has."""
    return {**prober.probe(position).to_json(), **_end(position)}


def _end(position: Position) -> dict[str, Any]:
    cells = [position.rules.cell_text(cell) for cell in position.winning_cells]
    return {"winner": position.winner, "winning_cells": cells}


# --- Routes ---


def router(probers: Probers, work: Work) -> APIRouter:
    routes = APIRouter(prefix="/api/quixo", tags=["Quixo"], responses=FAILURES)
    quixos = Quixos(probers, work)

    @routes.get("/probe", response_model=ProbeRecord, summary="What a position is worth")
    async def probe(
        request: Request,
        position: PositionQuery,
        line: LineQuery = None,
        double_line: DoubleLineQuery = "loses",
    ) -> Response:
        """The value of a position and of every move, best first, as `inarow quixo probe --json` prints it."""
        return (await quixos.probe(_position(position, line, double_line))).to(request)

    @routes.post("/probe", response_model=ProbeRecords, summary="What many positions are worth")
    async def probe_many(request: Request, batch: Batch) -> Response:
        """The same of up to 1,000 positions at once, of which up to 20 where there is no table."""
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
        """A position's value, and the best moves of both sides, as `inarow quixo line --json` prints them."""
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
            rules = Quixo(size, line=line, double_line=double_line)
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
