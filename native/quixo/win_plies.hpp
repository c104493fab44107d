// Restores what a compact table leaves out: the plies of a win are one more than the fewest plies of the lost positions
// after it.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include "layout.hpp"

namespace inarow::quixo {

// Finds the plies of the wins of whole pairs.
class WinPlies {
  public:
    explicit WinPlies(Rules rules) : layout_(Board(rules)) {}

    std::size_t blocks(int a) const { return layout_.blocks(a).size(); }
    std::size_t entries(int a, int b) const { return layout_.plane_entries(a, b) * (a == b ? 1 : 2); }

    // `entries`, of two bytes, are complete for losses and draws, and mark wins without their plies. Gives the wins of
    // the blocks from `first` up to but not including `last`, numbered through both planes, their plies. Returns false
    // if a win has no lost position after it, so that it cannot be one. `larger` and `smaller` are {a + 1, b} and
    // {a, b + 1}, where such pairs exist.
    bool fill(int a, int b, std::uint16_t* entries, const StoredPair& larger, const StoredPair& smaller,
              std::size_t first, std::size_t last, int threads) const {
        const Board& board = layout_.board();
        const std::vector<Mask> locals = words(board.cells() - a, b);
        std::atomic<std::size_t> next{first};
        std::atomic<bool> sound{true};
        const auto work = [&] {
            for (std::size_t at; sound && (at = next.fetch_add(1)) < last;) {
                const bool plane = at >= blocks(a);
                const Mask one = layout_.blocks(a)[at % blocks(a)];
                for (std::size_t rank = 0; rank < locals.size(); ++rank) {
                    // Other threads may read it at the same time to see whether it is a loss; it never is one.
                    const std::atomic_ref entry(entries[at * locals.size() + rank]);
                    if (entry.load(std::memory_order_relaxed) <= draw) continue;
                    const Mask two = deposit(locals[rank], layout_.full() & ~one);
                    const Mask mover = plane ? two : one, other = plane ? one : two;
                    if (board.has_line(mover) || board.has_line(other)) {
                        entry.store(top, std::memory_order_relaxed);
                        continue;
                    }
                    std::uint32_t fewest = draw;
                    each_successor(board, mover, other, [&](Mask their, Mask mine) {
                        fewest = std::min(fewest, lost_plies(a, b, their, mine, entries, larger, smaller));
                    });
                    if (fewest >= draw - 1) sound = false;
                    entry.store(static_cast<std::uint16_t>(top - 1 - fewest), std::memory_order_relaxed);
                }
            }
        };
        std::vector<std::thread> others;
        for (int i = 1; i < threads; ++i) others.emplace_back(work);
        work();
        for (std::thread& thread : others) thread.join();
        return sound;
    }

  private:
    static constexpr std::uint32_t top = 0xffff, draw = top / 2;

    // The plies of a lost position; at least `draw` if it is not lost.
    std::uint32_t lost_plies(int a, int b, Mask mover, Mask other, std::uint16_t* entries, const StoredPair& larger,
                             const StoredPair& smaller) const {
        const int x = std::popcount(mover), y = std::popcount(other);
        const Mask one = x >= y ? mover : other, two = x >= y ? other : mover;
        const int c = std::max(x, y), d = std::min(x, y);
        const std::size_t at = (x >= y ? 0 : layout_.plane_entries(c, d)) + layout_.entry(one, two);
        if (x + y == a + b) return std::atomic_ref(entries[at]).load(std::memory_order_relaxed);
        const StoredPair& pair = c > a ? larger : smaller;
        const std::uint32_t entry = pair[at];
        return entry < pair.top() / 2 ? entry : draw;
    }

    Layout layout_;
};

}  // namespace inarow::quixo
