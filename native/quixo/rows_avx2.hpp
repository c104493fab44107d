// rows.hpp with AVX2: a register has half a row, axes 0-7. Included only by a file compiled for it.
//
// One instruction permutes the bytes of each half of a register (axes 3-6) and one the words of 32 bits (axes 5-7), so
// three of them permute axes 3-7 in any way. Axes 0-2 are reached by shifts.
//
//   exchange with axes that select the register  [permute bytes]  [exchange bits]  permute bytes
//
// The parts in brackets are left out if they are not needed.
#pragma once

#include <immintrin.h>

#include "rows.hpp"

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

// Permutes axes 3-7 of a register.
class Avx2Bytes {
    static constexpr int axes = 5, in_half = 4, in_word = 2;  // counted from axis 3; in half a register, in 32 bits
    static constexpr std::uint64_t numbers = 0x0706050403020100, ones = 0x0101010101010101;

  public:
    Avx2Bytes() = default;
    // Place p receives what was at from[p], both counted from axis 3; the axis `flipped`, if there is one, is reversed.
    Avx2Bytes(const int* from, int flipped) {
        int at[axes] = {0, 1, 2, 3, 4};
        const auto is_wanted_below = [&](int axis) { return from[0] == axis || from[1] == axis; };
        if (is_wanted_below(4)) {  // it is in reach of the bytes once it has changed places with one that is not wanted
            const int other = is_wanted_below(2) ? 3 : 2;
            std::swap(at[other], at[4]);
            first_ = words(other == 3 ? 0 : 2, other == 3 ? 2 : 1, other == 3 ? 1 : 0, -1);
            has_first_ = true;
        }
        if (at[0] != from[0] || at[1] != from[1] || (flipped >= 0 && flipped < in_word)) {
            int source[in_half], next[in_half] = {from[0], from[1], -1, -1};
            for (int p = in_word; p < in_half; ++p)  // the others stay where they are, if they can
                if (at[p] != from[0] && at[p] != from[1]) next[p] = at[p];
            for (int p = 0; p < in_half; ++p) {
                if (at[p] == next[0] || at[p] == next[1] || at[p] == next[2] || at[p] == next[3]) continue;
                next[next[2] < 0 ? 2 : 3] = at[p];
            }
            for (int p = 0; p < in_half; ++p) {
                source[p] = 0;
                while (at[source[p]] != next[p]) ++source[p];
            }
            std::uint64_t halves[2] = {};
            for (int p = 0; p < in_half; ++p)
                for (std::uint64_t byte8 = 0; byte8 < 2; ++byte8) {
                    std::uint64_t bits = p < 3 ? numbers >> p & ones : byte8 * ones;
                    if (p == flipped && p < in_word) bits ^= ones;
                    halves[byte8] |= bits << source[p];
                }
            bytes_ = _mm256_broadcastsi128_si256(
                _mm_set_epi64x(static_cast<long long>(halves[1]), static_cast<long long>(halves[0])));
            has_bytes_ = true;
            std::copy_n(next, in_half, at);
        }
        int source[3];
        for (int p = in_word; p < axes; ++p) {
            source[p - in_word] = 0;
            while (at[in_word + source[p - in_word]] != from[p]) ++source[p - in_word];
        }
        if (source[0] != 0 || source[1] != 1 || flipped >= in_word) {
            last_ = words(source[0], source[1], source[2], flipped - in_word);
            has_last_ = true;
        }
    }

    bool any() const { return has_first_ || has_bytes_ || has_last_; }

    __m256i operator()(__m256i x) const {
        if (has_first_) x = _mm256_permutevar8x32_epi32(x, first_);
        if (has_bytes_) x = _mm256_shuffle_epi8(x, bytes_);
        if (has_last_) x = _mm256_permutevar8x32_epi32(x, last_);
        return x;
    }

  private:
    // The index of words of 32 bits that takes the axes 5-7 from these places, counted from 5.
    static __m256i words(int first, int second, int third, int flipped) {
        const auto bits = [&](int p) { return (numbers >> p & ones) ^ (p == flipped ? ones : 0); };
        const std::uint64_t index = bits(0) << first | bits(1) << second | bits(2) << third;
        return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(index)));
    }

    bool has_first_ = false, has_bytes_ = false, has_last_ = false;
    __m256i first_, bytes_, last_;
};

class Avx2Permutation {
  public:
    explicit Avx2Permutation(const Axes& axes) { plan(axes); }
    Avx2Permutation(const Avx2Permutation&) = delete;

