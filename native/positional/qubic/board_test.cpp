#include "positional/qubic/board.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <vector>

#include "positional/qubic/test_positions.hpp"

namespace inarow::qubic {
namespace {

Cells image(Cells cells, int symmetry) {
    Cells result = 0;
    for (; cells != 0; cells &= cells - 1) result |= kGeometry.images[lowest(cells)][symmetry];
    return result;
}

TEST_CASE("76 lines of four, as many through a cell as its place allows") {
    const std::set<Cells> lines(kGeometry.line.begin(), kGeometry.line.end());
    CHECK(lines.size() == 76);
    for (const Cells line : lines) CHECK(std::popcount(line) == 4);
    CHECK(lines.contains(0b1111));
    CHECK(lines.contains(bit(0) | bit(21) | bit(42) | bit(63)));
    CHECK(lines.contains(bit(3) | bit(22) | bit(41) | bit(60)));
    std::map<int, int> cells_with;
    for (int cell = 0; cell < kCells; ++cell) {
        int through = 0;
        for (int l = 0; l < kLines; ++l) {
            const bool has = (kGeometry.line[l] & bit(cell)) != 0;
            CHECK((kGeometry.through[cell] >> l & 1) == has);
            through += has;
        }
        ++cells_with[through];
    }
    // The eight corners and the eight cells in the middle have seven, all others four.
    CHECK(cells_with == std::map<int, int>{{4, 48}, {7, 16}});
}

TEST_CASE("the symmetries are a group of 192 that maps lines to lines") {
    const std::set<Cells> lines(kGeometry.line.begin(), kGeometry.line.end());
    std::set<std::vector<int>> group;
    for (int s = 0; s < kSymmetries; ++s) {
        std::vector<int> to;
        for (int cell = 0; cell < kCells; ++cell) to.push_back(lowest(kGeometry.images[cell][s]));
        group.insert(to);
        for (const Cells line : lines) REQUIRE(lines.contains(image(line, s)));
    }
    CHECK(group.size() == kSymmetries);
    for (const std::vector<int>& a : group)
        for (const std::vector<int>& b : group) {
            std::vector<int> both(kCells);
            for (int cell = 0; cell < kCells; ++cell) both[cell] = b[a[cell]];
            REQUIRE(group.contains(both));
        }
}

TEST_CASE("all images of a position have the same canonical form, which is one of them") {
    for (const Position& position : random_positions(30, 6, 1)) {
        const Position form = canonical(position);
        bool is_an_image = false;
        for (int s = 0; s < kSymmetries; ++s) {
            const Position other{image(position.x, s), image(position.o, s)};
            REQUIRE(canonical(other) == form);
            is_an_image |= other == form;
        }
        CHECK(is_an_image);
        CHECK(form.x <= position.x);
    }
}

TEST_CASE("threats and pairs are those of a plain count") {
    int threats = 0;
    for (const Position& position : random_positions(300, 9, 2)) {
        const Board board(position);
        CHECK(board.position() == position);
        CHECK(board.taken() == (position.x | position.o));
        CHECK(board.empty() == ~(position.x | position.o));
        Lines pairs = 0;
        for (int l = 0; l < kLines; ++l)
            if (std::popcount(kGeometry.line[l] & position.x) == 2 && (kGeometry.line[l] & position.o) == 0)
                pairs |= Lines{1} << l;
        CHECK((board.pairs() == pairs));
        CHECK(board.x_threats() == plain_threats(position.x, position.o));
        CHECK(board.o_threats() == plain_threats(position.o, position.x));
        threats += std::popcount(board.x_threats());
        for (int cell = 0; cell < kCells; ++cell) {
            Cells through = 0;
            for (int l = 0; l < kLines; ++l)
                if ((kGeometry.line[l] & bit(cell)) != 0 && (kGeometry.line[l] & position.o) == 0 &&
                    std::popcount(kGeometry.line[l] & position.x) == 3)
                    through |= kGeometry.line[l] & ~position.x;
            CHECK(board.x_threats(kGeometry.through[cell]) == through);
        }
    }
    CHECK(threats > 50);
}

}  // namespace
}  // namespace inarow::qubic
