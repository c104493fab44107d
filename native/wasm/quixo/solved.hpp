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
        quixo::Solver solver(rules, 1, "portable");
        solver.retain();
        for (int marks = rules.cells(); marks >= 0; --marks) solve_layer(solver, marks);
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
    // Entries of a pair, of one byte each where that is enough.
    struct Pair {
        std::vector<std::uint8_t> narrow;
        std::vector<std::uint16_t> wide;

        template <class Entry>
        std::vector<Entry>& entries() {
            if constexpr (sizeof(Entry) == 1)
                return narrow;
            else
                return wide;
        }
        quixo::StoredPair stored() const {
            if (wide.empty()) return {narrow.data(), 1};
            return {wide.data(), 2};
        }
    };

    void solve_layer(quixo::Solver& solver, int marks) {
        std::vector<std::pair<int, int>> narrow, wide;
        for (int a = (marks + 1) / 2; a <= marks; ++a) {
            const int b = marks - a;
            const bool fits = marks == solver.layout().board().cells() ||
                              (pairs_.at({a + 1, b}).wide.empty() && (a == b || pairs_.at({a, b + 1}).wide.empty()));
            (fits ? narrow : wide).emplace_back(a, b);
        }
        for (const auto& pair : solve<std::uint8_t>(solver, narrow)) wide.push_back(pair);
        solve<std::uint16_t>(solver, wide);
        for (int a = (marks + 1) / 2; a <= marks; ++a) reader_.add(a, marks - a, pairs_.at({a, marks - a}).stored());
    }

    // Solves pairs with the same number of marks. Returns those that need wider entries.
    template <class Entry>
    std::vector<std::pair<int, int>> solve(quixo::Solver& solver, const std::vector<std::pair<int, int>>& pairs) {
        const quixo::Layout& layout = solver.layout();
        std::vector<quixo::PairTask<Entry>> layer;
        for (const auto& [a, b] : pairs) {
            auto& out = pairs_[{a, b}].template entries<Entry>();
            out.resize(solver.entries(a, b));
            quixo::PairTask<Entry> task{a, b, {}, {}, out.data(), {}, false};
            if (a + b < layout.board().cells()) {
                // A new mark of the larger side is seen by the smaller one, in plane 1.
                task.larger = pairs_.at({a + 1, b}).stored().from(layout.plane_entries(a + 1, b));
                if (a > b) task.smaller = pairs_.at({a, b + 1}).stored();
            }
            layer.push_back(std::move(task));
        }
        quixo::Interrupt never([] { return false; });
        solver.solve(layer, never);
        std::vector<std::pair<int, int>> too_long;
        for (const auto& task : layer) {
            if (task.overflow) {
                too_long.emplace_back(task.a, task.b);
                pairs_[{task.a, task.b}] = {};
                continue;
            }
            for (int plane = 0; plane < (task.a == task.b ? 1 : 2); ++plane) count(task, plane);
        }
        return too_long;
    }

    template <class Entry>
    void count(const quixo::PairTask<Entry>& task, int plane) {
        const auto& histogram = task.histograms[plane];
        const int top = static_cast<int>(histogram.size()) - 1, draw = top / 2;
        ClassCounts counts{
            plane ? task.b : task.a, plane ? task.a : task.b, static_cast<std::int64_t>(histogram[draw]), {}};
        for (int plies = 0; plies < draw; ++plies)
            if (histogram[plies] || histogram[top - plies])
                counts.by_plies.push_back({plies, static_cast<std::int64_t>(histogram[top - plies]),
                                           static_cast<std::int64_t>(histogram[plies])});
        classes_.push_back(std::move(counts));
    }

    std::map<std::pair<int, int>, Pair> pairs_;
    quixo::TableReader reader_;
    std::vector<ClassCounts> classes_;
};

}  // namespace inarow::wasm
