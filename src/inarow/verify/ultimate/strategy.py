"""Checks of the strategies for Ultimate Tic-Tac-Toe against every play of the opponent.

Each takes the strategy to be judged, and looks at all games that it lets come about: `verify_xavier` position
by position, the others up to what can make no difference. Why that covers every game is told there.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any, TypeVar

from inarow.errors import InarowError
from inarow.ultimate.rules import FULL, LINES, SYMMETRIES, Move, Position, Ultimate
from inarow.ultimate.strategy import Strategy, lbs_choices, lemma6_choices, lemma7_choices, xavier

__all__ = [
    "PROPERTIES",
    "BlockReport",
    "Choices",
    "LbsReport",
    "State",
    "Wrong",
    "XavierReport",
    "endgame_properties",
    "spread_states",
    "state_of",
    "verify_lbs",
    "verify_lemma6",
    "verify_lemma7",
    "verify_xavier",
]

Choices = Callable[[Position], tuple[Move, ...]]
_Answer = TypeVar("_Answer")

MOST_PLIES = 43  # of Xavier's strategy (Lemma 3): an opening that wins later is not the best
LEAST_PLIES = 29  # of a win against LBS (Lemma 4)
PROPERTIES = ("P1", "P2", "P3", "P4", "P5", "P6")


class Wrong(Exception):
    """A game in which the strategy does not do what it should."""

    def __init__(self, position: Position, reason: str) -> None:
        super().__init__(position, reason)
        self.position = position
        self.reason = reason

    def __str__(self) -> str:
        return f"after {self.position.text}: {self.reason}"


def _json_of(wrong: Wrong | None) -> dict[str, str] | None:
    return None if wrong is None else {"moves": wrong.position.text, "reason": wrong.reason}


# --- The first player's win ---


@dataclass(slots=True)
class XavierReport:
    """What came of playing the strategy against everything."""

    lengths: Counter[int] = field(default_factory=Counter)  # plies of a game -> how many games, move by move
    olivia_to_move: int = 0  # different positions
    xavier_to_move: int = 0
    final: int = 0
    endgame_rounds: int = 0  # positions with Olivia to move in which P1 to P6 were checked
    violations: Counter[str] = field(default_factory=Counter)  # property -> positions without it
    wrong: Wrong | None = None  # a game that is not won
    seconds: float = 0.0

    @property
    def wins(self) -> bool:
        return self.wrong is None

    @property
    def holds(self) -> bool:
        return self.wins and not self.violations and max(self.lengths, default=0) <= MOST_PLIES

    def to_json(self) -> dict[str, Any]:
        return {
            "wins": self.wins,
            "longest": max(self.lengths, default=None),
            "shortest": min(self.lengths, default=None),
            "lengths": {str(plies): self.lengths[plies] for plies in sorted(self.lengths)},
            "positions": {
                "olivia_to_move": self.olivia_to_move,
                "xavier_to_move": self.xavier_to_move,
                "final": self.final,
            },
            "endgame": {
                "rounds": self.endgame_rounds,
                "violations": {name: self.violations[name] for name in PROPERTIES},
            },
            "counterexample": _json_of(self.wrong),
            "seconds": round(self.seconds, 3),
        }


def verify_xavier(strategy: Strategy = xavier, start: Position | None = None) -> XavierReport:
    """Play the strategy against every reply; positions that several games reach are looked at once.

    It goes from the start of the game unless said.
    """
    began = time.monotonic()
    report = XavierReport()
    try:
        level = {start or Ultimate().start(): 1}  # X to move -> games that lead here
        while level:
            level = _round(level, strategy, report)
    except Wrong as wrong:
        report.wrong = wrong
    report.seconds = time.monotonic() - began
    return report


def _round(games: dict[Position, int], strategy: Strategy, report: XavierReport) -> dict[Position, int]:
    """A move of X's and all replies."""
    report.xavier_to_move += len(games)
    moved: Counter[Position] = Counter()
    final = set()
    for position, count in games.items():
        after = _played(position, _asked(strategy, position))
        if after.winner == "x":
            final.add(after)
            report.lengths[after.ply] += count
        elif after.is_over:
            raise Wrong(after, "the game is drawn")
        else:
            moved[after] += count
    report.final += len(final)
    report.olivia_to_move += len(moved)
    following: Counter[Position] = Counter()
    for position, count in moved.items():
        held = endgame_properties(position)
        report.endgame_rounds += bool(held)
        report.violations.update(name for name, holds in held.items() if not holds)
        for move in position.legal_moves():
            after = position.play(move)
            if after.is_over:
                raise Wrong(after, after.status)
            following[after] += count
    return following