    void operator()(const Avx2Row* from, Avx2Row* to) const {
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
            case 6:
                return run<6>(from, to);
            case 7:
                return run<7>(from, to);
            default:
                return run<8>(from, to);
        }
    }

  private:
    static constexpr int low = 8, in_byte = 3, in_shifts = 6;  // shifts reach the axes of a word of 64 bits

    struct Swap {
        __m128i shift;
        __m256i places;
    };

    int slots_ = 0, groups_ = 1, swaps_ = 0, flip_within_ = -1;
    int exchanged_[low];  // the place of each exchange
    Avx2Bytes first_, last_;
    Swap swap_[in_byte];
    std::uint32_t slot_in_[1 << low], slot_out_[1 << low];
    std::uint32_t group_in_[1 << 9], group_out_[1 << 9];
    std::uint32_t *groups_in_ = group_in_, *groups_out_ = group_out_;
    std::vector<std::uint32_t> more_;
    std::uint32_t inside_, flip_ = 0, half_in_ = 0, half_out_ = 0;

    void plan(const Axes& axes) {
        int at[low], place[32];  // the axis at each place, and the place of each axis
        const auto put = [&](int axis, int p) {
            at[p] = axis;
            place[axis] = p;
        };
        for (int p = 0; p < low; ++p) put(p, p);
        std::uint32_t wanted = 0, among_bits = 0, target[32];
        for (int i = 0; i < in_byte; ++i) among_bits |= 1u << axes.from[i];
        for (int i = 0; i < low; ++i) wanted |= 1u << axes.from[i];
        for (int i = low; i < axes.count; ++i) target[axes.from[i]] = 1u << (i - low);
        // Axes that enter to be among the bits do so there, as far as others leave from there.
        std::uint32_t leaving = ~wanted & ((1u << low) - 1);
        const std::uint32_t entering = wanted >> low << low;
        slot_in_[0] = slot_out_[0] = 0;
        for (const std::uint32_t some : {entering & among_bits, entering & ~among_bits})
            for (std::uint32_t rest = some; rest; rest &= rest - 1, leaving &= leaving - 1, ++slots_) {
                const int axis = std::countr_zero(rest), p = std::countr_zero(leaving);
                const std::uint32_t here = 1u << (axis - low), there = target[p];
                for (int t = 0; t < 1 << slots_; ++t) {
                    slot_in_[t | 1 << slots_] = slot_in_[t] | here;
                    slot_out_[t | 1 << slots_] = slot_out_[t] | there;
                }
                exchanged_[slots_] = p;
                put(axis, p);
            }

        if (std::any_of(axes.from, axes.from + in_byte, [&](int axis) { return place[axis] >= in_shifts; })) {
            int next[low - in_byte], count = 0;
            for (const bool to_bits : {true, false})
                for (int p = in_byte; p < low; ++p)
                    if ((among_bits >> at[p] & 1) == to_bits) next[count++] = p - in_byte;
            first_ = Avx2Bytes(next, -1);
            int before[low];
            std::copy_n(at, low, before);
            for (int p = in_byte; p < low; ++p) put(before[in_byte + next[p - in_byte]], p);
        }
        for (int i = 0; i < in_byte; ++i) {
            if (at[i] == axes.from[i]) continue;
            const int j = place[axes.from[i]];
            swap_[swaps_++] = {_mm_cvtsi32_si128((1 << j) - (1 << i)),
                               _mm256_set1_epi64x(static_cast<long long>(axis_words[i][0] & ~axis_words[j][0]))};
            put(at[i], j);
            put(axes.from[i], i);
        }
        const int flipped = axes.flipped;
        if (flipped >= 0 && flipped < in_byte) flip_within_ = flipped;
        if (flipped >= low) flip_ = 1u << (flipped - low);
        int from[low - in_byte];
        for (int i = in_byte; i < low; ++i) from[i - in_byte] = place[axes.from[i]] - in_byte;
        last_ = Avx2Bytes(from, flipped >= in_byte && flipped < low ? flipped - in_byte : -1);

        const int free_axes = axes.count - low - slots_;
        if (free_axes > 9) {
            more_.resize(std::size_t{2} << free_axes);
            groups_in_ = more_.data();
            groups_out_ = more_.data() + (std::size_t{1} << free_axes);
        }
        groups_in_[0] = groups_out_[0] = 0;
        for (int axis = low; axis < axes.count; ++axis) {
            if (wanted >> axis & 1) continue;
            const std::uint32_t here = 1u << (axis - low), there = target[axis];
            if (axes.is_halved(axis, low)) {
                half_in_ = axes.half() ? here : 0;
                half_out_ = axes.half() ? there : 0;
                continue;
            }
            for (int g = 0; g < groups_; ++g) {
                groups_in_[g + groups_] = groups_in_[g] | here;
                groups_out_[g + groups_] = groups_out_[g] | there;
            }
            groups_ *= 2;
        }
        inside_ = static_cast<std::uint32_t>(axes.source_rows) * 2 - 1;
    }

    // Exchanges a place with an axis that selects one of two registers.
    template <int place>
    [[gnu::always_inline]] static void exchange(__m256i& a, __m256i& b) {
        const __m256i x = a, y = b;
        if constexpr (place == 7) {
            a = _mm256_permute2x128_si256(x, y, 0x20);
            b = _mm256_permute2x128_si256(x, y, 0x31);
        } else if constexpr (place == 6) {
            a = _mm256_unpacklo_epi64(x, y);
            b = _mm256_unpackhi_epi64(x, y);
        } else if constexpr (place == 5) {
            a = _mm256_blend_epi32(x, _mm256_slli_epi64(y, 32), 0xaa);
            b = _mm256_blend_epi32(_mm256_srli_epi64(x, 32), y, 0xaa);
        } else if constexpr (place == 4) {
            a = _mm256_blend_epi16(x, _mm256_slli_epi32(y, 16), 0xaa);
            b = _mm256_blend_epi16(_mm256_srli_epi32(x, 16), y, 0xaa);
        } else if constexpr (place == 3) {
            const __m256i even = _mm256_set1_epi16(0xff);
            a = _mm256_or_si256(_mm256_and_si256(x, even), _mm256_slli_epi16(y, 8));
            b = _mm256_or_si256(_mm256_srli_epi16(x, 8), _mm256_andnot_si256(even, y));
        } else {
            const __m256i zeros = _mm256_set1_epi64x(static_cast<long long>(~axis_words[place][0]));
            const __m256i other = _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi64(x, 1 << place), y), zeros);
            a = _mm256_xor_si256(x, _mm256_slli_epi64(other, 1 << place));
            b = _mm256_xor_si256(y, other);
        }
    }
    // The same with all registers of a group that differ in axis e of those that select them.
    template <int place>
    [[gnu::always_inline]] static void exchange(__m256i* x, int count, int e) {
        for (int t = 0; t < count; ++t)
            if (!(t >> e & 1)) exchange<place>(x[t], x[t | 1 << e]);
    }
    [[gnu::always_inline]] static void exchange(int place, __m256i* x, int count, int e) {
        switch (place) {
            case 0:
                return exchange<0>(x, count, e);
            case 1:
                return exchange<1>(x, count, e);
            case 2:
                return exchange<2>(x, count, e);
            case 3:
                return exchange<3>(x, count, e);
            case 4:
                return exchange<4>(x, count, e);
            case 5:
                return exchange<5>(x, count, e);
            case 6:
                return exchange<6>(x, count, e);
            default:
                return exchange<7>(x, count, e);
        }
    }

    template <int slots>
    void run(const Avx2Row* from, Avx2Row* to) const {
        const auto* in = reinterpret_cast<const __m256i*>(from);
        auto* out = reinterpret_cast<__m256i*>(to);
        for (int g = 0; g < groups_; ++g) {
            __m256i x[1 << slots];
            for (int t = 0; t < 1 << slots; ++t)
                x[t] = _mm256_load_si256(in + ((half_in_ | groups_in_[g] | slot_in_[t]) & inside_));
#pragma GCC unroll 8
            for (int e = 0; e < slots; ++e) exchange(exchanged_[e], x, 1 << slots, e);
            if (first_.any())
                for (auto& half : x) half = first_(half);
            for (int s = 0; s < swaps_; ++s) {
                const auto& [shift, places] = swap_[s];
                for (auto& half : x) {
                    const __m256i other =
                        _mm256_and_si256(_mm256_xor_si256(_mm256_srl_epi64(half, shift), half), places);
                    half = _mm256_xor_si256(half, _mm256_or_si256(other, _mm256_sll_epi64(other, shift)));
                }
            }
            if (flip_within_ >= 0) {
                const __m256i ones = _mm256_set1_epi64x(static_cast<long long>(axis_words[flip_within_][0]));
                const __m128i shift = _mm_cvtsi32_si128(1 << flip_within_);
                for (auto& half : x)
                    half = _mm256_or_si256(_mm256_srl_epi64(_mm256_and_si256(half, ones), shift),
                                           _mm256_sll_epi64(_mm256_andnot_si256(ones, half), shift));
            }
            if (last_.any())
                for (auto& half : x) half = last_(half);
            for (int t = 0; t < 1 << slots; ++t)
                _mm256_store_si256(out + ((half_out_ | groups_out_[g] | slot_out_[t]) ^ flip_), x[t]);
        }
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

    static void spread(const std::uint8_t* bytes, const Shape& shape, const std::vector<Mask>& words,
                       std::uint8_t* to) {
        PortableRows::spread(bytes, shape, words, to);
    }
    static void lower(Avx2Row& row, const Avx2Row& other) {
        auto* halves = reinterpret_cast<__m256i*>(&row);
        const auto* others = reinterpret_cast<const __m256i*>(&other);
        for (int i = 0; i < 2; ++i) halves[i] = _mm256_min_epu8(halves[i], others[i]);
    }

    using Permutation = Avx2Permutation;
};

}  // namespace inarow::quixo
