// Bitmaps and their permutation (rows.hpp) with AVX2: 64-bit words of four groups at a time.
#pragma once

#include <immintrin.h>

#include "rows.hpp"

namespace inarow::quixo {

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

    // Exchanges axes within a word with axes that select the word; then brings three axes to the bits of a byte, and
    // permutes the bytes.
    class Permutation {
      public:
        explicit Permutation(const Axes& axes) { plan(axes); }
        Permutation(const Permutation&) = delete;

        void operator()(const Row* from, Row* to) const {
            switch (slots_) {
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
                default:
                    return run<6>(from, to);
            }
        }

      private:
        static constexpr int low = 6, in_byte = 3;
        struct Swap {
            __m128i shift;
            __m256i places;
        };

        int slots_ = 0, groups_ = 1, swaps_ = 0;
        bool shuffles_ = false;
        __m256i shuffle_;
        Swap exchange_[low], swap_[in_byte + 1];
        std::uint32_t slot_in_[1 << low], slot_out_[1 << low];
        std::uint32_t group_in_[1 << 8], group_out_[1 << 8];
        std::uint32_t *groups_in_ = group_in_, *groups_out_ = group_out_;
        std::vector<std::uint32_t> more_;
        std::uint32_t inside_, flip_ = 0;

        static Swap swap(int shift, std::uint64_t places) {
            return {_mm_cvtsi32_si128(shift), _mm256_set1_epi64x(static_cast<long long>(places))};
        }

        void plan(const Axes& axes) {
            int at[low];  // the axis of the source at each place within the word
            for (int i = 0; i < low; ++i) at[i] = i;
            std::uint32_t wanted = 0, target[32];
            for (int i = 0; i < low; ++i) wanted |= 1u << axes.from[i];
            for (int i = low; i < axes.count; ++i) target[axes.from[i]] = 1u << (i - low);
            slot_in_[0] = slot_out_[0] = 0;
            int place = 0;
            for (std::uint32_t rest = wanted >> low << low; rest; rest &= rest - 1, ++place, ++slots_) {
                const int entering = std::countr_zero(rest);
                while (wanted >> place & 1) ++place;
                exchange_[slots_] = swap(1 << place, ~axis_words[place][0]);
                const std::uint32_t here = 1u << (entering - low), there = target[place];
                for (int t = 0; t < 1 << slots_; ++t) {
                    slot_in_[t | 1 << slots_] = slot_in_[t] | here;
                    slot_out_[t | 1 << slots_] = slot_out_[t] | there;
                }
                at[place] = entering;
            }
            for (int i = 0; i < in_byte; ++i)
                for (int j = i + 1; j < low; ++j)
                    if (at[j] == axes.from[i]) {
                        swap_[swaps_++] = swap((1 << j) - (1 << i), axis_words[i][0] & ~axis_words[j][0]);
                        std::swap(at[i], at[j]);
                    }
            const int flipped = axes.flipped;
            std::uint8_t bytes[8];
            for (int byte = 0; byte < 8; ++byte) {
                bytes[byte] = 0;
                for (int i = in_byte; i < low; ++i) {
                    int j = in_byte;
                    while (at[j] != axes.from[i]) ++j;
                    const int bit = (byte >> (i - in_byte) & 1) ^ (flipped == i);
                    bytes[byte] |= static_cast<std::uint8_t>(bit << (j - in_byte));
                }
                shuffles_ |= bytes[byte] != byte;
            }
            std::uint64_t index;
            std::memcpy(&index, bytes, 8);
            const auto above = static_cast<long long>(index + 0x0808080808080808),
                       below = static_cast<long long>(index);
            shuffle_ = _mm256_set_epi64x(above, below, above, below);
            flip_within_ = flipped >= 0 && flipped < in_byte ? flipped : -1;
            if (flipped >= low) flip_ = 1u << (flipped - low);
            const int free_axes = axes.count - low - slots_;
            if (free_axes > 8) {
                more_.resize(std::size_t{2} << free_axes);
                groups_in_ = more_.data();
                groups_out_ = more_.data() + (std::size_t{1} << free_axes);
            }
            groups_in_[0] = groups_out_[0] = 0;
            for (int axis = low; axis < axes.count; ++axis) {
                if (wanted >> axis & 1) continue;
                const std::uint32_t here = 1u << (axis - low), there = target[axis];
                for (int g = 0; g < groups_; ++g) {
                    groups_in_[g + groups_] = groups_in_[g] | here;
                    groups_out_[g + groups_] = groups_out_[g] | there;
                }
                groups_ *= 2;
            }
            inside_ = static_cast<std::uint32_t>(axes.source_rows) * 8 - 1;
        }

        int flip_within_ = -1;

        template <int slots>
        void run(const Row* from, Row* to) const {
            const auto* in = reinterpret_cast<const long long*>(from);
            auto* out = reinterpret_cast<std::uint64_t*>(to);
            const int step = std::min(groups_, 4);
            for (int g = 0; g < groups_; g += step) {
                // Where there are fewer than four groups, the last is there several times.
                const int second = std::min(1, step - 1), third = std::min(2, step - 1), fourth = step - 1;
                __m256i x[1 << slots];
                for (int t = 0; t < 1 << slots; ++t)
                    x[t] = _mm256_set_epi64x(in[(groups_in_[g + fourth] | slot_in_[t]) & inside_],
                                             in[(groups_in_[g + third] | slot_in_[t]) & inside_],
                                             in[(groups_in_[g + second] | slot_in_[t]) & inside_],
                                             in[(groups_in_[g] | slot_in_[t]) & inside_]);
#pragma GCC unroll 6
                for (int e = 0; e < slots; ++e) {
                    const auto& [shift, zeros] = exchange_[e];
                    for (int t = 0; t < 1 << slots; ++t) {
                        if (t >> e & 1) continue;
                        const __m256i a = x[t], b = x[t | 1 << e];
                        const __m256i other = _mm256_and_si256(_mm256_xor_si256(_mm256_srl_epi64(a, shift), b), zeros);
                        x[t | 1 << e] = _mm256_xor_si256(b, other);
                        x[t] = _mm256_xor_si256(a, _mm256_sll_epi64(other, shift));
                    }
                }
                for (int s = 0; s < swaps_; ++s) {
                    const auto& [shift, places] = swap_[s];
                    for (auto& word : x) {
                        const __m256i other =
                            _mm256_and_si256(_mm256_xor_si256(_mm256_srl_epi64(word, shift), word), places);
                        word = _mm256_xor_si256(word, _mm256_or_si256(other, _mm256_sll_epi64(other, shift)));
                    }
                }
                if (shuffles_)
                    for (auto& word : x) word = _mm256_shuffle_epi8(word, shuffle_);
                if (flip_within_ >= 0) {
                    const auto ones = _mm256_set1_epi64x(static_cast<long long>(axis_words[flip_within_][0]));
                    const __m128i shift = _mm_cvtsi32_si128(1 << flip_within_);
                    for (auto& word : x)
                        word = _mm256_or_si256(_mm256_srl_epi64(_mm256_and_si256(word, ones), shift),
                                               _mm256_sll_epi64(_mm256_andnot_si256(ones, word), shift));
                }
                for (int t = 0; t < 1 << slots; ++t) {
                    alignas(32) std::uint64_t words[4];
                    _mm256_store_si256(reinterpret_cast<__m256i*>(words), x[t]);
                    for (int n = 0; n < step; ++n) out[(groups_out_[g + n] | slot_out_[t]) ^ flip_] = words[n];
                }
            }
        }
    };
};

}  // namespace inarow::quixo
