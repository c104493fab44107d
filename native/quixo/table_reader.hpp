// Looks positions up in the stored entries of pairs.
#pragma once

#include <map>
#include <span>
#include <utility>

#include "layout.hpp"
#include "result.hpp"

namespace inarow::quixo {

class TableReader {
  public:
    explicit TableReader(Rules rules) : layout_(Board(rules)) {}

    void add(int a, int b, StoredPair pair) { pairs_[{a, b}] = pair; }

    std::size_t entries(int a, int b) const { return layout_.plane_entries(a, b) * (a == b ? 1 : 2); }

    // `word` has the marks of the side to move in its upper half and the other's in its lower half.
    Result probe(std::uint64_t word) const {
        const Mask mover = static_cast<Mask>(word >> 32), other = static_cast<Mask>(word);
        if ((mover & other) || ((mover | other) & ~layout_.full())) return {Outcome::invalid, -1};
        const bool mover_larger = std::popcount(mover) >= std::popcount(other);
        const Mask larger = mover_larger ? mover : other, smaller = mover_larger ? other : mover;
        const int a = std::popcount(larger), b = std::popcount(smaller);
        const auto found = pairs_.find({a, b});
        if (found == pairs_.end()) return {Outcome::missing, -1};
        const StoredPair& pair = found->second;
        const std::size_t plane = mover_larger ? 0 : layout_.plane_entries(a, b);
        const std::uint32_t entry = pair[plane + layout_.entry(larger, smaller)], draw = pair.top() / 2;
        if (entry == draw) return {Outcome::draw, -1};
        if (entry < draw) return {Outcome::loss, static_cast<std::int32_t>(entry)};
        return {Outcome::win, static_cast<std::int32_t>(pair.top() - entry)};
    }

  private:
    Layout layout_;
    std::map<std::pair<int, int>, StoredPair> pairs_;
};

}  // namespace inarow::quixo
