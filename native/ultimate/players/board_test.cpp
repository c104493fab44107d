#include "ultimate/players/board.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "testing/ultimate.hpp"

namespace inarow::ultimate::players {
namespace {

std::vector<int> moves_of(const Board& board) {
    std::array<std::uint8_t, 81> moves;
    const int count = board.moves(moves);
    return {moves.begin(), moves.begin() + count};
}

TEST_CASE("random games go as the plain rules say") {
    std::mt19937 random(1);
    int drawn = 0, won = 0;
    for (const bool closed : {false, true})
        for (int i = 0; i < 100; ++i) {
            testing::PlainUltimate plain{.closed = closed};
            Board board{.closed = closed};
            for (const int move : testing::random_ultimate_game(random, closed)) {
                REQUIRE(moves_of(board) == plain.moves());
                REQUIRE(board.turn == (plain.turn() == 'x' ? 0 : 1));
                REQUIRE_FALSE(board.last_has_won());
                REQUIRE_FALSE(board.no_room());
                board.play(move);
                plain.play(move);
                for (int field = 0; field < 9; ++field) {
                    REQUIRE((board.won[0] >> field & 1) == (plain.owners[field] == 'x'));
                    REQUIRE((board.won[1] >> field & 1) == (plain.owners[field] == 'o'));
                    REQUIRE((board.shut >> field & 1) == !plain.is_playable(field));
                }
            }
            REQUIRE(board.last_has_won() == (plain.winner() != 0));
            REQUIRE((board.last_has_won() || board.no_room()));
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
        CHECK(kTables.has_line[mask] == has_row(mask));
        if (has_row(mask)) continue;
        for (int spot = 0; spot < 9; ++spot) CHECK((kTables.completing[mask] >> spot & 1) == has_row(mask | 1 << spot));
    }
}

}  // namespace
}  // namespace inarow::ultimate::players
