#include "ultimate/prover/prover.hpp"

#include <doctest/doctest.h>

#include "ultimate/prover/test_positions.hpp"

namespace inarow::ultimate::prover {
namespace {

constexpr std::uint64_t kMemory = 1 << 20;

TEST_CASE("late positions are as the rules say") {
    Prover prover(kMemory);
    int won = 0, lost = 0;
    each_question(1500, 8, [&](const testing::PlainUltimate& plain, int plies) {
        const Board board = board_of(plain);
        const bool wins = prover.wins(board, {plies}, nullptr);
        REQUIRE(wins == plain.x_wins_by(plies));
        ++(wins ? won : lost);
        if (wins != board.x_to_move()) return;
        testing::PlainUltimate after = plain;
        after.play(prover.succeeding_move(board, {plies}, nullptr));
        REQUIRE(after.x_wins_by(plies) == wins);
    });
    CHECK(won > 20);
    CHECK(lost > 20);
}

TEST_CASE("the first player does not win early, and the table may be small") {
    Prover prover(kMemory);
    for (const int plies : {15, 17, 19, 21}) CHECK_FALSE(prover.wins(Board::start(), {plies}, nullptr));
    CHECK(prover.nodes() > 0);
}

TEST_CASE("a search can be stopped and asked again") {
    Prover prover(kMemory);
    struct Stop {};
    int calls = 0;
    const auto stop = [&](std::uint64_t nodes, double use) {
        CHECK(nodes > 0);
        CHECK(use >= 0);
        CHECK(use <= 1);
        if (++calls == 2) throw Stop{};
    };
    CHECK_THROWS_AS(prover.wins(Board::start(), {41}, stop), Stop);
    CHECK(calls == 2);
    CHECK_FALSE(prover.wins(Board::start(), {17}, nullptr));
}

}  // namespace
}  // namespace inarow::ultimate::prover
