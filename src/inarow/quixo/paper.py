"""How *Quixo Is Solved* numbers states (Tanaka, Bonnet, Tixeuil and Tamura, 2020, arXiv:2007.15895).

Boards are 64-bit words, as in `Position.mover_word`: the mask of the side to move above the other's.

>>> index(Quixo(3).parse(".../xx./o.. x"))
100
>>> str(position(Quixo(3), 2, 1, 100))
'.../xx./o.. x'
"""

from __future__ import annotations

from math import comb

from inarow.quixo.rules import Position, Quixo


def order(mask: int) -> int:
    """The rank of a mask among the numbers with as many bits set: ``ord`` of Table 1.

    >>> [order(mask) for mask in (0b0011, 0b0101, 0b0110, 0b1001)]
    [0, 1, 2, 3]
    """
    bits = [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
    return sum(comb(bit, nth) for nth, bit in enumerate(bits, start=1))


def unorder(pop: int, ord: int) -> int:
    """The mask with `pop` bits set and rank `ord`: the inverse of `order`."""
    if min(pop, ord) < 0 or (pop == 0 and ord > 0):
        raise ValueError(f"pop {pop}, ord {ord}: no mask has these")
    mask = 0
    for nth in range(pop, 0, -1):
        bit = nth - 1
        while comb(bit + 1, nth) <= ord:
            bit += 1
        ord -= comb(bit, nth)
        mask |= 1 << bit
    return mask


def index(position: Position) -> int:
    """The number of a position in its class (equation 1)."""
    free = [cell for cell in range(position.rules.cells) if not position.mover >> cell & 1]
    other = sum(1 << at for at, cell in enumerate(free) if position.other >> cell & 1)
    return order(position.mover) * comb(len(free), other.bit_count()) + order(other)


def position(rules: Quixo, x: int, o: int, index: int) -> Position:
    """The position with X to move that has this number among those with x Xs and o Os."""
    boards = comb(rules.cells, x) * comb(rules.cells - x, o) if min(x, o) >= 0 <= rules.cells - x - o else 0
    if not 0 <= index < boards:
        raise ValueError(f"index {index}: there are {boards:,} positions with {x} Xs and {o} Os")
    xs, os = (unorder(*its) for its in zip((x, o), divmod(index, comb(rules.cells - x, o)), strict=True))
    free = [cell for cell in range(rules.cells) if not xs >> cell & 1]
    return Position(rules, xs, sum(1 << cell for at, cell in enumerate(free) if os >> at & 1))
