#include "quixo/search.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "testing/quixo.hpp"

namespace inarow::quixo {
namespace {

using testing::PlainQuixo;
using testing::QuixoPosition;
using testing::QuixoValue;

constexpr double kLong = 60;

Rules rules_of(const PlainQuixo& plain) {
    return rules_in_a_row(plain.rows, plain.columns, plain.line, plain.double_line_wins);
}

Search::Question find(Search& search, Search::Question question, int plies) {
    REQUIRE(search.find({&question, 1}, plies, kLong, [] { return false; }) == plies);
    return question;
}

TEST_CASE("a known outcome is kept, and its plies are found") {
    constexpr int kPlies = 4;
    testing::each_quixo(8, [&](const PlainQuixo& plain) {
        const std::vector<QuixoValue>& values = plain.solve();
        Search search(rules_of(plain));
        plain.each_position([&](const QuixoPosition& at) {
            const QuixoValue value = values[plain.number(at)];
            const auto question = find(search, {testing::word_of(at), static_cast<Outcome>(value.outcome)}, kPlies);
            REQUIRE(static_cast<int>(question.outcome) == value.outcome);
            REQUIRE(question.plies == (value.plies <= kPlies ? value.plies : -1));
        });
    });
}

TEST_CASE("with the facts of classes more is found, and it is right") {
    constexpr int kPlies = 3;
    int more = 0;
    testing::each_quixo(9, [&](const PlainQuixo& plain) {
        const std::vector<QuixoValue>& values = plain.solve();
        const int side = plain.cells() + 1;
        std::vector<Search::ClassFacts> facts(static_cast<std::size_t>(side * side), {0, 0, false, 0});
        plain.each_position([&](const QuixoPosition& at) {
            const QuixoValue value = values[plain.number(at)];
            auto& of_class = facts[static_cast<std::size_t>(std::popcount(at.mover) * side + std::popcount(at.other))];
            if (value.outcome == 0) of_class.has_draws = true;
            int& longest = value.outcome > 0 ? of_class.longest_win : of_class.longest_loss;
            longest = std::max(longest, value.plies);
        });
        Search search(rules_of(plain), facts);
        plain.each_position([&](const QuixoPosition& at) {
            const QuixoValue value = values[plain.number(at)];
            const Search::Question result = find(search, {testing::word_of(at)}, kPlies);
            if (result.outcome == Outcome::missing) {
                REQUIRE((value.outcome == 0 || value.plies > kPlies));
                return;
            }
            REQUIRE(static_cast<int>(result.outcome) == value.outcome);
            REQUIRE(result.plies == (value.plies <= kPlies ? value.plies : -1));
            more += value.outcome == 0 || value.plies > kPlies;
        });
    });
    CHECK(more > 1000);
}

TEST_CASE("what is proven is true, and takes no more plies than that") {
    constexpr std::uint64_t kNodes = 300;
    int proven = 0, of_all = 0, wins = 0, followed = 0;
    testing::each_quixo(9, [&](const PlainQuixo& plain) {
        const std::vector<QuixoValue>& values = plain.solve();
        Search search(rules_of(plain));
        plain.each_position([&](const QuixoPosition& at) {
            const QuixoValue value = values[plain.number(at)];
            const Result result = search.prove(testing::word_of(at), Outcome::missing, kNodes, kLong);
            of_all += value.outcome != 0;
            if (result.outcome == Outcome::missing) return;
            ++proven;
            REQUIRE(static_cast<int>(result.outcome) == value.outcome);
            REQUIRE(result.plies >= value.plies);
            // One of the moves of a proven win leads to a shorter proof, if nothing has taken its place.
            if (result.outcome != Outcome::win || result.plies < 2) return;
            ++wins;
            followed += std::ranges::any_of(plain.successors(at), [&](const QuixoPosition& after) {
                const Result found = search.proven(testing::word_of(after));
                return found.outcome == Outcome::loss && found.plies < result.plies;
            });
        });
    });
    CHECK(proven > of_all * 9 / 10);
    CHECK(followed > wins * 9 / 10);
}

// In how many plies the winner can force a new mark or the end of the game without giving the win away, by the number
// of the position; -1 if never. What is decided sooner is found first.
std::vector<int> plies_to_new_mark(const PlainQuixo& plain, const std::vector<QuixoValue>& values) {
    std::vector<int> plies(values.size(), -1);
    for (bool changed = true; changed;) {
        changed = false;
        const std::vector<int> before = plies;
        plain.each_position([&](const QuixoPosition& at) {
            const int outcome = values[plain.number(at)].outcome;
            if (outcome == 0 || plain.ended(at) || before[plain.number(at)] >= 0) return;
            int soonest = 1 << 20, latest = 0;
            for (const QuixoPosition& after : plain.successors(at)) {
                if (outcome > 0 && values[plain.number(after)].outcome >= 0) continue;  // gives the win away
                const bool grows = std::popcount(after.mover | after.other) > std::popcount(at.mover | at.other);
                const int rest = grows || plain.ended(after) ? 0 : before[plain.number(after)];
                latest = std::max(latest, rest < 0 ? 1 << 20 : rest);
                if (rest >= 0) soonest = std::min(soonest, rest);
            }
            const int found = outcome > 0 ? soonest : latest;
            if (found == 1 << 20) return;
            plies[plain.number(at)] = found + 1;
            changed = true;
        });
    }
    return plies;
}

TEST_CASE("with an oracle, a winner forces a new mark or the end, no sooner than possible, and nobody else does") {
    testing::each_quixo(8, [&](const PlainQuixo& plain) {
        const std::vector<QuixoValue>& values = plain.solve();
        const std::vector<int> plies = plies_to_new_mark(plain, values);
        const auto oracle = [&](std::span<const std::uint64_t> words, std::span<Outcome> outcomes) {
            for (std::size_t i = 0; i < words.size(); ++i) {
                const QuixoPosition at{static_cast<Mask>(words[i] >> 32), static_cast<Mask>(words[i])};
                outcomes[i] = static_cast<Outcome>(values[plain.number(at)].outcome);
            }
        };
        Search search(rules_of(plain), {}, true, [] {}, oracle);
        plain.each_position([&](const QuixoPosition& at) {
            if (plain.ended(at)) return;
            const Result found = search.prove(testing::word_of(at), Outcome::win, 20'000, kLong);
            const bool won = values[plain.number(at)].outcome > 0;
            REQUIRE((found.outcome == Outcome::win) == won);
            if (won) REQUIRE(found.plies >= plies[plain.number(at)]);
        });
    });
}

TEST_CASE("an oracle's exception ends the search") {
    struct Stop {};
    Search search(rules_in_a_row(3, 3, 3, false), {}, true, [] {}, [](auto, auto) { throw Stop{}; });
    CHECK_THROWS_AS(search.prove(0, Outcome::win, 100, kLong), Stop);
}

TEST_CASE("a guess prefers the side that is about to win") {
    Search search(rules_in_a_row(5, 5, 5, false));
    const QuixoPosition ahead{0b01111, 0b11 << 10}, behind{0b11 << 10, 0b01111};
    CHECK(search.guess(testing::word_of(ahead), 2) > 1000);
    CHECK(search.guess(testing::word_of(ahead), 2) > search.guess(testing::word_of(behind), 2));
    CHECK(search.guess(testing::word_of({1, 0}), 0) ==
          -search.guess(testing::word_of({0, 1}), 0) + 250);  // it is worth half a mark to be on move
}

TEST_CASE("a search ends when its time is up, when it is stopped, and when its caller throws") {
    constexpr int kDepth = 25;  // takes for ever
    Search::Question start{0};
    Search short_of_time(rules_in_a_row(5, 5, 5, false));
    CHECK_FALSE(short_of_time.deepen({&start, 1}, kDepth, 0.05));
    CHECK(start.outcome == Outcome::missing);

    Search stopped(rules_in_a_row(5, 5, 5, false));
    std::thread other([&] { stopped.stop(); });
    CHECK_FALSE(stopped.deepen({&start, 1}, kDepth, kLong));
    other.join();

    struct Stop {};
    Search throwing(rules_in_a_row(5, 5, 5, false), {}, true, [] { throw Stop{}; });
    CHECK_THROWS_AS(throwing.deepen({&start, 1}, kDepth, kLong), Stop);
}

}  // namespace
}  // namespace inarow::quixo