def endgame_properties(position: Position) -> dict[str, bool]:
    """Which of P1 to P6 hold with Olivia to move; nothing if it is not the endgame.

    For every field that X may be sent to last in the opening: `home` here, 0 in the paper, where `far` is 8.
    """
    homes = [number for number in range(9) if not position.x[number] >> 4 & 1]
    if len(homes) != 1 or position.taken(4) != FULL:
        return {}
    home, far = homes[0], 8 - homes[0]

    def x(field: int, spot: int) -> bool:
        return position.mark(field, spot) == "x"

    def o(field: int, spot: int) -> bool:
        return position.mark(field, spot) == "o"

    if not x(far, far):
        return {}
    others = [i for i in range(9) if i not in (home, 4, far)]  # A in the paper
    waiting = [i for i in others if o(far, i) and not o(home, i)]  # those that "verify P5"
    two = [i for i in others if x(i, home) and x(i, far)]
    one = [i for i in others if x(i, home) != x(i, far)]
    none = [i for i in others if not x(i, home) and not x(i, far)]
    return {
        "P1": all(o(home, i) and o(far, i) for i in two),
        "P2": all(
            x(i, home) and o(home, i) != o(far, i) and (not o(far, i) or position.active == home) for i in one
        ),
        "P3": all(not o(home, i) and not o(far, i) for i in none),
        "P4": position.active in (home, far),  # a field that is full is never active
        "P5": len(waiting) == (1 if position.active == home else 0),
        "P6": all(not position.o[i] for i in others)
        and all(not x(home, i) and not x(far, i) for i in others),
    }


# --- LBS: X gets to each field once before he gets to any twice ---


@dataclass(slots=True)
class LbsReport:
    """What LBS forces from the start of the game."""

    states: int = 0  # positions with X to move, up to what makes no difference
    no_win_before: int | None = None  # in plies
    wrong: Wrong | None = None
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        return self.no_win_before is not None and self.no_win_before >= LEAST_PLIES

    def to_json(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "one_x_in_each_field_after": 18 if self.holds else None,
            "no_win_before": self.no_win_before,
            "states": self.states,
            "counterexample": _json_of(self.wrong),
            "seconds": round(self.seconds, 3),
        }


def verify_lbs(choices: Choices = lbs_choices) -> LbsReport:
    """Lemma 5, one and only one X in each field after 18 plies, and Lemma 4: no win before ply 29."""
    began = time.monotonic()
    report = LbsReport()
    try:
        start = Ultimate().start()
        report.states = len(spread_states(start, choices))
        report.no_win_before = _earliest_win(start, spent=0)
    except Wrong as wrong:
        report.wrong = wrong
    report.seconds = time.monotonic() - began
    return report


State = tuple[int, int | None, bool]
"""The fields that X has got to, the active field, and whether Olivia has played its double."""


def spread_states(start: Position, choices: Choices, spent: int = 0) -> dict[State, set[State]]:
    """Check that X's next moves, one for each field that is not `spent`, go to a different one each.

    In `start` X has a free choice; the `spent` fields are full, and of all others just those spots are taken.
    Returns the states with X to move and those that follow them, a move and a reply later.

    Positions with X to move are the same state if they agree in the fields that X has got to, the active
    field, and whether Olivia has played its double. `state_of` checks what else holds in all of them. That
    covers every game: X has no mark in the active field, and Olivia at most the double, so that X may play
    any other spot s there. If he has not got to field s, it is empty: she plays (s, s), and he is in field s.
    If he has, she sends him to a field that he has not got to, and may choose any, for those spots are free
    everywhere. And if field s is full, so that she may choose the field? Then she does the latter from
    another one, or plays the double of one that he has not got to: the same as if X had sent her there.
    """
    level = {state_of(start, spent): start}
    states: dict[State, set[State]] = {}
    for left in reversed(range(len(_outside(spent)))):
        following: dict[State, Position] = {}
        for state, position in level.items():
            states[state] = set()
            for move in position.legal_moves():
                after = _played(position, move)
                if not left:
                    _check_one_each(after, spent)
                    continue
                replies = _asked(choices, after)
                if not replies:
                    raise Wrong(after, "the strategy has no move")
                for reply in replies:
                    replied = _played(after, reply)
                    next_state = state_of(replied, spent)
                    states[state].add(next_state)
                    following.setdefault(next_state, replied)
        level = following
    return states


