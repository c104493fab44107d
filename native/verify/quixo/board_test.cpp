#include "verify/quixo/board.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "testing/quixo.hpp"

namespace inarow::verify::quixo {
namespace {

using testing::PlainQuixo;
using testing::QuixoPosition;

TEST_CASE("moves, lines and ends are those of the plain rules on boards of all shapes") {
    std::mt19937 random(1);
    testing::each_quixo(kMaxCells, [&](const PlainQuixo& plain) {
        const Game game(
            {plain.rows, plain.columns, plain.line, plain.double_line_wins ? DoubleLine::wins : DoubleLine::loses});
        const std::vector<Mask> runs = plain.lines;
        REQUIRE(std::multiset<Mask>(game.lines().begin(), game.lines().end()) ==
                std::multiset<Mask>(runs.begin(), runs.end()));
        REQUIRE(game.moves().size() == plain.pushes.size());
        for (int i = 0; i < 5; ++i) {
            const QuixoPosition at = testing::random_quixo_position(random, plain.cells());
            const int end = plain.ended(at);
            REQUIRE(game.value_of_end({at.mover, at.other}) == (end == 0 ? kNoValue : end > 0 ? kWon : kLost));
            std::vector<QuixoPosition> after;
            game.each_successor({at.mover, at.other},
                                [&](const Position& child) { after.push_back({child.mover, child.other}); });
            std::sort(after.begin(), after.end());
            REQUIRE(after == plain.successors(at));
        }
    });
}

TEST_CASE("rules that do not exist are refused") {
    for (const Rules& rules :
         {Rules{1, 5, 2, DoubleLine::loses}, Rules{5, 1, 2, DoubleLine::loses}, Rules{5, 6, 5, DoubleLine::loses},
          Rules{2, 13, 2, DoubleLine::loses}, Rules{4, 4, 1, DoubleLine::loses}, Rules{4, 4, 5, DoubleLine::loses},
          Rules{3, 4, 5, DoubleLine::wins}, Rules{-5, -5, 2, DoubleLine::wins}})
        CHECK_THROWS_AS(Game{rules}, std::invalid_argument);
}

}  // namespace
}  // namespace inarow::verify::quixo
