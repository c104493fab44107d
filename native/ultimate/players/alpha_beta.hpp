// Alpha-beta search of Ultimate Tic-Tac-Toe to a fixed depth, with a simple evaluation: a yardstick for other players.
#pragma once

#include <cstdint>
#include <functional>

#include "ultimate/players/board.hpp"

namespace inarow::ultimate::players {

struct AlphaBetaResult {
    int move;
    int score;  // for the side to move; beyond ±kCertain the game is decided
    std::uint64_t nodes;
};
inline constexpr int kCertain = 1'000'000;

// The best move by a search of `depth` plies; the seed decides between equals. The game must not be over.
AlphaBetaResult alpha_beta(const Board& board, int depth, std::uint64_t seed, const std::function<void()>& poll);

}  // namespace inarow::ultimate::players
