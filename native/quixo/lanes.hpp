// Operations on 64 entries of a block at once, in portable C++; lanes_avx2.hpp and lanes_avx512.hpp have the
// same with vectors.
//
// A move takes all entries of a block to entries of one other block. To which one depends on the entry's local word
// alone: the word's bits are permuted (a Permutation), and the permuted word is ranked (Ranks).
//
// Local words are kept as a low and a high part, so that a rank is one look-up for each part: with the number of bits
// fixed, the colexicographic rank is additive over the two. Parts are bytes where at most 16 cells are free (short
// words), else two bytes (long words).
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "layout.hpp"

namespace inarow::quixo {

using Lanes64 = std::uint64_t;  // a set of entries, of the 64 of a group

constexpr int max_short_bits = 16;
constexpr int max_register_bits = 12;  // of words that vectors can look up in registers
constexpr std::uint8_t dropped = 255;  // where a permutation sends a bit that it does not keep

template <class Visit>
void each_lane(Lanes64 lanes, Visit visit) {
    for (; lanes; lanes &= lanes - 1) visit(std::countr_zero(lanes));
}

// Values of entries, as in docs/tablebase-format.md: larger is better for the side to move.
template <class Entry>
struct Values {
    // While a pair is solved, undecided entries of two bytes hold their seed, in the middle of the range; one byte has
    // no room for that, and seeds are stored separately.
    static constexpr bool hold_seeds = sizeof(Entry) == 2;
    static constexpr int turned = hold_seeds ? 0x4000 : 0;

    static constexpr Entry top = std::numeric_limits<Entry>::max();
    static constexpr Entry draw = top / 2;
    static constexpr int max_plies = (hold_seeds ? turned : int{draw}) - 1 - hold_seeds;
    static constexpr Entry win(int plies) { return static_cast<Entry>(top - plies); }
    static constexpr Entry loss(int plies) { return static_cast<Entry>(plies); }

    // An undecided entry with this seed, and the inverse. Without a seed to wait for it is a draw.
    static constexpr Entry pending(Entry seed) { return seed == draw ? draw : static_cast<Entry>(seed ^ turned); }
    static constexpr bool undecided(Entry entry) {
        return hold_seeds ? entry >= turned && entry < top - turned + 1 : entry == draw;
    }

