// rows.hpp with AVX-512. Included only by a file compiled for it.
//
// One instruction permutes the bytes of one or two registers, which permutes axes 3-8 and exchanges one of them with an
// axis that selects the row. An instruction that transposes the 8x8 bits of a 64-bit word exchanges axes 0-2 with 3-5:
//
//   [permute bytes, transpose]  exchange  [permute bytes, transpose]  exchange  [permute bits in bytes]  permute bytes
//
// The parts in brackets are left out if they are not needed.
#pragma once

#include <immintrin.h>

#include "gf2_matrix.hpp"
#include "rows.hpp"

namespace inarow::quixo {

class Avx512Rows : public WholeRows {
    static constexpr int low = row_axes, in_byte = 3;

    static __m512i numbers(int flipped) {
        alignas(64) static constexpr auto table = [] {
            std::array<std::array<std::uint8_t, 64>, 2> t{};
            for (int i = 0; i < 64; ++i) {
                t[0][i] = static_cast<std::uint8_t>(i);
                t[1][i] = static_cast<std::uint8_t>(i ^ 7);
            }
            return t;
        }();
        return _mm512_load_si512(table[flipped].data());
    }

  public:
    static std::uint64_t extract(std::uint64_t bits, std::uint64_t places) { return _pext_u64(bits, places); }
    static std::uint64_t deposit(std::uint64_t word, std::uint64_t places) { return _pdep_u64(word, places); }

    static std::uint32_t equal(const std::uint8_t* bytes, std::uint8_t value) {
        const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
        return _mm256_cmpeq_epu8_mask(all, _mm256_set1_epi8(static_cast<char>(value)));
    }
    static std::uint32_t at_most(const std::uint8_t* bytes, std::uint8_t value) {
        const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
        return _mm256_cmple_epu8_mask(all, _mm256_set1_epi8(static_cast<char>(value)));
    }

    // Of 64 words 20 at most are entries. Reads up to 31 bytes more.
    static void spread(const std::uint8_t* bytes, const Shape& shape, const std::vector<Mask>&, std::uint8_t* to) {
        const auto* members = reinterpret_cast<const std::uint64_t*>(shape.members[0]);
        for (int word = 0; word < std::max(1, 1 << shape.m >> 6); ++word) {
            const std::uint64_t places = members[word];
            if (!places) continue;
            const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
            _mm512_storeu_si512(to + 64 * word, _mm512_maskz_expand_epi8(places, _mm512_castsi256_si512(some)));
            bytes += _mm_popcnt_u64(places);
        }
    }

    static void lower(Row& row, const Row& other) {
        _mm512_store_si512(&row, _mm512_min_epu8(_mm512_load_si512(&row), _mm512_load_si512(&other)));
    }

    class Permutation {
      public:
        explicit Permutation(const Axes& axes) { plan(axes); }
        Permutation(const Permutation&) = delete;

        void operator()(const Row* from, Row* to) const {
            switch (slots) {
                case 0:
                    return run<0>(from, to);
                case 1:
                    return run<1>(from, to);
                case 2:
                    return run<2>(from, to);
                case 3:
                    return run<3>(from, to);
                case 4:
                    return run<4>(from, to);
                case 5:
                    return run<5>(from, to);
                case 6:
                    return run<6>(from, to);
                case 7:
                    return run<7>(from, to);
                case 8:
                    return run<8>(from, to);
                default:
                    return run<9>(from, to);
            }
        }

      private:
        int slots = 0, groups = 1;
        bool transpose_first = false;
        int transpose_before = -1;  // before which exchange, if any
        bool bits = false, bytes = false;
        std::uint32_t inside, flip = 0, half_in = 0, half_out = 0;
        __m512i first_index, second_index, last_index, bits_matrix;
        __m512i lower[low + 1], upper[low + 1];  // of each exchange
        std::uint32_t slot_in[1 << low], slot_out[1 << low];
        std::uint32_t group_in[1 << 8], group_out[1 << 8];
        std::uint32_t *groups_in = group_in, *groups_out = group_out;
        std::vector<std::uint32_t> more;

        // Permutes bytes so that place p receives what was at q[p], both counted from axis 3.
        static __m512i byte_index(const int* q, bool reversed) {
            std::uint64_t matrix = 0;
            for (int p = 0; p < 6; ++p) matrix |= std::uint64_t{1} << p << 8 * (7 - q[p]);
            return _mm512_gf2p8affine_epi64_epi8(numbers(reversed), repeated_matrix(matrix), 0);
        }

