// Bitmaps and their permutation (rows.hpp) with AVX2: 64-bit words of four groups at a time. Included only by a file
// compiled for it.
#pragma once

#include <immintrin.h>

#include "rows_words.hpp"

namespace inarow::quixo {

// A row as two registers. As one vector of 64 bytes, GCC would keep it in memory, written in halves of other sizes than
// it is then read in, which takes longer than all that is done with it.
struct alignas(64) [[gnu::may_alias]] Avx2Row {
    using Half = std::uint64_t __attribute__((vector_size(32), may_alias));
    Half low, high;

    std::uint64_t operator[](int word) const { return word < 4 ? low[word] : high[word - 4]; }
    bool any() const {
        const auto all = reinterpret_cast<__m256i>(low | high);
        return !_mm256_testz_si256(all, all);
    }

    [[gnu::always_inline]] Avx2Row operator~() const { return {~low, ~high}; }
    [[gnu::always_inline]] Avx2Row operator&(const Avx2Row& row) const { return {low & row.low, high & row.high}; }
    [[gnu::always_inline]] Avx2Row operator|(const Avx2Row& row) const { return {low | row.low, high | row.high}; }
    [[gnu::always_inline]] Avx2Row operator^(const Avx2Row& row) const { return {low ^ row.low, high ^ row.high}; }
    [[gnu::always_inline]] Avx2Row operator&(std::uint64_t word) const { return {low & word, high & word}; }
    [[gnu::always_inline]] Avx2Row operator<<(int bits) const { return {low << bits, high << bits}; }
    [[gnu::always_inline]] Avx2Row operator>>(int bits) const { return {low >> bits, high >> bits}; }
    [[gnu::always_inline]] Avx2Row& operator&=(const Avx2Row& row) { return *this = *this & row; }
    [[gnu::always_inline]] Avx2Row& operator|=(const Avx2Row& row) { return *this = *this | row; }
    [[gnu::always_inline]] Avx2Row& operator^=(const Avx2Row& row) { return *this = *this ^ row; }
};

struct Avx2Words {
    using Register = std::uint64_t __attribute__((vector_size(32), may_alias));
    static constexpr int count = 4;
    static constexpr bool shuffles = true;

    static int shift(int bits) { return bits; }
    static Register up(Register x, int shift) { return x << shift; }
    static Register down(Register x, int shift) { return x >> shift; }
    static Register repeated(std::uint64_t word) { return Register{word, word, word, word}; }
    static Register byte_index(std::uint64_t index) {
        return Register{index, index + 0x0808080808080808, index, index + 0x0808080808080808};
    }
    static Register bytes(Register x, Register index) {
        return reinterpret_cast<Register>(
            _mm256_shuffle_epi8(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(index)));
    }
    static Register load(auto place) { return Register{*place(0), *place(1), *place(2), *place(3)}; }
    static void store(Register x, int n, auto place) {
        for (int i = 0; i < n; ++i) *place(i) = x[i];
    }
};

struct Avx2Rows {
    using Row = Avx2Row;
    using Words = std::uint32_t __attribute__((vector_size(32)));

    static std::uint64_t extract(std::uint64_t bits, std::uint64_t places) { return _pext_u64(bits, places); }
    static std::uint64_t deposit(std::uint64_t word, std::uint64_t places) { return _pdep_u64(word, places); }

    static std::uint32_t equal(const std::uint8_t* bytes, std::uint8_t value) {
        const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
        return static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(all, _mm256_set1_epi8(static_cast<char>(value)))));
    }
    static std::uint32_t at_most(const std::uint8_t* bytes, std::uint8_t value) {
        const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
        const __m256i most = _mm256_set1_epi8(static_cast<char>(value));
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(all, most), all)));
    }

    static constexpr auto spread = PlainRows::spread;
    static void lower(Avx2Row& row, const Avx2Row& other) {
        auto* halves = reinterpret_cast<__m256i*>(&row);
        const auto* others = reinterpret_cast<const __m256i*>(&other);
        for (int i = 0; i < 2; ++i) halves[i] = _mm256_min_epu8(halves[i], others[i]);
    }

    using Permutation = WordPermutation<Avx2Words>;
};

}  // namespace inarow::quixo
