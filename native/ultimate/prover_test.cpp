#include "ultimate/prover.hpp"

#include <doctest/doctest.h>

#include "ultimate/test_positions.hpp"

namespace inarow::ultimate {
namespace {

TEST_CASE("late positions are as the rules say") {
    Prover prover(1 << 20);
    int won = 0, lost = 0;
    each_question(1500, 8, [&](const testing::PlainUltimate& plain, int plies) {
        const Board board = board_of(plain);
        const bool wins = prover.wins(board, {plies}, nullptr);
        REQUIRE(wins == plain.x_wins_by(plies));
        ++(wins ? won : lost);
        if (wins != board.x_to_move()) return;
        REQUIRE(plain.after(prover.succeeding_move(board, {plies}, nullptr)).x_wins_by(plies) == wins);
    });
    CHECK(won > 20);
    CHECK(lost > 20);
}

}  // namespace
}  // namespace inarow::ultimate