        // The axis at each place of a row, and the place of each axis.
        struct Places {
            std::uint8_t axis[low], place[32];

            void put(int axis_there, int at) {
                axis[at] = static_cast<std::uint8_t>(axis_there);
                place[axis_there] = static_cast<std::uint8_t>(at);
            }
        };

        // Brings the axes `chosen` from their places among the bytes to 0-2, and those there to 3-5. The transposition
        // reverses the bytes of a word; the index reverses them in advance.
        static __m512i bring(Places& at, const std::uint8_t* chosen) {
            int q[6], next = 3;
            const unsigned taken = 1u << at.place[chosen[0]] | 1u << at.place[chosen[1]] | 1u << at.place[chosen[2]];
            for (int i = 0; i < 3; ++i) q[i] = at.place[chosen[i]] - in_byte;
            for (int p = in_byte; p < low; ++p)
                if (!(taken >> p & 1)) q[next++] = p - in_byte;
            const Places before = at;
            for (int i = 0; i < 3; ++i) {
                at.put(chosen[i], i);
                at.put(before.axis[i], in_byte + i);
                at.put(before.axis[in_byte + q[3 + i]], in_byte + 3 + i);
            }
            return byte_index(q, true);
        }

        void plan(const Axes& axes) {
            Places at;
            for (int i = 0; i < low; ++i) at.put(i, i);
            std::uint32_t wanted = 0, lowest = 0;
            for (int i = 0; i < in_byte; ++i) lowest |= 1u << axes.from[i];
            for (int i = 0; i < low; ++i) wanted |= 1u << axes.from[i];
            const std::uint32_t leaving = ~wanted & ((1u << low) - 1), high = wanted >> low << low;
            int entering[low + 1];  // those of 0-2 first: they must be in before the second transposition
            for (std::uint32_t rest = high & lowest; rest; rest &= rest - 1) entering[slots++] = std::countr_zero(rest);
            for (std::uint32_t rest = high & ~lowest; rest; rest &= rest - 1)
                entering[slots++] = std::countr_zero(rest);

            bool second = false;
            if (lowest != 7) {
                if (!(lowest & 7) && lowest < 1u << low) {
                    transpose_first = true;
                    first_index = bring(at, axes.from);
                } else if (!(lowest & 7) && !(leaving & 7)) {
                    second = true;
                } else {
                    transpose_first = second = true;
                    // Any three bytes' axes that are not wanted there; rather such as stay in the row.
                    std::uint8_t chosen[6];
                    int found = 0;
                    const std::uint32_t others = ((1u << low) - 8) & ~lowest;
                    for (const std::uint32_t some : {others & ~leaving, others & leaving})
                        for (std::uint32_t rest = some; rest && found < 3; rest &= rest - 1)
                            chosen[found++] = static_cast<std::uint8_t>(std::countr_zero(rest));
                    first_index = bring(at, chosen);
                }
            }
            std::uint32_t left[low + 1];  // the axis that each exchange moves out of the row
            int e = 0;
            const auto exchange = [&] {
                for (int p = in_byte; p < low && e < slots; ++p) {
                    if (!(leaving >> at.axis[p] & 1)) continue;
                    left[e] = at.axis[p];
                    at.put(entering[e], p);
                    const auto& [below, above] = exchanges(p - in_byte);
                    lower[e] = _mm512_load_si512(below.data());
                    upper[e] = _mm512_load_si512(above.data());
                    ++e;
                }
            };
            exchange();
            if (second) {
                transpose_before = e;
                second_index = bring(at, axes.from);
                exchange();
            }

            const int flipped = axes.flipped;
            if (at.axis[0] != axes.from[0] || at.axis[1] != axes.from[1] || at.axis[2] != axes.from[2] ||
                (flipped >= 0 && flipped < in_byte)) {
                bits = true;
                std::uint64_t matrix = 0;
                for (int bit = 0; bit < 8; ++bit) {
                    const int to = flipped >= 0 && flipped < in_byte ? bit ^ 1 << flipped : bit;
                    int source = 0;
                    for (int i = 0; i < in_byte; ++i) source |= (to >> i & 1) << at.place[axes.from[i]];
                    matrix |= std::uint64_t{1} << source << 8 * (7 - bit);
                }
                bits_matrix = repeated_matrix(matrix);
            }
            int q[6];
            for (int i = 0; i < 6; ++i) {
                q[i] = at.place[axes.from[in_byte + i]] - in_byte;
                bytes |= q[i] != i;
            }
            last_index = byte_index(q, false);
            if (flipped >= in_byte && flipped < low) {
                bytes = true;
                // Inverted there: the index of the byte whose number differs in this bit.
                int reversed = 1 << q[flipped - in_byte];
                last_index = _mm512_xor_si512(last_index, _mm512_set1_epi8(static_cast<char>(reversed)));
            }
            if (flipped >= low) flip = 1u << (flipped - low);

            std::uint32_t target[32];
            for (int i = low; i < axes.count; ++i) target[axes.from[i]] = 1u << (i - low);
            slot_in[0] = slot_out[0] = 0;
            for (int i = 0; i < slots; ++i) {
                const std::uint32_t here = 1u << (entering[i] - low), there = target[left[i]];
                for (int t = 0; t < 1 << i; ++t) {
                    slot_in[t | 1 << i] = slot_in[t] | here;
                    slot_out[t | 1 << i] = slot_out[t] | there;
                }
            }
            const int free_axes = axes.count - low - slots;
            if (free_axes > 8) {
                more.resize(std::size_t{2} << free_axes);
                groups_in = more.data();
                groups_out = more.data() + (std::size_t{1} << free_axes);
            }
            groups_in[0] = groups_out[0] = 0;
            for (int axis = low; axis < axes.count; ++axis) {
                if (wanted >> axis & 1) continue;
                const std::uint32_t here = 1u << (axis - low), there = target[axis];
                if (axes.is_halved(axis, low)) {
                    half_in = axes.half() ? here : 0;
                    half_out = axes.half() ? there : 0;
                    continue;
                }
                for (int g = 0; g < groups; ++g) {
                    groups_in[g + groups] = groups_in[g] | here;
                    groups_out[g + groups] = groups_out[g] | there;
                }
                groups *= 2;
            }
            inside = static_cast<std::uint32_t>(axes.source_rows) - 1;
        }
        // Exchanges place p of the bytes with an axis that selects one of two rows: the bytes of the lower row and of
        // the upper one, out of both.
        static const std::array<std::array<std::uint8_t, 64>, 2>& exchanges(int p) {
            alignas(64) static constexpr auto table = [] {
                std::array<std::array<std::array<std::uint8_t, 64>, 2>, 6> t{};
                for (int place = 0; place < 6; ++place)
                    for (int i = 0; i < 64; ++i) {
                        const int one = i >> place & 1;
                        t[place][0][i] = static_cast<std::uint8_t>(one ? 64 + (i ^ 1 << place) : i);
                        t[place][1][i] = static_cast<std::uint8_t>(one ? 64 + i : i | 1 << place);
                    }
                return t;
            }();
            return table[p];
        }

