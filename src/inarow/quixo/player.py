"""Players of Quixo: one for the terminal, the API and the browser."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random
from time import monotonic
from typing import Literal, get_args

from inarow.quixo.probe import MoveProbe, Probe
from inarow.quixo.prober import Prober
from inarow.quixo.rules import Position
from inarow.quixo.search import Search
from inarow.values import Outcome
from inarow.words import counted

__all__ = ["LEVELS", "Kind", "Player"]

Kind = Literal["best", "trap", "level", "weaker"]

LEVELS = (1, 2, 3, 4, 6, 8)  # how many plies the player of each level sees; level 1 is the first

_BRIEF = 64  # a part of a proof's nodes: for each of many moves
_NEVER = 1 << 30  # more plies than any win takes
_ALIKE = 3  # of equally good moves that are sorted by how they look, so many are good enough to choose from


class Player:
    """Chooses moves by what a prober knows.

    `best` gives nothing away, as far as is known: it takes the fastest win, else the draw after which most
    replies lose, else the longest loss, and where nothing is known the move that looks best. If the value of
    a position is known but not its plies, it makes progress in a win and resists in a loss.

    `trap` gives no more away, but hopes for mistakes: where it is losing it takes the move after which the
    fewest replies still win, however short that makes the game.

    `level` sees what is decided within some plies and nothing beyond, which it takes for equal: level n of
    `LEVELS` takes the fastest win that it sees, avoids losses that it sees, and otherwise plays any move.

    `weaker` does the same as `best` but for its `mistakes`, a share of its moves which it chooses among all
    legal ones.

    Without a seed the first of equally good moves is taken, but a level chooses among moves that are equal to
    it at random, and mistakes are made at random. With a seed the choice depends on the seed and on the
    position, and, where plies are not known, on the game so far.

    >>> from inarow.quixo.prober import open_prober
    >>> from inarow.quixo.rules import Quixo
    >>> with open_prober(Quixo(3)) as prober:
    ...     choice = Player(prober, "best").choose(Quixo(3).start())
    >>> choice.text, choice.value
    ('c1a1', 'win')
    """

    def __init__(
        self,
        prober: Prober,
        kind: Kind = "best",
        seed: int | None = None,
        *,
        level: int = len(LEVELS),
        mistakes: float = 0.35,
    ) -> None:
        if kind not in get_args(Kind):
            raise ValueError(f"kind {kind!r}: must be one of {', '.join(get_args(Kind))}")
        if not 0 <= mistakes <= 1:
            raise ValueError(f"mistakes {mistakes!r}: must be from 0 to 1")
        if not 1 <= level <= len(LEVELS):
            raise ValueError(f"level {level!r}: must be 1 to {len(LEVELS)}")
        self.prober = prober
        self.kind = kind
        self.seed = seed
        self.level = level
        self.mistakes = mistakes if kind == "weaker" else 0.0
        # Keeps the proofs of wins, which are followed to their end.
        self._search = Search(prober.rules, by_class=False)
        self._new_marks = Search(prober.rules, prober.values)

    def within(self, seconds: float) -> Player:
        """The same player with so many seconds for each of its searches, of which there may be two a move."""
        prober = self.prober.within(seconds)
        return Player(prober, self.kind, self.seed, level=self.level, mistakes=self.mistakes)

    def choose(self, position: Position, before: Collection[Position] = ()) -> MoveProbe:
        """A move; `ValueError` if the game is over.

        `before` are the earlier positions of the game, which a winner avoids.
        """
        if position.is_over:
            raise ValueError(f"{position}: the game is over")
        random = Random() if self.seed is None else Random(f"{self.seed} {position}")
        if self.kind == "level":
            return self._see(position, random)
        probe = self.prober.probe(position)
        if self.kind == "trap" and probe.value == "loss":
            return self._set_trap(probe, random)
        if random.random() < self.mistakes:
            return random.choice(probe.moves)
        if probe.value in ("win", "loss") and probe.plies is None:
            choose = self._make_progress if probe.value == "win" else self._resist
            return choose(probe, before, random)
        best: Sequence[MoveProbe] = probe.best
        if best[0].value == "draw":
            best = self._most_losing_replies(probe)
        elif best[0].value is None:
            return best[0]
        return best[0] if self.seed is None else random.choice(best)

    def _see(self, position: Position, random: Random) -> MoveProbe:
        """A move by what is decided within the plies that the level sees."""
        plies = LEVELS[self.level - 1]
        moves = self._moves_within(position, plies)
        seen = [move for move in moves if move.plies is not None and move.plies <= plies]
        wins = [move for move in seen if move.value == "win"]
        if wins:
            fastest = min(move.plies or 0 for move in wins)
            return random.choice([move for move in wins if move.plies == fastest])
        losses = [move for move in seen if move.value == "loss"]
        if len(losses) < len(moves):
            return random.choice([move for move in moves if move not in losses])
        longest = max(move.plies or 0 for move in losses)
        return random.choice([move for move in losses if move.plies == longest])

    def _moves_within(self, position: Position, plies: int) -> Sequence[MoveProbe]:
        """Every move with what is decided within so many plies, and perhaps more."""
        if self.prober.is_fast:
            return self.prober.probe(position).moves
        successors = position.successors()
        children = [child for child, _ in successors]
        unknown = [None] * len(children)
        found = Search(self.prober.rules).find(children, unknown, plies - 1, self.prober.limits.seconds)
        known = zip(successors, found.outcomes, strict=True)
        return [MoveProbe.of(move, child, outcome, "search") for (child, move), outcome in known]

    def _set_trap(self, probe: Probe, random: Random) -> MoveProbe:
        """A losing move after which the fewest replies win, and of these the one that loses last."""
        if not self.prober.knows_outcomes and probe.plies is None:
            return self._resist(probe, (), random)
        ways = [self._winning_replies(move.position) for move in probe.moves]  # the slowest loss is first
        return probe.moves[ways.index(min(ways))]

    def _most_losing_replies(self, probe: Probe) -> Sequence[MoveProbe]:
        best = self.prober.with_replies(probe).best
        if any(move.losing_replies is None for move in best):
            return best[:_ALIKE]
        most = max(move.losing_replies or 0 for move in best)
        return [move for move in best if move.losing_replies == most]

    def _make_progress(self, probe: Probe, before: Collection[Position], random: Random) -> MoveProbe:
        """A winning move that ends the game some day.

        To follow a proof, whose bound of plies falls with every move, always does. Without one, a move
        that adds a mark cannot be repeated for ever, nor can moves that force a new mark; then the move that
        is closest to a proof is made, but not to a position that was there before. Equals are chosen at
        random, so that every win is found with probability 1, whatever the reply.
        """
        winning = [move for move in probe.moves if move.value == "win"]
        proven = self._fastest_proven(self._search, probe.position, winning)
        if proven:
            return random.choice(proven)
        marks = sum(probe.position.counts)
        fresh = [move for move in winning if move.position not in before] or winning
        adding = [move for move in fresh if sum(move.position.counts) > marks]
        if adding:
            return random.choice(self._closest_to_proof(self._search, adding))
        forcing = self._fastest_proven(self._new_marks, probe.position, winning)
        return random.choice(forcing or self._closest_to_proof(self._new_marks, fresh))

    def _fastest_proven(
        self, search: Search, position: Position, winning: Sequence[MoveProbe]
    ) -> list[MoveProbe]:
        """The winning moves for which a search has the lowest bound of plies; none if it has none."""
        limits = self.prober.limits
        search.prove(position, Outcome("win", None), limits.nodes, limits.seconds)
        bounds = [
            search.proven(move.position) if move.plies is None else Outcome("loss", move.plies - 1)
            for move in winning
        ]
        plies = [_NEVER if known is None or known.plies is None else known.plies for known in bounds]
        least = min(plies)
        return [move for move, bound in zip(winning, plies, strict=True) if bound == least and bound < _NEVER]

    def _closest_to_proof(self, search: Search, moves: Sequence[MoveProbe]) -> list[MoveProbe]:
        left = [search.left_to_prove(move.position) for move in moves]
        return [move for move, count in zip(moves, left, strict=True) if count == min(left)]

    def _resist(self, probe: Probe, before: Collection[Position], random: Random) -> MoveProbe:
        """A losing move after which the winner has the fewest ways to win, and no short one."""
        limits = self.prober.limits
        longest = [move for move in probe.moves if move.plies is None] or list(probe.best)
        if len(longest) == 1:
            return longest[0]
        deadline = monotonic() + limits.seconds
        # A win that is hard to prove is hard to find.
        nodes = limits.nodes // _BRIEF
        open_ones = [
            move
            for move in longest
            if not self._search.prove(
                move.position, Outcome("win", None), nodes, max(0.0, deadline - monotonic())
            )
        ]
        longest = open_ones or longest
        ways = [self._winning_replies(move.position) for move in longest]
        return random.choice([move for move, count in zip(longest, ways, strict=True) if count == min(ways)])

    def _winning_replies(self, position: Position) -> int:
        after = self.prober.outcomes([child for child, _ in position.successors()])
        return sum(outcome is not None and outcome.value == "loss" for outcome in after)

    def describe(self) -> str:
        """How it plays, in words."""
        if self.kind == "level":
            return (
                f"Level {self.level}: sees what is decided within {counted(LEVELS[self.level - 1], 'ply')}, "
                "and plays any move beyond that."
            )
        if self.kind == "weaker":
            return f"Makes {self.mistakes:.0%} of its moves at random."
        if self.prober.knows_everything:
            hopes = "hopes for mistakes where it is losing" if self.kind == "trap" else "the slowest loss"
            return f"Plays perfectly: takes the fastest win and {hopes}, and sets traps in a draw."
        if self.prober.knows_outcomes:
            return "Gives nothing away, but may win later than it could: its table has no plies."
        limits = self.prober.limits
        sources = "the book and a search" if self.prober.has_book else "a search"
        return (
            f"Plays by {sources} of {limits.plies} plies and more, up to {limits.seconds:g} seconds a move. "
            "That is not perfect."
        )
