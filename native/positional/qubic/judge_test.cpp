#include "positional/qubic/judge.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>

#include "positional/qubic/test_positions.hpp"

namespace inarow::qubic {
namespace {

using Remaining = std::set<std::pair<Cells, Cells>>;

// What needs an answer after a move of X's; false if O gets two threats at once. O is to move.
bool plainly_remaining(const Position& at, ThreatSearch& search, Remaining& found) {
    for (Cells rest = ~(at.x | at.o); rest != 0; rest &= rest - 1) {
        const Position next{at.x, at.o | (rest & -rest)};
        if (plain_threats(next.x, next.o) != 0) continue;  // X completes a line
        const Cells against = plain_threats(next.o, next.x);
        if (several(against)) return false;
        if (against != 0) {
            if (!plainly_remaining({next.x | against, next.o}, search, found)) return false;
        } else if (!search.find(Board(next))) {
            const Position form = canonical(next);
            found.emplace(form.x, form.o);
        }
    }
    return true;
}

Remaining as_set(const std::vector<Position>& positions) {
    Remaining set;
    for (const Position& position : positions) set.emplace(position.x, position.o);
    return set;
}

TEST_CASE("what remains after a move is what a plain count says") {
    Judge judge(12);
    ThreatSearch search(12);
    int held = 0;
    for (const Position& position : random_positions(12, 4, 4)) {
        if (!is_quiet(position) || search.find(Board(position))) continue;
        const int move = lowest(~(position.x | position.o));
        Remaining expected;
        const bool holds = plainly_remaining({position.x | bit(move), position.o}, search, expected);
        const Judgement judgement = judge.judge(Board(position), move, 1000);
        REQUIRE(judgement == (holds ? Judgement::Holds : Judgement::Lost));
        if (!holds) continue;
        ++held;
        REQUIRE(judge.remaining().size() == expected.size());
        CHECK(as_set(judge.remaining()) == expected);
        if (expected.empty()) continue;
        CHECK(judge.judge(Board(position), move, expected.size()) == Judgement::Holds);
        CHECK(judge.judge(Board(position), move, expected.size() - 1) == Judgement::TooMany);
    }
    CHECK(held > 2);
}

TEST_CASE("a move that lets O make two threats at once is lost") {
    Judge judge(12);
    // O's rows cross at cell 0, and X plays elsewhere.
    const Position position{bit(40) | bit(41) | bit(44) | bit(51), bit(1) | bit(2) | bit(4) | bit(8)};
    REQUIRE(is_quiet(position));
    CHECK(judge.judge(Board(position), 63, 1000) == Judgement::Lost);
    CHECK(judge.judge(Board(position), 0, 1000) == Judgement::Holds);
}

TEST_CASE("after the first move of the game nearly all replies remain") {
    Judge judge(12);
    REQUIRE(judge.judge(Board(), 0, 1000) == Judgement::Holds);
    CHECK(judge.remaining().size() == 12);  // up to symmetry
    REQUIRE(judge.judge(Board(), 1, 1000) == Judgement::Holds);
    CHECK(judge.remaining().size() == 23);
}

}  // namespace
}  // namespace inarow::qubic
