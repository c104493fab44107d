// For the sanitizers: tests/verify/positional has the rest.
#include "verify/positional/checker.hpp"

#include <doctest/doctest.h>

#include "testing/boards.hpp"
#include "verify/positional/defence.hpp"

namespace inarow::verify {
namespace {

TEST_CASE("games are rolled out alike on one thread and on several") {
    const GameData game{36, testing::lines_of(6, 6, 3), false, testing::identity(36)};
    const std::uint64_t start[] = {0, 0};
    const std::uint8_t middle[] = {14};
    const auto rolled = [&](int threads) {
        return roll_out(game, {1, start, middle}, {true, false, threads, 1 << 30, 1 << int(Rule::Forced), {}});
    };
    const RollOut one = rolled(1), three = rolled(3);
    CHECK_FALSE(one.counterexample.has_value());
    CHECK(one.positions[int(Rule::Win)] > 300);
    CHECK(one.positions == three.positions);
    CHECK(one.kept_positions == three.kept_positions);
}

TEST_CASE("a defence by pairs is walked") {
    const GameData game{4, {{0b0111, 0}, {0b1011, 0}, {0b1101, 0}, {0b1110, 0}}, true, testing::identity(4)};
    const auto holds = [&](std::vector<std::pair<int, int>> pairs) {
        return !walk_defence(game, {{{0, 0}, {0, 0}, std::nullopt, pairs}}, [](std::uint64_t) {}).counterexample;
    };
    CHECK(holds({{0, 1}, {2, 3}}));
    CHECK_FALSE(holds({{0, 1}}));
    CHECK_FALSE(holds({{0, 1}, {1, 2}}));
}

}  // namespace
}  // namespace inarow::verify
