// Positions near the end of games, for unit tests.
#pragma once

#include <algorithm>
#include <random>

#include "testing/ultimate.hpp"
#include "ultimate/board.hpp"

namespace inarow::ultimate {

inline Board board_of(const testing::PlainUltimate& plain) {
    Board board = Board::start(plain.closed);
    for (const int move : plain.played) board.play(move);
    return board;
}

// Calls visit(position, plies) for late positions and odd plies after them, up to `ahead`.
template <class Visit>
void each_question(int count, int ahead, Visit visit) {
    std::mt19937 random(1);
    for (int i = 0; i < count; ++i) {
        const testing::PlainUltimate plain = testing::late_ultimate_position(random, 1 + i % 5);
        const int ply = static_cast<int>(plain.played.size());
        for (int plies = ply + 1; plies <= std::min(81, ply + ahead); ++plies)
            if (plies % 2 == 1) visit(plain, plies);
    }
}

}  // namespace inarow::ultimate
