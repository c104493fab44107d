// Whether X, who is to move, completes a line within a number of moves of its own, whatever O does.
//
// An AND/OR search, depth first, with the number of X's moves as the depth. What keeps it small:
//
// - A line counts only while X can still complete it in time. Cells in no such line are dead, and positions that agree
//   on all other cells are the same, up to the symmetries of the game.
// - A proof of a win depends on some cells, its *zone*; a mark of O elsewhere does not disturb it. So X's answer to one
//   reply of O works against all replies outside its zone, and only replies inside it remain; after the next answer,
//   only those inside both zones; and so on.
// - A line in which X lacks m cells weighs 2^-m. If the weights sum to less than 1/2, O can block all lines (Erdős and
//   Selfridge). O can also block them if there are disjoint pairs of cells, one pair in every line: whenever X takes a
//   cell of a pair, O takes the other.
// - O first tries the cell that removes the most weight.
//
// In maker-maker games, O's lines count as well. A reply of O outside the zone must then still be considered if it is
// in a line that O could threaten to complete before X has won, and X may have to make a move only to block such a
// line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "positional/cells.hpp"
#include "positional/game.hpp"

namespace inarow::positional {

inline constexpr int kUnlimited = 255;  // moves: more than any game has

struct WinResult {
    bool wins;
    int moves;   // in which X wins, if it does; not always the fewest
    int move;    // X's first move of the win
    Words zone;  // marks of O outside it do not spoil the win, unless they make threats (maker-maker)
};

class WinSearch {
  public:
    virtual ~WinSearch() = default;

    // X is to move, and nobody has a line. std::invalid_argument if a cell has two marks or is not on the board.
    virtual WinResult solve(const Words& x, const Words& o, int moves) = 0;

    // The moves with which X wins within `moves` moves, this one included.
    virtual Words winning_moves(const Words& x, const Words& o, int moves) = 0;

    virtual Statistics statistics() const = 0;

    // Called every few thousand nodes; may throw to stop the search, which can be used again afterwards.
    std::function<void()> report;
};

// `memory_limit` is the number of bytes for positions kept; with fewer positions, the search is slower.
std::unique_ptr<WinSearch> make_win_search(const Game& game, std::uint64_t memory_limit);

// X's answer to a position.
struct Answer {
    Words x;
    Words o;
    int move;
};

// A win of X within `moves` moves from the empty board, starting with `first`, written out. Positions are equal up to
// symmetry. After each move of X, O's replies get few different answers, chosen greedily among those that win in the
// fewest moves: positions with the same answer can share a line of a dictionary. std::invalid_argument if X does not
// win.
std::vector<Answer> strategy(const Game& game, WinSearch& search, int moves, int first);

}  // namespace inarow::positional
