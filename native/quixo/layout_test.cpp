#include "quixo/layout.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

#include "quixo/locator.hpp"
#include "testing/quixo.hpp"

namespace inarow::quixo {
namespace {

// Boards of every kind: square or not, higher than wide or wider than high.
const Rules kShapes[] = {rules_in_a_row(2, 2, 2, false), rules_in_a_row(2, 5, 2, false), rules_in_a_row(5, 2, 2, false),
                         rules_in_a_row(3, 3, 2, false), rules_in_a_row(3, 4, 2, false)};

TEST_CASE("a rank is the number of smaller words with as many bits") {
    std::mt19937 random(1);
    for (int i = 0; i < 1000; ++i) {
        const Mask word = random() & ((1 << max_cells) - 1);
        std::uint32_t rank = 0;
        int bits = 0;
        for (int place = 0; place < max_cells; ++place)
            if (word >> place & 1) rank += binomial(place, ++bits);
        REQUIRE(colex_rank(word) == rank);
    }
    CHECK(binomial(25, 12) == 5'200'300);
    CHECK(binomial(5, 6) == 0);
    CHECK(binomial(5, -1) == 0);
}

TEST_CASE("bits are extracted in order, and deposited back") {
    std::mt19937 random(2);
    for (int i = 0; i < 1000; ++i) {
        const Mask mask = random(), places = random() & random();
        Mask word = 0;
        int found = 0;
        for (int place = 0; place < 32; ++place)
            if (places >> place & 1) word |= (mask >> place & 1) << found++;
        REQUIRE(extract(mask, places) == word);
        REQUIRE(deposit(word, places) == (mask & places));
    }
}

TEST_CASE("a block is the smallest of its images, and every mask has its way there") {
    for (const Rules& rules : kShapes) {
        const Layout layout{Board(rules)};
        const Board& board = layout.board();
        for (Mask mask = 0; mask <= layout.full(); ++mask) {
            Mask smallest = mask;
            for (int g = 0; g < board.symmetries(); ++g) smallest = std::min(smallest, board.image(g, mask));
            const auto [block, g] = layout.canonical(mask);
            REQUIRE(layout.blocks(std::popcount(mask))[block] == smallest);
            REQUIRE(board.image(g, mask) == smallest);
        }
        for (int a = 0; a <= board.cells(); ++a) {
            CHECK(std::is_sorted(layout.blocks(a).begin(), layout.blocks(a).end()));
            std::uint32_t masks = 0;
            for (std::uint32_t block = 0; block < layout.blocks(a).size(); ++block) masks += layout.orbit(a, block);
            CHECK(masks == binomial(board.cells(), a));
        }
    }
}

TEST_CASE("every entry belongs to a position, and only images of a position share one") {
    for (const Rules& rules : kShapes) {
        if (rules.cells() > 10) continue;
        const Layout layout{Board(rules)};
        const Board& board = layout.board();
        const testing::PlainQuixo plain{rules.rows, rules.columns, 2, false};
        using Entry = std::pair<std::pair<int, int>, std::size_t>;
        std::map<Entry, testing::QuixoPosition> stored;
        plain.each_position([&](const testing::QuixoPosition& at) {
            const int a = std::popcount(at.mover), b = std::popcount(at.other);
            if (a < b) return;
            const std::size_t entry = layout.entry(at.mover, at.other);
            REQUIRE(entry < layout.plane_entries(a, b));
            const auto [first, is_new] = stored.try_emplace({{a, b}, entry}, at);
            bool is_image = false;
            for (int g = 0; g < board.symmetries(); ++g)
                is_image |=
                    board.image(g, at.mover) == first->second.mover && board.image(g, at.other) == first->second.other;
            REQUIRE(is_image);
        });
        std::size_t entries = 0;
        for (int a = 0; a <= board.cells(); ++a)
            for (int b = 0; b <= a && a + b <= board.cells(); ++b) entries += layout.plane_entries(a, b);
        // A block with a symmetric A has several entries for the same position; all of the plane are somebody's.
        CHECK(stored.size() <= entries);
        CHECK(stored.size() > entries / 2);
        for (int a = 0; a <= board.cells(); ++a) {
            const int b = std::min({a, 2, board.cells() - a});
            std::size_t entry = 0;
            for (const Mask larger : layout.blocks(a))
                for (const Mask word : words(board.cells() - a, b))
                    REQUIRE(layout.entry(larger, deposit(word, layout.full() & ~larger)) == entry++);
            CHECK(entry == layout.plane_entries(a, b));
        }
    }
}

TEST_CASE("the locator agrees with the layout, and finds a position again") {
    std::mt19937 random(3);
    for (const Rules& rules :
         {rules_in_a_row(2, 2, 2, false), rules_in_a_row(3, 3, 3, false), rules_in_a_row(3, 4, 3, false),
          rules_in_a_row(4, 3, 3, false), rules_in_a_row(2, 7, 2, false), rules_in_a_row(4, 4, 4, false)}) {
        const Layout layout{Board(rules)};
        const Board& board = layout.board();
        Locator locator(rules);
        for (int i = 0; i < 300; ++i) {
            const auto at = testing::random_quixo_position(random, rules.cells());
            const auto found = locator.locate(testing::word_of(at));
            REQUIRE(found.has_value());
            const bool mover_larger = std::popcount(at.mover) >= std::popcount(at.other);
            const Mask larger = mover_larger ? at.mover : at.other, smaller = mover_larger ? at.other : at.mover;
            CHECK(found->a == std::popcount(larger));
            CHECK(found->b == std::popcount(smaller));
            CHECK(found->plane == (mover_larger ? 0 : 1));
            const auto same = [&](std::size_t entry) {
                // Where A is symmetric, several entries stand for the position.
                for (int g = 0; g < board.symmetries(); ++g)
                    if (layout.entry(board.image(g, larger), board.image(g, smaller)) == entry) return true;
                return false;
            };
            CHECK(same(locator.place(*found)));
            CHECK(locator.block_count(found->a) == layout.blocks(found->a).size());

            const std::uint64_t stored = locator.word(*found);
            bool is_image = false;
            for (int g = 0; g < board.symmetries(); ++g)
                is_image |= stored == testing::word_of({board.image(g, at.mover), board.image(g, at.other)});
            CHECK(is_image);
            const auto again = locator.locate(stored);
            REQUIRE(again.has_value());
            CHECK(locator.place(*again) == locator.place(*found));
        }
    }
    Locator locator(rules_in_a_row(5, 5, 5, false));
    CHECK(locator.block_count(2) == 49);
    CHECK_FALSE(locator.locate(testing::word_of({1, 1})).has_value());
    CHECK_FALSE(locator.locate(testing::word_of({1 << 25, 0})).has_value());
}

}  // namespace
}  // namespace inarow::quixo
