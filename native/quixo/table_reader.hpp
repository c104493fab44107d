// Looks positions up in the entries of whole pairs, which are in memory.
#pragma once

#include <array>

#include "layout.hpp"
#include "result.hpp"

namespace inarow::quixo {

class TableReader {
  public:
    // Without plies, the entries of wins and losses are those of games that are over.
    explicit TableReader(Rules rules, bool has_plies = true) : layout_(Board(rules)), has_plies_(has_plies) {}

    void add(int a, int b, StoredPair pair) { pairs_[a][b] = pair; }

    bool has_plies() const { return has_plies_; }
    const Layout& layout() const { return layout_; }
    const Board& board() const { return layout_.board(); }

    std::size_t entries(int a, int b) const { return layout_.plane_entries(a, b) * (a == b ? 1 : 2); }

    // `word` has the marks of the side to move in its upper half and the other's in its lower half.
    Result probe(std::uint64_t word) const {
        const Mask mover = static_cast<Mask>(word >> 32), other = static_cast<Mask>(word);
        if ((mover & other) || ((mover | other) & ~layout_.full())) return {Outcome::invalid, -1};
        const bool mover_larger = std::popcount(mover) >= std::popcount(other);
        const Mask larger = mover_larger ? mover : other, smaller = mover_larger ? other : mover;
        const int a = std::popcount(larger), b = std::popcount(smaller);
        const StoredPair& pair = pairs_[a][b];
        if (!pair.data) return {Outcome::missing, -1};
        const std::size_t plane = mover_larger ? 0 : layout_.plane_entries(a, b);
        const std::uint32_t entry = pair[plane + layout_.entry(larger, smaller)], draw = pair.top() / 2;
        if (entry == draw) return {Outcome::draw, -1};
        const Outcome outcome = entry < draw ? Outcome::loss : Outcome::win;
        if (!has_plies_) return {outcome, board().ended(mover, other) != Outcome::missing ? 0 : -1};
        return {outcome, static_cast<std::int32_t>(entry < draw ? entry : pair.top() - entry)};
    }

  private:
    Layout layout_;
    bool has_plies_;
    std::array<std::array<StoredPair, max_cells + 1>, max_cells + 1> pairs_;
};

}  // namespace inarow::quixo
