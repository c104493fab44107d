"""Check the strategies of *At Most 43 Moves, At Least 29* (arXiv:2006.02353).

Xavier's wins every game by ply 43: it is played against every reply. Olivia's keep X from winning before some
ply: LBS (Lemmas 4 and 5), and those of Lemmas 6 and 7. Hers are rules for the field that she is sent to, and
the rules are what is judged: `Spread`, which is LBS, and `Keep`. A rule sees so little of a position that all
it can see is enumerated.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from inarow.errors import InarowError
from inarow.verify.ultimate.rules import ANYWHERE, FULL, LINES, SYMMETRIES, Board, Game, Wrong, bits
from inarow.verify.verdict import Verdict


@dataclass(slots=True, kw_only=True)
class StrategyReport(ABC):
    """What a check found; `wrong` is a game or a case that shows that the claim is wrong."""

    wrong: Wrong | None = None
    seconds: float = 0.0

    @abstractmethod
    def _found(self) -> tuple[str | None, str, dict[str, Any]]:
        """What contradicts the claim where no single game does; what is proven otherwise; what JSON adds."""

    @property
    def verdict(self) -> Verdict:
        return "wrong" if self.wrong or self._found()[0] else "proven"

    @property
    def reason(self) -> str:
        """What is wrong, or what is proven."""
        fault, proven, _ = self._found()
        return str(self.wrong) if self.wrong else fault or proven

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            **self._found()[2],
            "counterexample": None if self.wrong is None else self.wrong.to_json(),
            "seconds": round(self.seconds, 3),
        }

    @contextmanager
    def checking(self) -> Iterator[None]:
        """Keep what turns out to be wrong meanwhile, and the time that it takes."""
        began = time.monotonic()
        try:
            yield
        except Wrong as wrong:
            self.wrong = wrong
        self.seconds = time.monotonic() - began


# --- Xavier: X wins every game ---


Strategy: TypeAlias = Callable[[tuple[int, ...]], int]
"""The next move after the moves so far; a move is 9 · field + spot. `InarowError` if there is none.

