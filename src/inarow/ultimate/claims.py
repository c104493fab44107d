"""What *At Most 43 Moves, At Least 29* claims of its strategies, each verified by `inarow.verify.ultimate`.

>>> verify_claim("lbs").reason
'X cannot win before ply 29'
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal, TypeAlias, get_args

from inarow.ultimate.rules import Move, Position, Ultimate
from inarow.ultimate.strategy import Strategy, keep_spot, spread_spots, xavier
from inarow.verify.ultimate.strategies import (
    BlockReport,
    LbsReport,
    XavierReport,
    verify_lbs,
    verify_lemma6,
    verify_lemma7,
    verify_xavier,
)

ClaimName = Literal["xavier", "lbs", "lemma6", "lemma7"]
ClaimReport: TypeAlias = XavierReport | LbsReport | BlockReport

CLAIMS: tuple[ClaimName, ...] = get_args(ClaimName)


def verify_claim(claim: ClaimName) -> ClaimReport:
    """Verify what the paper claims of a strategy, against every play of the opponent; takes seconds.

    - "xavier": X wins by ply 43, and P1 to P6 hold in the endgame.
    - "lbs": one X in each field after 18 plies, and no win before ply 29.
    - "lemma6": no win before ply 49 if X begins with (i, j), not a double.
    - "lemma7": no win before ply 47 if X plays (i, i) and, after (i, j), not (j, i).

    >>> verify_claim("lbs").verdict
    'proven'
    """
    if claim == "xavier":
        return verify_xavier(by_moves(xavier))
    if claim == "lbs":
        return verify_lbs(spread_spots)
    return (verify_lemma6 if claim == "lemma6" else verify_lemma7)(keep_spot, spread_spots)


def by_moves(strategy: Strategy) -> Callable[[tuple[int, ...]], int]:
    """A strategy as `verify_xavier` asks for it: from the numbers of the moves so far to the next one.

    The checker has positions of its own, and knows nothing of ours.
    """

    @cache  # the moves of most positions are those of an earlier one, and two more
    def position_after(moves: tuple[int, ...]) -> Position:
        start = Ultimate().start()
        return position_after(moves[:-1]).play(Move.of_number(moves[-1])) if moves else start

    return lambda moves: strategy(position_after(moves)).number
