#include "positional/win_search.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "positional/test_games.hpp"

namespace inarow::positional {
namespace {

TEST_CASE("a board of more than 64 cells gives the same answers") {
    constexpr int kFirst = 60, kCells = 70;
    const Game small{9, testing::lines_of(3, 3, 3), false, testing::identity(9)};
    const Game wide{kCells, testing::lines_of(3, 3, 3, kFirst), false, testing::identity(kCells)};
    const auto search = make_win_search(small, kMemory), wide_search = make_win_search(wide, kMemory);
    const auto shifted = [](std::uint64_t mask) { return to_words(Wide{mask} << kFirst); };
    const auto compare = [&](std::uint64_t x, std::uint64_t o, int moves) {
        const WinResult result = search->solve({x, 0}, {o, 0}, moves);
        const WinResult same = wide_search->solve(shifted(x), shifted(o), moves);
        REQUIRE(same.wins == result.wins);
        if (!result.wins) return;
        REQUIRE(same.moves == result.moves);
        REQUIRE(same.move == result.move + kFirst);
        REQUIRE(same.zone == shifted(result.zone[0]));
    };
    for (std::uint64_t x = 0; x < 512; ++x)
        for (std::uint64_t o = 0; o < 512; ++o)
            if ((x & o) == 0 && count(x) == count(o) && !has_line(small, x) && !has_line(small, o))
                for (const int moves : {2, 4}) compare(x, o, moves);
}

TEST_CASE("a search can be stopped, and the search used again") {
    const Game game = square(5, 4, false);
    const auto search = make_win_search(game, kMemory);
    struct Stop {};
    search->report = [] { throw Stop{}; };
    CHECK_THROWS_AS(search->solve({}, {}, kUnlimited), Stop);
    const std::uint64_t nodes = search->statistics().nodes;
    CHECK(nodes > 0);
    search->report = nullptr;
    // Three in a row, both ends open.
    const WinResult result = search->solve({0b01110 << 10, 0}, {0b11 | 1 << 24, 0}, 3);
    CHECK(result.wins);
    CHECK(result.moves == 1);
    CHECK(search->statistics().nodes > nodes);
}

TEST_CASE("what is no position and no game is refused") {
    const Game game = square(3, 3, false);
    const auto search = make_win_search(game, kMemory);
    CHECK_THROWS_AS(search->solve({1, 0}, {1, 0}, 3), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({1 << 9, 0}, {}, 3), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({0b111, 0}, {0b11000, 0}, 3), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({}, {}, 0), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({}, {}, kUnlimited + 1), std::invalid_argument);
    CHECK_THROWS_AS(search->winning_moves({1, 0}, {1, 0}, 3), std::invalid_argument);

    const auto refused = [](int cells, std::vector<Words> lines, std::vector<std::vector<std::uint8_t>> symmetries) {
        CHECK_THROWS_AS(make_win_search({cells, lines, false, symmetries}, kMemory), std::invalid_argument);
    };
    refused(0, {}, {{}});
    refused(129, {}, testing::identity(129));
    refused(2, {{0b100, 0}}, testing::identity(2));
    refused(2, {{0, 0}}, testing::identity(2));
    refused(2, {{0b11, 0}}, {});
    refused(2, {{0b11, 0}}, {{0, 2}});
    refused(2, {{0b11, 0}}, {{0}});
}

}  // namespace
}  // namespace inarow::positional
