// The prover's results, in a limited amount of memory: once that is full, those that took more nodes displace those
// that took fewer.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace inarow::ultimate {

enum class Value : std::uint8_t { Unknown, Fails, Wins };  // whether X wins in time

// Buckets of four entries. The bucket gives the lowest bits of the key, so that an entry holds the whole of it:
//
//     bits 0-1   the value; an entry without one is free
//     bits 2-7   the effort: log2 of the nodes it took
//     bits 8-    the rest of the key, from bit `index_bits_` on
//
// Hashes are spread over the whole table, and soon touch every page of it: so it starts small, and doubles before
// buckets are full.
class TranspositionTable {
  public:
    explicit TranspositionTable(std::uint64_t bytes) {
        while (most_bits_ < 40 && std::uint64_t{2 * kBucket * sizeof(Entry)} << most_bits_ <= bytes) ++most_bits_;
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
        const bool is_new = !(*to & 3);
        const auto effort = static_cast<Entry>(std::bit_width(nodes));
        *to = key >> index_bits_ << 8 | std::min<Entry>(effort, 63) << 2 | static_cast<Entry>(value);
        if (is_new && ++used_ > std::uint64_t{1} << index_bits_ && index_bits_ < most_bits_) grow();
    }

    // Of all that it may take.
    double use() const { return static_cast<double>(used_) / static_cast<double>(kBucket << most_bits_); }

  private:
    using Entry = std::uint64_t;
    static constexpr std::size_t kBucket = 4;
    static constexpr Entry kEffortMask = 63 << 2;

    Entry* bucket_of(std::uint64_t key) const {
        return entries_.get() + kBucket * (key & ((std::uint64_t{1} << index_bits_) - 1));
    }

    // Twice as many buckets: the next bit of the key tells which entries go to the new half.
    void grow() {
        const std::size_t buckets = std::size_t{1} << index_bits_;
        void* larger = std::realloc(entries_.get(), 2 * kBucket * buckets * sizeof(Entry));
        if (!larger) {
            most_bits_ = index_bits_;  // it does with what it has
            return;
        }
        static_cast<void>(entries_.release());
        entries_.reset(static_cast<Entry*>(larger));
        std::fill_n(entries_.get() + kBucket * buckets, kBucket * buckets, Entry{0});
        for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
            Entry* to[] = {entries_.get() + kBucket * bucket, entries_.get() + kBucket * (buckets + bucket)};
            Entry* from = to[0];
            for (std::size_t i = 0; i < kBucket; ++i) {
                const Entry entry = std::exchange(from[i], 0);
                if (entry & 3) *to[entry >> 8 & 1]++ = entry >> 9 << 8 | (entry & 255);
            }
        }
        ++index_bits_;
    }

    int index_bits_ = 15;  // 1 MiB; with fewer, the rest of the key would not fit
    int most_bits_ = 15;
    std::uint64_t used_ = 0;
    std::unique_ptr<Entry[], void (*)(void*)> entries_{nullptr, std::free};
};

}  // namespace inarow::ultimate
