// A backend for one kind of lanes: shares a layer of pairs out, and keeps what pairs have in common.
#pragma once

#include <map>
#include <mutex>

#include "pair_solver.hpp"
#include "solver.hpp"

namespace inarow::quixo {

template <class Lanes>
class Backend final : public PairBackend<typename Lanes::Entry> {
  public:
    using Entry = typename Lanes::Entry;

    explicit Backend(const Layout& layout) : layout_(layout) {}

    // Small pairs are solved side by side, each in one core's cache; a large one by all threads together.
    void solve(Team& team, std::vector<PairTask<Entry>>& layer) override {
        workspaces_.resize(team.threads());
        std::vector<PairTask<Entry>*> tasks;
        for (auto& task : layer) {
            auto& moves = moves_[task.a];
            if (!moves) moves = std::make_unique<BlockMoves<Lanes>>(layout_, task.a, team);
            tasks.push_back(&task);
        }
        std::sort(tasks.begin(), tasks.end(), [&](const auto* s, const auto* t) { return work(*s) > work(*t); });
        const auto large = [&](const auto* task) { return work(*task) > 16'000'000; };
        const auto first_small = std::find_if_not(tasks.begin(), tasks.end(), large);
        for (auto task = tasks.begin(); task != first_small; ++task) solve(team, **task, workspaces_[0]);
        const std::size_t small = tasks.end() - first_small;
        team.run([&](int thread) {
            team.for_each(small, 1, [&](std::size_t i) { solve(alone_, *first_small[i], workspaces_[thread]); });
        });
    }

  private:
    std::size_t work(const PairTask<Entry>& task) const { return layout_.plane_entries(task.a, task.b); }

    void solve(Team& team, PairTask<Entry>& task, std::vector<Entry>& workspace) {
        const auto [a, b] = std::pair(task.a, task.b);
        // A new mark of the larger side is seen by the smaller side (plane 1), and the other way round (plane 0).
        const Entry* more_larger = task.larger ? task.larger + layout_.plane_entries(a + 1, b) : nullptr;
        PairSolver<Lanes> solver(layout_, *moves_.at(a), a, b, more_larger, task.smaller, task.out, workspace);
        task.overflow = !solver.solve(team);
        for (int plane = 0; plane < (a == b ? 1 : 2); ++plane)
            task.histograms[plane] = histogram(team, a, b, task.out + plane * layout_.plane_entries(a, b));
    }

    std::vector<std::uint64_t> histogram(Team& team, int a, int b, const Entry* plane) const {
        constexpr std::size_t values = std::size_t{1} << sizeof(Entry) * 8;
        const std::uint32_t entries = layout_.block_entries(a, b);
        const std::size_t blocks = layout_.blocks(a).size();
        std::vector<std::uint64_t> total(values);
        std::mutex adding;
        team.run([&](int) {
            // Neighbours are often equal: counted in turn in four places, so that none waits for the last one's store.
            std::vector<std::uint64_t> mine(4 * values);
            team.for_each(blocks, 64, [&](std::size_t block) {
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
    Team alone_{1};
    std::map<int, std::unique_ptr<BlockMoves<Lanes>>> moves_;
    std::vector<std::vector<Entry>> workspaces_;  // one for each thread
};

}  // namespace inarow::quixo