The move must depend on the position alone, not on the order of the moves that led there.
"""

MOST_PLIES = 43  # of Xavier's strategy (Lemma 3)
PROPERTIES = ("P1", "P2", "P3", "P4", "P5", "P6")


@dataclass(slots=True)
class XavierReport(StrategyReport):
    """The result of playing the strategy against every reply.

    >>> XavierReport(lengths=Counter({29: 2, 43: 1})).reason
    'X wins by ply 43, whatever O plays'
    """

    lengths: Counter[int] = field(default_factory=Counter)  # plies of a game -> how many games, move by move
    olivia_to_move: int = 0  # distinct positions
    xavier_to_move: int = 0
    final: int = 0
    endgame_rounds: int = 0  # positions with Olivia to move in which P1 to P6 were checked
    violations: Counter[str] = field(default_factory=Counter)  # property -> positions without it

    @property
    def wins(self) -> bool:
        """Whether X wins every game, however long it takes."""
        return self.wrong is None

    def _found(self) -> tuple[str | None, str, dict[str, Any]]:
        longest = max(self.lengths, default=0)
        fault = f"a game takes {longest} plies, more than {MOST_PLIES}" if longest > MOST_PLIES else None
        if self.violations:
            failed = ", ".join(f"{name} in {count:,}" for name, count in sorted(self.violations.items()))
            fault = f"of {self.endgame_rounds:,} positions of the endgame, some lack a property: {failed}"
        facts = {
            "wins": self.wins,
            "longest": max(self.lengths, default=None),
            "shortest": min(self.lengths, default=None),
            "lengths": {str(plies): games for plies, games in sorted(self.lengths.items())},
            "positions": {
                "olivia_to_move": self.olivia_to_move,
                "xavier_to_move": self.xavier_to_move,
                "final": self.final,
            },
            "endgame": {
                "rounds": self.endgame_rounds,
                "violations": {name: self.violations[name] for name in PROPERTIES},
            },
        }
        return fault, f"X wins by ply {longest}, whatever O plays", facts


def verify_xavier(strategy: Strategy, start: Game | None = None) -> XavierReport:
    """Play the strategy against every reply, from the empty board or from `start`.

    A position that several games reach is visited once.

    >>> report = verify_xavier(lambda moves: moves[-1] if moves else 0)  # no strategy: the spot is taken
    >>> report.verdict, report.wins
    ('wrong', False)
    """
    report = XavierReport()
    with report.checking():
        level: _Level = {}
        _add(level, start or Game(), 1)
        while level:
            level = _round(level, strategy, report)
    return report


_Level: TypeAlias = dict[
    Board, tuple[Game, int]
]  # one game to each position of a ply, and how many lead there


def _add(level: _Level, game: Game, count: int) -> None:
    first, known = level.get(game.board, (game, 0))
    level[game.board] = first, known + count


def _round(level: _Level, strategy: Strategy, report: XavierReport) -> _Level:
    """A move of X and all replies."""
    report.xavier_to_move += len(level)
    moved: _Level = {}
    final = set()
    for game, count in level.values():
        try:
            after = game.play(strategy(game.moves))
        except InarowError as error:
            raise Wrong(f"the strategy has no move: {error}", game.moves) from error
        if after.board.winner == "x":
            final.add(after.board)
            report.lengths[after.board.ply] += count
        elif after.board.is_over:
            raise Wrong("the game is drawn", after.moves)
        else:
            _add(moved, after, count)
    report.final += len(final)
    report.olivia_to_move += len(moved)
    following: _Level = {}
    for game, count in moved.values():
        held = endgame_properties(game.board)
        report.endgame_rounds += bool(held)
        report.violations.update(name for name, holds in held.items() if not holds)
        for move in game.board.legal_moves():
            after = game.play(move)
            if after.board.is_over:
                raise Wrong("O has won" if after.board.winner else "the game is drawn", after.moves)
            _add(following, after, count)
    return following


def endgame_properties(board: Board) -> dict[str, bool]:
    """Which of P1 to P6 hold with Olivia to move; empty before the endgame.

    `home` is the field that X is sent to last in the opening, `far` the one opposite: 0 and 8 in the paper.
    """

    def x(field: int, spot: int) -> bool:
        return board.mark(field, spot) == "x"

    def o(field: int, spot: int) -> bool:
        return board.mark(field, spot) == "o"

    homes = [number for number in range(9) if not x(number, 4)]
    if len(homes) != 1 or board.taken(4) != FULL:
        return {}
    home, far = homes[0], 8 - homes[0]
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
            x(i, home) and o(home, i) != o(far, i) and (not o(far, i) or board.active == home) for i in one
        ),
        "P3": all(not o(home, i) and not o(far, i) for i in none),
        "P4": board.active in (home, far),  # a full field is never active
        "P5": len(waiting) == (1 if board.active == home else 0),
        "P6": all(not board.o_marks(i) and not x(home, i) and not x(far, i) for i in others),
    }


Spread: TypeAlias = Callable[[int, int, int, int], int]
"""LBS in a field: the mask of the spots that Olivia may play there.

The arguments are the field and three masks: its taken spots, the fields that X has not been in, and the
`spent` fields. Those are full, and their numbers are taken as spots of all other fields; what happened until
then does not count as X having been in a field.
"""

Keep: TypeAlias = Callable[[int, int, int], int | None]
"""How Olivia keeps X in two fields: the spot that she plays in the field that she is sent to.

