// The prover's results, in a fixed amount of memory: those that took more nodes displace those that took fewer.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace inarow::ultimate::prover {

enum class Value : std::uint8_t { Unknown, Fails, Wins };  // whether X wins in time

// Buckets of four entries. The bucket gives the lowest bits of the key, so that an entry holds the whole of it:
//
//     bits 0-1   the value; an entry without one is free
//     bits 2-7   the effort: log2 of the nodes it took
//     bits 8-    the rest of the key, from bit `index_bits_` on
class TranspositionTable {
  public:
    explicit TranspositionTable(std::uint64_t bytes) {
        while (index_bits_ < 40 && std::uint64_t{2 * kBucket * sizeof(Entry)} << index_bits_ <= bytes) ++index_bits_;
        // Untouched pages of calloc take no memory: small proofs stay small.
        entries_.reset(static_cast<Entry*>(std::calloc(kBucket << index_bits_, sizeof(Entry))));
        if (!entries_) throw std::bad_alloc();
    }

    Value find(std::uint64_t key) const {
        const Entry* bucket = bucket_of(key);
        for (std::size_t i = 0; i < kBucket; ++i)
            if (bucket[i] >> 8 == key >> index_bits_ && bucket[i] & 3) return static_cast<Value>(bucket[i] & 3);
        return Value::Unknown;
    }

    void store(std::uint64_t key, Value value, std::uint64_t nodes) {
        Entry* bucket = bucket_of(key);
        Entry* to = bucket;
        for (std::size_t i = 0; i < kBucket; ++i) {
            if (!(bucket[i] & 3) || bucket[i] >> 8 == key >> index_bits_) {
                to = bucket + i;
                break;
            }
            if ((bucket[i] & kEffortMask) < (*to & kEffortMask)) to = bucket + i;
        }
        if (!(*to & 3)) ++used_;
        const auto effort = static_cast<Entry>(std::bit_width(nodes));
        *to = key >> index_bits_ << 8 | std::min<Entry>(effort, 63) << 2 | static_cast<Entry>(value);
    }

    double use() const { return static_cast<double>(used_) / static_cast<double>(kBucket << index_bits_); }

  private:
    using Entry = std::uint64_t;
    static constexpr std::size_t kBucket = 4;
    static constexpr Entry kEffortMask = 63 << 2;
    struct Free {
        void operator()(Entry* memory) const { std::free(memory); }
    };

    Entry* bucket_of(std::uint64_t key) const {
        return entries_.get() + kBucket * (key & ((std::uint64_t{1} << index_bits_) - 1));
    }

    int index_bits_ = 15;  // 1 MiB; with fewer, the rest of the key would not fit
    std::uint64_t used_ = 0;
    std::unique_ptr<Entry[], Free> entries_;
};

}  // namespace inarow::ultimate::prover
