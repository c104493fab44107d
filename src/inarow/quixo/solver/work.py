"""How much work pairs are on CPUs: what the time of a run is estimated by, and how far it is."""

from __future__ import annotations

from inarow.quixo.rules import Quixo
from inarow.quixo.table.pairs import PairId, entry_count

# How much longer than others entries take where the sides have about as many marks, by how many more the
# larger side has, and where few tiles are blank, by how many are: measured on 5×5, with plies and without.
_BY_LEAD = {
    True: (2.3, 1.8, 1.15, 1.0, 0.55, 0.45, 0.4, 0.2),
    False: (2.5, 1.7, 1.0, 1.0, 0.5, 0.7, 0.5, 0.7),
}
_BY_BLANKS = {True: (22, 3.6, 2.8, 2.1, 1), False: (84, 9, 7, 2.3, 1)}
_WITH_PLIES = 4  # what an entry takes with plies, divided by what it takes without, on average


def weight(rules: Quixo, pair: PairId, *, plies: bool) -> float:
    """What solving an entry of a pair takes, compared with other pairs of the same board."""
    (a, b), by_lead, by_blanks = pair, _BY_LEAD[plies], _BY_BLANKS[plies]
    return by_lead[min(a - b, len(by_lead) - 1)] * by_blanks[min(rules.cells - a - b, len(by_blanks) - 1)]


def work(rules: Quixo, pair: PairId, *, plies: bool) -> int:
    """What solving a pair takes, in entries of a usual pair without plies."""
    each = weight(rules, pair, plies=plies) * (_WITH_PLIES if plies else 1)
    return max(1, round(entry_count(rules, *pair) * each))
