#include "positional/win_search.hpp"

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>
#include <tuple>

#include "positional/test_games.hpp"

namespace inarow::positional {
namespace {

// The rules and nothing else, on boards of up to 64 cells.
class Plain {
  public:
    explicit Plain(const Game& game) : game_(game) {}

    bool has_line(std::uint64_t marks) const {
        for (const Words& line : game_.lines)
            if ((line[0] & ~marks) == 0) return true;
        return false;
    }

    // X is to move, and nobody has a line.
    bool wins(std::uint64_t x, std::uint64_t o, int moves) {
        if (moves == 0) return false;
        const auto [at, is_new] = known_.try_emplace({x, o, moves}, false);
        if (is_new) at->second = winning_moves(x, o, moves) != 0;
        return at->second;
    }

    std::uint64_t winning_moves(std::uint64_t x, std::uint64_t o, int moves) {
        std::uint64_t winning = 0;
        for (int cell = 0; cell < game_.cells; ++cell)
            if (((x | o) >> cell & 1) == 0 && wins_after(x | bit<std::uint64_t>(cell), o, moves - 1))
                winning |= bit<std::uint64_t>(cell);
        return winning;
    }

  private:
    // O is to move.
    bool wins_after(std::uint64_t x, std::uint64_t o, int moves) {
        if (has_line(x)) return true;
        if (moves == 0) return false;
        bool can_reply = false;
        for (int cell = 0; cell < game_.cells; ++cell) {
            if (((x | o) >> cell & 1) != 0) continue;
            can_reply = true;
            const std::uint64_t next = o | bit<std::uint64_t>(cell);
            if ((!game_.maker_breaker && has_line(next)) || !wins(x, next, moves)) return false;
        }
        return can_reply;
    }

