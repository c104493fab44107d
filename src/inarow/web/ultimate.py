"""The API of Ultimate Tic-Tac-Toe: positions, the winning strategy and the longest defence."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from inarow.ultimate.claims import verify_claim
from inarow.ultimate.players import Choice, Player
from inarow.ultimate.rules import Position, Ultimate, Variant
from inarow.ultimate.strategy import OffStrategy, explain, lbs
from inarow.values import Mark
from inarow.verify.ultimate.strategies import MOST_PLIES, XavierReport
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

_PLAYOUTS = 20_000  # of a search where the strategies have no move

_LONGEST = 81 * 3
_NOTATION = "^(start|[0-8]{2}([ ,][0-8]{2}){0,80})$"
_PATTERN = {"pattern": _NOTATION}

PositionQuery = Annotated[
    str,
    Query(
        max_length=_LONGEST,
        description="The moves so far, each a field and a spot, or 'start': '44,40,04'.",
        json_schema_extra=_PATTERN,
        examples=["44,40,04,43"],
    ),
]
MoveQuery = Annotated[str | None, Query(pattern="^[0-8]{2}$", description="A move to make first.")]
VariantQuery = Annotated[Variant, Query(description="'open': a field that is won can still be played in.")]
PlayerQuery = Annotated[
    Literal["strategy", "search"],
    Query(
        description="'strategy' plays X by Xavier's strategy and O by LBS, and searches where they have no "
        "move; 'search' plays either side by a tree search."
    ),
]


class StrategyRecord(BaseModel):
    move: str
    phase: Literal["opening", "middlegame", "endgame"]
    why: str
    at_most: int = about("The game ends within this many plies, whatever O plays.")


class UltimateRecord(BaseModel):
    position: str
    variant: Variant
    turn: Mark
    fields: list[str] = about("The nine fields, nine spots each: 'x', 'o' or '.'.")
    field_winners: list[Mark | None]
    active_fields: list[int] = about("The fields that the side to move may play in.")
    moves: list[str] = about("The legal moves.")
    over: bool
    winner: Mark | None
    winning_fields: list[int]
    strategy: StrategyRecord | None = about("X's move by Xavier's strategy; null where it has none.")
    last_strategy: StrategyRecord | None = about("Of X's last move, if X has followed it.")
    resistance: list[str] = about("O's moves by LBS, which delay the loss to ply 29; or none.")
    reason: str | None = about("Why neither strategy has a move here.", default=None)


class UltimateBatch(BaseModel):
    model_config = ConfigDict(extra="forbid")

    positions: list[Annotated[str, Field(max_length=_LONGEST, json_schema_extra=_PATTERN)]] = Field(
        min_length=1, max_length=MOST_POSITIONS
    )
    variant: Variant = "open"


class UltimateRecords(BaseModel):
    probes: list[UltimateRecord] = about("In the order of the positions.")


class PlayedRecord(BaseModel):
    move: str
    phase: Literal["opening", "middlegame", "endgame"] | None = about("Of X's strategy.")
    why: str


class UltimateLine(BaseModel):
    position: str
    moves: list[PlayedRecord] = about("Xavier's strategy against LBS, to the end of the game.")
    winner: Mark | None


class UltimateMove(BaseModel):
    move: str


class LengthRecord(BaseModel):
    plies: int
    games: int


class UltimateStats(BaseModel):
    game: Literal["ultimate"]
    variant: Literal["open"]
    wins: bool = about("Whether Xavier's strategy wins every game.")
    shortest: int
    longest: int
    games: list[LengthRecord] = about("The number of games that the strategy wins, by length.")


def record(position: Position) -> dict[str, Any]:
    """What the explorer shows about a position."""
    strategy = last_strategy = None
    resistance: list[str] = []
    reason: dict[str, str] = {}
    try:
        if position.turn == "o":
            resistance = [] if position.is_over else [str(move) for move in lbs(position)]
            last_strategy = _strategy(position.rules.parse(_before(position)))
            last_strategy = last_strategy if last_strategy["move"] == str(position.last_move) else None
        elif not position.is_over:
            strategy = _strategy(position)
    except OffStrategy as error:
        reason = {"reason": error.reason}
    return {
        "position": position.text,
        "variant": position.rules.variant,
        "turn": position.turn,
        "fields": ["".join(position.mark(field, spot) or "." for spot in range(9)) for field in range(9)],
        "field_winners": [position.field_winner(field) for field in range(9)],
        "active_fields": list(position.active_fields),
        "moves": [str(move) for move in position.legal_moves()],
        "over": position.is_over,
        "winner": position.winner,
        "winning_fields": list(position.winning_fields),
        "strategy": strategy,
        "last_strategy": last_strategy,
        "resistance": resistance,
        **reason,
    }


def _before(position: Position) -> str:
    """The moves without the last one."""
    return " ".join(map(str, position.moves_played[:-1]))


def _strategy(position: Position) -> dict[str, Any]:
    found = explain(position)
    left = MOST_PLIES - position.ply
    return {"move": str(found.move), "phase": found.phase, "why": found.why, "at_most": left}


def _choice(position: Position, player: Literal["strategy", "search"], seed: int | None) -> Choice:
    if position.rules.variant == "open" and player == "strategy":
        with suppress(OffStrategy):
            return Player("xavier" if position.turn == "x" else "lbs", seed=seed).choose(position)
    return Player("mcts", position.rules, position.turn, playouts=_PLAYOUTS, seed=seed).choose(position)


def line_record(position: Position) -> dict[str, Any]:
    """Xavier's strategy against LBS from here on."""
    begin = position.text
    moves: list[dict[str, str | None]] = []
    while not position.is_over:
        if position.turn == "x":
            found = explain(position)
            moves.append({"move": str(found.move), "phase": found.phase, "why": found.why})
            position = position.play(found.move)
        else:
            move = lbs(position)[0]
            moves.append({"move": str(move), "phase": None, "why": "LBS: O does not lose before ply 29."})
            position = position.play(move)
    return {"position": begin, "moves": moves, "winner": position.winner}


