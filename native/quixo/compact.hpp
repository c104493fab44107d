// What a compact table leaves out, and how it is found again: the plies of a win are one more than the fewest of the
// lost positions after it, and of a piece's losses the plies stand in their order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "layout.hpp"
#include "probe.hpp"

namespace inarow::quixo {

// Calls visit(mover, other) for every position after one move; for none if the game is over.
template <class Visit>
void each_successor(const Board& board, Mask mover, Mask other, Visit visit) {
    if (board.has_line(mover) || board.has_line(other)) return;
    for (const Move& move : board.moves())
        if (!(other >> move.taken & 1)) visit(move.apply(other), move.apply(mover | Mask{1} << move.taken));
}

// Of the entries from `first`, a multiple of 4, up to but not including `last`, two bits each, the number that are 0: a
// Loss.
inline std::uint32_t count_lost(const std::uint8_t* packed, std::uint32_t first, std::uint32_t last) {
    constexpr std::uint64_t ones = 0x0101010101010101, pairs = 0x33 * ones, nibbles = 0x0f * ones;
    constexpr int words_of_a_sum = 63;  // each byte of a word has at most 4 entries, and holds 255
    std::uint32_t other = 0, i = first;
    while (i + 32 <= last) {
        std::uint64_t sum = 0;
        for (int n = 0; n < words_of_a_sum && i + 32 <= last; ++n, i += 32) {
            std::uint64_t word;
            std::memcpy(&word, packed + i / 4, 8);
            word = (word | word >> 1) & (0x55 * ones);
            word = (word & pairs) + (word >> 2 & pairs);
            sum += (word + (word >> 4)) & nibbles;
        }
        for (; sum; sum >>= 8) other += sum & 0xff;
    }
    for (; i < last; ++i) other += (packed[i / 4] >> i % 4 * 2 & 3) != 0;
    return last - first - other;
}

// Finds the plies of the wins of whole pairs.
class WinPlies {
  public:
    explicit WinPlies(Rules rules) : layout_(Board(rules)) {}

    std::size_t blocks(int a) const { return layout_.blocks(a).size(); }
    std::size_t entries(int a, int b) const { return layout_.plane_entries(a, b) * (a == b ? 1 : 2); }

    // `entries` of two bytes are right for losses and draws, and tell wins without their plies. Completes those of the
    // blocks from `first` up to but not including `last`, numbered through both planes; false if one of them has no
    // lost position after it, so that it cannot be a win. `larger` and `smaller` are {a + 1, b} and {a, b + 1}, where
    // there are such pairs.
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
                    // Others read it meanwhile to see whether it is a loss, and it never is.
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
        std::vector<std::thread> team;
        for (int i = 1; i < threads; ++i) team.emplace_back(work);
        work();
        for (std::thread& thread : team) thread.join();
        return sound;
    }

  private:
    static constexpr std::uint32_t top = 0xffff, draw = top / 2;

    // Of a position if it is lost, else at least `draw`.
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