    const Game& game_;
    std::map<std::tuple<std::uint64_t, std::uint64_t, int>, bool> known_;
};

// Calls visit(x, o) for all positions with X to move and no line.
template <class Visit>
void each_position(const Plain& plain, int cells, Visit visit) {
    int states = 1;
    for (int cell = 0; cell < cells; ++cell) states *= 3;
    for (int state = 0; state < states; ++state) {
        std::uint64_t x = 0, o = 0;
        for (int cell = 0, rest = state; cell < cells; ++cell, rest /= 3) {
            if (rest % 3 == 1) x |= bit<std::uint64_t>(cell);
            if (rest % 3 == 2) o |= bit<std::uint64_t>(cell);
        }
        if (count(x) == count(o) && !plain.has_line(x) && !plain.has_line(o)) visit(x, o);
    }
}

TEST_CASE("all positions of 3x3 are as the rules say") {
    for (const bool maker_breaker : {false, true})
        for (const std::uint64_t memory : {std::uint64_t{0}, kMemory}) {
            CAPTURE(maker_breaker);
            CAPTURE(memory);
            const Game game = square(3, 3, maker_breaker);
            Plain plain(game);
            const auto search = make_win_search(game, memory);
            int positions = 0, won = 0;
            each_position(plain, game.cells, [&](std::uint64_t x, std::uint64_t o) {
                CAPTURE(x);
                CAPTURE(o);
                for (int moves = 1; moves <= 5; ++moves) {
                    const WinResult result = search->solve({x, 0}, {o, 0}, moves);
                    REQUIRE(result.wins == plain.wins(x, o, moves));
                    REQUIRE(search->winning_moves({x, 0}, {o, 0}, moves) == Words{plain.winning_moves(x, o, moves), 0});
                    if (!result.wins) continue;
                    REQUIRE(result.moves <= moves);
                    REQUIRE((plain.winning_moves(x, o, result.moves) >> result.move & 1) == 1);
                }
                const WinResult any = search->solve({x, 0}, {o, 0}, kUnlimited);
                REQUIRE(any.wins == plain.wins(x, o, 5));
                ++positions;
                won += any.wins;
            });
            CHECK(positions > 2000);
            CHECK(won > positions / 4);
            CHECK(won < positions);
        }
}

TEST_CASE("a mark of the breaker outside the zone does not spoil a win") {
    const Game game = square(3, 3, true);
    Plain plain(game);
    const auto search = make_win_search(game, kMemory);
    int spared = 0;
    each_position(plain, game.cells, [&](std::uint64_t x, std::uint64_t o) {
        const WinResult result = search->solve({x, 0}, {o, 0}, 5);
        if (!result.wins) return;
        for (std::uint64_t rest = board<std::uint64_t>(9) & ~(x | o | result.zone[0]); rest != 0;
             rest = without_lowest(rest), ++spared)
            REQUIRE(plain.wins(x, o | lowest_bit(rest), result.moves));
    });
    CHECK(spared > 100);
}

TEST_CASE("results that are known") {
    const auto first_player_wins = [](const Game& game, int moves) {
        return make_win_search(game, kMemory)->solve({}, {}, moves);
    };
    CHECK_FALSE(first_player_wins(square(3, 3, false), kUnlimited).wins);
    CHECK(first_player_wins(square(3, 3, true), kUnlimited).wins);
    CHECK(first_player_wins(square(4, 3, false), kUnlimited).wins);
    CHECK_FALSE(first_player_wins(square(4, 4, true), kUnlimited).wins);
    CHECK(first_player_wins({12, testing::lines_of(3, 4, 3), false, testing::identity(12)}, kUnlimited).wins);
    // Two in a row: the second mark wins, wherever the first one is.
    const WinResult two = first_player_wins(square(2, 2, false), kUnlimited);
    CHECK(two.wins);
    CHECK(two.moves == 2);
    CHECK_FALSE(first_player_wins(square(2, 2, false), 1).wins);
}

TEST_CASE("a board of more than 64 cells gives the same answers") {
    constexpr int kFirst = 60, kCells = 70;
    const Game small{9, testing::lines_of(3, 3, 3), false, testing::identity(9)};
    const Game wide{kCells, testing::lines_of(3, 3, 3, kFirst), false, testing::identity(kCells)};
    const auto search = make_win_search(small, kMemory), wide_search = make_win_search(wide, kMemory);
    const Plain plain(small);
    each_position(plain, small.cells, [&](std::uint64_t x, std::uint64_t o) {
        const auto shifted = [](std::uint64_t mask) { return to_words(Wide{mask} << kFirst); };
        for (const int moves : {2, 4}) {
            const WinResult result = search->solve({x, 0}, {o, 0}, moves);
            const WinResult same = wide_search->solve(shifted(x), shifted(o), moves);
            REQUIRE(same.wins == result.wins);
            if (!result.wins) continue;
            REQUIRE(same.moves == result.moves);
            REQUIRE(same.move == result.move + kFirst);
            REQUIRE(same.zone == shifted(result.zone[0]));
        }
    });
}

TEST_CASE("a search can be stopped, and the search used again") {
    const Game game = square(5, 4, false);
    const auto search = make_win_search(game, kMemory);
    struct Stop {};
    search->report = [] { throw Stop{}; };
    CHECK_THROWS_AS(search->solve({}, {}, kUnlimited), Stop);
    const std::uint64_t nodes = search->statistics().nodes;
    CHECK(nodes > 0);
    search->report = nullptr;
    // Three in a row, both ends open.
    const WinResult result = search->solve({0b01110 << 10, 0}, {0b11 | 1 << 24, 0}, 3);
    CHECK(result.wins);
    CHECK(result.moves == 1);
    CHECK(search->statistics().nodes > nodes);
}

TEST_CASE("what is no position and no game is refused") {
    const Game game = square(3, 3, false);
    const auto search = make_win_search(game, kMemory);
    CHECK_THROWS_AS(search->solve({1, 0}, {1, 0}, 3), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({1 << 9, 0}, {}, 3), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({0b111, 0}, {0b11000, 0}, 3), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({}, {}, 0), std::invalid_argument);
    CHECK_THROWS_AS(search->solve({}, {}, kUnlimited + 1), std::invalid_argument);
    CHECK_THROWS_AS(search->winning_moves({1, 0}, {1, 0}, 3), std::invalid_argument);

    const auto refused = [](int cells, std::vector<Words> lines, std::vector<std::vector<std::uint8_t>> symmetries) {
        CHECK_THROWS_AS(make_win_search({cells, lines, false, symmetries}, kMemory), std::invalid_argument);
    };
    refused(0, {}, {{}});
    refused(129, {}, testing::identity(129));
    refused(2, {{0b100, 0}}, testing::identity(2));
    refused(2, {{0, 0}}, testing::identity(2));
    refused(2, {{0b11, 0}}, {});
    refused(2, {{0b11, 0}}, {{0, 2}});
    refused(2, {{0b11, 0}}, {{0}});
}

}  // namespace
}  // namespace inarow::positional
