// Where a position is stored: pairs, planes, blocks and ranks. docs/tablebase-format.md is the specification.
#pragma once

#include <memory>
#include <vector>

#include "board.hpp"

namespace inarow::quixo {

inline constexpr auto binomials = [] {
    std::array<std::array<std::uint32_t, max_cells + 1>, max_cells + 1> c{};
    for (int n = 0; n <= max_cells; ++n) {
        c[n][0] = 1;
        for (int k = 1; k <= n; ++k) c[n][k] = c[n - 1][k - 1] + (k < n ? c[n - 1][k] : 0);
    }
    return c;
}();

constexpr std::uint32_t binomial(int n, int k) { return k < 0 || k > n ? 0 : binomials[n][k]; }

// Tables with which masks are ranked, and their bits extracted, a byte at a time.
struct ByteTables {
    std::uint8_t bits[256];            // how many are set
    std::uint8_t extracted[256][256];  // [places][byte]: its bits at these places, moved together
    std::uint32_t rank[4][max_cells + 1]
                      [256];  // [which byte][bits below it][byte]: its share of the colexicographic rank

    ByteTables() : bits{}, extracted{}, rank{} {
        for (unsigned byte = 0; byte < 256; ++byte) bits[byte] = static_cast<std::uint8_t>(std::popcount(byte));
        for (unsigned places = 0; places < 256; ++places)
            for (unsigned byte = 0; byte < 256; ++byte)
                for (unsigned rest = places, i = 0; rest; rest &= rest - 1, ++i)
                    if (byte & rest & -rest) extracted[places][byte] |= static_cast<std::uint8_t>(1u << i);
        for (int which = 0; which < 4; ++which)
            for (int below = 0; below <= max_cells; ++below)
                for (unsigned byte = 0; byte < 256; ++byte) {
                    int i = below;
                    for (unsigned rest = byte; rest; rest &= rest - 1) {
                        const int place = which * 8 + std::countr_zero(rest);
                        if (++i <= max_cells && place <= max_cells) rank[which][below][byte] += binomial(place, i);
                    }
                }
    }
};
inline const ByteTables byte_tables;

// Colexicographic rank of a word among the words with as many bits.
inline std::uint32_t colex_rank(Mask word) {
    std::uint32_t rank = 0;
    for (int which = 0, below = 0; word; ++which, word >>= 8) {
        rank += byte_tables.rank[which][below][word & 255];
        below += byte_tables.bits[word & 255];
    }
    return rank;
}

// The bits of `mask` at the places set in `places`, moved together, in order.
inline Mask extract(Mask mask, Mask places) {
    Mask word = 0;
    for (int found = 0; places; places >>= 8, mask >>= 8) {
        word |= Mask{byte_tables.extracted[places & 255][mask & 255]} << found;
        found += byte_tables.bits[places & 255];
    }
    return word;
}

// The inverse of extract: the bits of `word` spread over `places`.
constexpr Mask deposit(Mask word, Mask places) {
    Mask mask = 0;
    for (; word; word >>= 1, places &= places - 1)
        if (word & 1) mask |= places & -places;
    return mask;
}

// All words with b of m bits, in ascending (colexicographic) order.
inline std::vector<Mask> words(int m, int b) {
    std::vector<Mask> all;
    if (b > m) return all;
    all.reserve(binomial(m, b));
    Mask word = (Mask{1} << b) - 1;
    for (std::uint32_t i = binomial(m, b); i > 0; --i) {
        all.push_back(word);
        if (b == 0) break;
        const Mask low = word & -word, carried = word + low;
        word = carried | ((word ^ carried) >> 2) / low;
    }
    return all;
}

// Stored entries of a pair, one or two bytes wide.
struct StoredPair {
    const void* data = nullptr;
    int width = 1;

    std::uint32_t operator[](std::size_t i) const {
        return width == 1 ? static_cast<const std::uint8_t*>(data)[i] : static_cast<const std::uint16_t*>(data)[i];
    }
    std::uint32_t top() const { return width == 1 ? 0xff : 0xffff; }

    StoredPair from(std::size_t first) const { return {static_cast<const char*>(data) + first * width, width}; }
};

struct Canonical {
    std::uint32_t block;
    int symmetry;  // takes the mask to the block's A
};

// The blocks of every pair: the masks that are the smallest of their images, by number of marks.
class Layout {
  public:
    explicit Layout(const Board& board) : board_(board), blocks_(board.cells() + 1), orbits_(board.cells() + 1) {
        const Mask end = Mask{1} << board.cells();
        where_ = std::make_unique_for_overwrite<std::uint32_t[]>(end);
        std::fill_n(where_.get(), end, unseen);
        // In ascending order, the first mask of an orbit is its smallest.
        for (Mask mask = 0; mask < end; ++mask) {
            if (where_[mask] != unseen) continue;
            auto& blocks = blocks_[std::popcount(mask)];
            const auto block = static_cast<std::uint32_t>(blocks.size());
            std::uint8_t orbit = 0;
            for (int g = 0; g < board.symmetries(); ++g) {
                const Mask image = board.image(g, mask);
                if (where_[image] != unseen) continue;
                where_[image] = block << 3 | static_cast<std::uint32_t>(Board::inverse(g));
                ++orbit;
            }
            blocks.push_back(mask);
            orbits_[std::popcount(mask)].push_back(orbit);
        }
    }

    const Board& board() const { return board_; }
    const std::vector<Mask>& blocks(int a) const { return blocks_[a]; }
    int orbit(int a, std::uint32_t block) const { return orbits_[a][block]; }

    Canonical canonical(Mask mask) const { return {where_[mask] >> 3, static_cast<int>(where_[mask] & 7)}; }

    // Hints that canonical(mask) will be needed soon.
    void prefetch(Mask mask) const { __builtin_prefetch(&where_[mask]); }

    // Entries of one plane of pair {a, b}, and of one of its blocks.
    std::size_t plane_entries(int a, int b) const { return blocks_[a].size() * block_entries(a, b); }
    std::uint32_t block_entries(int a, int b) const { return binomial(board_.cells() - a, b); }

    // The entry, in a plane of the pair, of the position where the larger side has A and the other B.
    std::size_t entry(Mask larger, Mask smaller) const {
        const auto [block, g] = canonical(larger);
        const int a = std::popcount(larger), b = std::popcount(smaller);
        const Mask free = full() & ~board_.image(g, larger);
        return std::size_t{block} * block_entries(a, b) + colex_rank(extract(board_.image(g, smaller), free));
    }

    // Bytes of memory.
    std::size_t bytes() const {
        std::size_t blocks = 0;
        for (const auto& of_a : blocks_) blocks += of_a.size();
        return (std::size_t{1} << board_.cells()) * sizeof(where_[0]) + blocks * (sizeof(Mask) + 1);
    }

    Mask full() const { return board_.full(); }

  private:
    static constexpr std::uint32_t unseen = ~std::uint32_t{0};

    Board board_;
    std::vector<std::vector<Mask>> blocks_;
    std::vector<std::vector<std::uint8_t>> orbits_;
    std::unique_ptr<std::uint32_t[]> where_;  // block << 3 | symmetry, for every mask
};

}  // namespace inarow::quixo
