#include "quixo/search.hpp"

#include <doctest/doctest.h>

#include "testing/quixo.hpp"

namespace inarow::quixo {
namespace {

using testing::PlainQuixo;
using testing::QuixoPosition;

std::uint64_t word_of(const QuixoPosition& at) { return std::uint64_t{at.mover} << 32 | at.other; }

TEST_CASE("what is decided within a few plies is found with its plies, and nothing else") {
    constexpr int kPlies = 3;
    testing::each_quixo(9, [&](const PlainQuixo& plain) {
        const std::vector<testing::QuixoValue> values = plain.solve();
        Search search({plain.rows, plain.columns, plain.line, plain.double_line_wins}, [] {});
        int found = 0;
        plain.each_position([&](const QuixoPosition& at) {
            const testing::QuixoValue value = values[plain.number(at)];
            const Result result = search.find(word_of(at), kPlies);
            if (value.outcome == 0 || value.plies > kPlies) {
                REQUIRE(result.outcome == Outcome::missing);
            } else {
                REQUIRE(static_cast<int>(result.outcome) == value.outcome);
                REQUIRE(result.plies == value.plies);
                ++found;
            }
        });
        CHECK(found > 50);
    });
}

TEST_CASE("the first player wins 3x3 in seven plies") {
    Search search({3, 3, 3, false}, [] {});
    CHECK(search.find(0, 6).outcome == Outcome::missing);
    const Result result = search.find(0, 7);
    CHECK(result.outcome == Outcome::win);
    CHECK(result.plies == 7);
}

TEST_CASE("a line that a move completes wins on 4x5") {
    // Four in the bottom row, and a tile of nobody's at its end.
    Search search({4, 5, 5, false}, [] {});
    const Result won = search.find(word_of({0b01111, 0b11 << 10}), 1);
    CHECK(won.outcome == Outcome::win);
    CHECK(won.plies == 1);
    CHECK(search.find(word_of({0b00111, 0b11 << 10}), 1).outcome == Outcome::missing);
    // Lines of both: the player who moved last has lost under the official rule, and won under the other.
    const QuixoPosition both{0b11111, 0b11111 << 5};
    CHECK(search.find(word_of(both), 3).outcome == Outcome::win);
    CHECK(Search({4, 5, 5, true}, [] {}).find(word_of(both), 3).outcome == Outcome::loss);
}

TEST_CASE("a search can be stopped") {
    struct Stop {};
    Search search({5, 5, 5, false}, [] { throw Stop{}; });
    CHECK_THROWS_AS(search.find(0, 20), Stop);
}

}  // namespace
}  // namespace inarow::quixo
