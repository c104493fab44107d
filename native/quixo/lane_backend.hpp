// Solves pairs with one kind of lanes: distributes them among threads, and keeps what they share as long as it is
// small.
#pragma once

#include <map>

#include "pair_solver.hpp"
#include "solver.hpp"

namespace inarow::quixo {

template <class Lanes>
class LaneBackend final : public PairBackend<typename Lanes::Entry> {
  public:
    using Entry = typename Lanes::Entry;

    explicit LaneBackend(const Layout& layout) : layout_(layout) {}

    // Small pairs are solved in parallel, each in one core's cache; a large one by all threads together.
    void solve(ThreadPool& pool, std::vector<PairTask<Entry>*> tasks, Interrupt& interrupt) override {
        workspaces_.resize(pool.threads());
        for (const auto* task : tasks) {
            auto& moves = moves_[task->a];
            if (!moves) moves = std::make_unique<LaneMoves<Lanes>>(layout_, task->a, pool);
        }
        if (tasks.size() == 1 && work(*tasks[0]) <= alone_at_most) {
            solve(alone_, *tasks[0], workspaces_[0], interrupt);
            if (!retains_) forget();
            return;
        }
        std::sort(tasks.begin(), tasks.end(), [&](const auto* s, const auto* t) { return work(*s) > work(*t); });
        const auto large = [&](const auto* task) { return work(*task) > 16'000'000 || tasks.size() == 1; };
        const auto first_small = std::find_if_not(tasks.begin(), tasks.end(), large);
        for (auto task = tasks.begin(); task != first_small; ++task) {
            Workspace once;
            solve(pool, **task, once, interrupt);
        }
        const std::size_t small = tasks.end() - first_small;
        pool.run([&](int thread) {
            pool.for_each(small, 1,
                          [&](std::size_t i) { solve(alone_, *first_small[i], workspaces_[thread], interrupt); });
        });
        if (!retains_) forget();
    }

    void retain() override { retains_ = true; }

    void forget() override {
        std::erase_if(moves_, [&](const auto& kept) { return !LaneMoves<Lanes>::is_small(layout_, kept.first); });
    }

    PairMemory memory(int a, int b) const override {
        using Pair = PairSolver<Lanes>;
        return {layout_.plane_entries(a, b) * (a == b ? 1 : 2) * sizeof(Entry),
                Pair::workspace_entries(layout_, a, b) * sizeof(Entry) + Pair::state_bytes(layout_, a),
                LaneMoves<Lanes>::bytes(layout_, a)};
    }

  private:
    // Entries that each pair overwrites in turn.
    struct Workspace {
        std::unique_ptr<Entry[]> entries;
        std::size_t size = 0;

        Entry* at_least(std::size_t needed) {
            if (size < needed) {
                size = 0;
                entries.reset();
                entries = std::make_unique_for_overwrite<Entry[]>(needed);
                size = needed;
            }
            return entries.get();
        }
    };

    std::size_t work(const PairTask<Entry>& task) const { return layout_.plane_entries(task.a, task.b); }

    void solve(ThreadPool& pool, PairTask<Entry>& task, Workspace& workspace, Interrupt& interrupt) {
        const auto [a, b] = std::pair(task.a, task.b);
        Entry* entries = workspace.at_least(PairSolver<Lanes>::workspace_entries(layout_, a, b));
        PairSolver<Lanes> solver(layout_, *moves_.at(a), a, b, task.larger, task.smaller, task.out, entries, interrupt);
        task.overflow = !solver.solve(pool);
        if (task.overflow || interrupt.asked()) return;
        for (int plane = 0; plane < (a == b ? 1 : 2); ++plane)
            task.histograms[plane] = histogram(pool, a, b, task.out + plane * layout_.plane_entries(a, b));
    }

    std::vector<std::uint64_t> histogram(ThreadPool& pool, int a, int b, const Entry* plane) const {
        constexpr std::size_t values = std::size_t{1} << sizeof(Entry) * 8;
        const std::uint32_t entries = layout_.block_entries(a, b);
        const std::size_t blocks = layout_.blocks(a).size();
        std::vector<std::uint64_t> total(values);
        Mutex adding;
        pool.run([&](int) {
            // Neighbours are often equal: four counters in rotation, so that no addition waits for the last store.
            std::vector<std::uint64_t> mine(4 * values);
            pool.for_each(blocks, 64, [&](std::size_t block) {
                const int weight = layout_.orbit(a, block);
                for (std::uint32_t i = 0; i < entries; ++i)
                    mine[(i & 3) * values + plane[block * entries + i]] += weight;
            });
            const std::lock_guard lock(adding);
            for (std::size_t i = 0; i < mine.size(); ++i) total[i % values] += mine[i];
        });
        return total;
    }

    const Layout& layout_;
    ThreadPool alone_{1};
    bool retains_ = false;
    std::map<int, std::unique_ptr<LaneMoves<Lanes>>> moves_;
    std::vector<Workspace> workspaces_;  // one for each thread
};

}  // namespace inarow::quixo
