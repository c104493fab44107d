// Restores what a compact table leaves out: the plies of a win are one more than the fewest plies of the lost positions
// after it.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "layout.hpp"
#include "plies_solver.hpp"
#include "thread_pool.hpp"

namespace inarow::quixo {

// Finds the plies of the wins of whole pairs, or of planes.
class WinPlies {
  public:
    explicit WinPlies(Rules rules) : layout_(Board(rules)) {}

    const Layout& layout() const { return layout_; }
    std::size_t blocks(int a) const { return layout_.blocks(a).size(); }
    std::size_t entries(int a, int b) const { return layout_.plane_entries(a, b) * (a == b ? 1 : 2); }

    // `entries`, of two bytes, are complete for losses and draws, and mark wins without their plies. Gives the wins of
    // the blocks from `first` up to but not including `last`, numbered through both planes, their plies. Returns false
    // if a win has no lost position after it, so that it cannot be one. `larger` and `smaller` are {a + 1, b} and
    // {a, b + 1}, where such pairs exist.
    bool fill(int a, int b, std::uint16_t* entries, const StoredPair& larger, const StoredPair& smaller,
              std::size_t first, std::size_t last, int threads) const {
        const std::size_t size = layout_.plane_entries(a, b);
        // Other threads may read a win at the same time to see whether it is a loss; it never is one.
        const auto own = [=](std::size_t at) { return std::atomic_ref(entries[at]); };
        return each_block(a, b, first, last, threads, [&, a, b](int plane, std::size_t block, const auto& visit) {
            return visit(
                [&](std::size_t at) { return own(plane * size + at).load(std::memory_order_relaxed) > draw; },
                [&](std::size_t at, std::uint32_t plies) {
                    own(plane * size + at).store(static_cast<std::uint16_t>(top - plies), std::memory_order_relaxed);
                },
                [&](int c, int d, int there, std::size_t at) -> std::uint32_t {
                    if (c + d == a + b) return own(there * size + at).load(std::memory_order_relaxed);
                    const StoredPair& pair = c > a ? larger : smaller;
                    const std::uint32_t entry = pair[there * layout_.plane_entries(c, d) + at];
                    return entry < pair.top() / 2 ? entry : draw;
                },
                block);
        });
    }

    // The same for one plane: `plies` has those of its losses, and gets those of its wins. `other` is the other plane
    // of the pair, or the same if a = b; `more` is the plane that new marks lead to, where there is one. Of both only
    // the losses matter.
    template <class Plies>
    bool fill_plane(int a, int b, int plane, const std::uint8_t* outcomes, Plies* plies, const PliesPlane& other,
                    const PliesPlane& more, std::size_t first, std::size_t last, int threads) const {
        const auto value = [](const std::uint8_t* packed, std::size_t at) { return packed[at / 4] >> at % 4 * 2 & 3; };
        const std::size_t skipped = plane * blocks(a);
        return each_block(
            a, b, first + skipped, last + skipped, threads, [&](int, std::size_t block, const auto& visit) {
                return visit([&](std::size_t at) { return value(outcomes, at) == packed::win; },
                             [&](std::size_t at, std::uint32_t found) { plies[at] = static_cast<Plies>(found); },
                             [&](int c, int d, int, std::size_t at) -> std::uint32_t {
                                 const PliesPlane& its = c + d == a + b ? other : more;
                                 return value(its.outcomes, at) == packed::loss ? its.plies[at] : draw;
                             },
                             block);
            });
    }

  private:
    static constexpr std::uint32_t top = 0xffff, draw = top / 2;

    // Works through blocks, numbered through both planes. work(plane, block, visit) calls visit(is_win, set, lost,
    // block) with what is known of the entries of the plane, and of lost(c, d, plane, entry) in a pair: plies, at least
    // `draw` if it is not lost.
    template <class Work>
    bool each_block(int a, int b, std::size_t first, std::size_t last, int threads, Work work) const {
        const std::vector<Mask> locals = words(layout_.board().cells() - a, b);
        std::atomic<bool> sound{true};
        ThreadPool pool(threads);
        pool.run([&](int) {
            pool.for_each(last - first, 1, [&](std::size_t n) {
                if (!sound) return;
                const int plane = first + n >= blocks(a);
                const auto visit = [&](const auto& is_win, const auto& set, const auto& lost, std::size_t block) {
                    return fill_block(a, plane, block, locals, is_win, set, lost);
                };
                if (!work(plane, (first + n) % blocks(a), visit)) sound = false;
            });
        });
        return sound;
    }

    bool fill_block(int a, int plane, std::size_t block, const std::vector<Mask>& locals, const auto& is_win,
                    const auto& set, const auto& lost) const {
        const Board& board = layout_.board();
        const Mask one = layout_.blocks(a)[block];
        for (std::size_t rank = 0; rank < locals.size(); ++rank) {
            const std::size_t at = block * locals.size() + rank;
            if (!is_win(at)) continue;
            const Mask two = deposit(locals[rank], layout_.full() & ~one);
            const Mask mover = plane ? two : one, other = plane ? one : two;
            if (board.has_line(mover) || board.has_line(other)) {
                set(at, 0);
                continue;
            }
            std::uint32_t fewest = draw;
            each_successor(board, mover, other, [&](Mask their, Mask mine) {
                const int x = std::popcount(their), y = std::popcount(mine);
                const bool larger_moves = x >= y;
                const std::size_t there = larger_moves ? layout_.entry(their, mine) : layout_.entry(mine, their);
                fewest = std::min(fewest, lost(std::max(x, y), std::min(x, y), larger_moves ? 0 : 1, there));
            });
            if (fewest >= draw - 1) return false;
            set(at, fewest + 1);
        }
        return true;
    }

    Layout layout_;
};

}  // namespace inarow::quixo
