#include "ultimate/players.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "testing/ultimate.hpp"

namespace inarow::ultimate {
namespace {

constexpr std::uint64_t kMemory = 16 << 20;

Board board_of(const testing::PlainUltimate& plain) {
    Board board = Board::start(plain.closed);
    for (const int move : plain.played) board.play(move);
    return board;
}

// For the side to move: 1 a win, 0 a draw, -1 a loss.
int plain_value(const testing::PlainUltimate& at) {
    if (at.winner() != 0) return -1;
    const std::vector<int> moves = at.moves();
    int best = moves.empty() ? 0 : -1;
    for (const int move : moves) best = std::max(best, -plain_value(at.after(move)));
    return best;
}

TEST_CASE("endings are played without a fault, and wins are proven") {
    std::mt19937 random(7);
    std::array<int, 3> seen{};
    for (int i = 0; i < 600; ++i) {
        const testing::PlainUltimate plain = testing::late_ultimate_position(random, 1 + i % 6, i % 2 == 1);
        int free = 0;
        for (int move = 0; move < kMoves; ++move) free += !plain.marks[move] && plain.is_playable(move / 9);
        if (free > 9) continue;
        const int value = plain_value(plain);
        ++seen[value + 1];
        const AlphaBetaResult best = alpha_beta(board_of(plain), 14, 1, nullptr);
        CHECK((best.score > 0) - (best.score < 0) == value);
        CHECK((std::abs(best.score) >= kCertain) == (value != 0));
        CHECK(-plain_value(plain.after(best.move)) == value);
        const MctsResult found = mcts(board_of(plain), {.playouts = 20'000, .seed = 1, .memory = kMemory});
        REQUIRE(found.moves.size() == plain.moves().size());
        for (const MctsMove& move : found.moves) {
            if (move.proven != 0) CHECK(move.proven == -plain_value(plain.after(move.move)));
            CHECK(move.value >= 0);
            CHECK(move.value <= 1);
        }
        CHECK((found.moves[0].proven == 1) == (value == 1));
        CHECK(-plain_value(plain.after(found.moves[0].move)) == value);
    }
    for (const int count : seen) CHECK(count > 5);
}

TEST_CASE("a tree that must not grow still plays") {
    const MctsResult found = mcts(Board::start(), {.playouts = 5000, .seed = 1, .memory = 0});
    CHECK(found.moves.size() == 81);
    CHECK(found.playouts == 5000);
}

}  // namespace
}  // namespace inarow::ultimate
