// What is decided within a few plies, found by trying every move: for positions that no table holds.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "verify/quixo/board.hpp"

namespace inarow::verify::quixo {

class Forced {
  public:
    explicit Forced(const Game& game) : game_(game) {}

    // The value of a position that is decided within so many plies, with the plies that it takes; otherwise kNoValue.
    std::uint32_t value(const Position& position, int plies) {
        const std::uint32_t end = game_.value_of_end(position);
        if (end != kNoValue) return end;
        for (int within = 1; within <= plies; ++within) {
            if (is_won(position, within)) return kWon - static_cast<std::uint32_t>(within);
            if (is_lost(position, within)) return static_cast<std::uint32_t>(within);
        }
        return kNoValue;
    }

  private:
    bool is_won(const Position& position, int plies) {
        const std::uint32_t end = game_.value_of_end(position);
        if (end != kNoValue) return end == kWon;
        if (plies == 0) return false;
        // Shorter wins first: they are found in less time than a longer one is ruled out.
        for (int within = 0; within < plies; ++within) {
            bool found = false;
            game_.each_successor(position, [&](const Position& child) { found = found || is_lost(child, within); });
            if (found) return true;
        }
        return false;
    }

    bool is_lost(const Position& position, int plies) {
        const std::uint32_t end = game_.value_of_end(position);
        if (end != kNoValue) return end == kLost;
        if (plies == 0) return false;
        const Key key{std::uint64_t{position.mover} << 32 | position.other, plies};
        if (const auto known = lost_.find(key); known != lost_.end()) return known->second;
        bool all = true;
        game_.each_successor(position, [&](const Position& child) { all = all && is_won(child, plies - 1); });
        return lost_[key] = all;
    }

    struct Key {
        std::uint64_t word;
        int plies;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return std::hash<std::uint64_t>{}(key.word * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(key.plies));
        }
    };

    const Game& game_;
    std::unordered_map<Key, bool, Hash> lost_;
};

}  // namespace inarow::verify::quixo
