// Solves pairs with one kind of lanes, and keeps what they share.
#pragma once

#include "instructions.hpp"
#include "pair_solver.hpp"

namespace inarow::quixo {

// A plane of so few entries is not worth several threads.
inline constexpr std::size_t entries_alone = 1 << 19;

template <class Lanes>
class LaneBackend final : public EntriesBackend<typename Lanes::Entry> {
    using Entry = typename Lanes::Entry;
    using Pair = PairSolver<Lanes>;

  public:
    explicit LaneBackend(const Layout& layout) : layout_(layout) {}

    bool solve(Loops& all, EntriesTask<Entry>& task, Interrupt& interrupt) override {
        const auto [a, b] = std::pair(task.a, task.b);
        const std::size_t entries = layout_.plane_entries(a, b);
        Loops& loops = entries <= entries_alone ? alone_ : all;
        auto& moves = moves_[a];
        if (!moves) moves = std::make_unique<LaneMoves<Lanes>>(layout_, a, all);
        const auto workspace = make_huge<Entry>(Pair::workspace_entries(layout_, a, b));
        Pair solver(layout_, *moves, task, workspace.get(), interrupt);
        if (!solver.solve(loops)) return false;
        for (int plane = 0; plane < (a == b ? 1 : 2) && !interrupt.asked(); ++plane)
            task.histograms[plane] = histogram(loops, a, b, task.out + plane * entries);
        return true;
    }

    void forget() override {
        std::erase_if(moves_, [&](const auto& kept) { return !LaneMoves<Lanes>::is_small(layout_, kept.first); });
    }

    std::size_t memory(int a, int b) const override {
        const std::size_t entries =
            layout_.plane_entries(a, b) * (a == b ? 1 : 2) + Pair::workspace_entries(layout_, a, b);
        return entries * sizeof(Entry) + Pair::state_bytes(layout_, a) + kept_memory(a);
    }
    std::size_t kept_memory(int a) const override { return LaneMoves<Lanes>::bytes(layout_, a); }

  private:
    std::vector<std::uint64_t> histogram(Loops& loops, int a, int b, const Entry* plane) const {
        constexpr std::size_t values = std::size_t{1} << sizeof(Entry) * 8;
        const std::uint32_t entries = layout_.block_entries(a, b);
        // Neighbours are often equal: four counters in rotation, so that no addition waits for the last store.
        std::vector<std::vector<std::uint64_t>> counts(loops.threads());
        for (auto& of_thread : counts) of_thread.resize(4 * values);
        loops.for_each(layout_.blocks(a).size(), 64, [&](std::size_t block, int thread) {
            const int weight = layout_.orbit(a, static_cast<std::uint32_t>(block));
            auto& mine = counts[thread];
            for (std::uint32_t i = 0; i < entries; ++i) mine[(i & 3) * values + plane[block * entries + i]] += weight;
        });
        std::vector<std::uint64_t> total(values);
        for (const auto& of_thread : counts)
            for (std::size_t i = 0; i < of_thread.size(); ++i) total[i % values] += of_thread[i];
        return total;
    }

    const Layout& layout_;
    Loops alone_{1};
    std::map<int, std::unique_ptr<LaneMoves<Lanes>>> moves_;
};

}  // namespace inarow::quixo
