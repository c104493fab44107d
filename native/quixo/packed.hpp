// Outcomes of entries, two bits each, four to a byte: as in docs/tablebase-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace inarow::quixo {

namespace packed {
enum Value : std::uint8_t { loss = 0, draw = 1, win = 2 };
constexpr std::size_t bytes(std::size_t entries) { return (entries + 3) / 4; }
constexpr std::size_t blocks_together = 64;  // of a plane: whatever their number of entries, they fill whole bytes
}  // namespace packed

// The number of losses among the packed entries from `first`, a multiple of 4, up to but not including `last`.
inline std::uint32_t count_lost(const std::uint8_t* packed, std::uint32_t first, std::uint32_t last) {
    constexpr std::uint64_t ones = 0x0101010101010101, pairs = 0x33 * ones, nibbles = 0x0f * ones;
    constexpr int words_of_a_sum = 63;  // each adds at most 4 to each byte of the sum
    std::uint32_t other = 0, i = first;
    while (i + 32 <= last) {
        std::uint64_t sum = 0;
        for (int n = 0; n < words_of_a_sum && i + 32 <= last; ++n, i += 32) {
            std::uint64_t word;
            std::memcpy(&word, packed + i / 4, 8);
            word = (word | word >> 1) & (0x55 * ones);
            word = (word & pairs) + (word >> 2 & pairs);
            sum += (word + (word >> 4)) & nibbles;
        }
        for (; sum; sum >>= 8) other += sum & 0xff;
    }
    for (; i < last; ++i) other += (packed[i / 4] >> i % 4 * 2 & 3) != 0;
    return last - first - other;
}

}  // namespace inarow::quixo
