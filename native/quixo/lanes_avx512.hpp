// The operations of lanes.hpp on entries of one byte, 64 in a vector register.
//
// A permutation of the bits of two-byte words is a 16x16 matrix over GF(2): four 8x8 matrices for GF2P8AFFINEQB. Ranks
// and entries of blocks with at most 512 entries are looked up inside registers, those of larger blocks in memory.
#pragma once

#include <immintrin.h>

#include "gf2_matrix.hpp"
#include "lanes.hpp"

namespace inarow::quixo {

struct Avx512Lanes {
    using Entry = std::uint8_t;
    using Part = std::uint8_t;
    using Word = SplitWord<Part>;

    struct Group {
        __m512i entries;
        explicit Group(Entry value) : entries(_mm512_set1_epi8(static_cast<char>(value))) {}
        void store(Entry* to, Lanes64 lanes) const { _mm512_mask_storeu_epi8(to, lanes, entries); }
    };

    static Mask extract(Mask mask, Mask places) { return _pext_u32(mask, places); }
    static Mask deposit(Mask word, Mask places) { return _pdep_u32(word, places); }

    struct Permutation {
        Permutation() = default;
        // Sends bit j of a word of m bits to bit places[j] of a word of m_there bits, or nowhere if that is `dropped`.
        Permutation(const std::uint8_t* places, int m, int m_there) {
            // The image of each bit, as a byte of the low part and one of the high part: the columns of the matrices.
            const int split = low_bits<Part>(m), split_there = low_bits<Part>(m_there);
            const __m128i bit = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
            const __m128i place = _mm_maskz_loadu_epi8(static_cast<__mmask16>((1u << m) - 1), places);
            const __mmask16 kept = _mm_mask_cmpneq_epi8_mask(static_cast<__mmask16>((1u << m) - 1), place,
                                                             _mm_set1_epi8(static_cast<char>(dropped)));
            const __mmask16 to_low =
                _mm_mask_cmplt_epu8_mask(kept, place, _mm_set1_epi8(static_cast<char>(split_there)));
            const __m128i above = _mm_sub_epi8(place, _mm_set1_epi8(static_cast<char>(split_there)));
            for (int sink = 0; sink < 2; ++sink) {
                const __m128i image = sink == 0
                                          ? _mm_maskz_shuffle_epi8(to_low, bit, place)
                                          : _mm_maskz_shuffle_epi8(static_cast<__mmask16>(kept & ~to_low), bit, above);
                const __mmask16 low_half = static_cast<__mmask16>((1u << split) - 1);
                const __m128i columns[2] = {_mm_maskz_mov_epi8(low_half, image),
                                            _mm_maskz_compress_epi8(static_cast<__mmask16>(~low_half), image)};
                for (int source = 0; source < 2; ++source)
                    matrix[source][sink] = turned(static_cast<std::uint64_t>(_mm_cvtsi128_si64(columns[source])));
            }
        }

        // The matrix whose columns are the bytes of `columns`, as GF2P8AFFINEQB takes it: rows, the last one first.
        static std::uint64_t turned(std::uint64_t columns) {
            const __m128i unit = _mm_set1_epi64x(0x0102040810204080);
            const __m128i reversed = _mm_cvtsi64_si128(static_cast<long long>(__builtin_bswap64(columns)));
            return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_gf2p8affine_epi64_epi8(unit, reversed, 0)));
        }