def router(work: Work) -> APIRouter:
    routes = APIRouter(prefix="/api/ultimate", tags=["Ultimate"], responses=FAILURES)

    @lru_cache(maxsize=1)
    def counted() -> Answer:
        report = verify_claim("xavier")
        assert isinstance(report, XavierReport)
        games = [{"plies": plies, "games": games} for plies, games in sorted(report.lengths.items())]
        shortest, longest = min(report.lengths), max(report.lengths)
        found = {"wins": report.wins, "shortest": shortest, "longest": longest, "games": games}
        return Answer({"game": "ultimate", "variant": "open", **found})

    @lru_cache(maxsize=4096)
    def answer(text: str, variant: Variant, move: str | None) -> Answer:
        position = _position(text, variant)
        with blaming(Impossible, "query", "move"):
            return Answer(record(position if move is None else position.play(move)))

    @routes.get("/probe", response_model=UltimateRecord, summary="A position, and what the strategies play")
    async def probe(
        position: PositionQuery = "start", variant: VariantQuery = "open", move: MoveQuery = None
    ) -> Response:
        """The board, the legal moves, and the winning strategy's move with its reason."""
        return answer(position, variant, move)

    @routes.post("/probe", response_model=UltimateRecords, summary="The same for many positions")
    async def probe_many(batch: UltimateBatch) -> Response:
        """The same for up to 1,000 positions at once."""

        def found(nth: int) -> bytes:
            return encode(record(_position(batch.positions[nth], batch.variant, "body", "positions", nth)))

        return Answer.of_probes(await work.each(found, range(len(batch.positions))))

    @routes.get("/move", response_model=UltimateMove, summary="inarow's move")
    async def move(
        position: PositionQuery = "start",
        variant: VariantQuery = "open",
        player: PlayerQuery = "strategy",
        seed: SeedQuery = None,
    ) -> Response:
        """By the strategies where there are some, or by a tree search."""
        begin = _position(position, variant)
        if begin.is_over:
            raise Impossible("the game is over", ["query", "position"])
        choice = await work.run(_choice, begin, player, seed)
        return Answer({"move": str(choice.move)}, None if seed is None else A_MINUTE)

    @routes.get("/stats", response_model=UltimateStats, summary="Every game against the winning strategy")
    async def stats() -> Response:
        """How long Xavier's strategy takes against every play of O, as `inarow ultimate verify` counts."""
        return await work.run(counted)

    @routes.get(
        "/line", response_model=UltimateLine, summary="The winning strategy against the longest defence"
    )
    async def line(position: PositionQuery = "start") -> Response:
        """Xavier's strategy against LBS to the end of the game, with the reason for each of X's moves."""
        begin = _position(position, "open")
        with blaming(Impossible, "query", "position"):
            return Answer(line_record(begin))

    return routes


def _position(text: str, variant: Variant, *where: str | int) -> Position:
    where = where or ("query", "position")
    written = re.fullmatch(_NOTATION, text)
    with blaming(Impossible if written else Invalid, *where):
        position = Ultimate(variant).parse(text)
    if not written:  # one way to write a position, and one address for it
        raise Invalid("moves are apart by one comma or space each; none at all is 'start'", list(where))
    return position
