// Memory may run out on any thread, at any moment: the caller gets the exception, and can go on with the same solver.

// Clang links ThreadSanitizer's own operator new into the program, which leaves no room for one that fails.
#if defined(__clang__)
#if __has_feature(thread_sanitizer)
#define INAROW_CANNOT_FAIL
#endif
#endif

#ifndef INAROW_CANNOT_FAIL
#include <doctest/doctest.h>

#include "quixo/test_tables.hpp"
#include "testing/failing_allocations.hpp"

namespace inarow::quixo {
namespace {

using testing::FailingAllocation;
using testing::PlainQuixo;

const PlainQuixo kPlain{2, 2, 2, false};

// Solves again and again, each time with a later allocation failing, until there are not so many.
template <class Solve, class Check>
void solve_out_of_memory(Solve solve, Check check) {
    for (long before = 0;; before += 1 + before / 8) {
        CAPTURE(before);
        bool caught = false, happened = false;
        {
            FailingAllocation failing(before);
            try {
                solve();
            } catch (const std::bad_alloc&) {
                caught = true;
            }
            happened = FailingAllocation::happened();
        }
        REQUIRE(caught == happened);
        check(solve());
        if (!happened) return;
    }
}

TEST_CASE("an allocation that fails on any thread reaches the caller of the solver with plies") {
    for (const int threads : {1, 2}) {
        Solver solver(rules_of(kPlain), threads, "auto");
        const auto expected = solve_all<std::uint8_t>(solver);
        solve_out_of_memory([&] { return solve_all<std::uint8_t>(solver); },
                            [&](const auto& table) { CHECK(table == expected); });
    }
}

TEST_CASE("an allocation that fails on any thread reaches the caller of the solvers of bitmaps") {
    for (const int threads : {1, 2}) {
        OutcomeSolver outcomes(rules_of(kPlain), threads, "auto", 0);
        const auto planes_of = [](const Pairs<OutcomePlanes>& table) {
            std::vector<std::vector<std::uint8_t>> found;
            for (const auto& [pair, planes] : table) found.insert(found.end(), {planes.plane[0], planes.plane[1]});
            return found;
        };
        const auto expected = planes_of(solve_all_outcomes(outcomes));
        solve_out_of_memory([&] { return solve_all_outcomes(outcomes); },
                            [&](const auto& table) { CHECK(planes_of(table) == expected); });
        PliesSolver plies(rules_of(kPlain), threads, "auto", 0);
        const auto plies_of = [](const Pairs<PliesPlanes<std::uint8_t>>& table) {
            std::vector<std::vector<std::uint8_t>> found;
            for (const auto& [pair, planes] : table) found.insert(found.end(), {planes.plies[0], planes.plies[1]});
            return found;
        };
        const auto all = plies_of(solve_all_plies<std::uint8_t>(plies));
        solve_out_of_memory([&] { return solve_all_plies<std::uint8_t>(plies); },
                            [&](const auto& table) { CHECK(plies_of(table) == all); });
    }
}

}  // namespace
}  // namespace inarow::quixo
#endif
