"""How well an agent plays Quixo, measured against perfect play."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Protocol, TypeAlias

from inarow.errors import MissingTable
from inarow.quixo.analysis import JudgedMove, analyse
from inarow.quixo.player import Player
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.rules import Move, Position, Quixo
from inarow.quixo.table.location import solve_command
from inarow.values import Mark
from inarow.values import opponent as other_side

MOST_PLIES = 200  # of a game, which is a draw then
RANDOM_PLIES = 2  # at the beginning of a game


class _Chooser(Protocol):
    def choose(self, position: Position, before: Collection[Position] = ()) -> Any:  # with a `move`
        ...


Agent: TypeAlias = _Chooser | Callable[[Position], Move | str]
"""A function from a position to a move or its text, or a player like `inarow.Player` or `inarow.Engine`."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an agent did in some games.

    A move's regret is what it gave away: 1 for a win turned into a draw or a draw into a loss, 2 for a win
    turned into a loss. A mistake is a move with a regret. `plies_lost` is by how many plies its other moves
    made wins longer and losses shorter.

    >>> evaluate(lambda position: position.legal_moves()[0], games=4, rules=Quixo(2), seed=1).games
    4
    """

    games: int
    won: int
    drawn: int
    lost: int
    moves: int  # of the agent
    mistakes: int
    regret: int
    plies_lost: int

    @property
    def mistakes_per_game(self) -> float:
        return self.mistakes / self.games

    @property
    def regret_per_game(self) -> float:
        return self.regret / self.games

    def __str__(self) -> str:
        return (
            f"{self.games} games, {self.won} won, {self.drawn} drawn, {self.lost} lost; "
            f"{self.mistakes_per_game:.2f} mistakes and a regret of {self.regret_per_game:.2f} a game"
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def evaluate(
    agent: Agent,
    games: int = 100,
    *,
    rules: Quixo | None = None,
    prober: Prober | None = None,
    opponent: Agent | None = None,
    seed: int = 0,
) -> Evaluation:
    """Let an agent play, and compare each of its moves with the best one.

    It plays X and O in turn against `opponent`, by default a perfect player who sets traps in a draw. The
    first two plies of a game are drawn at random, the same for a seed, and count for nobody. After 200
    plies more a game is a draw.

    Of `rules` (by default 4×4), boards of up to 16 cells are solved when needed; `prober` takes the place of
    the rules on other boards, and must have a complete table: `MissingTable` names the command that makes
    one. `ValueError` if the agent plays what is not legal.

    >>> import inarow
    >>> rules = inarow.Quixo(3)
    >>> with inarow.open_prober(rules) as prober:
    ...     perfect = evaluate(inarow.Player(prober), games=10, prober=prober)
    >>> perfect.mistakes, perfect.plies_lost
    (0, 0)
    >>> first = evaluate(lambda position: position.legal_moves()[0], games=10, rules=rules)
    >>> print(first)
    10 games, 1 won, 0 drawn, 9 lost; 0.40 mistakes and a regret of 0.80 a game
    """
    if games < 1:
        raise ValueError(f"games {games}: must be at least 1")
    if prober is not None and rules not in (None, prober.rules):
        raise ValueError(f"a prober of {prober.rules} does not know {rules}")
    with ExitStack() as opened:
        if prober is None:
            prober = opened.enter_context(open_prober(rules or Quixo(4)))
        if not prober.knows_outcomes:
            rules = prober.rules
            raise MissingTable(
                f"Judging moves needs a complete {rules.rows}×{rules.columns} table. Make one: "
                f"`{solve_command(rules, 'DIR')}`, and pass `prober=inarow.open_prober(rules, ['DIR'])`"
            )
        against = opponent or Player(prober, seed=seed)
        random = Random(seed)
        results: list[int] = []
        judged: list[JudgedMove] = []
        for nth in range(games):
            side: Mark = "x" if nth % 2 == 0 else "o"
            begin, moves = _play(prober.rules, {side: agent, other_side(side): against}, random)
            game = analyse(prober, begin, moves)
            winner = game.end.winner
            results.append(0 if winner is None else 1 if winner == side else -1)
            judged += [move for move in game.moves if move.side == side]
    regrets = [move.regret for move in judged if move.regret is not None]
    if len(regrets) < len(judged):
        unknown = next(move.position for move in judged if move.regret is None)
        raise MissingTable(f"what a move in {unknown} is worth is not known")
    return Evaluation(
        games=games,
        won=results.count(1),
        drawn=results.count(0),
        lost=results.count(-1),
        moves=len(judged),
        mistakes=sum(regret > 0 for regret in regrets),
        regret=sum(regrets),
        plies_lost=sum(_plies_lost(move) for move in judged if move.verdict == "slow"),
    )


def _play(rules: Quixo, agents: Mapping[Mark, Agent], random: Random) -> tuple[Position, list[Move]]:
    """A game: where it begins, after its random plies, and the moves from there on."""
    begin = rules.start()
    for _ in range(RANDOM_PLIES):
        if not begin.is_over:
            begin = begin.play(random.choice(begin.legal_moves()))
    game, moves = [begin], list[Move]()
    while not game[-1].is_over and len(moves) < MOST_PLIES:
        moves.append(_move(agents[game[-1].turn], game))
        game.append(game[-1].play(moves[-1]))
    return begin, moves


def _plies_lost(move: JudgedMove) -> int:
    """By how many plies a move that kept its value made a win longer or a loss shorter."""
    before, after = move.before, move.after
    if before is None or after is None or before.plies is None or after.plies is None:
        return 0
    return abs(before.plies - after.plies)


def _move(agent: Agent, game: Sequence[Position]) -> Move:
    """What an agent plays; `ValueError` if it is not legal."""
    position = game[-1]
    if callable(agent):
        chosen = agent(position)
        move = position.rules.parse_move(chosen) if isinstance(chosen, str) else chosen
    else:
        move = agent.choose(position, game[:-1]).move
    if not position.is_legal(move):
        raise ValueError(f"an agent plays {move!r} in {position}, which is not legal")
    return move
