#include "quixo/outcome_solver.hpp"

#include <doctest/doctest.h>

#include "quixo/test_tables.hpp"

namespace inarow::quixo {
namespace {

using testing::PlainQuixo;
using testing::QuixoPosition;
using testing::QuixoValue;

// Every position has its outcome in the planes, and the counts are those of the positions.
void check_outcomes(const PlainQuixo& plain, const std::vector<QuixoValue>& values, const Layout& layout,
                    const Pairs<OutcomePlanes>& table) {
    Pairs<std::array<std::array<std::uint64_t, 3>, 2>> counts;
    plain.each_position([&](const QuixoPosition& at) {
        const bool mover_larger = std::popcount(at.mover) >= std::popcount(at.other);
        const Mask larger = mover_larger ? at.mover : at.other, smaller = mover_larger ? at.other : at.mover;
        const std::pair pair{std::popcount(larger), std::popcount(smaller)};
        const std::size_t plane = mover_larger ? 0 : 1, entry = layout.entry(larger, smaller);
        const int packed = table.at(pair).plane[plane][entry / 4] >> entry % 4 * 2 & 3;
        const int outcome = values[plain.number(at)].outcome;
        REQUIRE(packed - 1 == outcome);
        ++counts[pair][plane][static_cast<std::size_t>(outcome + 1)];
    });
    for (const auto& [pair, of_pair] : counts)
        for (int plane = 0; plane < (pair.first == pair.second ? 1 : 2); ++plane) {
            const OutcomeCounts& found = table.at(pair).counts[plane];
            const auto& [lost, drawn, won] = of_pair[static_cast<std::size_t>(plane)];
            CHECK(found.loss == lost);
            CHECK(found.draw == drawn);
            CHECK(found.win == won);
        }
}

TEST_CASE("outcomes of small boards of all shapes, entry by entry and as bitmaps") {
    testing::each_quixo(8, [&](const PlainQuixo& plain) {
        CAPTURE(plain.rows);
        CAPTURE(plain.columns);
        CAPTURE(plain.line);
        const std::vector<QuixoValue>& values = plain.solve();
        for (const std::uint32_t small : {0U, 5U, 1000U})
            for (const std::string lanes : {"portable", "auto"}) {
                CAPTURE(small);
                CAPTURE(lanes);
                OutcomeSolver solver(rules_of(plain), 1, lanes, small);
                check_outcomes(plain, values, solver.layout(), solve_all_outcomes(solver));
            }
    });
}

TEST_CASE("outcomes of 3x3 with any number of threads") {
    for (const bool double_line_wins : {false, true}) {
        const PlainQuixo plain{3, 3, 3, double_line_wins};
        const std::vector<QuixoValue>& values = plain.solve();
        for (const int threads : {1, 2, 3}) {
            OutcomeSolver solver(rules_of(plain), threads, "auto", 0);
            check_outcomes(plain, values, solver.layout(), solve_all_outcomes(solver));
            CHECK(solver.memory(4, 3) > 0);
        }
    }
}

TEST_CASE("work that is interrupted returns") {
    for (const std::uint32_t small : {0U, 1000U}) {
        OutcomeSolver solver(rules_in_a_row(3, 3, 3, false), 2, "auto", small);
        Interrupt interrupt([] { return true; });
        interrupt.poll();
        std::vector<std::uint8_t> planes[2];
        OutcomeTask task{5, 4, nullptr, nullptr, {nullptr, nullptr}, {}};
        for (int plane = 0; plane < 2; ++plane) {
            planes[plane].resize(packed::bytes(solver.layout().plane_entries(5, 4)));
            task.planes[plane] = planes[plane].data();
        }
        solver.solve(task, interrupt);
        CHECK(interrupt.asked());
    }
}

}  // namespace
}  // namespace inarow::quixo
