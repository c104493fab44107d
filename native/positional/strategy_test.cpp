#include <doctest/doctest.h>

#include <set>
#include <stdexcept>

#include "positional/test_games.hpp"
#include "positional/win_search.hpp"

namespace inarow::positional {
namespace {

TEST_CASE("a strategy answers each position once, up to symmetry") {
    for (const bool maker_breaker : {false, true}) {
        const Game game = square(4, 3, maker_breaker);
        const auto search = make_win_search(game, kMemory);
        const WinResult start = search->solve({}, {}, kUnlimited);
        REQUIRE(start.wins);
        std::set<std::pair<std::uint64_t, std::uint64_t>> answered;
        for (const Answer& answer : strategy(game, *search, start.moves, start.move)) {
            REQUIRE(((answer.x[0] | answer.o[0]) >> answer.move & 1) == 0);
            CHECK((answered.empty() ? answer.move == start.move : answer.x != Words{}));
            for (const auto& to : game.symmetries) {
                const Permutation<std::uint64_t> image(to);
                REQUIRE_FALSE(answered.contains({image(answer.x[0]), image(answer.o[0])}));
            }
            answered.emplace(answer.x[0], answer.o[0]);
        }
        CHECK(answered.size() > 1);
    }
}

TEST_CASE("no strategy where X does not win in so many moves") {
    for (const bool maker_breaker : {false, true}) {
        const Game game = square(3, 3, maker_breaker);
        CHECK_THROWS_AS(strategy(game, *make_win_search(game, kMemory), 2, 4), std::invalid_argument);
    }
}

}  // namespace
}  // namespace inarow::positional
