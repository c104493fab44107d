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

TEST_CASE("an allocation that fails on any thread reaches the caller of the solver") {
    for (const int threads : {1, 2})
        for (const std::uint32_t small : {0u, 1000u})
            for (const bool plies : {true, false}) {
                Solver solver(rules_of(kPlain), threads, "auto", small);
                const auto bytes = [&] {
                    std::vector<std::uint8_t> found;
                    for (const auto& [pair, planes] : solve_planes(solver, plies))
                        for (const SolvedPlane& plane : planes) {
                            const std::size_t size = solver.layout().plane_entries(pair.first, pair.second);
                            const auto* outcomes = plane.outcomes.get();
                            found.insert(found.end(), outcomes, outcomes + packed::bytes(size));
                            if (plies) found.insert(found.end(), plane.plies.get(), plane.plies.get() + size);
                        }
                    return found;
                };
                const auto expected = bytes();
                solve_out_of_memory(bytes, [&](const auto& found) { CHECK(found == expected); });
            }
}

}  // namespace
}  // namespace inarow::quixo
#endif
