// Games on square boards, for unit tests.
#pragma once

#include <algorithm>
#include <cstdint>

#include "positional/game.hpp"
#include "testing/boards.hpp"

namespace inarow::positional {

constexpr std::uint64_t kMemory = 16 << 20;

inline bool has_line(const Game& game, std::uint64_t marks) {
    return std::any_of(game.lines.begin(), game.lines.end(),
                       [marks](const Words& line) { return (line[0] & ~marks) == 0; });
}

inline Game square(int side, int length, bool maker_breaker) {
    return {side * side, testing::lines_of(side, side, length), maker_breaker, testing::symmetries_of_square(side)};
}

}  // namespace inarow::positional