The arguments are the mask of the taken spots of the field that she is sent to, and the numbers of the two
fields in the order of her preference. None if the spots of both numbers are taken.
"""

LEAST_PLIES = 29  # of a win against LBS (Lemma 4)
LATER_THAN = 43  # Lemmas 6 and 7: an opening after which X wins later than Xavier's strategy is not the best


# --- LBS: X gets to each field once before he gets to any twice ---


@dataclass(slots=True)
class LbsReport(StrategyReport):
    """What LBS forces from the start of the game.

    >>> LbsReport(cases=7, no_win_before=29).verdict
    'proven'
    """

    cases: int = 0  # that the rule was asked for: all that it can see with Olivia to move
    no_win_before: int | None = None  # in plies

    def _found(self) -> tuple[str | None, str, dict[str, Any]]:
        ply = self.no_win_before
        too_early = ply is None or ply < LEAST_PLIES
        facts = {
            "one_x_in_each_field_after": 18 if self.wrong is None else None,
            "no_win_before": ply,
            "cases": self.cases,
        }
        fault = f"X may win at ply {ply}, before {LEAST_PLIES}" if too_early else None
        return fault, f"X cannot win before ply {ply}", facts


def verify_lbs(spread: Spread) -> LbsReport:
    """Lemma 5, one and only one X in each field after 18 plies, and Lemma 4, no win before ply 29.

    >>> from inarow.ultimate.strategy import spread_spots
    >>> verify_lbs(spread_spots).no_win_before
    29
    """
    report = LbsReport()
    with report.checking():
        report.cases = check_spread(spread, spent=0)
        report.no_win_before = _earliest_win(Game(), spent=0)
    return report


def check_spread(spread: Spread, spent: int) -> int:
    """Check that X's next moves go to a different field each, until he has been in all that are not `spent`.

    It begins with X free to play anywhere, the `spent` fields full, and just those spots of all other fields
    taken. "New" are the marks from then on; X has been in a field if he has a new mark there.

    By induction, whenever X is to move and has not been in every field,

    1. he has not been in the active field, where no spot is newly taken except perhaps its own number;
    2. all other fields that he has not been in have no new marks, and newly taken spots, in any field, have
       the number of a field that he has been in or of the active one.

    X plays (a, s). Let `been` be the fields that he has been in, now including a, and suppose it is not all.
    If s is not in `been`, field s has no new marks. The rule must then play (s, s), and 1 and 2 hold again
    with s active. If s is in `been`, the newly taken spots of field s have numbers in `been`, and there is at
    least one, X's; so field s is not full. The rule must then play a spot i that is not in `been`, and 1 and
    2 hold again with i active.
    """
    cases = 0
    outside = FULL & ~spent
    for been in _subsets(outside):
        left = outside & ~been
        if not been or not left:
            continue
        for number in bits(outside):
            for new in filter(None, _subsets(been)) if been >> number & 1 else (0,):
                cases += 1
                spots = spread(number, spent | new, left, spent)
                allowed = left if new else 1 << number
                if not spots or spots & ~allowed:
                    raise Wrong(
                        f"sent to field {number}, where the taken spots are {_listed(spent | new)}, "
                        f"O plays {_listed(spots)}, not {'any of ' if new else ''}{_listed(allowed)}"
                    )
    return cases


def _listed(mask: int) -> str:
    return ", ".join(str(bit) for bit in range(mask.bit_length()) if mask >> bit & 1) or "none"


def _subsets(mask: int) -> Iterator[int]:
    """All subsets of a mask, itself first and 0 last."""
    subset = mask
    while subset:
        yield subset
        subset = (subset - 1) & mask
    yield 0


def _earliest_win(start: Game, spent: int) -> int:
    """The first ply at which X could win after the moves that `check_spread` is about, by counting marks.

    Each field that is not spent then has one X more, wherever he wants it, and the spent ones count as his.
    """
    never = 9
    missing = []
    for number in range(9):
        x, o = start.board.x_marks(number), start.board.o_marks(number)
        lines = [never if line & o else (line & ~x).bit_count() - 1 for line in LINES]
        missing.append(0 if spent >> number & 1 else min(lines))
    marks = min(sum(missing[number] for number in bits(line)) for line in LINES)
    if marks < 1:
        raise Wrong("X may win before he has been in every field", start.moves)
    return start.board.ply + 2 * len(bits(FULL & ~spent)) + 2 * marks - 1


# --- Lemmas 6 and 7: X is kept in two fields until they are full ---


@dataclass(slots=True)
class BlockReport(StrategyReport):
    """What keeping X in two fields, and LBS in the others, forces against a kind of opening.

    >>> BlockReport(no_win_before=Counter({43: 1, 49: 3})).reason
    'X may win at ply 43'
    """

    openings: int = 0  # all of them; of symmetric ones, one is played
    cases: int = 0  # positions with X to move while he is kept in two fields, and cases of LBS after that
    blocked_plies: set[int] = field(default_factory=set)  # when the two fields were full
    no_win_before: Counter[int] = field(default_factory=Counter)  # ply -> openings

    def _found(self) -> tuple[str | None, str, dict[str, Any]]:
        earliest = min(self.no_win_before, default=None)
        facts = {
            "openings": self.openings,
            "blocked_plies": sorted(self.blocked_plies),
            "no_win_before": earliest,
            "openings_by_bound": {str(ply): found for ply, found in sorted(self.no_win_before.items())},
            "cases": self.cases,
        }
        fault = f"X may win at ply {earliest}" if (earliest or 0) <= LATER_THAN else None
        return fault, f"X cannot win before ply {earliest}", facts


@dataclass(frozen=True, slots=True)
class _Opening:
    moves: tuple[int, ...]
    first: int  # the fields that Olivia keeps X in, in the order of her preference
    second: int

    @property
    def spent(self) -> int:
        return 1 << self.first | 1 << self.second


def verify_lemma6(keep: Keep, spread: Spread) -> BlockReport:
    """The bound of Lemma 6: X begins with (i, j), not a double; Olivia keeps him in fields j and i.

    >>> from inarow.ultimate.strategy import keep_spot, spread_spots
    >>> verify_lemma6(keep_spot, spread_spots).verdict
    'proven'
    """
    openings = (_Opening((9 * i + j,), j, i) for i, j in product(range(9), repeat=2) if i != j)
    return _verify_blocks(openings, keep, spread)


def verify_lemma7(keep: Keep, spread: Spread) -> BlockReport:
    """The bound of Lemma 7: after (i, i), (i, j), (j, k) with k not i, Olivia keeps X in fields k and i.

    Her own move (i, j) is any.

    >>> from inarow.ultimate.strategy import spread_spots
    >>> verify_lemma7(lambda taken, first, second: 0, spread_spots).verdict  # always in the corner
    'wrong'
    """
    openings = (
        _Opening((9 * i + i, 9 * i + j, 9 * j + k), k, i)
        for i, j, k in product(range(9), repeat=3)
        if i not in (j, k)
    )
    return _verify_blocks(openings, keep, spread)


def _verify_blocks(openings: Iterable[_Opening], keep: Keep, spread: Spread) -> BlockReport:
    """Check that X stays in the two fields until they are full, and the rest of the game as for LBS.

    `check_keep` shows that symmetric openings, and fields that an opening does not involve, can be treated
    alike.
    """
    report = BlockReport()
    spread_over: dict[int, int] = {}  # the spent fields -> cases in which LBS was asked
    with report.checking():
        check_keep(keep)
        for opening in openings:
            report.openings += 1
            spent = opening.spent
            if spent not in spread_over:
                spread_over[spent] = check_spread(spread, spent)
            images = {tuple(9 * to[m // 9] + to[m % 9] for m in opening.moves) for to in SYMMETRIES}
            if min(images) != opening.moves:
                continue
            ends = _block(opening, keep, report)
            report.blocked_plies |= {end.board.ply for end in ends}
            report.no_win_before[min(_earliest_win(end, spent) for end in ends)] += len(images)
    report.cases += sum(spread_over.values())
    return report


def check_keep(keep: Keep) -> None:
    """Check that the rule is the same for all spots: if they are renumbered, so are its answers.

    Also check that it leaves the field to LBS just when the spots of both numbers are taken.
    """
    places = product(range(FULL + 1), range(9), range(9))
    answers = {case: keep(*case) for case in places if case[1] != case[2]}
    swaps = [[*range(low), low + 1, low, *range(low + 2, 9)] for low in range(8)]
    for case, spot in answers.items():
        taken, first, second = case
        if (spot is None) != bool(taken >> first & taken >> second & 1) or spot not in (None, *range(9)):
            raise Wrong(_keep_fault(case, spot))
        for swap in swaps:  # they generate all permutations
            image = sum(1 << swap[number] for number in bits(taken)), swap[first], swap[second]
            if answers[image] != (None if spot is None else swap[spot]):
                raise Wrong(f"{_keep_fault(case, spot)}, but {_keep_fault(image, answers[image])}")


def _keep_fault(case: tuple[int, int, int], spot: int | None) -> str:
    taken, first, second = case
    return f"keeping X in fields {first} and {second}, spots {_listed(taken)} taken: O plays {spot}"


def _block(opening: _Opening, keep: Keep, report: BlockReport) -> list[Game]:
    """Check that X stays in the two fields until they are full; the games in which they are.

    Fields that the opening does not involve are all alike: numbering them otherwise, fields and spots at
    once, changes nothing about where a side is sent, and `_check_blocked` finds that none of them is won
    meanwhile. So positions that differ in that alone are visited once.
    """
    involved = sorted({number for move in opening.moves for number in divmod(move, 9)})
    start = Game()
    for move in opening.moves:
        start = start.play(move)
    ends: dict[object, Game] = {}
    seen: set[object] = set()
    waiting = [_answered(start, opening, keep)]
    while waiting:
        game = waiting.pop()
        state = _up_to_numbering(game, involved)
        if state in seen:
            continue
        seen.add(state)
        active = game.board.active
        if active == ANYWHERE:
            _check_blocked(game, involved, opening)
            ends[state] = game
        elif active not in (opening.first, opening.second):
            raise Wrong(f"X gets out, to field {active}", game.moves)
        else:
            waiting += (_answered(game.play(move), opening, keep) for move in game.board.legal_moves())
    report.cases += len(seen)
    return list(ends.values())


def _answered(game: Game, opening: _Opening, keep: Keep) -> Game:
    """The game after Olivia's reply."""
    active = game.board.active
    if active == ANYWHERE:
        raise Wrong("O is free to play anywhere while X is kept in two fields", game.moves)
    spot = keep(game.board.taken(active), opening.first, opening.second)
    if spot is None:
        raise Wrong("O has no reply that keeps X in two fields", game.moves)
    return game.play(9 * active + spot)


