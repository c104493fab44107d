"""The API of Quixo: values of positions, optimal play, moves of inarow's players, and counts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature
from threading import Lock
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool, create_model

from inarow.errors import MissingTable, NotationError
from inarow.quixo.analysis import analyse
from inarow.quixo.openings import shipped_openings
from inarow.quixo.player import LEVELS, Kind, Player
from inarow.quixo.probe import Source
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.puzzles import Kind as PuzzleKind
from inarow.quixo.puzzles import shipped_puzzles
from inarow.quixo.rules import VARIANTS, DoubleLine, Position, Quixo, shapes
from inarow.quixo.search import SECONDS
from inarow.quixo.solver.plan import QUICK_CELLS
from inarow.quixo.table.table import Table
from inarow.quixo.threats import threats_of
from inarow.values import Mark, Value
from inarow.web.replies import (
    A_DAY,
    A_MINUTE,
    FAILURES,
    MOST_POSITIONS,
    Answer,
    Impossible,
    Invalid,
    SeedQuery,
    TooMuch,
    Unknown,
    about,
    blaming,
    encode,
)
from inarow.web.work import Work

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

PositionText = Annotated[str, Field(max_length=_LONGEST, json_schema_extra=_PATTERN)]
PositionQuery = Annotated[
    str,
    Query(
        max_length=_LONGEST,
        description="Rows from the top joined by '/', then the side to move: '.x../o.../..../...._x'.",
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
MistakesQuery = Annotated[float, Query(ge=0, le=1, description="The share of random moves of 'weaker'.")]

# The rules that a position does not show: the type of each, what it usually is, and what else to say of it.
_LINE = "How many in a row win; by default, the longer side of the board."
_DOUBLE_LINE = "The result for a player whose move leaves lines of both marks; officially 'loses'."
_RULES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "line": (int | None, None, {"ge": 2, "le": _LONGEST_SIDE, "description": _LINE}),
    "double_line": (DoubleLine, "loses", {"description": _DOUBLE_LINE}),
    **{name: (bool, usual, {"description": words}) for name, (usual, words) in VARIANTS.items()},
}
Options = Mapping[str, Any]


async def _options(**given: Any) -> Options:
    return given


_options.__signature__ = Signature(  # type: ignore[attr-defined]
    [
        Parameter(name, Parameter.KEYWORD_ONLY, default=usual, annotation=Annotated[kind, Query(**more)])
        for name, (kind, usual, more) in _RULES.items()
    ]
)
RulesQuery = Annotated[Options, Depends(_options)]
_made: Any = create_model  # its types do not know fields made from a table
_RulesBody: Any = _made(
    "_RulesBody",
    **{
        name: (StrictBool if kind is bool else kind, Field(usual, **more))
        for name, (kind, usual, more) in _RULES.items()
    },
)
_Variants: Any = _made(
    "_Variants",
    **{
        name: (bool | None, about(f"{words} Left out where it is {str(usual).lower()}.", default=None))
        for name, (usual, words) in VARIANTS.items()
    },
)

# --- Records ---


class RulesRecord(_Variants):  # type: ignore[misc]
    rows: int
    columns: int
    line: int
    double_line: DoubleLine


class MoveRecord(BaseModel):
    move: str = about("The cell whose tile is taken and the cell where it is pushed in: 'a1a4'.")
    value: Value | None = about("For the side that makes the move.")
    plies: int | None = about("To the end of the game, from the position before the move.")
    position: str = about("The position after the move.")
    source: Source = about("Where the value comes from.")
    losing_replies: int | None = about("How many replies lose, if the move keeps a draw and it is known.")
    replies: int | None = about("How many replies there are, if it is known how many lose.")


class ProbedMoveRecord(MoveRecord):
    alike: int = about(
        "Equal for moves to positions that are the same up to symmetry; from 0 on, in the order of the moves."
    )


class ThreatRecord(BaseModel):
    line: list[str] = about("The cells of a line.")
    moves: list[str] = about("The moves that complete it and win, if it is the side's turn.")


class ThreatsRecord(BaseModel):
    x: list[ThreatRecord] = about("The lines that X could complete with one move.")
    o: list[ThreatRecord]
    blocks: list[str] | None = about(
        "The moves of the side to move after which the other side cannot complete a line at once; null if it "
        "threatens to complete none."
    )


class ChosenRecord(MoveRecord):
    player: str = about("How the player plays, in words: perfectly only if a table knows everything.")


class ProbeRecord(BaseModel):
    position: str
    value: Value | None = about("For the side to move; null if it is not known: `reason` says why.")
    plies: int | None = about("To the end with best play; null for a draw, and where they are not known.")
    moves: list[ProbedMoveRecord] = about("Every legal move, best first.")
    source: Source = about("Where the value comes from.")
    reason: str | None = about("Why the value or the plies are not known, where they are not.")
    winner: Mark | None = about("The winner, if the game is over.")
    winning_cells: list[str] = about("The cells of the winner's lines.")
    threats: ThreatsRecord


class LineRecord(ProbeRecord):
    moves: list[MoveRecord] = about(  # type: ignore[assignment]
        "Optimal play to the end, as far as it is known: the winner takes the shortest way, the loser the "
        "longest. Empty for a draw, which never ends; at most 20 moves where there is no table."
    )


class Batch(_RulesBody):  # type: ignore[misc]
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"positions": [".../.../..._x", "x../.o./..._x"]}]}
    )

    positions: list[PositionText] = about(
        f"Up to {MOST_POSITIONS:,} positions.", min_length=1, max_length=MOST_POSITIONS
    )


class ProbeRecords(BaseModel):
    probes: list[ProbeRecord] = about("In the order of the positions.")


class PlyCounts(BaseModel):
    plies: int
    win: int
    loss: int


class ClassRecord(BaseModel):
    x: int = about("Marks of the side to move.")
    o: int = about("Marks of the other side.")
    win: int
    loss: int
    draw: int
    max_plies: int | None


class StatesRecord(BaseModel):
    win: int
    loss: int
    draw: int


class StatsRecord(RulesRecord):
    game: Literal["quixo"]
    value: Value = about("Of the empty board.")
    plies: int | None
    states: StatesRecord
    by_plies: list[PlyCounts]
    classes: list[ClassRecord]


class PlayedGame(_RulesBody):  # type: ignore[misc]
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"position": ".../.../..._x", "moves": ["a1a3", "c1a1", "a2c2"]}]},
    )

    position: PositionText = about("Where the game begins.")
    moves: list[Annotated[str, Field(pattern=_MOVE)]] = Field(max_length=MOST_POSITIONS)


class WorthRecord(BaseModel):
    value: Value | None
    plies: int | None


class JudgedRecord(BaseModel):
    ply: int = about("From 1 on.")
    side: Mark
    position: str = about("Before the move.")
    move: str
    before: WorthRecord = about("What the position was worth to the side to move.")
    after: WorthRecord = about("What the move was worth to it; plies count from before it.")
    best: str | None
    verdict: Literal["mistake", "slow"] | None = about(
        "'mistake': the value got worse; 'slow': a win longer, or a loss shorter."
    )
    cost: str | None = about("As in 'won in 7 → lost in 12'.")
    refutation: list[str] = about("Best play after a mistake, as far as it is known.")
    seen: int = about("How often the position after the move has been there.")


class SideRecord(BaseModel):
    moves: int
    judged: int = about("Moves whose worth is known.")
    mistakes: int
    slow: int
    accuracy: float | None = about("The share of judged moves that were no mistakes.")


class AnalysisRecord(RulesRecord):
    position: str
    moves: list[JudgedRecord]
    x: SideRecord
    o: SideRecord
    turned: int | None = about("The ply of the last mistake.")
    winner: Mark | None


class PuzzleRecord(BaseModel):
    id: int = about("From 1 on.")
    kind: PuzzleKind = about(
        "'win': only one move wins; 'draw': only one holds the draw; 'defend': all lose, and one holds out "
        "longest."
    )
    position: str = about("X is to move.")
    value: Value
    plies: int | None
    move: str = about("The only right one.")
    grade: int = about("From 1, easy, to 5.", ge=1, le=5)
    depth: int = about("How many plies ahead the end of the game is.")
    tempting: int = about("How many wrong moves do not lose within four plies.")
    source: Literal["table", "search"]
    outcomes: dict[str, int] = about("Of every move: plies to a win, 0 for a draw, or negative to a loss.")


class PuzzlesRecord(BaseModel):
    format: Literal["inarow-quixo-puzzles"]
    version: Literal[1]
    rules: RulesRecord
    seed: int
    puzzles: list[PuzzleRecord] = about("That of a day is puzzle d mod n + 1 of n, d days after 1970-01-01.")


class OpeningRecord(BaseModel):
    move: str
    name: str | None = about("Of a line of one or two moves.")
    position: str = about("After the move.")
    value: Value = about("For the side that makes the move.")
    losing_replies: int | None
    replies: int | None
    lines: list[OpeningRecord] = about("What is played next.")


class OpeningsRecord(BaseModel):
    format: Literal["inarow-quixo-openings"]
    version: Literal[1]
    rules: RulesRecord
    lines: list[OpeningRecord]


# --- Answers ---


class Quixos:
    """Answers questions about Quixo by a prober of each game, opened when first needed.

    It keeps the latest answers.
    """

    def __init__(self, tables: Iterable[Table] = (), search_seconds: float = SECONDS) -> None:
        self._tables = list(tables)
        self._search_seconds = search_seconds
        self._probers: dict[Quixo, Prober] = {}
        self._lock = Lock()
        self._opening: dict[Quixo, Lock] = {}
        for table in self._tables:
            self.prober(table.rules)
        self.work = Work()
        # Searches take some seconds, and run one at a time.
        self._searches = Work(threads=1, queue=32)
        self._answers: OrderedDict[Position, Answer] = OrderedDict()

    @property
    def rules(self) -> list[Quixo]:
        """The games that have an open table."""
        found = {table.rules for table in self._tables}
        found |= {rules for rules, prober in self._probers.items() if prober.is_fast}
        return sorted(found, key=lambda rules: tuple(rules.to_json().values()))

    def close(self) -> None:
        """Close the probers and all tables."""
        for prober in self._probers.values():
            prober.close()
        for table in self._tables:
            table.close()
        self._probers.clear()

    def prober(self, rules: Quixo) -> Prober:
        """The prober, which may have to solve a small board first: once, whatever the number of threads."""
        with self._lock:
            opening = self._opening.setdefault(rules, Lock())
        with opening:
            if rules not in self._probers:
                tables = [table for table in self._tables if table.rules == rules]
                self._probers[rules] = open_prober(rules, tables, search_seconds=self._search_seconds)
        return self._probers[rules]

    async def probe(self, position: Position) -> Answer:
        answer = self._answers.get(position)
        if answer is not None:
            self._answers.move_to_end(position)
            return answer
        prober = self._probers.get(position.rules)
        if prober is not None and prober.is_fast:  # it answers in less time than a thread takes to start
            record = self._record(position)
        else:
            record = await self._lane([position]).run(self._record, position)
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
        return Answer.of_probes(await lane.each(lambda position: encode(self._record(position)), positions))

    async def line(self, position: Position) -> Answer:
        lane = self._lane([position])
        record = await lane.run(self._record, position)
        # A move at a time: each may take a search, and others have their turn in between.
        line = self.prober(position.rules).line(position)
        most = MOST_SEARCHES if self._searched(position.rules) else None
        moves: list[dict[str, Any]] = []
        while len(moves) != most and (move := await lane.run(next, line, None)) is not None:
            moves.append(move.to_json())
        return Answer({**record, "moves": moves})

    async def move(
        self, position: Position, kind: Kind, level: int, mistakes: float, seed: int | None
    ) -> Answer:
        def choose() -> dict[str, Any]:
            player = Player(self.prober(position.rules), kind, seed, level=level, mistakes=mistakes)
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
            with blaming(Impossible, "body", "moves", nth):
                position = position.play(move)
        found = await self._lane([begin]).run(lambda: analyse(self.prober(begin.rules), begin, moves))
        return Answer(found.to_json())

    def stats(self, rules: Quixo) -> dict[str, Any]:
        prober = self.prober(rules)
        counts = prober.statistics.to_json()
        start = prober.probe(rules.start())
        return {"game": "quixo", **rules.to_json(), "value": start.value, "plies": start.plies, **counts}

    def _lane(self, positions: Iterable[Position]) -> Work:
        """The threads that work on these positions."""
        searched = any(self._searched(position.rules) for position in positions)
        return self._searches if searched else self.work

    def _searched(self, rules: Quixo) -> bool:
        """Whether looking up a position may take a search."""
        prober = self._probers.get(rules)
        return rules.cells > QUICK_CELLS if prober is None else not prober.is_fast

    def _record(self, position: Position) -> dict[str, Any]:
        """What is known about a position, without the names of our folders."""
        found = record(self.prober(position.rules), position)
        if found["reason"] is not None:
            for table in self._tables:  # callers have no business with them
                found["reason"] = found["reason"].replace(str(table.path), "DIR")
        return found


def record(prober: Prober, position: Position) -> dict[str, Any]:
    """The record of `inarow quixo probe --json`, and how the game ended if it has."""
    return {
        **prober.with_replies(prober.probe(position)).to_json(),
        "winner": position.winner,
        "winning_cells": [position.rules.cell_text(cell) for cell in position.winning_cells],
        "threats": threats_of(position).to_json(),
    }


# --- Routes ---


def router(quixos: Quixos) -> APIRouter:
    routes = APIRouter(prefix="/api/quixo", tags=["Quixo"], responses=FAILURES)

    @routes.get("/probe", response_model=ProbeRecord, summary="The value of a position")
    async def probe(position: PositionQuery, rules: RulesQuery) -> Response:
        """The values of a position and its moves, best first: the record of `inarow quixo probe --json`."""
        return await quixos.probe(_position(position, rules))

    @routes.post("/probe", response_model=ProbeRecords, summary="The values of many positions")
    async def probe_many(batch: Batch) -> Response:
        """The same for up to 1,000 positions at once; up to 20 where there is no table."""
        rules = batch.model_dump(include=_RULES.keys())
        return await quixos.probe_many(
            [_position(text, rules, "body", "positions", nth) for nth, text in enumerate(batch.positions)]
        )

    @routes.get("/line", response_model=LineRecord, summary="Optimal play to the end")
    async def line(position: PositionQuery, rules: RulesQuery) -> Response:
        """A position's value, and the best moves of both sides: the record of `inarow quixo line --json`."""
        return await quixos.line(_position(position, rules))

    @routes.get("/move", response_model=ChosenRecord, summary="A move of one of inarow's players")
    async def move(
        position: PositionQuery,
        rules: RulesQuery,
        player: PlayerQuery = "best",
        level: LevelQuery = 6,
        mistakes: MistakesQuery = 0.35,
        seed: SeedQuery = None,
    ) -> Response:
        """The move that a player chooses: what `inarow quixo play` plays."""
        return await quixos.move(_position(position, rules), player, level, mistakes, seed)

    @routes.post("/analyse", response_model=AnalysisRecord, summary="What the moves of a game gave away")
    async def analyse(game: PlayedGame) -> Response:
        """Each move judged: the record of `inarow quixo analyse --json`; up to 20 where there is no table."""
        begin = _position(game.position, game.model_dump(include=_RULES.keys()), "body", "position")
        return await quixos.analyse(begin, game.moves)

    def of_a_game(
        path: str,
        model: type[BaseModel],
        board: str,
        find: Callable[[Quixo], Any],
        summary: str,
        description: str,
    ) -> None:
        async def answer(rules: RulesQuery, size: SizeQuery = board) -> Response:
            try:
                return Answer(await quixos.work.run(find, _rules(size, rules)))
            except MissingTable as error:
                raise Unknown(str(error)) from None

        routes.get(path, response_model=model, summary=summary, description=description)(answer)

    of_a_game(
        "/stats",
        StatsRecord,
        "4",
        quixos.stats,
        "How many positions are won, lost and drawn",
        "The counts of all positions of a game, by plies and by marks on the board.",
    )
    of_a_game(
        "/puzzles",
        PuzzlesRecord,
        "4",
        lambda rules: shipped_puzzles(rules).to_json(),
        "Puzzles",
        "The puzzles that come with inarow, for the usual rules on 4×4 and 5×5.",
    )
    of_a_game(
        "/openings",
        OpeningsRecord,
        "5",
        lambda rules: dict(shipped_openings(rules)),
        "Openings",
        "The book as a tree of lines with names, for the usual rules on 5×5.",
    )
    return routes


def _rules(size: str, options: Options) -> Quixo:
    with blaming(Invalid, "query", "size"):
        board = Quixo(*Quixo.parse_size(size))
        board.require_solvable()
    with blaming(Impossible, "query", "line"):
        return Quixo(board.rows, board.columns, **options)


def _position(text: str, options: Options, *where: str | int) -> Position:
    where = where or ("query", "position")
    try:
        return Position.parse(text, **options)
    except NotationError as error:
        raise Invalid(error.reason, list(where), error.column) from None
    except ValueError as error:
        raise Impossible(str(error), [where[0], "line"]) from None
