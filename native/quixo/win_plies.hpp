// Restores what a table leaves out: the plies of a win are one more than the fewest plies of the lost positions
// after it.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "loops.hpp"
#include "planes.hpp"

namespace inarow::quixo {

// Finds the plies of the wins of planes.
class WinPlies {
  public:
    explicit WinPlies(Rules rules) : layout_(Board(rules)) {}

    const Layout& layout() const { return layout_; }
    std::size_t blocks(int a) const { return layout_.blocks(a).size(); }

    // A plane of a pair: `plies` has those of its losses, and those of the wins of its blocks from `first` up to but
    // not including `last` are added. Returns false if a win has no lost position after it, so that it cannot be one.
    // `other` is the other plane of the pair, or the same if a = b; `more` is the plane that new marks lead to, where
    // there is one. Of both only the losses matter.
    template <class Plies>
    bool fill_plane(int a, int b, int plane, const std::uint8_t* outcomes, Plies* plies, const StoredPlane& other,
                    const StoredPlane& more, std::size_t first, std::size_t last, int threads) const {
        const auto value = [](const std::uint8_t* packed, std::size_t at) { return packed[at / 4] >> at % 4 * 2 & 3; };
        const auto is_win = [&](std::size_t at) { return value(outcomes, at) == packed::win; };
        const auto set = [&](std::size_t at, std::uint32_t found) { plies[at] = static_cast<Plies>(found); };
        const auto lost = [&](int c, int d, std::size_t at) -> std::uint32_t {
            const StoredPlane& its = c + d == a + b ? other : more;
            return value(its.outcomes, at) == packed::loss ? its.plies[at] : draw;
        };
        const std::vector<Mask> locals = words(layout_.board().cells() - a, b);
        std::atomic<bool> sound{true};
        Loops(threads).for_each(last - first, 1, [&](std::size_t n, int) {
            if (sound && !fill_block(a, plane, first + n, locals, is_win, set, lost)) sound = false;
        });
        return sound;
    }

  private:
    static constexpr std::uint32_t draw = 0x7fff;  // more plies than any

    // is_win(entry), set(entry, plies), and lost(c, d, entry): the plies of an entry of the plane of {c, d} that moves
    // lead to, at least `draw` if it is not lost.
    bool fill_block(int a, int plane, std::size_t block, const std::vector<Mask>& locals, const auto& is_win,
                    const auto& set, const auto& lost) const {
        const Board& board = layout_.board();
        const Mask one = layout_.blocks(a)[block];
        std::vector<std::pair<Mask, Mask>> after;
        for (std::size_t rank = 0; rank < locals.size(); ++rank) {
            const std::size_t at = block * locals.size() + rank;
            if (!is_win(at)) continue;
            const Mask two = deposit(locals[rank], layout_.full() & ~one);
            const Mask mover = plane ? two : one, other = plane ? one : two;
            if (board.has_line(mover) || board.has_line(other)) {
                set(at, 0);
                continue;
            }
            bool at_once = false;  // by a move that ends the game: it needs no look-up
            after.clear();
            each_successor(board, mover, other, [&](Mask their, Mask mine) {
                at_once |= board.ended(their, mine) == Outcome::loss;
                after.emplace_back(their, mine);
            });
            if (at_once) {
                set(at, 1);
                continue;
            }
            std::uint32_t fewest = draw;
            for (const auto& [their, mine] : after) {
                const int x = std::popcount(their), y = std::popcount(mine);
                const std::size_t there = x >= y ? layout_.entry(their, mine) : layout_.entry(mine, their);
                fewest = std::min(fewest, lost(std::max(x, y), std::min(x, y), there));
            }
            if (fewest >= draw - 1) return false;
            set(at, fewest + 1);
        }
        return true;
    }

    Layout layout_;
};

}  // namespace inarow::quixo
