#include "positional/defence_search.hpp"

#include <doctest/doctest.h>

#include <new>
#include <stdexcept>

#include "positional/test_games.hpp"

namespace inarow::positional {
namespace {

TEST_CASE("a board of more than 64 cells gives the same answers") {
    constexpr int kCells = 70;
    for (const bool maker_breaker : {false, true}) {
        const Game small{9, testing::lines_of(3, 3, 3), maker_breaker, testing::identity(9)};
        const Game wide{kCells, testing::lines_of(3, 3, 3, 60), maker_breaker, testing::identity(kCells)};
        const auto search = make_defence_search(small, kMemory), wide_search = make_defence_search(wide, kMemory);
        REQUIRE(search->defends() == !maker_breaker);
        REQUIRE(wide_search->defends() == !maker_breaker);
        if (!maker_breaker) CHECK(search->lines().size() == wide_search->lines().size());
    }
}

TEST_CASE("a search can be stopped, and keeps to its memory") {
    const auto search = make_defence_search(square(5, 4, false), kMemory);
    struct Stop {};
    search->report = [] { throw Stop{}; };
    CHECK_THROWS_AS(search->defends(), Stop);
    search->report = nullptr;
    CHECK(search->defends());
    CHECK_THROWS_AS(make_defence_search(square(5, 4, false), 1 << 16)->defends(), std::bad_alloc);
}

TEST_CASE("what is no game is refused") {
    CHECK_THROWS_AS(make_defence_search({0, {}, false, {{}}}, kMemory), std::invalid_argument);
    CHECK_THROWS_AS(make_defence_search({2, {{0b100, 0}}, false, testing::identity(2)}, kMemory),
                    std::invalid_argument);
    CHECK_THROWS_AS(make_defence_search({2, {{0b11, 0}}, false, {}}, kMemory), std::invalid_argument);
}

}  // namespace
}  // namespace inarow::positional