    // An entry of one byte as one of this width.
    static constexpr Entry widened(std::uint8_t entry) {
        using Narrow = Values<std::uint8_t>;
        return static_cast<Entry>(entry < Narrow::draw    ? entry
                                  : entry == Narrow::draw ? draw
                                                          : top - Narrow::top + entry);
    }
};

template <class Part>
struct SplitWord {
    Part low, high;
};

// Bits of a local word of m bits that go to its low part. Vectors look four bits up in one step, five in two.
template <class Part>
constexpr int low_bits(int m) {
    return sizeof(Part) == 1 && m <= 8 ? 4 : (m + 1) / 2;
}

template <class Part>
constexpr SplitWord<Part> split_word(Mask word, int m) {
    return {static_cast<Part>(word & ((1u << low_bits<Part>(m)) - 1)), static_cast<Part>(word >> low_bits<Part>(m))};
}

// The local words of a block in the order of its entries, and the inverse.
template <class Part>
struct Ranks {
    Ranks() = default;
    Ranks(int m, int b) : entries(binomial(m, b)) {
        split = low_bits<Part>(m);
        for (int w = 0; w < 1 << split; ++w) low_rank[w] = static_cast<Part>(colex_rank(w));
        for (int h = 0; h < (sizeof(Part) > 1 ? 1 << (m - split) : values); ++h) {
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
        in_registers = sizeof(Part) == 1 && m <= max_register_bits && entries <= 512;
        groups = static_cast<int>((entries + 63) / 64);
        low.resize(groups * 64);
        high.resize(groups * 64);
        if (sizeof(Part) == 1) nibbles.resize(groups * 256);
        lanes.resize(groups);
        with_bit.resize(static_cast<std::size_t>(m) * groups);
        std::uint32_t i = 0;
        for (const Mask word : words(m, b)) {
            const auto [l, h] = split_word<Part>(word, m);
            low[i] = l;
            high[i] = h;
            if (sizeof(Part) == 1)
                for (int n = 0; n < 4; ++n) nibbles[n * groups * 64 + i] = static_cast<Part>(word >> 4 * n & 15);
            const Lanes64 lane = Lanes64{1} << i % 64;
            lanes[i / 64] |= lane;
            for (int j = 0; j < m; ++j)
                if (word >> j & 1) with_bit[j * groups + i / 64] |= lane;
            ++i;
        }
    }

    // No block of any pair has more than 65,536 entries.
    std::uint32_t rank(SplitWord<Part> word) const { return low_rank[word.low] + std::uint32_t{high_rank[word.high]}; }

    Mask word(std::uint32_t i, int m) const { return low[i] | Mask{high[i]} << low_bits<Part>(m); }

    static constexpr int values = sizeof(Part) > 1 ? 1 << low_bits<Part>(max_cells) : 256;

    std::uint32_t entries = 0;
    int groups = 0, split = 0;  // groups of lanes; bits of low parts
    bool in_registers = false;  // parts have up to 6 bits and ranks up to 9: vectors can do the look-ups
    alignas(64) Part low_rank[values] = {};
    alignas(64) std::uint8_t high_rank_low_byte[64] = {};
    alignas(64) std::uint8_t high_rank_high_byte[64] = {};
    std::uint16_t high_rank[values] = {};
    std::vector<Part> low, high;
    std::vector<Part> nibbles;      // [nibble][entry], of short words
    std::vector<Lanes64> lanes;     // the entries that each group has
    std::vector<Lanes64> with_bit;  // [bit * groups + group]: those whose word has the bit
};
extern template struct Ranks<std::uint8_t>;  // in solver.cpp: compiled for the baseline CPU, for all files
extern template struct Ranks<std::uint16_t>;

// The block that a move leads to: its entries for the side that is then to move.
template <class Entry, class Part>
struct Target {
    const Entry* entries;
    const Ranks<Part>* ranks;
};

// The images of all words of the bits first … end-1 of a word that is permuted: bit j goes to bit places[j] of a word
// of m_there bits, or nowhere if that is `dropped`. Both parts of an image are in one number.
template <class Part, class Image>
void fill_images(Image* table, const std::uint8_t* places, int first, int end, int m_there) {
    table[0] = 0;
    for (int j = first, known = 1; j < end; ++j, known *= 2) {
        Image image = 0;
        if (places[j] != dropped) {
            const auto [low, high] = split_word<Part>(Mask{1} << places[j], m_there);
            image = static_cast<Image>(low | Image{high} << sizeof(Part) * 8);
        }
        for (int i = 0; i < known; ++i) table[known + i] = table[i] | image;
    }
}

// Where each bit of a short word goes, as a table for each half of each part.
class ShortPermutation {
  public:
    using Part = std::uint8_t;

    ShortPermutation() = default;
    ShortPermutation(const std::uint8_t* places, int m, int m_there) {
        const int split = low_bits<Part>(m);
        for (int part = 0; part < 4; ++part) {
            const int first = (part & 1) * 4 + (part & 2 ? split : 0);
            fill_images<Part>(table_[part], places, first, std::min({first + 4, part & 2 ? m : split, m}), m_there);
        }
    }
    SplitWord<Part> operator()(SplitWord<Part> w) const {
        const int word =
            table_[0][w.low & 15] | table_[1][w.low >> 4] | table_[2][w.high & 15] | table_[3][w.high >> 4];
        return {static_cast<Part>(word), static_cast<Part>(word >> 8)};
    }

  private:
    std::uint16_t table_[4][16];
};

// The same for a long word. Halves have no more bits than m needs: most tables are made for one visit of a block.
class LongPermutation {
  public:
    using Part = std::uint16_t;

    LongPermutation() = default;
    LongPermutation(const std::uint8_t* places, int m, int m_there) {
        const int split = low_bits<Part>(m);
        half_ = (split + 1) / 2;
        for (int part = 0; part < 4; ++part) {
            const int first = (part & 1) * half_ + (part & 2 ? split : 0);
            fill_images<Part>(table_[part], places, first, std::min(first + half_, part & 2 ? m : split), m_there);
        }
    }
    SplitWord<Part> operator()(SplitWord<Part> w) const {
        const int mask = (1 << half_) - 1;
        const std::uint32_t word =
            table_[0][w.low & mask] | table_[1][w.low >> half_] | table_[2][w.high & mask] | table_[3][w.high >> half_];
        return {static_cast<Part>(word), static_cast<Part>(word >> 16)};
    }

  private:
    static constexpr int max_half = (low_bits<Part>(max_cells) + 1) / 2;

