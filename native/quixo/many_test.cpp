#include "quixo/many.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "testing/quixo.hpp"

namespace inarow::quixo {
namespace {

TEST_CASE("masks and their ranks are inverse to each other") {
    for (int bits = 0; bits <= 12; ++bits)
        for (std::uint32_t rank = 0; rank < binomial(12, bits); ++rank) {
            const Mask mask = colex_mask(bits, rank);
            REQUIRE(std::popcount(mask) == bits);
            REQUIRE(colex_rank(mask) == rank);
        }
    CHECK(colex_mask(12, binomial(25, 12) - 1) == (Mask{1} << 25) - (Mask{1} << 13));
}

TEST_CASE("the classes of a board have each of its positions once, in the order of their numbers") {
    const Board board(rules_in_a_row(3, 3, 3, false));
    std::set<std::uint64_t> seen;
    for (int x = 0; x <= 9; ++x)
        for (int o = 0; x + o <= 9; ++o) {
            const PositionClass positions(9, x, o);
            std::uint64_t number = 0;
            positions.each(0, positions.size(), [&](std::uint64_t word) {
                REQUIRE(is_position(board, word));
                REQUIRE(std::popcount(word >> 32) == x);
                REQUIRE(std::popcount(word & 0xffffffff) == o);
                REQUIRE(positions.word(number++) == word);
                REQUIRE(seen.insert(word).second);
            });
            REQUIRE(number == positions.size());
            if (number < 5) continue;
            std::vector<std::uint64_t> some;
            positions.each(number - 5, 3, [&](std::uint64_t word) { some.push_back(word); });
            REQUIRE(some ==
                    std::vector{positions.word(number - 5), positions.word(number - 4), positions.word(number - 3)});
            CHECK_THROWS_AS(positions.each(number - 5, 6, [](std::uint64_t) {}), std::out_of_range);
        }
    CHECK(seen.size() == 19683);
    CHECK_THROWS_AS(PositionClass(9, 5, 5), std::invalid_argument);
}

TEST_CASE("uniform numbers are below their bound, and all of them come") {
    UniformNumbers random(1);
    for (const std::uint64_t bound : {1, 2, 3, 5, 8}) {
        std::set<std::uint64_t> seen;
        for (int i = 0; i < 1000; ++i) seen.insert(random.below(bound));
        CHECK(seen.size() == bound);
        CHECK(*seen.rbegin() == bound - 1);
    }
}

TEST_CASE("the canonical word is the same for all images, and one of them") {
    std::mt19937 random(1);
    for (const Rules& rules : {rules_in_a_row(4, 4, 4, false), rules_in_a_row(3, 5, 4, true)}) {
        const Board board(rules);
        for (int i = 0; i < 1000; ++i) {
            const auto [mover, other] = testing::random_quixo_position(random, rules.cells());
            const std::uint64_t canonical = canonical_word(board, word_of(mover, other));
            bool found = false;
            for (int g = 0; g < board.symmetries(); ++g) {
                const std::uint64_t image = word_of(board.image(g, mover), board.image(g, other));
                REQUIRE(canonical_word(board, image) == canonical);
                REQUIRE(canonical <= image);
                found |= canonical == image;
            }
            REQUIRE(found);
        }
    }
}

TEST_CASE("texts") {
    const Rules rules = rules_in_a_row(2, 3, 3, false);
    CHECK(parse_word(rules, "x.o/.XO x") == word_of(0b100010, 0b001001));
    CHECK(parse_word(rules, "x.o/.xo_O") == word_of(0b001001, 0b100010));
    for (const char* text : {"", "x.o/.xo", "x.o/.xo ", "x.o/.xo y", "x.o/.xo-x", "x.o/.xo x ", "x.o/.x x", "x.o.xo x",
                             "x./o.xo x", "x.?/.xo x", "x.o/.xo/... x", "x.o//xo x"})
        CHECK_FALSE(parse_word(rules, text));
}

}  // namespace
}  // namespace inarow::quixo
