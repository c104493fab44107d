// What is known about a position, for the side to move.
#pragma once

#include <cstdint>

namespace inarow::quixo {

enum class Outcome : std::int8_t { loss = -1, draw = 0, win = 1, missing = 2, invalid = 3 };

struct Result {
    Outcome outcome;
    std::int32_t plies;  // -1 unless it is a win or a loss
};

}  // namespace inarow::quixo
