// Forced wins: X makes three in a line and O must take the fourth cell, again and again, until X makes two threats.
#pragma once

#include <algorithm>
#include <cstdint>

#include "huge_pages.hpp"
#include "positional/qubic/board.hpp"

namespace inarow::qubic {

// X's moves in a forced win, except the one that completes the line.
struct ForcedWin {
    int count = 0;
    std::array<std::uint8_t, kCells / 2> moves;
};

// Whether X's moves of a forced win in another position win here too. X is to move, and nobody has a threat.
inline bool replay(Board board, const ForcedWin& win) {
    Cells must = 0;  // where O threatens
    for (int i = 0; i < win.count; ++i) {
        const int move = win.moves[i];
        if ((board.x() & bit(move)) != 0 && must == 0) continue;  // already there
        if ((board.taken() & bit(move)) != 0 || (must != 0 && must != bit(move))) return false;
        board.play_x(move);
        const Cells threats = board.x_threats(kGeometry.through[move]);
        if (threats == 0) return false;
        if (several(threats)) return true;
        const int reply = lowest(threats);
        board.play_o(reply);
        must = board.o_threats(kGeometry.through[reply]);
        if (several(must)) return false;
    }
    return false;
}

// Depth-first search with a table of positions that have no forced win. The table holds hashes only: if two positions
// had the same, a win might be missed, but no false win is ever found.
class ThreatSearch {
  public:
    explicit ThreatSearch(int table_bits)
        : size_(std::size_t{1} << table_bits), failed_(make_huge<std::uint64_t>(size_)) {
        std::fill_n(failed_.get(), size_, 0);
    }

    // X is to move, and nobody has a threat. The result does not depend on earlier searches unless one of them gave
    // up.
    bool find(const Board& board) {
        end_ = nodes_ + kMostNodes;
        gave_up_ = false;
        return search(board, board.position().hash(), 0, 0, 0);
    }

    const ForcedWin& win() const { return win_; }
    std::uint64_t nodes() const { return nodes_; }

  private:
    static constexpr std::uint64_t kMostNodes = 10'000'000;  // far more than any search of a proof needed

    // `must` is the cell that O threatens, if any. The lines `recent` are tried first: the last move extended them.
    bool search(const Board& board, std::uint64_t hash, Cells must, Lines recent, int depth) {
        ++nodes_;
        const Lines pairs = must == 0 ? board.pairs() : board.pairs() & kGeometry.through[lowest(must)];
        Cells once = 0;
        Cells twice = 0;  // a move here makes two threats, of which O, who has none, can block one
        for_each_line(pairs, [&](int l) {
            const Cells both = kGeometry.line[l] & ~board.x();
            twice |= once & both;
            once |= both;
        });
        if (must != 0) twice &= must;
        if (twice != 0) {
            win_.count = depth + 1;
            win_.moves[depth] = static_cast<std::uint8_t>(lowest(twice));
            return true;
        }
        if (once == 0) return false;
        std::uint64_t& failed = failed_[hash & (size_ - 1)];
        if (failed == hash) return false;
        if (nodes_ >= end_) {
            gave_up_ = true;
            return false;
        }
        if (try_pairs(board, must, pairs & recent, depth) || try_pairs(board, must, pairs & ~recent, depth))
            return true;
        if (!gave_up_) failed = hash;
        return false;
    }

    bool try_pairs(const Board& board, Cells must, Lines pairs, int depth) {
        while (pairs != 0) {
            const auto low = static_cast<std::uint64_t>(pairs);
            const int l =
                low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(pairs >> 64));
            pairs &= pairs - 1;
            const Cells both = kGeometry.line[l] & ~board.x();
            for (const Cells move : {both & -both, both & (both - 1)}) {
                if (must != 0 && move != must) continue;
                Board next = board;
                const int cell = lowest(move), reply = lowest(both ^ move);
                next.play_x(cell);
                next.play_o(reply);
                const std::uint64_t hash = next.position().hash();
                __builtin_prefetch(&failed_[hash & (size_ - 1)]);  // on its way while threats and pairs are found
                const Cells threats = next.o_threats(kGeometry.through[reply]);
                if (several(threats)) continue;
                win_.moves[depth] = static_cast<std::uint8_t>(cell);
                if (search(next, hash, threats, kGeometry.through[cell], depth + 1)) return true;
                if (gave_up_) return false;
            }
        }
        return false;
    }

    std::size_t size_;
    HugeArray<std::uint64_t> failed_;  // looked up at random: most of the time would go into finding small pages
    std::uint64_t nodes_ = 0;
    std::uint64_t end_ = 0;
    bool gave_up_ = false;
    ForcedWin win_;
};

}  // namespace inarow::qubic
