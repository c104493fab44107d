#include "positional/strategy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "testing/boards.hpp"

namespace inarow::positional {
namespace {

using Position = std::pair<std::uint64_t, std::uint64_t>;

class Dictionary {
  public:
    Dictionary(const Game& game, const std::vector<Answer>& answers) : game_(game) {
        for (const auto& to : game.symmetries) symmetries_.emplace_back(to);
        for (const Answer& answer : answers) {
            for (const auto& image : symmetries_)  // up to symmetry, each position once
                REQUIRE_FALSE(moves_.contains({image(answer.x[0]), image(answer.o[0])}));
            moves_[{answer.x[0], answer.o[0]}] = answer.move;
            REQUIRE(((answer.x[0] | answer.o[0]) >> answer.move & 1) == 0);
        }
    }

    // X plays by the answers and wins against every reply, with at most so many moves.
    void wins(const Position& at, int moves) const {
        REQUIRE(moves > 0);
        for (std::size_t s = 0; s < symmetries_.size(); ++s) {
            const auto found = moves_.find({symmetries_[s](at.first), symmetries_[s](at.second)});
            if (found == moves_.end()) continue;
            const auto move = std::find(game_.symmetries[s].begin(), game_.symmetries[s].end(), found->second);
            const std::uint64_t x = at.first | bit<std::uint64_t>(static_cast<int>(move - game_.symmetries[s].begin()));
            if (has_line(x)) return;
            for (std::uint64_t rest = board<std::uint64_t>(game_.cells) & ~(x | at.second); rest != 0;
                 rest = without_lowest(rest)) {
                const std::uint64_t o = at.second | lowest_bit(rest);
                REQUIRE((game_.maker_breaker || !has_line(o)));
                wins({x, o}, moves - 1);
            }
            return;
        }
        FAIL("no answer to x " << at.first << ", o " << at.second);
    }

  private:
    bool has_line(std::uint64_t marks) const {
        return std::any_of(game_.lines.begin(), game_.lines.end(),
                           [marks](const Words& line) { return (line[0] & ~marks) == 0; });
    }

    const Game& game_;
    std::vector<Permutation<std::uint64_t>> symmetries_;
    std::map<Position, int> moves_;
};

TEST_CASE("a strategy answers every reply and wins in time") {
    for (const bool maker_breaker : {false, true}) {
        CAPTURE(maker_breaker);
        const Game game{16, testing::lines_of(4, 4, 3), maker_breaker, testing::symmetries_of_square(4)};
        const auto search = make_win_search(game, 16 << 20);
        const WinResult start = search->solve({}, {}, kUnlimited);
        REQUIRE(start.wins);
        const std::vector<Answer> answers = strategy(game, *search, start.moves, start.move);
        REQUIRE(answers.size() > 1);
        CHECK(answers[0].x == Words{});
        CHECK(answers[0].move == start.move);
        Dictionary(game, answers).wins({0, 0}, start.moves);
    }
}

TEST_CASE("no strategy where X does not win") {
    const Game game{9, testing::lines_of(3, 3, 3), false, testing::symmetries_of_square(3)};
    const auto search = make_win_search(game, 16 << 20);
    CHECK_THROWS_AS(strategy(game, *search, 5, 4), std::invalid_argument);
    const Game maker{9, testing::lines_of(3, 3, 3), true, testing::symmetries_of_square(3)};
    const auto makers = make_win_search(maker, 16 << 20);
    const int fewest = makers->solve({}, {}, kUnlimited).moves;
    CHECK_THROWS_AS(strategy(maker, *makers, 2, 4), std::invalid_argument);
    CHECK_NOTHROW(strategy(maker, *makers, fewest, 4));
}

}  // namespace
}  // namespace inarow::positional
