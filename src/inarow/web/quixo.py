"""The API of Quixo: values of positions, optimal play, moves of inarow's players, and counts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from inarow.errors import InarowError, MissingTable, NotationError
from inarow.quixo.analysis import analyse
from inarow.quixo.openings import shipped_openings
from inarow.quixo.player import LEVELS, Kind, Player
from inarow.quixo.probe import Source
from inarow.quixo.prober import QUICK_CELLS, Prober, open_prober
from inarow.quixo.puzzles import Kind as PuzzleKind
from inarow.quixo.puzzles import shipped_puzzles
from inarow.quixo.rules import DoubleLine, Position, Quixo, shapes
from inarow.quixo.search import SECONDS
from inarow.quixo.table.table import Table
from inarow.quixo.threats import threats_of
from inarow.values import Mark, Value
from inarow.web.replies import (
    A_DAY,
    A_MINUTE,
    FAILURES,
    Answer,
    Impossible,
    Invalid,
    SeedQuery,
    TooMuch,
    Unknown,
    encode,
)
from inarow.web.work import Work

MOST_POSITIONS = 1000  # in a batch
MOST_SEARCHES = 20  # positions in a batch or moves of a line that may take a search each
_KEPT = 4096  # answers, of some 3 kB each
_LONGEST = 40  # characters; no position has more

# The notation for programs that read the description of the API; people get the parser's own words.
_BOARDS = "|".join(f"[xoXO.]{{{columns}}}(/[xoXO.]{{{columns}}}){{{rows - 1}}}" for rows, columns in shapes())
_PATTERN = {"pattern": f"^({_BOARDS})[ _][xoXO]$"}
_LONGEST_SIDE = max(rows for rows, _ in shapes())
_SIDE = {side: f"0{{0,{3 - len(str(side))}}}{side}" for side in range(_LONGEST_SIDE + 1)}
_SIZES = "|".join(
    f"{_SIDE[rows]}([xX×]{_SIDE[columns]}){'?' if rows == columns else ''}" for rows, columns in shapes()
)
_MOVE = "^([a-lA-L]([1-9]|1[0-2])){2}$"
_POSITION = "Rows from the top joined by '/', then the side to move: '.x../o.../..../...._x'."

PositionText = Annotated[str, Field(max_length=_LONGEST, json_schema_extra=_PATTERN)]
PositionQuery = Annotated[
    str,
    Query(
        max_length=_LONGEST,
        description=_POSITION,
        json_schema_extra=_PATTERN,
        examples=["..../.oox/..../xo.._x"],
    ),
]
SizeQuery = Annotated[
    str,
    Query(
        max_length=7,
        description="Rows and columns of the board, as in '3x5'; '4' is '4x4'.",
        json_schema_extra={"pattern": f"^({_SIZES})$"},
        examples=["4x4"],
    ),
]
LineQuery = Annotated[
    int | None,
    Query(
        ge=2, le=_LONGEST_SIDE, description="How many in a row win; by default, the longer side of the board."
    ),
]
DoubleLineQuery = Annotated[
    DoubleLine,
    Query(description="The result for a player whose move leaves lines of both marks; officially 'loses'."),
]
PlayerQuery = Annotated[
    Kind,
    Query(
        description="'best' gives nothing away, as far as is known, and sets traps in a draw; 'trap' does so "
        "where it is losing, too; 'level' sees few plies ahead; 'weaker' errs."
    ),
]
LevelQuery = Annotated[
    int,
    Query(
        ge=1,
        le=len(LEVELS),
        description=f"Of the player 'level': it sees what is decided within {', '.join(map(str, LEVELS))} "
        "plies, and plays any move beyond that.",
    ),
]
MistakesQuery = Annotated[
    float, Query(ge=0, le=1, description="The share of random moves of the weaker player.")
]

# --- Records ---


class MoveRecord(BaseModel):
    move: str = Field(description="The cell whose tile is taken and the cell where it is pushed in: 'a1a4'.")
    value: Value | None = Field(description="For the side that makes the move.")
    plies: int | None = Field(description="To the end of the game, from the position before the move.")
    position: str = Field(description="The position after the move.")
    source: Source = Field(description="Where the value comes from.")
    losing_replies: int | None = Field(
        description="How many replies lose, to a move that keeps a draw; null where that is not known."
    )
    replies: int | None = Field(description="How many replies there are, if it is known how many lose.")


class ProbedMoveRecord(MoveRecord):
    alike: int = Field(
        description="Equal for moves to positions that are the same up to symmetry; from 0 on, in the order "
        "of the moves."
    )


class ThreatRecord(BaseModel):
    line: list[str] = Field(description="The cells of a line.")
    moves: list[str] = Field(description="The moves that complete it and win, if it is the side's turn.")


class ThreatsRecord(BaseModel):
    x: list[ThreatRecord] = Field(description="The lines that X could complete with one move.")
    o: list[ThreatRecord]
    blocks: list[str] | None = Field(
        description="The moves of the side to move after which the other side cannot complete a line at "
        "once; null if it threatens to complete none."
    )


class ChosenRecord(MoveRecord):
    player: str = Field(
        description="How the player plays, in words: perfectly only if a table knows everything."
    )


class ProbeRecord(BaseModel):
    position: str
    value: Value | None = Field(
        description="For the side to move; null where it is not known, and then `reason` says why."
    )
    plies: int | None = Field(
        description="To the end of the game with best play; null for a draw, and where they are not known."
    )
    moves: list[ProbedMoveRecord] = Field(description="Every legal move, best first.")
    source: Source = Field(description="Where the value comes from.")
    reason: str | None = Field(description="Why the value or the plies are not known, where they are not.")
    winner: Mark | None = Field(description="The winner, if the game is over.")
    winning_cells: list[str] = Field(description="The cells of the winner's lines.")
    threats: ThreatsRecord


class LineRecord(ProbeRecord):
    moves: list[MoveRecord] = Field(  # type: ignore[assignment]
        description="Optimal play to the end, as far as it is known: the winner takes the shortest way, the "
        "loser the longest. Empty for a draw, which never ends; at most 20 moves where there is no table."
    )


class Batch(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"positions": [".../.../..._x", "x../.o./..._x"]}]}
    )

    positions: list[PositionText] = Field(
        min_length=1, max_length=MOST_POSITIONS, description=f"Up to {MOST_POSITIONS:,} positions."
    )
    line: int | None = Field(None, ge=2, le=_LONGEST_SIDE)
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
    value: Value = Field(description="Of the empty board.")
    plies: int | None
    states: StatesRecord
    by_plies: list[PlyCounts]
    classes: list[ClassRecord]


class PlayedGame(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"position": ".../.../..._x", "moves": ["a1a3", "c1a1", "a2c2"]}]},
    )

    position: PositionText = Field(description="Where the game begins.")
    moves: list[Annotated[str, Field(pattern=_MOVE)]] = Field(max_length=MOST_POSITIONS)
    line: int | None = Field(None, ge=2, le=_LONGEST_SIDE)
    double_line: DoubleLine = "loses"


class WorthRecord(BaseModel):
    value: Value | None
    plies: int | None


class JudgedRecord(BaseModel):
    ply: int = Field(description="From 1 on.")
    side: Mark
    position: str = Field(description="Before the move.")
    move: str
    before: WorthRecord = Field(description="What the position was worth to the side to move.")
    after: WorthRecord = Field(description="What the move was worth to it; plies count from before it.")
    best: str | None
    verdict: Literal["mistake", "slow"] | None = Field(
        description="'mistake': the value got worse; 'slow': a win longer, or a loss shorter."
    )
    cost: str | None = Field(description="As in 'won in 7 → lost in 12'.")
    refutation: list[str] = Field(description="Best play after a mistake, as far as it is known.")
    seen: int = Field(description="How often the position after the move has been there.")


class SideRecord(BaseModel):
    moves: int
    judged: int = Field(description="Moves whose worth is known.")
    mistakes: int
    slow: int
    accuracy: float | None = Field(description="The share of judged moves that were no mistakes.")


class AnalysisRecord(BaseModel):
    rows: int
    columns: int
    line: int
    double_line: DoubleLine
    position: str
    moves: list[JudgedRecord]
    x: SideRecord
    o: SideRecord
    turned: int | None = Field(description="The ply of the last mistake.")
    winner: Mark | None


class RulesRecord(BaseModel):
    rows: int
    columns: int
    line: int
    double_line: DoubleLine


class PuzzleRecord(BaseModel):
    id: int = Field(description="From 1 on.")
    kind: PuzzleKind = Field(
        description="'win': only one move wins; 'draw': only one holds the draw; 'defend': all lose, and one "
        "holds out longest."
    )
    position: str = Field(description="X is to move.")
    value: Value
    plies: int | None
    move: str = Field(description="The only right one.")
    grade: int = Field(ge=1, le=5, description="From 1, easy, to 5.")
    depth: int = Field(description="How many plies ahead the end of the game is.")
    tempting: int = Field(description="How many wrong moves do not lose within four plies.")
    source: Literal["table", "search"]
    outcomes: dict[str, int] = Field(
        description="Of every legal move: plies to a win; 0 for a draw; negative, plies to a loss."
    )


class PuzzlesRecord(BaseModel):
    format: Literal["inarow-quixo-puzzles"]
    version: Literal[1]
    rules: RulesRecord
    seed: int
    puzzles: list[PuzzleRecord] = Field(
        description="That of a day is puzzle d mod n + 1 of n, d days after 1970-01-01."
    )


class OpeningRecord(BaseModel):
    move: str
    name: str | None = Field(description="Of a line of one or two moves.")
    position: str = Field(description="After the move.")
    value: Value = Field(description="For the side that makes the move.")
    losing_replies: int | None
    replies: int | None
    lines: list[OpeningRecord] = Field(description="What is played next.")


class OpeningsRecord(BaseModel):
    format: Literal["inarow-quixo-openings"]
    version: Literal[1]
    rules: RulesRecord
    lines: list[OpeningRecord]


# --- Answers ---


class Probers:
    """A prober of each game that was asked about, opened when first needed."""

    def __init__(self, tables: Iterable[Table] = (), search_seconds: float = SECONDS) -> None:
        self._tables = list(tables)
        self._search_seconds = search_seconds
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
                self._probers[rules] = open_prober(rules, tables, search_seconds=self._search_seconds)
        return self._probers[rules]

    def record(self, position: Position) -> dict[str, Any]:
        """What is known about a position, without the names of our folders."""
        record = _record(self.of(position.rules), position)
        if record["reason"] is not None:
            for table in self._tables:  # callers have no business with them
                record["reason"] = record["reason"].replace(str(table.path), "DIR")
        return record

    def close(self) -> None:
        """Close the probers and all tables."""
        for prober in self._probers.values():
            prober.close()
        for table in self._tables:
            table.close()
        self._probers.clear()

    @property
    def rules(self) -> list[Quixo]:
        """The games that have an open table."""
        found = {table.rules for table in self._tables}
        found |= {rules for rules, prober in self._probers.items() if prober.is_fast}
        return sorted(found, key=lambda rules: tuple(rules.to_json().values()))


class Quixos:
    """Answers questions about Quixo, and keeps the latest answers."""

    def __init__(self, probers: Probers, work: Work) -> None:
        self._probers = probers
        self._work = work
        # Searches take some seconds, and run one at a time.
        self._searches = Work(threads=1, queue=32)
        self._answers: OrderedDict[Position, Answer] = OrderedDict()

    async def probe(self, position: Position) -> Answer:
        answer = self._answers.get(position)
        if answer is not None:
            self._answers.move_to_end(position)
            return answer
        prober = self._probers.opened(position.rules)
        if prober is not None and prober.is_fast:  # it answers in less time than a thread takes to start
            record = self._probers.record(position)
        else:
            record = await self._lane([position]).run(self._look_up, position)
        # A known value never changes; callers may keep it for a day.
        answer = self._answers[position] = Answer(record, A_DAY if record["reason"] is None else A_MINUTE)
        if len(self._answers) > _KEPT:
            self._answers.popitem(last=False)
        return answer

    async def probe_many(self, positions: list[Position]) -> Answer:
        searched = [nth for nth, position in enumerate(positions) if self._searched(position.rules)]
        if len(searched) > MOST_SEARCHES:
            raise TooMuch(
                f"{len(searched)} positions on boards without a table; a request may have {MOST_SEARCHES}",
                ["body", "positions", searched[MOST_SEARCHES]],
            )
        lane = self._lane(positions)
        return Answer.of_probes(await lane.each(lambda position: encode(self._look_up(position)), positions))

    async def line(self, position: Position) -> Answer:
        lane = self._lane([position])
        record = await lane.run(self._look_up, position)
        # A move at a time: each may take a search, and others have their turn in between.
        line = self._probers.of(position.rules).line(position)
        most = MOST_SEARCHES if self._searched(position.rules) else None
        moves: list[dict[str, Any]] = []
        while len(moves) != most and (move := await lane.run(next, line, None)) is not None:
            moves.append(move.to_json())
        return Answer({**record, "moves": moves})

    async def move(
        self, position: Position, kind: Kind, level: int, mistakes: float, seed: int | None
    ) -> Answer:
        def choose() -> dict[str, Any]:
            player = Player(self._probers.of(position.rules), kind, seed, level=level, mistakes=mistakes)
            return {**player.choose(position).to_json(), "player": player.describe()}

        if position.is_over:
            raise Impossible("the game is over", ["query", "position"])
        record = await self._lane([position]).run(choose)
        return Answer(record, None if kind in ("weaker", "level") and seed is None else A_MINUTE)

    async def analyse(self, begin: Position, moves: list[str]) -> Answer:
        if self._searched(begin.rules) and len(moves) > MOST_SEARCHES:
            raise TooMuch(
                f"{len(moves)} moves on a board without a table; a request may have {MOST_SEARCHES}",
                ["body", "moves", MOST_SEARCHES],
            )
        position = begin
        for nth, move in enumerate(moves):
            try:
                position = position.play(move)
            except ValueError as error:
                raise Impossible.of(error, "body", "moves", nth) from None
        found = await self._lane([begin]).run(lambda: analyse(self._probers.of(begin.rules), begin, moves))
        return Answer(found.to_json())

    async def stats(self, rules: Quixo) -> Answer:
        return Answer(await self._work.run(self._stats, rules))

    def _lane(self, positions: Iterable[Position]) -> Work:
        """The threads that work on these positions."""
        searched = any(self._searched(position.rules) for position in positions)
        return self._searches if searched else self._work

    def _searched(self, rules: Quixo) -> bool:
        """Whether looking up a position may take a search."""
        prober = self._probers.opened(rules)
        return rules.cells > QUICK_CELLS if prober is None else not prober.is_fast

    def _look_up(self, position: Position) -> dict[str, Any]:
        return self._probers.record(position)

    def _stats(self, rules: Quixo) -> dict[str, Any]:
        prober = self._probers.of(rules)
        try:
            counts = prober.statistics.to_json()
        except MissingTable as error:
            raise Unknown(str(error)) from None
        start = prober.probe(rules.start())
        return {
            "game": "quixo",
            **rules.to_json(),
            "value": start.value,
            "plies": start.plies,
            **counts,
        }


def _record(prober: Prober, position: Position) -> dict[str, Any]:
    """The record of `inarow quixo probe --json`, and how the game ended if it has."""
    return {
        **prober.with_replies(prober.probe(position)).to_json(),
        "winner": position.winner,
        "winning_cells": [position.rules.cell_text(cell) for cell in position.winning_cells],
        "threats": threats_of(position).to_json(),
    }


# --- Routes ---


def router(probers: Probers, work: Work) -> APIRouter:
    routes = APIRouter(prefix="/api/quixo", tags=["Quixo"], responses=FAILURES)
    quixos = Quixos(probers, work)

    @routes.get("/probe", response_model=ProbeRecord, summary="The value of a position")
    async def probe(
        request: Request,
        position: PositionQuery,
        line: LineQuery = None,
        double_line: DoubleLineQuery = "loses",
    ) -> Response:
        """The values of a position and its moves, best first: the record of `inarow quixo probe --json`."""
        return (await quixos.probe(_position(position, line, double_line))).to(request)

    @routes.post("/probe", response_model=ProbeRecords, summary="The values of many positions")
    async def probe_many(request: Request, batch: Batch) -> Response:
        """The same for up to 1,000 positions at once; up to 20 where there is no table."""
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
        """A position's value, and the best moves of both sides: the record of `inarow quixo line --json`."""
        return (await quixos.line(_position(position, line, double_line))).to(request)

    @routes.get("/move", response_model=ChosenRecord, summary="A move of one of inarow's players")
    async def move(
        request: Request,
        position: PositionQuery,
        line: LineQuery = None,
        double_line: DoubleLineQuery = "loses",
        player: PlayerQuery = "best",
        level: LevelQuery = 6,
        mistakes: MistakesQuery = 0.35,
        seed: SeedQuery = None,
    ) -> Response:
        """The move that a player chooses: what `inarow quixo play` plays."""
        found = _position(position, line, double_line)
        return (await quixos.move(found, player, level, mistakes, seed)).to(request)

    @routes.post("/analyse", response_model=AnalysisRecord, summary="What the moves of a game gave away")
    async def analyse_(request: Request, game: PlayedGame) -> Response:
        """Each move judged: the record of `inarow quixo analyse --json`; up to 20 where there is no table."""
        begin = _position(game.position, game.line, game.double_line, ("body", "position"))
        return (await quixos.analyse(begin, game.moves)).to(request)

    @routes.get("/stats", response_model=StatsRecord, summary="How many positions are won, lost and drawn")
    async def stats(
        request: Request,
        size: SizeQuery = "4",
        line: LineQuery = None,
        double_line: DoubleLineQuery = "loses",
    ) -> Response:
        """The counts of all positions of a game, by plies and by marks on the board."""
        return (await quixos.stats(_rules(size, line, double_line))).to(request)

    @routes.get("/puzzles", response_model=PuzzlesRecord, summary="Puzzles")
    async def puzzles(
        request: Request,
        size: SizeQuery = "4",
        line: LineQuery = None,
        double_line: DoubleLineQuery = "loses",
    ) -> Response:
        """The puzzles that come with inarow, for the usual rules on 4×4 and 5×5."""
        try:
            return Answer(shipped_puzzles(_rules(size, line, double_line)).to_json()).to(request)
        except MissingTable as error:
            raise Unknown(str(error)) from None

    @routes.get("/openings", response_model=OpeningsRecord, summary="Openings")
    async def openings(
        request: Request,
        size: SizeQuery = "5",
        line: LineQuery = None,
        double_line: DoubleLineQuery = "loses",
    ) -> Response:
        """The book as a tree of lines with names, for the usual rules on 5×5."""
        try:
            return Answer(dict(shipped_openings(_rules(size, line, double_line)))).to(request)
        except MissingTable as error:
            raise Unknown(str(error)) from None

    return routes


def _rules(size: str, line: int | None, double_line: DoubleLine) -> Quixo:
    try:
        rules = Quixo(*Quixo.parse_size(size))
    except ValueError as error:
        raise Invalid.of(error, "query", "size") from None
    try:
        rules.require_solvable()
    except InarowError as error:
        raise Invalid.of(ValueError(str(error)), "query", "size") from None
    try:
        return Quixo(rules.rows, rules.columns, line, double_line)
    except ValueError as error:
        raise Impossible.of(error, "query", "line") from None


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
        raise Impossible.of(error, where[0], "line") from None
