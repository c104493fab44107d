// Alpha-beta search of Ultimate Tic-Tac-Toe to a fixed depth, with a plain evaluation: a yardstick for other players.
#pragma once

#include <cstdint>
#include <functional>

#include "ultimate/play/board.hpp"

namespace inarow::ultimate {

struct AlphaBetaResult {
    int move;
    int score;  // for the side to move; beyond ±kCertain the game is decided
    std::uint64_t nodes;
};
inline constexpr int kCertain = 1'000'000;

// The best move as far as `depth` plies show; among equals the seed decides. The game must not be over.
AlphaBetaResult alpha_beta(const Board& board, int depth, std::uint64_t seed, const std::function<void()>& poll);

}  // namespace inarow::ultimate
