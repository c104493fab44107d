// Sets of local words as bitmaps, and their permutation by moves.
//
// The words of m bits index a bitmap of 2^m bits; a block's entries are the words with b bits, and a set of entries is
// a bitmap with ones only at those. A move permutes the bits of a word, so it permutes the axes of the bitmap, seen as
// an array of m dimensions of length two. On whole vectors that costs a few instructions for 512 words at once, while a
// look-up costs a few for each entry: it pays although only about every fifth word has b bits.
//
//   axes 0-2: the bit in a byte;  3-5: the byte in a 64-bit word;  6-8: the 64-bit word in a row;  from 9: the row
//
// Here in portable C++, with the permutation in rows_words.hpp; rows_avx512.hpp, rows_avx2.hpp and rows_neon.hpp have
// the same with vectors.
#pragma once

#include <cstring>
#include <vector>

#include "huge_pages.hpp"
#include "layout.hpp"

namespace inarow::quixo {

using Row = std::uint64_t __attribute__((vector_size(64), may_alias));

constexpr int row_axes = 9;

constexpr int row_count(int m) { return m <= row_axes ? 1 : 1 << (m - row_axes); }

// The words of a row that have bit `axis`, which is below 9.
inline constexpr auto axis_words = [] {
    std::array<std::array<std::uint64_t, 8>, row_axes> words{};
    for (int axis = 0; axis < row_axes; ++axis)
        for (int bit = 0; bit < 512; ++bit)
            if (bit >> axis & 1) words[axis][bit / 64] |= std::uint64_t{1} << bit % 64;
    return words;
}();

// How a bitmap is permuted: bit w of the result is the bit of the source whose index has, for each axis of w, that bit
// of w at from[axis]. Along an axis beyond the source's own, the source is read as if it were there twice. If `flipped`
// is an axis, the bit of w is inverted there.
struct Axes {
    int count;                         // of both, at least row_axes
    int source_rows;                   // a power of two
    std::uint8_t from[max_cells + 3];  // with those of a byte
    int flipped = -1;
    // Along this axis of the result, if there is one, only words with that bit are needed; others may get any value.
    int chosen = -1;
    bool chosen_bit = false;

    // Whether only one half along this axis of the source is needed, and which.
    bool is_halved(int axis, int low) const { return chosen >= low && from[chosen] == axis; }
    bool half() const { return chosen_bit != (flipped == chosen); }
};

// The types that a kind of instructions works with: a row, and words of blocks, many at a time.
struct WholeRows {
    using Row = quixo::Row;
    using Words = std::uint32_t __attribute__((vector_size(64)));
};

// Rows of bitmaps of such a type; not initialized.
template <class Rows>
class RowsOf {
  public:
    using Row = typename Rows::Row;

    RowsOf() = default;
    explicit RowsOf(std::size_t rows) : bytes_(make_huge<std::byte>(rows * sizeof(Row))) {}
    Row* operator[](std::size_t row) const { return reinterpret_cast<Row*>(bytes_.get()) + row; }

  private:
    HugeArray<std::byte> bytes_;
};
using RowArray = RowsOf<WholeRows>;

// The bitmaps of blocks with m free cells, b of them marked.
struct Shape {
    Shape() = default;
    Shape(int free_cells, int marks)
        : m(free_cells),
          axes(std::max(free_cells, row_axes)),
          rows(row_count(free_cells)),
          entries(binomial(free_cells, marks)),
          members(rows) {
        auto* bits = reinterpret_cast<std::uint64_t*>(members[0]);
        std::memset(bits, 0, rows * sizeof(Row));
        for (const Mask word : words(m, marks)) bits[word / 64] |= std::uint64_t{1} << word % 64;
    }

    int m = 0, axes = 0, rows = 0;
    std::uint32_t entries = 0;
    RowArray members;  // the words that are entries
};

struct PortableWords {
    using Register = std::uint64_t;
    static constexpr int count = 1;
    static constexpr bool shuffles = false;

    static int shift(int bits) { return bits; }
    static Register up(Register x, int shift) { return x << shift; }
    static Register down(Register x, int shift) { return x >> shift; }
    static Register repeated(std::uint64_t word) { return word; }
    static Register load(auto place) { return *place(0); }
    static void store(Register x, int, auto place) { *place(0) = x; }
};

// All but the permutation.
struct PlainRows : WholeRows {
    static std::uint64_t extract(std::uint64_t bits, std::uint64_t places) {
        std::uint64_t word = 0;
        for (int i = 0; places; places &= places - 1, ++i) word |= (bits >> std::countr_zero(places) & 1) << i;
        return word;
    }
    static std::uint64_t deposit(std::uint64_t word, std::uint64_t places) {
        std::uint64_t bits = 0;
        for (; places; places &= places - 1, word >>= 1) bits |= (word & 1) << std::countr_zero(places);
        return bits;
    }

    // Which of 32 bytes are `value`, or at most that.
    static std::uint32_t equal(const std::uint8_t* bytes, std::uint8_t value) {
        std::uint32_t found = 0;
        for (int i = 0; i < 32; ++i) found |= std::uint32_t{bytes[i] == value} << i;
        return found;
    }
    static std::uint32_t at_most(const std::uint8_t* bytes, std::uint8_t value) {
        std::uint32_t found = 0;
        for (int i = 0; i < 32; ++i) found |= std::uint32_t{bytes[i] <= value} << i;
        return found;
    }

    // A byte of each entry of a block, by rank, to the place of its word; the others have no meaning.
    static void spread(const std::uint8_t* bytes, const Shape&, const std::vector<Mask>& words, std::uint8_t* to) {
        for (const Mask word : words) to[word] = *bytes++;
    }

    // Lowers each byte of a row to that of another, if that is less.
    static void lower(Row& row, const Row& other) {
        auto* bytes = reinterpret_cast<std::uint8_t*>(&row);
        const auto* others = reinterpret_cast<const std::uint8_t*>(&other);
        for (std::size_t i = 0; i < sizeof(Row); ++i) bytes[i] = std::min(bytes[i], others[i]);
    }
};

}  // namespace inarow::quixo
