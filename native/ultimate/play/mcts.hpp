// Monte-Carlo tree search for Ultimate Tic-Tac-Toe: UCT, with playouts that take fields, and with wins and losses that
// are certain backed up as such (MCTS-Solver).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ultimate/play/board.hpp"

namespace inarow::ultimate {

struct MctsOptions {
    std::uint64_t playouts = 0;      // 0: until the time is over
    double seconds = 0;              // 0: until the playouts are done
    std::uint64_t seed = 0;          // with a number of playouts, the same seed gives the same result
    std::uint64_t memory_limit = 0;  // bytes for the tree, which stops growing there
    std::function<void()> poll;      // called now and then; may throw to stop
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

}  // namespace inarow::ultimate
