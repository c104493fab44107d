// A strategy of X written out: an answer to every position that games can reach.
#pragma once

#include <cstdint>
#include <vector>

#include "positional/win_search.hpp"

namespace inarow::positional {

struct Answer {
    Words x;
    Words o;
    int move;
};

// A win of X within `moves` moves from the empty board, starting with `first`. Positions are equal up to symmetry.
// After each move of X, O's replies get few different answers, chosen greedily among those that win in the fewest
// moves: positions with the same answer can share a line of a dictionary. std::invalid_argument if X does not win.
std::vector<Answer> strategy(const Game& game, WinSearch& search, int moves, int first);

}  // namespace inarow::positional