    int half_;  // bits of the lower half of a part
    std::uint32_t table_[4][1 << max_half];
};

template <class EntryType, class PartType>
struct PortableLanes {
    using Entry = EntryType;
    using Part = PartType;
    using Word = SplitWord<Part>;
    using Permutation = std::conditional_t<sizeof(Part) == 1, ShortPermutation, LongPermutation>;

    struct Group {  // one entry for each lane
        Entry entries[64];
        explicit Group(Entry value) { std::fill_n(entries, 64, value); }
        void store(Entry* to, Lanes64 lanes) const {
            each_lane(lanes, [&](int i) { to[i] = entries[i]; });
        }
    };

    static Mask extract(Mask mask, Mask places) { return quixo::extract(mask, places); }
    static Mask deposit(Mask word, Mask places) { return quixo::deposit(word, places); }

    // The lanes among `lanes` for which the test holds of the entry that the permuted word has in the target.
    // `added` are bits set in the words before they are permuted.
    template <class Found, class Test>
    static Lanes64 select(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to, Word added,
                          const Target<Found, Part>& target, Test test) {
        Lanes64 found = 0;
        each_lane(lanes, [&](int i) {
            const Word word{static_cast<Part>(from.low[g * 64 + i] | added.low),
                            static_cast<Part>(from.high[g * 64 + i] | added.high)};
            if (test(i, target.entries[target.ranks->rank(to(word))])) found |= Lanes64{1} << i;
        });
        return found;
    }

    static Lanes64 select_equal(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to,
                                const Target<Entry, Part>& target, Entry value) {
        return select(from, g, lanes, to, {0, 0}, target, [=](int, Entry e) { return e == value; });
    }
    static Lanes64 select_at_least(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to,
                                   const Target<Entry, Part>& target, Entry value) {
        return select(from, g, lanes, to, {0, 0}, target, [=](int, Entry e) { return e >= value; });
    }
    // Each lane of `least` becomes the entry that it leads to, which may be a narrower one, if that is smaller.
    template <class Found>
    static void lower(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to, Word added,
                      const Target<Found, Part>& target, Group& least) {
        select(from, g, lanes, to, added, target, [&](int i, Found e) {
            Entry entry;
            if constexpr (sizeof(Found) < sizeof(Entry))
                entry = Values<Entry>::widened(e);
            else
                entry = e;
            least.entries[i] = std::min(least.entries[i], entry);
            return false;
        });
    }

    // The lanes whose word has all bits of `bits`.
    static Lanes64 select_containing(const Ranks<Part>& from, int g, Word bits) {
        const Part *low = &from.low[g * 64], *high = &from.high[g * 64];
        return packed([=](int i) { return (low[i] & bits.low) == bits.low && (high[i] & bits.high) == bits.high; });
    }

    static Lanes64 select_equal(const Entry* entries, Lanes64 lanes, Entry value) {
        return select(entries, lanes, [=](Entry e) { return e == value; });
    }
    static Lanes64 select_at_least(const Entry* entries, Lanes64 lanes, Entry value) {
        return select(entries, lanes, [=](Entry e) { return e >= value; });
    }
    static Lanes64 select_undecided(const Entry* entries, Lanes64 lanes) {
        return select(entries, lanes, [](Entry e) { return Values<Entry>::undecided(e); });
    }
    static void assign(Entry* entries, Lanes64 lanes, Entry value) {
        each_lane(lanes, [&](int i) { entries[i] = value; });
    }

  private:
    template <class Test>
    static Lanes64 select(const Entry* entries, Lanes64 lanes, Test test) {
        if (lanes == ~Lanes64{0}) return packed([=](int i) { return test(entries[i]); });
        Lanes64 found = 0;
        each_lane(lanes, [&](int i) { found |= Lanes64{test(entries[i])} << i; });
        return found;
    }

    // The lanes for which a test holds, made in two steps that compilers turn into vector instructions.
    template <class Test>
    static Lanes64 packed(Test test) {
        std::uint8_t flags[64];
        for (int i = 0; i < 64; ++i) flags[i] = test(i);
        Lanes64 found = 0;
        for (int byte = 0; byte < 8; ++byte) {
            std::uint64_t eight = 0;
            for (int i = 0; i < 8; ++i) eight |= std::uint64_t{flags[byte * 8 + i]} << (i * 8);
            found |= (eight * 0x0102040810204080 >> 56) << (byte * 8);
        }
        return found;
    }
};

}  // namespace inarow::quixo
