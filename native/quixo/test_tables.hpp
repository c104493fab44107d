// Whole tables of small boards, for unit tests.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "quixo/outcome_solver.hpp"
#include "quixo/plies_solver.hpp"
#include "testing/quixo.hpp"

namespace inarow::quixo {

inline Rules rules_of(const testing::PlainQuixo& plain) {
    return rules_in_a_row(plain.rows, plain.columns, plain.line, plain.double_line_wins);
}

using testing::word_of;

// Pairs {a, b} with the most marks first, so that a pair comes after those that a new mark leads to.
inline std::vector<std::pair<int, int>> pairs_in_order(int cells) {
    std::vector<std::pair<int, int>> pairs;
    for (int marks = cells; marks >= 0; --marks)
        for (int b = 0; 2 * b <= marks; ++b) pairs.emplace_back(marks - b, b);
    return pairs;
}

template <class Value>
using Pairs = std::map<std::pair<int, int>, Value>;

inline bool never() { return false; }

// The entries of every pair: plane 0 and, unless a = b, plane 1.
template <class Entry>
Pairs<std::vector<Entry>> solve_all(Solver& solver) {
    Pairs<std::vector<Entry>> table;
    const int cells = solver.layout().board().cells();
    Interrupt interrupt(never);
    for (int marks = cells; marks >= 0; --marks) {
        std::vector<PairTask<Entry>> layer;
        for (int b = 0; 2 * b <= marks; ++b) {
            const int a = marks - b;
            table[{a, b}].resize(solver.entries(a, b));
            PairTask<Entry> task{a, b, {nullptr, sizeof(Entry)}, {nullptr, sizeof(Entry)}, table[{a, b}].data(), {}};
            if (marks < cells) {
                task.larger.data = table[{a + 1, b}].data() + solver.layout().plane_entries(a + 1, b);
                if (a > b) task.smaller.data = table[{a, b + 1}].data();
            }
            layer.push_back(std::move(task));
        }
        solver.solve(layer, interrupt);
    }
    return table;
}

struct OutcomePlanes {
    std::vector<std::uint8_t> plane[2];
    OutcomeCounts counts[2];
};

inline Pairs<OutcomePlanes> solve_all_outcomes(OutcomeSolver& solver) {
    Pairs<OutcomePlanes> table;
    const int cells = solver.layout().board().cells();
    Interrupt interrupt(never);
    for (const auto& [a, b] : pairs_in_order(cells)) {
        OutcomePlanes& planes = table[{a, b}];
        OutcomeTask task{a, b, nullptr, nullptr, {nullptr, nullptr}, {}};
        for (int plane = 0; plane < task.plane_count(); ++plane) {
            planes.plane[plane].resize(packed::bytes(solver.layout().plane_entries(a, b)));
            task.planes[plane] = planes.plane[plane].data();
        }
        if (a + b < cells) {
            task.more_larger = table[{a + 1, b}].plane[1].data();
            if (a > b) task.more_smaller = table[{a, b + 1}].plane[0].data();
        }
        solver.solve(task, interrupt);
        std::copy(task.counts, task.counts + 2, planes.counts);
    }
    return table;
}

template <class Plies>
struct PliesPlanes {
    std::vector<std::uint8_t> outcomes[2];
    std::vector<Plies> plies[2];
    std::vector<std::uint64_t> histograms[2];

    PliesPlane plane(int number) const {
        return {outcomes[number].data(), {plies[number].data(), static_cast<int>(sizeof(Plies))}};
    }
};

// Stops at a pair that has more plies than can be held.
template <class Plies>
Pairs<PliesPlanes<Plies>> solve_all_plies(PliesSolver& solver) {
    Pairs<PliesPlanes<Plies>> table;
    const int cells = solver.layout().board().cells();
    Interrupt interrupt(never);
    for (const auto& [a, b] : pairs_in_order(cells)) {
        PliesPlanes<Plies> planes;
        const std::size_t entries = solver.layout().plane_entries(a, b);
        PliesTask<Plies> task{a, b, {}, {}, {}, {}};
        for (int plane = 0; plane < task.plane_count(); ++plane) {
            planes.outcomes[plane].resize(packed::bytes(entries));
            planes.plies[plane].resize(entries);
            task.outcomes[plane] = planes.outcomes[plane].data();
            task.plies[plane] = planes.plies[plane].data();
        }
        task.more = [&, a = a, b = b](int side) -> PliesPlane {
            if (a + b == cells || (side == 1 && a == b)) return {};
            return side == 0 ? table.at({a + 1, b}).plane(1) : table.at({a, b + 1}).plane(0);
        };
        if (!solver.solve(task, interrupt)) break;
        std::move(task.histograms, task.histograms + 2, planes.histograms);
        table[{a, b}] = std::move(planes);
    }
    return table;
}

}  // namespace inarow::quixo
