// Monte-Carlo tree search for Ultimate Tic-Tac-Toe: UCT with playouts that win fields where they can, and with proven
// wins and losses backed up through the tree (MCTS-Solver).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ultimate/players/board.hpp"

namespace inarow::ultimate::players {

struct MctsOptions {
    std::uint64_t playouts = 0;  // 0: until the time is up
    double seconds = 0;          // 0: until the playouts are done
    std::uint64_t seed = 0;      // with a number of playouts, the same seed gives the same result
    std::uint64_t memory = 0;    // bytes for the tree, which stops growing there
    std::function<void()> poll;  // called now and then; may throw to stop
};

// Values are for the side to move: 1 is a win, 0 a loss. `proven` is 1 for a certain win, -1 for a certain loss.
struct MctsMove {
    int move;
    std::uint64_t visits;
    double value;
    int proven;
};

struct MctsResult {
    std::vector<MctsMove> moves;  // best first
    std::uint64_t playouts;
};

// The game must not be over.
MctsResult mcts(const Board& board, const MctsOptions& options);

}  // namespace inarow::ultimate::players
