// The searches on boards of more than 64 cells, stopped, and refused; tests/positional has what they find.
#include <doctest/doctest.h>

#include <new>
#include <stdexcept>

#include "positional/defence_search.hpp"
#include "positional/win_search.hpp"
#include "testing/boards.hpp"

namespace inarow::positional {
namespace {

constexpr std::uint64_t kMemory = 16 << 20;
constexpr int kFirst = 60, kCells = 70;  // of a small board on a large one

Game square(int side, int length) {
    return {side * side, testing::lines_of(side, side, length), false, testing::symmetries_of_square(side)};
}

TEST_CASE("a board of more than 64 cells gives the same wins") {
    const Game small{9, testing::lines_of(3, 3, 3), false, testing::identity(9)};
    const Game wide{kCells, testing::lines_of(3, 3, 3, kFirst), false, testing::identity(kCells)};
    const auto search = make_win_search(small, kMemory), wide_search = make_win_search(wide, kMemory);
    const auto shifted = [](std::uint64_t mask) { return to_words(Wide{mask} << kFirst); };
    for (std::uint64_t x = 0; x < 512; ++x)
        for (std::uint64_t o = 0; o < 512; ++o) {
            if ((x & o) != 0 || count(x) != count(o)) continue;
            const auto has_line = [&](const Words& line) { return (line[0] & ~x) == 0 || (line[0] & ~o) == 0; };
            if (std::any_of(small.lines.begin(), small.lines.end(), has_line)) continue;
            for (const int moves : {2, 4}) {
                const WinResult result = search->solve({x, 0}, {o, 0}, moves);
                const WinResult same = wide_search->solve(shifted(x), shifted(o), moves);
                REQUIRE(same.wins == result.wins);
                if (!result.wins) continue;
                REQUIRE(same.moves == result.moves);
                REQUIRE(same.move == result.move + kFirst);
                REQUIRE(same.zone == shifted(result.zone[0]));
            }
        }
}

TEST_CASE("a board of more than 64 cells gives the same defence") {
    for (const bool maker_breaker : {false, true}) {
        const Game small{9, testing::lines_of(3, 3, 3), maker_breaker, testing::identity(9)};
        const Game wide{kCells, testing::lines_of(3, 3, 3, kFirst), maker_breaker, testing::identity(kCells)};
        const auto search = make_defence_search(small, kMemory), wide_search = make_defence_search(wide, kMemory);
        REQUIRE(search->defends() == !maker_breaker);
        REQUIRE(wide_search->defends() == !maker_breaker);
        if (!maker_breaker) CHECK(search->lines().size() == wide_search->lines().size());
    }
}

TEST_CASE("a search can be stopped, used again, and keeps to its memory") {
    struct Stop {};
    const auto win = make_win_search(square(5, 4), kMemory);
    const auto defence = make_defence_search(square(5, 4), kMemory);
    win->report = defence->report = [] { throw Stop{}; };
    CHECK_THROWS_AS(win->solve({}, {}, kUnlimited), Stop);
    CHECK_THROWS_AS(defence->defends(), Stop);
    win->report = defence->report = nullptr;
    CHECK(win->solve({0b01110 << 10, 0}, {0b11 | 1 << 24, 0}, 3).moves == 1);  // three in a row, both ends open
    CHECK(defence->defends());
    CHECK_THROWS_AS(make_defence_search(square(5, 4), 1 << 16)->defends(), std::bad_alloc);
}

TEST_CASE("what is no position and no game is refused") {
    const auto search = make_win_search(square(3, 3), kMemory);
    CHECK_THROWS_AS(search->solve({1, 0}, {1, 0}, 3), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({1 << 9, 0}, {}, 3), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({0b111, 0}, {0b11000, 0}, 3), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({}, {}, 0), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({}, {}, kUnlimited + 1), std::invalid_argument);
    CHECK_THROWS_AS(search->winning_moves({1, 0}, {1, 0}, 3), std::invalid_argument);
    CHECK_THROWS_AS(strategy(square(3, 3), *search, 2, 4), std::invalid_argument);  // X does not win
    const Game refused[] = {{0, {}, false, {{}}},
                            {129, {}, false, testing::identity(129)},
                            {2, {{0b100, 0}}, false, testing::identity(2)},
                            {2, {{0, 0}}, false, testing::identity(2)},
                            {2, {{0b11, 0}}, false, {}},
                            {2, {{0b11, 0}}, false, {{0, 2}}},
                            {2, {{0b11, 0}}, false, {{0}}}};
    for (const Game& game : refused) {
        CHECK_THROWS_AS(make_win_search(game, kMemory), std::invalid_argument);
        CHECK_THROWS_AS(make_defence_search(game, kMemory), std::invalid_argument);
    }
}

}  // namespace
}  // namespace inarow::positional
