// The solver of values on one kind of instructions. Large blocks are solved as bitmaps, small ones entry by entry: a
// bitmap that is nearly empty is not worth permuting.
#pragma once

#include "outcome_solver.hpp"
#include "outcomes.hpp"
#include "pair_solver.hpp"

namespace inarow::quixo {

template <class Lanes, class Rows>
class OutcomeBackendOf final : public OutcomeBackend {
  public:
    explicit OutcomeBackendOf(const Layout& layout) : layout_(layout) {}

    bool solve(Team& team, OutcomeTask& task, const std::atomic<bool>& stop) override {
        if (by_entries(task.a, task.b) && solve_entries(team, task)) return true;
        moves_.reset();
        OutcomeSolver<Rows> solver(layout_, task.a, task.b, task.more_larger, task.more_smaller);
        if (!solver.solve(team, stop)) return false;
        for (int plane = 0; plane < planes(task); ++plane)
            task.counts[plane] = solver.pack(team, plane, task.planes[plane]);
        return true;
    }

    std::size_t memory(int a, int b) const override {
        if (!by_entries(a, b)) return OutcomeSolver<Rows>::memory(layout_, a, b);
        const std::size_t steps = layout_.blocks(a).size() * layout_.board().moves().size() * 2;
        const std::size_t moves = steps * (sizeof(typename BlockMoves<Lanes>::Step) + sizeof(typename Lanes::Permutation));
        const auto larger = a < layout_.board().cells() ? layout_.plane_entries(a + 1, b) : 0;
        return moves + 4 * layout_.plane_entries(a, b) + larger + layout_.plane_entries(a, b + 1);
    }

  private:
    using Entry = typename Lanes::Entry;
    using V = Values<Entry>;

    bool by_entries(int a, int b) const {
        const int m = layout_.board().cells() - a;
        const std::uint32_t entries = layout_.block_entries(a, b);
        return m <= max_local_bits && (entries < 600 || entries < (std::size_t{1} << m) / 20);
    }

    static int planes(const OutcomeTask& task) { return task.a == task.b ? 1 : 2; }

    // Solves with plies, counted from the children as if these were decided. Returns false if there are too many.
    bool solve_entries(Team& team, OutcomeTask& task) {
        const auto [a, b] = std::pair(task.a, task.b);
        if (!moves_ || moves_of_ != a) {
            moves_.reset();
            moves_ = std::make_unique<BlockMoves<Lanes>>(layout_, a, team);
            moves_of_ = a;
        }
        std::unique_ptr<Entry[]> larger, smaller;
        if (task.more_larger) larger = unpack(team, task.more_larger, layout_.plane_entries(a + 1, b));
        if (task.more_smaller) smaller = unpack(team, task.more_smaller, layout_.plane_entries(a, b + 1));
        const std::size_t entries = layout_.plane_entries(a, b);
        const auto out = std::make_unique_for_overwrite<Entry[]>(planes(task) * entries);
        PairSolver<Lanes> solver(layout_, *moves_, a, b, larger.get(), smaller.get(), out.get(), workspace_);
        if (!solver.solve(team)) return false;
        for (int plane = 0; plane < planes(task); ++plane)
            task.counts[plane] = pack(team, a, b, out.get() + plane * entries, task.planes[plane]);
        return true;
    }

    std::unique_ptr<Entry[]> unpack(Team& team, const std::uint8_t* plane, std::size_t entries) const {
        static constexpr Entry values[4] = {V::loss(0), V::draw, V::win(0), V::draw};
        auto found = std::make_unique_for_overwrite<Entry[]>(entries);
        team.run([&](int) {
            team.for_each(packed::bytes(entries), 1 << 14, [&](std::size_t byte) {
                for (std::size_t i = byte * 4; i < std::min(entries, byte * 4 + 4); ++i)
                    found[i] = values[plane[byte] >> i % 4 * 2 & 3];
            });
        });
        return found;
    }

    OutcomeCounts pack(Team& team, int a, int b, const Entry* plane, std::uint8_t* out) const {
        const std::uint32_t entries = layout_.block_entries(a, b);
        const std::size_t blocks = layout_.blocks(a).size();
        constexpr std::size_t together = 64;  // blocks: so that each part fills whole bytes
        std::vector<OutcomeCounts> counts(team.threads());
        team.run([&](int thread) {
            team.for_each((blocks + together - 1) / together, 1, [&](std::size_t part) {
                const std::size_t first = part * together, last = std::min(blocks, first + together);
                for (std::size_t byte = first * entries / 4; byte < packed::bytes(last * entries); ++byte) {
                    unsigned bits = 0;
                    for (std::size_t i = byte * 4; i < std::min(last * entries, byte * 4 + 4); ++i)
                        bits |= value(plane[i]) << i % 4 * 2;
                    out[byte] = static_cast<std::uint8_t>(bits);
                }
                for (std::size_t block = first; block < last; ++block) {
                    std::uint64_t found[3] = {};
                    for (std::uint32_t i = 0; i < entries; ++i) ++found[value(plane[block * entries + i])];
                    const auto weight = static_cast<std::uint64_t>(layout_.orbit(a, static_cast<std::uint32_t>(block)));
                    counts[thread].add(weight, found[packed::win], found[packed::loss], found[packed::draw]);
                }
            });
        });
        return sum(counts);
    }

    static unsigned value(Entry entry) { return unsigned{entry >= V::draw} + unsigned{entry > V::draw}; }

    const Layout& layout_;
    std::unique_ptr<BlockMoves<Lanes>> moves_;  // of the blocks with this many marks: pairs come by these
    int moves_of_ = -1;
    std::vector<Entry> workspace_;
};

}  // namespace inarow::quixo
