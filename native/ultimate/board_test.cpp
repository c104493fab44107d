#include "ultimate/board.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "ultimate/test_positions.hpp"

namespace inarow::ultimate {
namespace {

void check_against(const testing::PlainUltimate& plain, const Board& board) {
    const std::vector<int> moves = plain.is_over() ? std::vector<int>() : plain.moves();
    REQUIRE(board.is_over() == plain.is_over());
    REQUIRE(board.has_won(0) == (plain.winner() == 'x'));
    REQUIRE(board.has_won(1) == (plain.winner() == 'o'));
    REQUIRE(board.x_to_move() == (plain.turn() == 'x'));
    REQUIRE(board.ply == plain.played.size());
    for (int move = 0; move < kMoves; ++move)
        REQUIRE(board.can_play(move) == (std::find(moves.begin(), moves.end(), move) != moves.end()));
    if (!board.is_over()) {
        const Moves found = board.moves();
        REQUIRE(std::vector<int>(found.begin(), found.end()) == moves);
    }
    for (int field = 0; field < 9; ++field) {
        const char owner = plain.owners[field];
        REQUIRE(board.owner(field) == (owner == 'x' ? Owner::X : owner == 'o' ? Owner::O : Owner::Nobody));
        REQUIRE((board.shut >> field & 1) == !plain.is_playable(field));
    }
}

TEST_CASE("random games go as the plain rules say, and so do their images") {
    std::mt19937 random(1);
    int drawn = 0, won = 0;
    for (const bool closed : {false, true})
        for (int i = 0; i < 100; ++i) {
            testing::PlainUltimate plain{.closed = closed};
            Board board = Board::start(closed), turned = board;
            for (const int move : testing::random_ultimate_game(random, closed)) {
                check_against(plain, board);
                board.play(move);
                plain.play(move);
                turned.play(image(move, i % 8));
                REQUIRE(board.image(i % 8) == turned);
            }
            check_against(plain, board);
            ++(plain.winner() != 0 ? won : drawn);
        }
    CHECK(won > 20);
    CHECK(drawn > 5);
}

TEST_CASE("lines of nine spots, and what completes them") {
    for (int mask = 0; mask < 512; ++mask) {
        const auto has_row = [](int of) {
            std::array<char, 9> marks{};
            for (int spot = 0; spot < 9; ++spot)
                if (of >> spot & 1) marks[spot] = 'x';
            return testing::PlainUltimate::has_row(marks, 0, 'x');
        };
        CHECK(kHasLine[mask] == has_row(mask));
        if (has_row(mask)) continue;
        for (int spot = 0; spot < 9; ++spot) CHECK((kCompleting[mask] >> spot & 1) == has_row(mask | 1 << spot));
    }
    for (int line = 0; line < 8; ++line)
        for (const int spot : kLines[line]) CHECK((kLineMasks[line] >> spot & 1) == 1);
}

TEST_CASE("the symmetries are a group of eight that takes lines to lines") {
    const std::set<std::array<int, 9>> group(kSymmetries.begin(), kSymmetries.end());
    const std::set<Mask> lines(kLineMasks.begin(), kLineMasks.end());
    CHECK(group.size() == 8);
    CHECK(lines.size() == 8);
    for (int a = 0; a < 8; ++a) {
        for (const Mask line : lines) CHECK(lines.contains(kMaskImages[a][line]));
        for (int b = 0; b < 8; ++b) {
            std::array<int, 9> both;
            for (int spot = 0; spot < 9; ++spot) both[spot] = kSymmetries[b][kSymmetries[a][spot]];
            CHECK(group.contains(both));
        }
    }
    for (int spot = 0; spot < 9; ++spot) CHECK(kSymmetries[0][spot] == spot);
}

}  // namespace
}  // namespace inarow::ultimate
