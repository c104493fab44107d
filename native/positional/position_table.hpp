// Search results of positions: a hash table of limited size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "positional/cells.hpp"

namespace inarow::positional {

// The part of a position that matters for a win of X in a number of moves: X's marks, O's, and the empty cells.
template <class Mask>
struct Key {
    Mask x;
    Mask o;
    Mask empty;

    bool operator==(const Key&) const = default;

    std::uint64_t hash() const {
        std::uint64_t h = 0;
        for (const Mask part : {x, o, empty}) {
            const Words words = to_words(part);
            for (std::size_t w = 0; w < sizeof(Mask) / 8; ++w) {
                h = (h ^ words[w]) * 0x9E3779B97F4A7C15;
                h ^= h >> 32;
            }
        }
        return h * 0xD6E8FEB86659FD93;
    }
};

template <class Mask>
struct Entry {
    Key<Mask> key{};
    std::uint8_t limit = 0;  // moves of X that were searched; 0: there is no entry
    std::uint8_t moves = 0;  // in which X wins; 0: not within the limit
    std::uint8_t move = 0;
    std::int8_t free = 0;
    Mask zone = 0;
    Mask forced = 0;
};

// A full bucket drops the entry with the smallest limit, which took the least search. The table doubles when half
// full, up to the largest size.
template <class Mask>
class PositionTable {
  public:
    explicit PositionTable(std::uint64_t memory_limit) : entries_(kSmallest) {
        while (2 * largest_ * sizeof(Entry<Mask>) <= memory_limit) largest_ *= 2;
    }

    const Entry<Mask>* find(const Key<Mask>& key, int limit) const {
        const std::size_t first = bucket(key);
        for (std::size_t i = first; i < first + kBucket; ++i)
            if (entries_[i].limit == limit && entries_[i].key == key) return &entries_[i];
        return nullptr;
    }

    void insert(const Entry<Mask>& entry) {
        // While entries move, both tables are in memory.
        if (2 * kept_ > entries_.size() && 3 * entries_.size() <= largest_) grow();
        place(entry);
    }

    std::uint64_t kept() const { return kept_; }
    std::uint64_t dropped() const { return dropped_; }

  private:
    static constexpr std::size_t kBucket = 4;
    static constexpr std::size_t kSmallest = 1 << 12;

    std::size_t bucket(const Key<Mask>& key) const { return (key.hash() >> 8) % (entries_.size() / kBucket) * kBucket; }

    void place(const Entry<Mask>& entry) {
        const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(bucket(entry.key));
        const auto least =
            std::min_element(first, first + kBucket, [](const auto& a, const auto& b) { return a.limit < b.limit; });
        if (least->limit == 0)
            ++kept_;
        else
            ++dropped_;
        *least = entry;
    }

    void grow() {
        std::vector<Entry<Mask>> old(2 * entries_.size());
        old.swap(entries_);
        kept_ = 0;
        for (const Entry<Mask>& entry : old)
            if (entry.limit != 0) place(entry);
    }

    std::size_t largest_ = kSmallest;
    std::vector<Entry<Mask>> entries_;
    std::uint64_t kept_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace inarow::positional
