// Players of Ultimate Tic-Tac-Toe that search. Values and scores are for the side to move; the game must not be over.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ultimate/board.hpp"

namespace inarow::ultimate {

using Poll = std::function<void()>;  // called now and then; may throw to stop

// Monte-Carlo tree search: UCT with playouts that win fields where they can, and with proven wins and losses backed up
// through the tree (MCTS-Solver).
struct MctsOptions {
    std::uint64_t playouts = 0;  // 0: until the time is up
    double seconds = 0;          // 0: until the playouts are done
    std::uint64_t seed = 0;      // with a number of playouts, the same seed gives the same result
    std::uint64_t memory = 0;    // bytes for the tree, which stops growing there
    Poll poll;
};

struct MctsMove {
    int move;
    std::uint64_t visits;
    double value;  // 1 is a win, 0 a loss
    int proven;    // 1 for a certain win, -1 for a certain loss
};

struct MctsResult {
    std::vector<MctsMove> moves;  // best first
    std::uint64_t playouts;
};

MctsResult mcts(const Board& board, const MctsOptions& options);

// Alpha-beta search of `depth` plies with a simple evaluation, a yardstick for other players; the seed decides between
// equals.
struct AlphaBetaResult {
    int move;
    int score;  // beyond ±kCertain the game is decided
};
inline constexpr int kCertain = 1'000'000;

AlphaBetaResult alpha_beta(const Board& board, int depth, std::uint64_t seed, const Poll& poll);

}  // namespace inarow::ultimate
