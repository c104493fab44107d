#include "verify/ultimate/checker.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "testing/ultimate.hpp"

namespace inarow::verify::ultimate {
namespace {

using testing::PlainUltimate;

Report check(const Claim& claim, const std::vector<std::uint8_t>& answers) {
    return check_claim(claim, answers.data(), answers.size(), nullptr);
}

// Tries all answers, one position after the other. True if some policy shows the claim, which is then in `answers`.
bool find_policy(const Claim& claim, std::vector<std::uint8_t>& answers) {
    const Report report = check(claim, answers);
    if (report.failure.empty()) return true;
    if (report.failure.find("there is no answer") == std::string::npos) return false;
    for (std::uint8_t answer = 0; answer < 81; ++answer) {
        answers.push_back(answer);
        const bool is_a_move = check(claim, answers).failure.find(" moves") == std::string::npos;
        if (is_a_move && find_policy(claim, answers)) return true;
        answers.pop_back();
        if (!is_a_move) return false;
    }
    return false;
}

TEST_CASE("a claim has a policy exactly if it is true") {
    std::mt19937 random(1);
    int shown = 0, longest = 0;
    std::array<int, 2> truths{};
    for (int i = 0; i < 500; ++i) {
        const PlainUltimate plain = testing::late_ultimate_position(random, 1 + i % 5);
        const int ply = static_cast<int>(plain.played.size());
        for (int plies = ply + 1; plies <= std::min(81, ply + 4); ++plies) {
            const bool x_wins = plain.x_wins_by(plies);
            ++truths[x_wins];
            for (const Side side : {Side::X, Side::O}) {
                const Claim claim{side, plies, plain.played};
                std::vector<std::uint8_t> answers;
                REQUIRE(find_policy(claim, answers) == ((side == Side::X) == x_wins));
                if (answers.empty()) continue;
                ++shown;
                const Report report = check(claim, answers);
                CHECK(report.answered == answers.size());
                CHECK(report.longest <= plies);
                longest = std::max(longest, static_cast<int>(answers.size()));
                answers.push_back(0);
                CHECK(check(claim, answers).failure.find("1 answers are left over") != std::string::npos);
                answers.pop_back();
                answers.pop_back();
                CHECK(check(claim, answers).failure.find("there is no answer") != std::string::npos);
            }
        }
    }
    CHECK(truths[0] > 20);
    CHECK(truths[1] > 20);
    CHECK(shown > 20);
    CHECK(longest > 1);
}

TEST_CASE("a win is counted to the ply on which it comes") {
    std::mt19937 random(2);
    int found = 0;
    while (found < 10) {
        const PlainUltimate plain = testing::late_ultimate_position(random, 1);
        const int ply = static_cast<int>(plain.played.size());
        if (plain.turn() != 'x' || !plain.x_wins_by(ply + 1)) continue;
        ++found;
        const Claim claim{Side::X, ply + 1, plain.played};
        int winning = 0;
        for (const int move : plain.moves()) {
            PlainUltimate after = plain;
            after.play(move);
            winning += after.winner() == 'x';
        }
        for (std::uint8_t answer = 0; answer < 81; ++answer) {
            const Report report = check(claim, {answer});
            if (!report.failure.empty()) continue;
            --winning;
            CHECK(report.longest == ply + 1);
            CHECK(report.answered == 1);
            CHECK(report.opposed == 0);
        }
        CHECK(winning == 0);
    }
}

TEST_CASE("nobody wins in fewer than seventeen plies") {
    for (const int plies : {1, 9, 15, 16}) {
        const Report report = check({Side::O, plies, {}}, {});
        CHECK(report.failure.empty());
        CHECK_FALSE(check({Side::X, plies, {}}, {}).failure.empty());
    }
    CHECK(check({Side::X, 17, {}}, {}).failure.find("there is no answer") == 0);
}

TEST_CASE("what is no claim is refused") {
    const auto refused = [](int plies, const std::vector<int>& moves) {
        CHECK_THROWS_AS(check({Side::X, plies, moves}, {}), std::invalid_argument);
    };
    refused(0, {});
    refused(82, {});
    refused(29, {-1});
    refused(29, {81});
    refused(29, {40, 40});
    refused(29, {0, 9});
    std::mt19937 random(3);
    std::vector<int> over;
    while (over.empty() || over.size() == 81) over = testing::random_ultimate_game(random);
    over.push_back(0);
    refused(81, over);
}

}  // namespace
}  // namespace inarow::verify::ultimate