def state_of(position: Position, spent: int = 0) -> State:
    """The state of a position with X to move, for `spread_states`.

    `Wrong` unless X has not got to the active field, where just the double may be taken; all other fields
    that he has not got to are empty; and the spots of their numbers are free in every field.
    """
    active = position.active
    marks = {number: position.taken(number) & ~spent for number in _outside(spent)}
    reached = sum(1 << number for number in marks if position.x[number] & ~spent)
    if active is None and reached:
        raise Wrong(position, "X has a free choice")
    if active is not None and reached >> active & 1:
        raise Wrong(position, f"X comes to field {active} once more, and has not got to every field")
    double = active is not None and marks[active] == 1 << active
    spots = reduce(or_, marks.values())
    for number in marks:
        if reached >> number & 1:
            continue
        if marks[number] and not (number == active and double):
            raise Wrong(position, f"field {number} has marks, but none of X's")
        if number != active and spots >> number & 1:
            raise Wrong(position, f"a spot {number} is taken, and X has not been in field {number}")
    return reached, active, double


def _check_one_each(position: Position, spent: int) -> None:
    for number in _outside(spent):
        count = (position.x[number] & ~spent).bit_count()
        if count != 1:
            raise Wrong(position, f"X has {count} new marks in field {number}, not one")


def _earliest_win(start: Position, spent: int) -> int:
    """The first ply at which X could win after the moves that `spread_states` checks, by counting marks.

    Each field that is not spent then has one X more. If Olivia put nothing in his way from then on, X would
    need so many more to have three in a row in each of three fields in a row.
    """
    never = 9
    missing = []
    for number in range(9):
        x, o = start.x[number], start.o[number]
        if spent >> number & 1:
            missing.append(0 if start.field_winner(number) == "x" else never)
        else:
            missing.append(min(never if line & o else (line & ~x).bit_count() - 1 for line in LINES))
    marks = min(sum(missing[number] for number in _spots(line)) for line in LINES)
    if marks < 1:
        raise Wrong(start, "X may win before he has got to every field")
    return start.ply + 2 * len(_outside(spent)) + 2 * marks - 1


# --- Lemmas 6 and 7: X is kept in two fields until they are full ---


@dataclass(slots=True)
class BlockReport:
    """What blocking two fields, and LBS in the others, forces against a kind of opening."""

    openings: int = 0  # all of them; those that are symmetric are looked at once
    states: int = 0  # positions with X to move, up to what makes no difference
    blocked_plies: set[int] = field(default_factory=set)  # when the two fields were full
    no_win_before: Counter[int] = field(default_factory=Counter)  # ply -> openings
    wrong: Wrong | None = None
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        return self.wrong is None and min(self.no_win_before, default=0) > MOST_PLIES

    def to_json(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "openings": self.openings,
            "blocked_plies": sorted(self.blocked_plies),
            "no_win_before": min(self.no_win_before, default=None),
            "openings_by_bound": {str(ply): self.no_win_before[ply] for ply in sorted(self.no_win_before)},
            "states": self.states,
            "counterexample": _json_of(self.wrong),
            "seconds": round(self.seconds, 3),
        }


def verify_lemma6(choices: Choices = lemma6_choices) -> BlockReport:
    """The bound of Lemma 6: X begins with (i, j), not a double; blocked are fields i and j."""
    openings = [(Move(i, j),) for i in range(9) for j in range(9) if i != j]
    return _verify_blocks(openings, choices, lambda moves: (moves[0].field, moves[0].spot))


def verify_lemma7(choices: Choices = lemma7_choices) -> BlockReport:
    """The bound of Lemma 7: (i, i), (i, j), (j, k) with k not i; blocked are fields i and k."""
    openings = [
        (Move(i, i), Move(i, j), Move(j, k))
        for i in range(9)
        for j in range(9)
        for k in range(9)
        if i not in (j, k)
    ]
    return _verify_blocks(openings, choices, lambda moves: (moves[0].field, moves[2].spot))


_Moves = tuple[Move, ...]


