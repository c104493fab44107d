#include "ultimate/policy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "ultimate/test_positions.hpp"

namespace inarow::ultimate {
namespace {

// Plays the policy of one side against every move of the other.
void play_policy(const Policy& policy, const testing::PlainUltimate& at, int plies, bool x_succeeds) {
    if (at.is_over() || static_cast<int>(at.played.size()) >= plies) {
        REQUIRE((at.winner() == 'x') == x_succeeds);
        return;
    }
    const auto follow = [&](int move) { play_policy(policy, at.after(move), plies, x_succeeds); };
    const bool x_moves = at.turn() == 'x';
    if (x_moves == x_succeeds) {
        if (const std::optional<int> move = policy.move(board_of(at))) return follow(*move);
        REQUIRE_FALSE(x_succeeds);  // any move will do: X is too late
    }
    for (const int move : at.moves()) follow(move);
}

// The positions in which the policy has a move, up to what matters, each once.
std::size_t positions_of(const Policy& policy, const Board& root, const Question& question, bool x_succeeds) {
    const auto essence = [&](const Board& board) {
        return canonical(board, Budgets(board, Needs::of(board), question), question).essence;
    };
    std::size_t count = 0;
    std::map<Essence, Board> level{{essence(root), root}};
    while (!level.empty()) {
        std::map<Essence, Board> next;
        for (const auto& [at, board] : level) {
            const Needs needs = Needs::of(board);
            if (settled(board, needs, Budgets(board, needs, question)) != Value::Unknown) continue;
            std::vector<int> moves;
            if (board.x_to_move() == x_succeeds) {
                ++count;
                moves = {policy.move(board).value()};
            } else {
                const Moves all = board.moves();
                moves.assign(all.begin(), all.end());
            }
            for (const int move : moves) next.emplace(essence(board.after(move)), board.after(move));
        }
        level = std::move(next);
    }
    return count;
}

TEST_CASE("a policy succeeds against every move") {
    Prover prover(1 << 20);
    int policies = 0;
    std::size_t answers = 0;
    each_question(150, 7, [&](const testing::PlainUltimate& plain, int plies) {
        const Board root = board_of(plain);
        const bool x_succeeds = prover.wins(root, {plies}, nullptr);
        const Value success = x_succeeds ? Value::Wins : Value::Fails;
        std::vector<std::uint8_t> ranks = make_policy(prover, root, {plies}, success, nullptr);
        const Policy policy(root, {plies}, success, ranks, nullptr);
        REQUIRE(policy.size() == ranks.size());
        play_policy(policy, plain, plies, x_succeeds);
        REQUIRE(positions_of(policy, root, {plies}, x_succeeds) == ranks.size());
        ++policies;
        answers += ranks.size();

        // Ranks that are no policy.
        const auto refused = [&](const std::vector<std::uint8_t>& wrong, Value claim) {
            CHECK_THROWS_AS(Policy(root, {plies}, claim, wrong, nullptr), NotAPolicy);
        };
        ranks.push_back(0);
        refused(ranks, success);
        ranks.pop_back();
        if (ranks.empty()) {
            refused(ranks, x_succeeds ? Value::Fails : Value::Wins);
            return;
        }
        const std::uint8_t last = ranks.back();
        ranks.back() = 81;
        refused(ranks, success);
        ranks.back() = last;
        ranks.pop_back();
        refused(ranks, success);
    });
    CHECK(policies > 200);
    CHECK(answers > 100);
}

TEST_CASE("ranked moves are all moves, and those that leave little room come first") {
    std::mt19937 random(5);
    for (int i = 0; i < 50; ++i) {
        const testing::PlainUltimate plain = testing::late_ultimate_position(random, 1 + i % 40);
        const Board board = board_of(plain);
        const Moves ranked = ranked_moves(board);
        std::vector<int> sorted(ranked.begin(), ranked.end());
        std::sort(sorted.begin(), sorted.end());
        REQUIRE(sorted == plain.moves());
        int before = 0;
        for (const int move : ranked) {
            const testing::PlainUltimate after = plain.after(move);
            const bool anywhere = !after.is_playable(move % 9);
            int room = anywhere ? 81 : 0;
            for (int spot = 0; !anywhere && spot < 9; ++spot) room += after.marks[move % 9 * 9 + spot] == 0;
            REQUIRE(room >= before);
            before = room;
        }
    }
}

}  // namespace
}  // namespace inarow::ultimate
