#include "ultimate/board.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "testing/ultimate.hpp"

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

}  // namespace
}  // namespace inarow::ultimate