def _verify_blocks(
    openings: Iterable[_Moves], choices: Choices, blocked: Callable[[_Moves], tuple[int, int]]
) -> BlockReport:
    began = time.monotonic()
    report = BlockReport()
    spread: set[int] = set()  # pairs of fields for which LBS was checked in the others, up to symmetry
    try:
        for opening in openings:
            report.openings += 1
            images = [tuple(move.image(to) for move in opening) for to in SYMMETRIES]
            if min(images) != opening:
                continue
            position = Ultimate().start()
            for move in opening:
                if position.turn == "o" and move not in _asked(choices, position):
                    raise Wrong(position, f"the strategy does not let O play {move}")
                position = _played(position, move)
            spent = sum(1 << number for number in blocked(opening))
            ends = _block(position, choices, spent, report)
            report.blocked_plies |= {end.ply for end in ends}
            report.no_win_before[min(_earliest_win(end, spent) for end in ends)] += len(set(images))
            pair = min(sum(1 << to[number] for number in _spots(spent)) for to in SYMMETRIES)
            if pair not in spread:
                spread.add(pair)
                report.states += len(spread_states(ends[0], choices, spent))
    except Wrong as wrong:
        report.wrong = wrong
    report.seconds = time.monotonic() - began
    return report


def _block(start: Position, choices: Choices, spent: int, report: BlockReport) -> list[Position]:
    """Check that X stays in the `spent` fields until they are full; the positions in which they are.

    Fields that the opening has no part in are all alike while they are not won: numbering them otherwise,
    fields and spots at once, changes nothing about who is sent where. So positions are the same state if they
    differ in that alone.
    """
    special = {number for move in start.moves_played for number in (move.field, move.spot)}
    ends: dict[object, Position] = {}
    seen: set[object] = set()
    waiting = [_answered(start, choices)]
    while waiting:
        position = waiting.pop()
        state = _up_to_numbering(position, special)
        if state in seen:
            continue
        seen.add(state)
        if position.active is None:
            _check_blocked(position, special, spent)
            ends[state] = position
        elif not spent >> position.active & 1:
            raise Wrong(position, f"X gets out, to field {position.active}")
        else:
            waiting += (_answered(_played(position, move), choices) for move in position.legal_moves())
    report.states += len(seen)
    return list(ends.values())


def _answered(position: Position, choices: Choices) -> Position:
    replies = _asked(choices, position)
    if len(replies) != 1:
        raise Wrong(position, f"O has {len(replies)} replies while X is kept in two fields, not one")
    return _played(position, replies[0])


def _up_to_numbering(position: Position, special: set[int]) -> tuple[int | None, str, tuple[str, ...]]:
    """The marks of a position, the same however the fields that are not special are numbered."""
    known = sorted(special)
    others = [number for number in range(9) if number not in special]
    if any(position.mark(number, spot) for number in others for spot in others):
        raise Wrong(position, "a mark in a field, and on a spot, that the opening has no part in")
    among = "".join(position.mark(number, spot) or "." for number in known for spot in known)
    return position.active, among, tuple(sorted(_marks_about(position, number, known) for number in others))


def _marks_about(position: Position, number: int, known: list[int]) -> str:
    """The marks in a field, and on the spots of its number, that lie among the known."""
    pairs = [(number, other) for other in known] + [(other, number) for other in known]
    return "".join(position.mark(*pair) or "." for pair in pairs)


def _check_blocked(position: Position, special: set[int], spent: int) -> None:
    """X is free to play anywhere: just then both fields must be full, and all others alike."""
    for number in range(9):
        wanted = FULL if spent >> number & 1 else spent
        if position.taken(number) != wanted:
            raise Wrong(position, f"X has a free choice, but field {number} is not as it should be")
    known = sorted(special)
    if len({_marks_about(position, number, known) for number in range(9) if number not in special}) != 1:
        raise Wrong(position, "the fields that the opening has no part in are not alike")


# --- What they share ---


def _asked(strategy: Callable[[Position], _Answer], position: Position) -> _Answer:
    try:
        return strategy(position)
    except InarowError as error:
        raise Wrong(position, f"the strategy has no move: {error}") from error


def _played(position: Position, move: Move) -> Position:
    try:
        return position.play(move)
    except ValueError as error:
        raise Wrong(position, str(error)) from None


def _outside(spent: int) -> list[int]:
    return [number for number in range(9) if not spent >> number & 1]


def _spots(mask: int) -> list[int]:
    return [number for number in range(9) if mask >> number & 1]
