#include "verify/positional/defence.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "testing/boards.hpp"

namespace inarow::verify {
namespace {

const auto kNoProgress = [](std::uint64_t) {};

// Four cells in a row, all of them lines of two neighbours.
GameData neighbours(bool maker_breaker) {
    return {4, {{0b0011, 0}, {0b0110, 0}, {0b1100, 0}}, maker_breaker, testing::identity(4)};
}

TEST_CASE("lines that weigh less than 1 need no answer") {
    const GameData game{4, {{0b1111, 0}}, true, testing::identity(4)};
    const DefenceWalk walk = walk_defence(game, {}, kNoProgress);
    CHECK_FALSE(walk.counterexample);
    CHECK(walk.answered + walk.paired + walk.forced == 0);
}

TEST_CASE("two threats of X are a breach, whatever the answers are") {
    const DefenceWalk walk = walk_defence(neighbours(true), {}, kNoProgress);
    REQUIRE(walk.counterexample);
    CHECK(walk.counterexample->breach == Breach::TwoThreats);
    CHECK(walk.counterexample->moves.size() == 1);
}

TEST_CASE("pairs must be disjoint, in a line, and block what is heavy") {
    const auto holds = [](const GameData& game, std::vector<std::pair<int, int>> pairs) {
        return !walk_defence(game, {{{0, 0}, {0, 0}, std::nullopt, pairs}}, kNoProgress).counterexample;
    };
    // Every line has two cells of its own, and is dropped: there is nothing left for a pair to be in.
    CHECK_FALSE(holds({6, {{0b000011, 0}, {0b001100, 0}, {0b110000, 0}}, true, testing::identity(6)}, {{0, 1}}));
    const GameData crossing{4, {{0b0111, 0}, {0b1011, 0}, {0b1101, 0}, {0b1110, 0}}, true, testing::identity(4)};
    CHECK(holds(crossing, {{0, 1}, {2, 3}}));
    CHECK_FALSE(holds(crossing, {{0, 1}}));
    CHECK_FALSE(holds(crossing, {{0, 1}, {1, 2}}));
}

TEST_CASE("what is no game and no line is refused") {
    const auto refused = [](const GameData& game, const std::vector<DefenceLine>& lines) {
        CHECK_THROWS_AS(walk_defence(game, lines, kNoProgress), std::invalid_argument);
    };
    const GameData game = neighbours(true);
    refused({4, {{0b10000, 0}}, true, testing::identity(4)}, {});
    refused({4, {{0b11, 0}}, true, {}}, {});
    refused({4, {{0b11, 0}}, true, {{1, 2, 3, 0}}}, {});  // does not map lines to lines
    refused({4, {{0b11, 0}}, true, {{0, 0, 2, 3}}}, {});
    refused(game, {{{1, 0}, {1, 0}, 2, {}}});
    refused(game, {{{1, 0}, {0, 0}, 0, {}}});
    refused(game, {{{1, 0}, {0, 0}, 4, {}}});
    refused(game, {{{1, 0}, {0, 0}, std::nullopt, {}}});
    refused(game, {{{1, 0}, {0, 0}, 1, {{2, 2}}}});
    refused(game, {{{1, 0}, {0, 0}, 1, {{2, 4}}}});
}

}  // namespace
}  // namespace inarow::verify
