// The strategies of At Most 43 Moves, At Least 29, which are for the open variant; inarow/ultimate/strategy.py explains
// them.
#pragma once

#include <string>
#include <variant>

#include "ultimate/board.hpp"

namespace inarow::ultimate {

struct Explanation {
    int move;
    const char* phase;
    std::string why;
};

// The reason why a strategy has no move.
using OffStrategy = const char*;

// X's move by Xavier's strategy, and why it is played; the game must not be over, with X to move.
std::variant<Explanation, OffStrategy> explain(const Board& board);

// O's moves by LBS; the game must not be over, with O to move.
Moves lbs_choices(const Board& board);

}  // namespace inarow::ultimate