        std::uint64_t matrix[2][2];  // [from part][to part]
    };

    struct Words {
        __m512i low, high;
    };

    static Words permuted(const Ranks<Part>& from, int g, const Permutation& to, Word added) {
        const __m512i low = _mm512_or_si512(_mm512_loadu_si512(&from.low[g * 64]), _mm512_set1_epi8(char(added.low)));
        const __m512i high =
            _mm512_or_si512(_mm512_loadu_si512(&from.high[g * 64]), _mm512_set1_epi8(char(added.high)));
        const auto part = [&](int sink) {
            const __m512i a = repeated_matrix(to.matrix[0][sink]), b = repeated_matrix(to.matrix[1][sink]);
            return _mm512_xor_si512(_mm512_gf2p8affine_epi64_epi8(low, a, 0),
                                    _mm512_gf2p8affine_epi64_epi8(high, b, 0));
        };
        return {part(0), part(1)};
    }

    // The entries that the words of group g lead to. Lanes outside `lanes` are unspecified.
    [[gnu::always_inline]] static __m512i led_to(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to,
                                                 Word added, const Target<Entry, Part>& target) {
        const Words words = permuted(from, g, to, added);
        const Ranks<Part>& ranks = *target.ranks;
        if (ranks.in_registers) {
            const __m512i low_rank = _mm512_permutexvar_epi8(words.low, _mm512_load_si512(ranks.low_rank));
            const __m512i rank = _mm512_add_epi8(
                low_rank, _mm512_permutexvar_epi8(words.high, _mm512_load_si512(ranks.high_rank_low_byte)));
            const auto piece = [&](int i) {
                return _mm512_maskz_loadu_epi8(i < ranks.groups ? ranks.lanes[i] : 0, target.entries + i * 64);
            };
            if (ranks.groups == 1) return _mm512_permutexvar_epi8(rank, piece(0));
            // Bit 7 of the rank chooses between two pairs of registers, bit 8 between four and four.
            const auto pair = [&](int i) { return _mm512_permutex2var_epi8(piece(i), rank, piece(i + 1)); };
            if (ranks.groups == 2) return pair(0);
            const auto four = [&](int i) {
                return _mm512_mask_mov_epi8(pair(i), _mm512_movepi8_mask(rank), pair(i + 2));
            };
            if (ranks.groups <= 4) return four(0);
            const __m512i above = _mm512_permutexvar_epi8(words.high, _mm512_load_si512(ranks.high_rank_high_byte));
            const Lanes64 carried = _mm512_cmplt_epu8_mask(rank, low_rank);
            return _mm512_mask_mov_epi8(four(0), carried | _mm512_test_epi8_mask(above, above), four(4));
        }
        alignas(64) std::uint8_t low[64], high[64], found[64] = {};
        _mm512_store_si512(low, words.low);
        _mm512_store_si512(high, words.high);
        for (; lanes; lanes &= lanes - 1) {
            const int i = std::countr_zero(lanes);
            found[i] = target.entries[ranks.rank({low[i], high[i]})];
        }
        return _mm512_load_si512(found);
    }

    static Lanes64 select_equal(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to,
                                const Target<Entry, Part>& target, Entry value) {
        return _mm512_mask_cmpeq_epi8_mask(lanes, led_to(from, g, lanes, to, {0, 0}, target),
                                           _mm512_set1_epi8(char(value)));
    }
    static Lanes64 select_at_least(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to,
                                   const Target<Entry, Part>& target, Entry value) {
        return _mm512_mask_cmpge_epu8_mask(lanes, led_to(from, g, lanes, to, {0, 0}, target),
                                           _mm512_set1_epi8(char(value)));
    }
    static void lower(const Ranks<Part>& from, int g, Lanes64 lanes, const Permutation& to, Word added,
                      const Target<Entry, Part>& target, Group& least) {
        least.entries =
            _mm512_mask_min_epu8(least.entries, lanes, least.entries, led_to(from, g, lanes, to, added, target));
    }
    static Lanes64 select_containing(const Ranks<Part>& from, int g, Word bits) {
        const __m512i low = _mm512_set1_epi8(char(bits.low)), high = _mm512_set1_epi8(char(bits.high));
        const Lanes64 in_low =
            _mm512_cmpeq_epi8_mask(_mm512_and_si512(_mm512_loadu_si512(&from.low[g * 64]), low), low);
        return _mm512_mask_cmpeq_epi8_mask(in_low, _mm512_and_si512(_mm512_loadu_si512(&from.high[g * 64]), high),
                                           high);
    }
    static Lanes64 select_equal(const Entry* entries, Lanes64 lanes, Entry value) {
        return _mm512_mask_cmpeq_epi8_mask(lanes, _mm512_maskz_loadu_epi8(lanes, entries),
                                           _mm512_set1_epi8(char(value)));
    }
    static Lanes64 select_at_least(const Entry* entries, Lanes64 lanes, Entry value) {
        return _mm512_mask_cmpge_epu8_mask(lanes, _mm512_maskz_loadu_epi8(lanes, entries),
                                           _mm512_set1_epi8(char(value)));
    }
    static Lanes64 select_undecided(const Entry* entries, Lanes64 lanes) {
        return select_equal(entries, lanes, Values<Entry>::draw);
    }
    static void assign(Entry* entries, Lanes64 lanes, Entry value) {
        _mm512_mask_storeu_epi8(entries, lanes, _mm512_set1_epi8(char(value)));
    }
};

}  // namespace inarow::quixo
