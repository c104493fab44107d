#include "quixo/reachable.hpp"

#include <doctest/doctest.h>

#include <set>

#include "testing/quixo.hpp"

namespace inarow::quixo {
namespace {

using testing::PlainQuixo;
using testing::QuixoPosition;

std::set<QuixoPosition> plainly_reachable(const PlainQuixo& plain) {
    std::set<QuixoPosition> seen{{0, 0}};
    std::vector<QuixoPosition> waiting{{0, 0}};
    while (!waiting.empty()) {
        const QuixoPosition at = waiting.back();
        waiting.pop_back();
        if (plain.ended(at) != 0) continue;
        for (const QuixoPosition& after : plain.successors(at))
            if (seen.insert(after).second) waiting.push_back(after);
    }
    return seen;
}

TEST_CASE("the reachable positions are those of games from the empty board") {
    for (const PlainQuixo& plain : {PlainQuixo{2, 2, 2, false}, PlainQuixo{2, 4, 3, false}, PlainQuixo{3, 2, 3, false},
                                    PlainQuixo{3, 3, 3, false}, PlainQuixo{3, 3, 2, true}}) {
        const std::set<QuixoPosition> reachable = plainly_reachable(plain);
        const Reachable found(rules_in_a_row(plain.rows, plain.columns, plain.line, plain.double_line_wins), [] {});
        plain.each_position(
            [&](const QuixoPosition& at) { REQUIRE(found.contains(at.mover, at.other) == reachable.contains(at)); });
    }
}

TEST_CASE("the walk can be stopped") {
    struct Stop {};
    CHECK_THROWS_AS(Reachable(rules_in_a_row(3, 3, 3, false), [] { throw Stop{}; }), Stop);
}

}  // namespace
}  // namespace inarow::quixo
