// The operations of lanes.hpp on entries of one byte, 64 in a vector register.
//
// A permutation of the bits of two-byte words is a 16x16 matrix over GF(2), four 8x8 matrices for GF2P8AFFINEQB. Ranks
// and entries of blocks of at most 256 are looked up inside registers; larger blocks go through memory.
#pragma once

#include <immintrin.h>

#include "lanes.hpp"

namespace inarow::quixo {

struct Avx512Lanes {
    using Entry = std::uint8_t;

    class Permutation {
      public:
        void send(SplitWord from, SplitWord to) {
            for (int source = 0; source < 2; ++source)
                for (int sink = 0; sink < 2; ++sink) {
                    const unsigned in = source ? from.high : from.low, out = sink ? to.high : to.low;
                    if (in && out) matrix[source][sink] |= std::uint64_t{in} << (7 - std::countr_zero(out)) * 8;
                }
        }
        std::uint64_t matrix[2][2] = {};  // [from part][to part]
    };

    struct Words {
        __m512i low, high;
    };

    static Words permuted(const Ranks& from, int g, const Permutation& to, SplitWord added) {
        const __m512i low = _mm512_or_si512(_mm512_loadu_si512(&from.low[g * 64]), _mm512_set1_epi8(char(added.low)));
        const __m512i high =
            _mm512_or_si512(_mm512_loadu_si512(&from.high[g * 64]), _mm512_set1_epi8(char(added.high)));
        const auto part = [&](int sink) {
            const __m512i a = _mm512_set1_epi64(static_cast<long long>(to.matrix[0][sink]));
            const __m512i b = _mm512_set1_epi64(static_cast<long long>(to.matrix[1][sink]));
            return _mm512_xor_si512(_mm512_gf2p8affine_epi64_epi8(low, a, 0),
                                    _mm512_gf2p8affine_epi64_epi8(high, b, 0));
        };
        return {part(0), part(1)};
    }

    // The entries that the words of group g lead to. Lanes outside `lanes` hold anything.
    static __m512i led_to(const Ranks& from, int g, Lanes64 lanes, const Permutation& to, SplitWord added,
                          const Target<Entry>& target) {
        const Words words = permuted(from, g, to, added);
        const Ranks& ranks = *target.ranks;
        if (ranks.in_bytes) {
            const __m512i rank =
                _mm512_add_epi8(_mm512_permutexvar_epi8(words.low, _mm512_load_si512(ranks.low_rank)),
                                _mm512_permutexvar_epi8(words.high, _mm512_load_si512(ranks.high_rank_byte)));
            const auto piece = [&](int i) { return _mm512_maskz_loadu_epi8(ranks.lanes(i), target.entries + i * 64); };
            if (ranks.groups == 1) return _mm512_permutexvar_epi8(rank, piece(0));
            const __m512i lower = _mm512_permutex2var_epi8(piece(0), rank, piece(1));
            if (ranks.groups == 2) return lower;
            const __m512i third = piece(2), fourth = ranks.groups == 4 ? piece(3) : _mm512_setzero_si512();
            return _mm512_mask_mov_epi8(lower, _mm512_movepi8_mask(rank),
                                        _mm512_permutex2var_epi8(third, rank, fourth));
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

    static Lanes64 select_equal(const Ranks& from, int g, Lanes64 lanes, const Permutation& to,
                                const Target<Entry>& target, Entry value) {
        return _mm512_mask_cmpeq_epi8_mask(lanes, led_to(from, g, lanes, to, {0, 0}, target),
                                           _mm512_set1_epi8(char(value)));
    }
    static Lanes64 select_at_least(const Ranks& from, int g, Lanes64 lanes, const Permutation& to,
                                   const Target<Entry>& target, Entry value) {
        return _mm512_mask_cmpge_epu8_mask(lanes, led_to(from, g, lanes, to, {0, 0}, target),
                                           _mm512_set1_epi8(char(value)));
    }
    static void lower(const Ranks& from, int g, Lanes64 lanes, const Permutation& to, SplitWord added,
                      const Target<Entry>& target, Entry* least) {
        const __m512i old = _mm512_loadu_si512(least);
        _mm512_storeu_si512(least, _mm512_mask_min_epu8(old, lanes, old, led_to(from, g, lanes, to, added, target)));
    }
    static Lanes64 select_containing(const Ranks& from, int g, SplitWord bits) {
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
    static void assign(Entry* entries, Lanes64 lanes, Entry value) {
        _mm512_mask_storeu_epi8(entries, lanes, _mm512_set1_epi8(char(value)));
    }
};

}  // namespace inarow::quixo
