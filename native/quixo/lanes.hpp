// What the solver does to 64 entries of a block at once, in portable C++; lanes_avx512.hpp does the same with vectors.
//
// A move takes all entries of a block to entries of one other block. Which one an entry goes to depends on its local
// word alone: the word's bits are permuted (a Permutation), and the permuted word is ranked (Ranks).
//
// Local words have at most 16 bits, kept as a low and a high part in two bytes, so that a rank is one look-up for each
// part: with the number of bits fixed, the colexicographic rank is additive over the two.
#pragma once

#include <cstring>
#include <limits>

#include "layout.hpp"

namespace inarow::quixo {

using Lanes64 = std::uint64_t;  // a set of entries, of the 64 of a group

constexpr int max_local_bits = 16;
constexpr std::uint8_t dropped = 255;  // where a permutation sends a bit that it does not keep

// Bits of a local word of m bits that go to its low byte.
constexpr int low_bits(int m) { return m <= 12 ? 6 : 8; }

// Values of entries, as in docs/tablebase-format.md: larger is better for the side to move.
template <class Entry>
struct Values {
    static constexpr Entry top = std::numeric_limits<Entry>::max();
    static constexpr Entry draw = top / 2;
    static constexpr int max_plies = draw - 1;
    static constexpr Entry win(int plies) { return static_cast<Entry>(top - plies); }
    static constexpr Entry loss(int plies) { return static_cast<Entry>(plies); }
};

struct SplitWord {
    std::uint8_t low, high;
};

constexpr SplitWord split_word(Mask word, int m) {
    return {static_cast<std::uint8_t>(word & ((1u << low_bits(m)) - 1)),
            static_cast<std::uint8_t>(word >> low_bits(m))};
}

// The local words of a block in the order of its entries, and the way back.
struct Ranks {
    Ranks() = default;
    Ranks(int m, int b) : entries(binomial(m, b)) {
        const int split = low_bits(m);
        for (int w = 0; w < 1 << split; ++w) low_rank[w] = static_cast<std::uint8_t>(colex_rank(w));
        for (int h = 0; h < 256; ++h) {
            const int below = b - std::popcount(static_cast<unsigned>(h));
            std::uint32_t rank = 0;
            int i = below;
            for (unsigned bits = h; bits && below >= 0; bits &= bits - 1)
                rank += std::countr_zero(bits) + split < max_cells ? binomial(std::countr_zero(bits) + split, ++i) : 0;
            high_rank[h] = static_cast<std::uint16_t>(rank);
            if (h < 64) {
                high_rank_low_byte[h] = static_cast<std::uint8_t>(rank);
                high_rank_high_byte[h] = static_cast<std::uint8_t>(rank >> 8);
            }
        }
        in_registers = m <= 12 && entries <= 512;
        groups = static_cast<int>((entries + 63) / 64);
        low.resize(groups * 64);
        high.resize(groups * 64);
        lanes.resize(groups);
        with_bit.resize(static_cast<std::size_t>(m) * groups);
        std::uint32_t i = 0;
        for (const Mask word : words(m, b)) {
            const auto [l, h] = split_word(word, m);
            low[i] = l;
            high[i] = h;
            const Lanes64 lane = Lanes64{1} << i % 64;
            lanes[i / 64] |= lane;
            for (int j = 0; j < m; ++j)
                if (word >> j & 1) with_bit[j * groups + i / 64] |= lane;
            ++i;
        }
    }

    std::uint32_t rank(SplitWord word) const { return low_rank[word.low] + std::uint32_t{high_rank[word.high]}; }

    Mask word(std::uint32_t i, int m) const { return low[i] | Mask{high[i]} << low_bits(m); }

    std::uint32_t entries = 0;
    int groups = 0;
    bool in_registers = false;  // both parts have 6 bits and every rank 9: vectors can do the look-ups
    alignas(64) std::uint8_t low_rank[256] = {};
    alignas(64) std::uint8_t high_rank_low_byte[64] = {};
    alignas(64) std::uint8_t high_rank_high_byte[64] = {};
    std::uint16_t high_rank[256] = {};
    std::vector<std::uint8_t> low, high;
    std::vector<Lanes64> lanes;     // the entries that each group has
    std::vector<Lanes64> with_bit;  // [bit * groups + group]: those whose word has the bit
};

// One block that a move leads to, as the side to move finds it there.
template <class Entry>
struct Target {
    const Entry* entries;
    const Ranks* ranks;
};

template <class EntryType>
struct PortableLanes {
    using Entry = EntryType;

