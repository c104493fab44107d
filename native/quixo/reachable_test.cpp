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
        std::set<QuixoPosition> with_predecessor;
        plain.each_position([&](const QuixoPosition& at) {
            if (plain.ended(at) != 0) return;
            for (const QuixoPosition& after : plain.successors(at)) with_predecessor.insert(after);
        });
        std::array<std::uint64_t, 3> expected{};
        plain.each_position([&](const QuixoPosition& at) {
            ++expected[static_cast<std::size_t>(reachable.contains(at)          ? Reach::reachable
                                                : with_predecessor.contains(at) ? Reach::unreachable_predecessor
                                                                                : Reach::no_predecessor)];
        });

        const Reachable found({plain.rows, plain.columns, plain.line, plain.double_line_wins}, [] {});
        std::array<std::uint64_t, 3> counted{};
        for (int a = 0; a <= plain.cells(); ++a)
            for (int b = 0; b <= a && a + b <= plain.cells(); ++b)
                for (int plane = 0; plane < (a == b ? 1 : 2); ++plane) {
                    const auto counts = found.counts(a, b, plane);
                    for (int kind = 0; kind < 3; ++kind) {
                        counted[static_cast<std::size_t>(kind)] += counts[static_cast<std::size_t>(kind)];
                        Mask mover = 0, other = 0;
                        const bool exists = found.example(a, b, plane, static_cast<Reach>(kind), mover, other);
                        REQUIRE(exists == (counts[static_cast<std::size_t>(kind)] != 0));
                        if (exists && static_cast<Reach>(kind) == Reach::reachable)
                            REQUIRE(reachable.contains({mover, other}));
                    }
                }
        CHECK(counted == expected);
    }
}

TEST_CASE("the walk can be stopped") {
    struct Stop {};
    CHECK_THROWS_AS(Reachable({3, 3, 3, false}, [] { throw Stop{}; }), Stop);
}

}  // namespace
}  // namespace inarow::quixo
