// Looks positions up in the stored entries of pairs.
#pragma once

#include <array>
#include <utility>

#include "layout.hpp"
#include "result.hpp"

namespace inarow::quixo {

// A `Pair` has its entries as [i], and the largest number that an entry could be as top(): StoredPair, or PairPieces.
template <class Pair = StoredPair>
class TableReader {
  public:
    explicit TableReader(Rules rules) : layout_(Board(rules)) {}

    void add(int a, int b, Pair pair) {
        pairs_[a][b] = std::move(pair);
        known_[a][b] = true;
    }

    const Board& board() const { return layout_.board(); }

    std::size_t entries(int a, int b) const { return layout_.plane_entries(a, b) * (a == b ? 1 : 2); }

    // `word` has the marks of the side to move in its upper half and the other's in its lower half.
    Result probe(std::uint64_t word) const {
        const Mask mover = static_cast<Mask>(word >> 32), other = static_cast<Mask>(word);
        if ((mover & other) || ((mover | other) & ~layout_.full())) return {Outcome::invalid, -1};
        const bool mover_larger = std::popcount(mover) >= std::popcount(other);
        const Mask larger = mover_larger ? mover : other, smaller = mover_larger ? other : mover;
        const int a = std::popcount(larger), b = std::popcount(smaller);
        if (!known_[a][b]) return {Outcome::missing, -1};
        const Pair& pair = pairs_[a][b];
        const std::size_t plane = mover_larger ? 0 : layout_.plane_entries(a, b);
        const std::uint32_t entry = pair[plane + layout_.entry(larger, smaller)], draw = pair.top() / 2;
        if (entry == draw) return {Outcome::draw, -1};
        if (entry < draw) return {Outcome::loss, static_cast<std::int32_t>(entry)};
        return {Outcome::win, static_cast<std::int32_t>(pair.top() - entry)};
    }

    // Calls visit with every pair.
    template <class Visit>
    void each_pair(Visit visit) const {
        for (int a = 0; a <= max_cells; ++a)
            for (int b = 0; b <= a; ++b)
                if (known_[a][b]) visit(pairs_[a][b]);
    }

  private:
    Layout layout_;
    std::array<std::array<Pair, max_cells + 1>, max_cells + 1> pairs_;
    std::array<std::array<bool, max_cells + 1>, max_cells + 1> known_{};
};

}  // namespace inarow::quixo