    struct Group {  // one entry for each lane
        Entry entries[64];
        explicit Group(Entry value) { std::fill_n(entries, 64, value); }
        void store(Entry* to, Lanes64 lanes) const {
            each(lanes, [&](int i) { to[i] = entries[i]; });
        }
    };

    // Where each bit of a local word goes, as a table for each half of each part.
    class Permutation {
      public:
        Permutation() = default;
        // Sends bit j of a word of m bits to bit places[j] of a word of m_there bits, or nowhere if that is `dropped`.
        Permutation(const std::uint8_t* places, int m, int m_there) : table_{} {
            for (int j = 0; j < m; ++j) {
                if (places[j] == dropped) continue;
                const auto [low, high] = split_word(Mask{1} << places[j], m_there);
                const int source = j < low_bits(m) ? j : 8 + j - low_bits(m);
                for (int i = 0; i < 16; ++i)
                    if (i >> source % 4 & 1) table_[source / 4][i] |= static_cast<std::uint16_t>(low | high << 8);
            }
        }
        SplitWord operator()(SplitWord w) const {
            const int word =
                table_[0][w.low & 15] | table_[1][w.low >> 4] | table_[2][w.high & 15] | table_[3][w.high >> 4];
            return {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8)};
        }

      private:
        std::uint16_t table_[4][16];
    };

    static Mask extract(Mask mask, Mask places) { return quixo::extract(mask, places); }
    static Mask deposit(Mask word, Mask places) { return quixo::deposit(word, places); }

    template <class Visit>
    static void each(Lanes64 lanes, Visit visit) {
        for (; lanes; lanes &= lanes - 1) visit(std::countr_zero(lanes));
    }

    // The lanes among `lanes` for which the test holds of the entry that the permuted word has in the target.
    // `added` are bits set in the words before they are permuted.
    template <class Test>
    static Lanes64 select(const Ranks& from, int g, Lanes64 lanes, const Permutation& to, SplitWord added,
                          const Target<Entry>& target, Test test) {
        Lanes64 found = 0;
        each(lanes, [&](int i) {
            const SplitWord word{static_cast<std::uint8_t>(from.low[g * 64 + i] | added.low),
                                 static_cast<std::uint8_t>(from.high[g * 64 + i] | added.high)};
            if (test(i, target.entries[target.ranks->rank(to(word))])) found |= Lanes64{1} << i;
        });
        return found;
    }

    static Lanes64 select_equal(const Ranks& from, int g, Lanes64 lanes, const Permutation& to,
                                const Target<Entry>& target, Entry value) {
        return select(from, g, lanes, to, {0, 0}, target, [=](int, Entry e) { return e == value; });
    }
    static Lanes64 select_at_least(const Ranks& from, int g, Lanes64 lanes, const Permutation& to,
                                   const Target<Entry>& target, Entry value) {
        return select(from, g, lanes, to, {0, 0}, target, [=](int, Entry e) { return e >= value; });
    }
    // Each lane of `least` becomes the entry that it leads to, if that is smaller.
    static void lower(const Ranks& from, int g, Lanes64 lanes, const Permutation& to, SplitWord added,
                      const Target<Entry>& target, Group& least) {
        select(from, g, lanes, to, added, target, [&](int i, Entry e) {
            least.entries[i] = std::min(least.entries[i], e);
            return false;
        });
    }

    // The lanes whose word has all bits of `bits`.
    static Lanes64 select_containing(const Ranks& from, int g, SplitWord bits) {
        const std::uint8_t *low = &from.low[g * 64], *high = &from.high[g * 64];
        Lanes64 found = 0;
        for (int i = 0; i < 64; ++i)
            found |= Lanes64{(low[i] & bits.low) == bits.low && (high[i] & bits.high) == bits.high} << i;
        return found;
    }

    static Lanes64 select_equal(const Entry* entries, Lanes64 lanes, Entry value) {
        Lanes64 found = 0;
        each(lanes, [&](int i) { found |= Lanes64{entries[i] == value} << i; });
        return found;
    }
    static Lanes64 select_at_least(const Entry* entries, Lanes64 lanes, Entry value) {
        Lanes64 found = 0;
        each(lanes, [&](int i) { found |= Lanes64{entries[i] >= value} << i; });
        return found;
    }
    static void assign(Entry* entries, Lanes64 lanes, Entry value) {
        each(lanes, [&](int i) { entries[i] = value; });
    }
};

}  // namespace inarow::quixo