        static __m512i transposed(__m512i x) {
            return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(static_cast<long long>(0x8040201008040201)), x, 0);
        }

        template <int slots_>
        void run(const Row* from, Row* to) const {
            for (int g = 0; g < groups; ++g) {
                __m512i x[1 << slots_];
                for (int t = 0; t < 1 << slots_; ++t)
                    x[t] = _mm512_load_si512(from + ((half_in | groups_in[g] | slot_in[t]) & inside));
                if (transpose_first)
                    for (auto& row : x) row = transposed(_mm512_permutexvar_epi8(first_index, row));
#pragma GCC unroll 10
                for (int e = 0; e <= slots_; ++e) {
                    if (transpose_before == e)
                        for (auto& row : x) row = transposed(_mm512_permutexvar_epi8(second_index, row));
                    if (e == slots_) break;
                    for (int t = 0; t < 1 << slots_; ++t) {
                        if (t >> e & 1) continue;
                        const __m512i a = x[t], b = x[t | 1 << e];
                        x[t] = _mm512_permutex2var_epi8(a, lower[e], b);
                        x[t | 1 << e] = _mm512_permutex2var_epi8(a, upper[e], b);
                    }
                }
                if (bits)
                    for (auto& row : x) row = _mm512_gf2p8affine_epi64_epi8(row, bits_matrix, 0);
                if (bytes)
                    for (auto& row : x) row = _mm512_permutexvar_epi8(last_index, row);
                for (int t = 0; t < 1 << slots_; ++t)
                    _mm512_store_si512(to + ((half_out | groups_out[g] | slot_out[t]) ^ flip), x[t]);
            }
        }
    };
};

}  // namespace inarow::quixo