def _up_to_numbering(game: Game, known: list[int]) -> tuple[int, str, tuple[str, ...]]:
    """The marks of a position, the same however the fields that are not involved are numbered."""
    board = game.board
    others = [number for number in range(9) if number not in known]
    if any(board.mark(*pair) != "." for pair in product(others, others)):
        raise Wrong("a mark in a field and on a spot that the opening does not involve", game.moves)
    among = "".join(board.mark(*pair) for pair in product(known, known))
    return board.active, among, tuple(sorted(_marks_about(board, number, known) for number in others))


def _marks_about(board: Board, number: int, known: list[int]) -> str:
    """The marks in a field, and on the spots of its number, among the known fields and spots."""
    pairs = [(number, other) for other in known] + [(other, number) for other in known]
    return "".join(board.mark(*pair) for pair in pairs)


def _check_blocked(game: Game, known: list[int], opening: _Opening) -> None:
    """X is free to play anywhere: both fields must be full, with just two spots taken in each of the others.

    So X cannot have won more than these two fields, and O none of the others.
    """
    for number in range(9):
        taken = game.board.taken(number)
        if taken != (FULL if opening.spent >> number & 1 else opening.spent):
            spots = f"with spots {_listed(taken)} of field {number} taken"
            raise Wrong(f"X is free to play anywhere, {spots}", game.moves)
    if len({_marks_about(game.board, number, known) for number in range(9) if number not in known}) != 1:
        raise Wrong("the fields that the opening does not involve are not alike", game.moves)
