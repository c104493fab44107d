// A strategy of X's written out: an answer to every position that games come to.
#pragma once

#include <cstdint>
#include <vector>

#include "positional/search.hpp"

namespace inarow::positional {

struct Answer {
    Words x;
    Words o;
    int move;
};

// X wins within `moves` moves from the empty board, beginning with `first`. Positions that symmetries take to each
// other are one. After each move of X's, O's replies get as few different answers as a greedy choice finds among those
// that win in the fewest moves: what has the same answer can stand in one line of a dictionary. std::invalid_argument
// if X does not win.
std::vector<Answer> strategy(const Game& game, Solver& solver, int moves, int first);

}  // namespace inarow::positional
