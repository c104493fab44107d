#include "positional/defence_search.hpp"

#include <doctest/doctest.h>

#include <new>
#include <stdexcept>

#include "positional/test_games.hpp"

namespace inarow::positional {
namespace {

TEST_CASE("there is a defence where X does not win") {
    CHECK(make_defence_search(square(3, 3, false), kMemory)->defends());
    CHECK_FALSE(make_defence_search(square(3, 3, true), kMemory)->defends());
    CHECK_FALSE(make_defence_search(square(4, 3, false), kMemory)->defends());
    CHECK(make_defence_search(square(4, 4, true), kMemory)->defends());
    CHECK(make_defence_search(square(5, 4, false), kMemory)->defends());
    CHECK_FALSE(make_defence_search(square(5, 4, true), kMemory)->defends());
}

TEST_CASE("lines have one mark of X more, an answer in an empty cell, and pairs of empty cells") {
    const auto search = make_defence_search(square(5, 4, false), kMemory);
    REQUIRE(search->defends());
    const auto lines = search->lines();
    CHECK(lines.size() > 100);
    std::size_t closed = 0;
    for (const DefenceLine& line : lines) {
        std::uint64_t taken = line.x[0] | line.o[0];
        REQUIRE((line.x[0] & line.o[0]) == 0);
        REQUIRE(count(line.x[0]) == count(line.o[0]) + 1);
        REQUIRE((taken >> line.answer & 1) == 0);
        taken |= bit<std::uint64_t>(line.answer);
        closed += !line.pairs.empty();
        for (const auto& [first, second] : line.pairs)
            for (const int cell : {first, second}) {
                REQUIRE((taken >> cell & 1) == 0);
                taken |= bit<std::uint64_t>(cell);
            }
    }
    CHECK(closed > lines.size() / 2);
}

TEST_CASE("a board of more than 64 cells gives the same answers") {
    constexpr int kCells = 70;
    for (const bool maker_breaker : {false, true}) {
        const Game small{9, testing::lines_of(3, 3, 3), maker_breaker, testing::identity(9)};
        const Game wide{kCells, testing::lines_of(3, 3, 3, 60), maker_breaker, testing::identity(kCells)};
        CHECK(make_defence_search(small, kMemory)->defends() == make_defence_search(wide, kMemory)->defends());
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
