// Bitmaps and their permutation (rows.hpp) with AVX2: 64-bit words of four groups at a time.
#pragma once

#include <immintrin.h>

#include "rows_words.hpp"

namespace inarow::quixo {

struct Avx2Words {
    using Register = __m256i;
    using Shift = __m128i;
    static constexpr int count = 4;

    static Shift shift(int bits) { return _mm_cvtsi32_si128(bits); }
    static Register up(Register x, Shift shift) { return _mm256_sll_epi64(x, shift); }
    static Register down(Register x, Shift shift) { return _mm256_srl_epi64(x, shift); }
    static Register repeated(std::uint64_t word) { return _mm256_set1_epi64x(static_cast<long long>(word)); }
    static Register byte_index(std::uint64_t index) {
        const auto above = static_cast<long long>(index + 0x0808080808080808), below = static_cast<long long>(index);
        return _mm256_set_epi64x(above, below, above, below);
    }
    static Register bytes(Register x, Register index) { return _mm256_shuffle_epi8(x, index); }
    static Register load(auto place) {
        const auto word = [&](int n) { return static_cast<long long>(*place(n)); };
        return _mm256_set_epi64x(word(3), word(2), word(1), word(0));
    }
    static void store(Register x, int n, auto place) {
        alignas(32) std::uint64_t words[count];
        _mm256_store_si256(reinterpret_cast<__m256i*>(words), x);
        for (int i = 0; i < n; ++i) *place(i) = words[i];
    }
};

struct Avx2Rows {
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

    using Permutation = WordPermutation<Avx2Words>;
};

}  // namespace inarow::quixo
