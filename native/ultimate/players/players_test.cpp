#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "testing/ultimate.hpp"
#include "ultimate/players/alpha_beta.hpp"
#include "ultimate/players/mcts.hpp"

namespace inarow::ultimate::players {
namespace {

constexpr std::uint64_t kMemory = 16 << 20;

Board board_of(const testing::PlainUltimate& plain) {
    Board board{.closed = plain.closed};
    for (const int move : plain.played) board.play(move);
    return board;
}

// For the side to move: 1 a win, 0 a draw, -1 a loss.
int plain_value(const testing::PlainUltimate& at) {
    if (at.winner() != 0) return -1;
    const std::vector<int> moves = at.moves();
    int best = moves.empty() ? 0 : -1;
    for (const int move : moves) {
        testing::PlainUltimate after = at;
        after.play(move);
        best = std::max(best, -plain_value(after));
    }
    return best;
}

int sign(int value) { return (value > 0) - (value < 0); }

// Positions near the end of games.
template <class Visit>
void each_ending(int count, int back, Visit visit) {
    std::mt19937 random(7);
    for (int i = 0; i < count; ++i) {
        const testing::PlainUltimate plain = testing::late_ultimate_position(random, back);
        if (plain.moves().size() <= 6) visit(plain);
    }
}

TEST_CASE("alpha-beta knows the value of endings that it searches to their end") {
    std::array<int, 3> seen{};
    each_ending(80, 6, [&](const testing::PlainUltimate& plain) {
        if (81 - plain.played.size() > 14) return;
        const int value = plain_value(plain);
        const AlphaBetaResult found = alpha_beta(board_of(plain), 14, 1, nullptr);
        CHECK(sign(found.score) == value);
        CHECK((std::abs(found.score) >= kCertain) == (value != 0));
        testing::PlainUltimate after = plain;
        after.play(found.move);
        CHECK(-plain_value(after) == value);
        ++seen[value + 1];
    });
    for (const int count : seen) CHECK(count > 0);
}

TEST_CASE("tree search proves endings, and prefers what it has proven") {
    int proven = 0;
    each_ending(80, 6, [&](const testing::PlainUltimate& plain) {
        if (81 - plain.played.size() > 14) return;
        const int value = plain_value(plain);
        const MctsResult found = mcts(board_of(plain), {.playouts = 20'000, .seed = 1, .memory = kMemory});
        REQUIRE(found.moves.size() == plain.moves().size());
        for (const MctsMove& move : found.moves) {
            testing::PlainUltimate after = plain;
            after.play(move.move);
            if (move.proven != 0) CHECK(move.proven == -plain_value(after));
            CHECK(move.value >= 0);
            CHECK(move.value <= 1);
        }
        if (value == 1) CHECK(found.moves[0].proven == 1);
        proven += found.moves[0].proven != 0;
    });
    CHECK(proven > 5);
}

TEST_CASE("both players complete three fields in a row at once") {
    std::mt19937 random(3);
    int found = 0;
    while (found < 5) {
        const testing::PlainUltimate plain = testing::late_ultimate_position(random, 1);
        std::vector<int> winning;
        for (const int move : plain.moves()) {
            testing::PlainUltimate after = plain;
            after.play(move);
            if (after.winner() != 0) winning.push_back(move);
        }
        if (winning.empty()) continue;
        ++found;
        const auto wins = [&](int move) { return std::count(winning.begin(), winning.end(), move) == 1; };
        const AlphaBetaResult best = alpha_beta(board_of(plain), 3, 1, nullptr);
        CHECK(wins(best.move));
        CHECK(best.score >= kCertain);
        CHECK(wins(mcts(board_of(plain), {.playouts = 1000, .seed = 1, .memory = kMemory}).moves[0].move));
    }
}

TEST_CASE("a seed gives the same search again") {
    const auto search = [](std::uint64_t seed) {
        return mcts(Board{}, {.playouts = 3000, .seed = seed, .memory = kMemory});
    };
    const auto visits = [](const MctsResult& result) {
        std::array<std::uint64_t, 81> of_move{};
        for (const MctsMove& move : result.moves) of_move[static_cast<std::size_t>(move.move)] = move.visits;
        return of_move;
    };
    CHECK(search(1).playouts == 3000);
    CHECK(visits(search(1)) == visits(search(1)));
    CHECK(visits(search(1)) != visits(search(2)));
    CHECK(alpha_beta(Board{}, 3, 5, nullptr).move == alpha_beta(Board{}, 3, 5, nullptr).move);
}

TEST_CASE("a tree that must not grow still plays") {
    const MctsResult found = mcts(Board{}, {.playouts = 5000, .seed = 1, .memory = 0});
    CHECK(found.moves.size() == 81);
    CHECK(found.playouts == 5000);
}

TEST_CASE("a search can be stopped") {
    struct Stop {};
    const auto stop = [] { throw Stop{}; };
    CHECK_THROWS_AS(mcts(Board{}, {.playouts = 0, .seconds = 60, .memory = kMemory, .poll = stop}), Stop);
    CHECK_THROWS_AS(alpha_beta(Board{}, 9, 1, stop), Stop);
}

}  // namespace
}  // namespace inarow::ultimate::players
