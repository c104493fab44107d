// Bitmaps and their permutation (rows.hpp) with NEON: 64-bit words of two groups at a time.
#pragma once

#include <arm_neon.h>

#include "rows_words.hpp"

namespace inarow::quixo {

struct NeonWords {
    using Register = uint64x2_t;
    static constexpr int count = 2;
    static constexpr bool shuffles = true;

    static int64x2_t shift(int bits) { return vdupq_n_s64(bits); }
    static Register up(Register x, int64x2_t shift) { return vshlq_u64(x, shift); }
    static Register down(Register x, int64x2_t shift) { return vshlq_u64(x, -shift); }
    static Register repeated(std::uint64_t word) { return vdupq_n_u64(word); }
    static Register byte_index(std::uint64_t index) {
        return vcombine_u64(vcreate_u64(index), vcreate_u64(index + 0x0808080808080808));
    }
    static Register bytes(Register x, Register index) {
        return vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(x), vreinterpretq_u8_u64(index)));
    }
    static Register load(auto place) { return vcombine_u64(vld1_u64(place(0)), vld1_u64(place(1))); }
    static void store(Register x, int n, auto place) {
        vst1q_lane_u64(place(0), x, 0);
        if (n > 1) vst1q_lane_u64(place(1), x, 1);
    }
};

struct NeonRows : PlainRows {
    static std::uint32_t equal(const std::uint8_t* bytes, std::uint8_t value) {
        const uint8x16_t values = vdupq_n_u8(value);
        return packed(vceqq_u8(vld1q_u8(bytes), values), vceqq_u8(vld1q_u8(bytes + 16), values));
    }
    static std::uint32_t at_most(const std::uint8_t* bytes, std::uint8_t value) {
        const uint8x16_t values = vdupq_n_u8(value);
        return packed(vcleq_u8(vld1q_u8(bytes), values), vcleq_u8(vld1q_u8(bytes + 16), values));
    }

    using Permutation = WordPermutation<NeonWords>;

  private:
    // A bit for each of 32 bytes, which are all ones or all zeros: three times, neighbours are added.
    static std::uint32_t packed(uint8x16_t low, uint8x16_t high) {
        const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
        uint8x16_t sums = vpaddq_u8(vandq_u8(low, bit), vandq_u8(high, bit));
        sums = vpaddq_u8(sums, sums);
        sums = vpaddq_u8(sums, sums);
        return vgetq_lane_u32(vreinterpretq_u32_u8(sums), 0);
    }
};

}  // namespace inarow::quixo
