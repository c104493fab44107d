#include "ultimate/prover/board.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <vector>

#include "testing/ultimate.hpp"

namespace inarow::ultimate::prover {
namespace {

std::vector<int> moves_of(const Board& board) {
    std::vector<int> moves;
    board.each_move([&](int move) {
        moves.push_back(move);
        return false;
    });
    return moves;
}

bool same(const Board& a, const Board& b) {
    return a.x == b.x && a.o == b.o && a.owner == b.owner && a.active == b.active && a.ply == b.ply;
}

TEST_CASE("random games go as the plain rules say") {
    std::mt19937 random(1);
    for (int i = 0; i < 100; ++i) {
        testing::PlainUltimate plain;
        Board board = Board::start();
        for (const int move : testing::random_ultimate_game(random)) {
            REQUIRE(moves_of(board) == plain.moves());
            REQUIRE(board.x_to_move() == (plain.turn() == 'x'));
            board.play(move);
            plain.play(move);
            REQUIRE(board.ply == plain.played.size());
            for (int field = 0; field < 9; ++field) {
                const char owner = plain.owners[field];
                REQUIRE(board.owner[field] == (owner == 'x' ? Owner::X : owner == 'o' ? Owner::O : Owner::Nobody));
            }
            REQUIRE(board.has_won(Owner::X) == (plain.winner() == 'x'));
            REQUIRE(board.has_won(Owner::O) == (plain.winner() == 'o'));
        }
    }
}

TEST_CASE("a visit of the moves stops when the visitor returns true") {
    int visited = 0;
    Board::start().each_move([&](int move) {
        ++visited;
        return move == 4;
    });
    CHECK(visited == 5);
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

TEST_CASE("to turn a game is to turn its positions") {
    std::mt19937 random(2);
    for (int i = 0; i < 10; ++i)
        for (int s = 0; s < 8; ++s) {
            Board board = Board::start(), turned = Board::start();
            for (const int move : testing::random_ultimate_game(random)) {
                board.play(move);
                turned.play(image(move, s));
                REQUIRE(same(board.image(s), turned));
            }
        }
}

}  // namespace
}  // namespace inarow::ultimate::prover
