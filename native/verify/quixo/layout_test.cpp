#include "verify/quixo/layout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "testing/quixo.hpp"

namespace inarow::verify::quixo {
namespace {

using testing::QuixoPosition;

// All images of a position, worked out cell by cell.
std::set<QuixoPosition> images_of(const QuixoPosition& at, int rows, int columns) {
    std::set<QuixoPosition> images;
    for (int symmetry = 0; symmetry < (rows == columns ? 8 : 4); ++symmetry) {
        const auto image = [&](Mask mask) {
            Mask result = 0;
            for (int cell = 0; cell < rows * columns; ++cell) {
                int row = cell / columns, column = cell % columns;
                if (symmetry & 1) row = rows - 1 - row;
                if (symmetry & 2) column = columns - 1 - column;
                if (symmetry & 4) std::swap(row, column);
                if (mask >> cell & 1) result |= Mask{1} << (row * columns + column);
            }
            return result;
        };
        images.insert({image(at.mover), image(at.other)});
    }
    return images;
}

TEST_CASE("every place holds a position, and images share theirs") {
    for (const auto& shape : {std::pair{2, 2}, {3, 3}, {2, 4}, {4, 2}, {2, 5}}) {
        const int rows = shape.first, columns = shape.second;
        CAPTURE(rows);
        CAPTURE(columns);
        const testing::PlainQuixo plain{rows, columns, 2, false};
        const Layout layout(rows, columns);
        std::map<std::tuple<int, int, bool>, std::uint64_t> planes;  // the entries of each
        for (int a = 0; a <= plain.cells(); ++a)
            for (int b = 0; b <= a && a + b <= plain.cells(); ++b)
                for (int plane = 0; plane < (a == b ? 1 : 2); ++plane)
                    planes[{a, b, plane == 1}] = layout.entry_count(a, b) / (a == b ? 1 : 2);
        plain.each_position([&](const QuixoPosition& at) {
            const Place place = layout.place_of({at.mover, at.other});
            const int mine = std::popcount(at.mover), theirs = std::popcount(at.other);
            REQUIRE(place.a == std::max(mine, theirs));
            REQUIRE(place.b == std::min(mine, theirs));
            REQUIRE(place.plane == (mine < theirs));
            REQUIRE(place.index < planes.at({place.a, place.b, place.plane}));
            const Position stored = layout.position_at(place);
            const std::set<QuixoPosition> images = images_of(at, rows, columns);
            REQUIRE(images.contains({stored.mover, stored.other}));
            const std::uint64_t block = place.index / layout.ranks(place.a, place.b);
            for (const QuixoPosition& image : images)
                REQUIRE(layout.place_of({image.mover, image.other}).index / layout.ranks(place.a, place.b) == block);
        });
        std::uint64_t positions = 0;
        for (const auto& [which, entries] : planes) {
            const auto [a, b, plane] = which;
            REQUIRE(entries == layout.orbits(a).size() * layout.ranks(a, b));
            for (std::uint64_t index = 0; index < entries; ++index) {
                const Position at = layout.position_at({a, b, plane, index});
                REQUIRE((at.mover & at.other) == 0);
                const Place back = layout.place_of(at);
                const Position again = layout.position_at(back);
                REQUIRE(images_of({at.mover, at.other}, rows, columns).contains({again.mover, again.other}));
            }
            for (const std::uint8_t orbit : layout.orbits(a)) positions += std::uint64_t{orbit} * layout.ranks(a, b);
        }
        std::uint64_t all = 0;
        plain.each_position([&](const QuixoPosition&) { ++all; });
        CHECK(positions == all);
    }
}

TEST_CASE("blocks are in the order of their masks, entries in the order of their ranks") {
    const Layout layout(3, 4);
    for (const auto& [a, b] : {std::pair{3, 2}, {4, 4}, {6, 1}}) {
        Mask larger = 0, smaller = 0;
        for (std::uint64_t index = 0; index < layout.orbits(a).size() * layout.ranks(a, b); ++index) {
            const Position at = layout.position_at({a, b, false, index});
            REQUIRE(std::popcount(at.mover) == a);
            REQUIRE(std::popcount(at.other) == b);
            if (index > 0) REQUIRE((at.mover > larger || (at.mover == larger && at.other > smaller)));
            larger = at.mover;
            smaller = at.other;
        }
    }
}

TEST_CASE("a pair that does not exist is refused") {
    const Layout layout(3, 3);
    for (const auto& [a, b] : {std::pair{2, 3}, {5, 5}, {3, -1}, {10, 0}})
        CHECK_THROWS_AS(layout.entry_count(a, b), std::invalid_argument);
}

}  // namespace
}  // namespace inarow::verify::quixo
