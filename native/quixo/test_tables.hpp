// Whole tables of small boards, for unit tests.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "quixo/solver.hpp"
#include "testing/quixo.hpp"

namespace inarow::quixo {

inline Rules rules_of(const testing::PlainQuixo& plain) {
    return rules_in_a_row(plain.rows, plain.columns, plain.line, plain.double_line_wins);
}

using testing::word_of;

template <class Value>
using Pairs = std::map<std::pair<int, int>, Value>;

inline bool never() { return false; }

// The planes of every pair: those with the most marks are solved first.
inline Pairs<std::vector<SolvedPlane>> solve_planes(Solver& solver, bool plies) {
    Pairs<std::vector<SolvedPlane>> table;
    Interrupt interrupt(never);
    for (int marks = solver.layout().board().cells(); marks >= 0; --marks)
        for (int b = 0; 2 * b <= marks; ++b) {
            const int a = marks - b;
            const auto above = [&](int side) {
                return side == 0 ? table.at({a + 1, b})[1].stored() : table.at({a, b + 1})[0].stored();
            };
            table[{a, b}] = solver.solve(a, b, plies, above, interrupt);
        }
    return table;
}

// The entries of every pair: plane 0 and, unless a = b, plane 1.
template <class Entry>
Pairs<std::vector<Entry>> solve_all(Solver& solver) {
    Pairs<std::vector<Entry>> table;
    for (const auto& [pair, planes] : solve_planes(solver, true))
        for (const SolvedPlane& plane : planes) {
            const std::size_t entries = solver.layout().plane_entries(pair.first, pair.second);
            auto& its = table[pair];
            its.resize(its.size() + entries);
            to_entries(plane.stored(), 0, entries, its.data() + its.size() - entries);
        }
    return table;
}

}  // namespace inarow::quixo
