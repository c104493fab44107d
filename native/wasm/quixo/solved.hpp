// A small game, solved with plies: every entry in memory, and the counts of its classes.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "quixo/result.hpp"
#include "quixo/solver.hpp"
#include "quixo/source.hpp"
#include "quixo/table_reader.hpp"

namespace inarow::wasm {

constexpr int quick_cells = 16;  // of boards that are solved when they are asked for

class Solved : public quixo::Source {
  public:
    struct PlyCounts {
        int plies;
        std::int64_t win, loss;
    };
    // The positions with m marks of the side to move and o of the other.
    struct ClassCounts {
        int m, o;
        std::int64_t draw;
        std::vector<PlyCounts> by_plies;  // in ascending order, without those that have none
    };

    explicit Solved(quixo::Rules rules)
        : quixo::Source(quixo::Origin::table, rules.cells(), rules.cells(), rules.cells()), reader_(rules) {
        quixo::Solver solver(rules, 1);
        for (int marks = rules.cells(); marks >= 0; --marks)
            for (int b = 0; 2 * b <= marks; ++b) solve_pair(solver, marks - b, b);
        planes_.clear();
        // What the prober lists first has many marks.
        quixo::sort_few(classes_, [](const ClassCounts& its) { return std::pair(-its.m - its.o, -its.m); });
    }

    bool look_up(std::span<const std::uint64_t> words, std::span<quixo::Result> results) override {
        std::ranges::transform(words, results.begin(), [&](std::uint64_t word) { return probe(word); });
        return true;
    }
    quixo::Result probe(std::uint64_t word) const { return reader_.probe(word); }
    std::span<const ClassCounts> classes() const { return classes_; }

  private:
    void solve_pair(quixo::Solver& solver, int a, int b) {
        const auto above = [&](int side) {
            return side == 0 ? planes_.at({a + 1, b})[1].stored() : planes_.at({a, b + 1})[0].stored();
        };
        quixo::Interrupt never([] { return false; });
        auto& planes = planes_[{a, b}] = solver.solve(a, b, true, above, never);
        auto& entries = entries_.emplace_back();
        const std::size_t size = solver.layout().plane_entries(a, b);
        for (std::size_t plane = 0; plane < planes.size(); ++plane) {
            entries.resize((plane + 1) * size);
            quixo::to_entries(planes[plane].stored(), 0, size, entries.data() + plane * size);
            count(plane ? b : a, plane ? a : b, planes[plane].histogram);
        }
        reader_.add(a, b, {entries.data(), 2});
    }

    void count(int m, int o, const std::vector<std::uint64_t>& histogram) {
        const int top = static_cast<int>(histogram.size()) - 1, draw = top / 2;
        ClassCounts counts{m, o, static_cast<std::int64_t>(histogram[draw]), {}};
        for (int plies = 0; plies < draw; ++plies)
            if (histogram[plies] || histogram[top - plies])
                counts.by_plies.push_back({plies, static_cast<std::int64_t>(histogram[top - plies]),
                                           static_cast<std::int64_t>(histogram[plies])});
        classes_.push_back(std::move(counts));
    }

    std::map<std::pair<int, int>, std::vector<quixo::SolvedPlane>> planes_;  // until all are solved
    std::vector<std::vector<std::uint16_t>> entries_;                        // of each pair
    quixo::TableReader reader_;
    std::vector<ClassCounts> classes_;
};

}  // namespace inarow::wasm
