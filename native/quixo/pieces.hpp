// What the pieces of a table need beside zstd: checksums, and whether a piece is one byte over and over.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace inarow::quixo {

namespace detail {
// [n][byte]: what a byte does to the checksum n bytes later.
constexpr auto crc_tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        tables[0][byte] = crc;
    }
    for (std::size_t n = 1; n < tables.size(); ++n)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[n - 1][byte];
            tables[n][byte] = before >> 8 ^ tables[0][before & 0xff];
        }
    return tables;
}();
}  // namespace detail

// The CRC-32 of zlib, gzip and PNG.
inline std::uint32_t crc32(const std::uint8_t* data, std::size_t size) {
    const auto& tables = detail::crc_tables;
    std::uint32_t crc = ~0u;
    for (; size >= 8; data += 8, size -= 8) {
        const std::uint32_t low =
            crc ^ (data[0] | data[1] << 8 | data[2] << 16 | static_cast<std::uint32_t>(data[3]) << 24);
        crc = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24] ^
              tables[3][data[4]] ^ tables[2][data[5]] ^ tables[1][data[6]] ^ tables[0][data[7]];
    }
    for (; size; ++data, --size) crc = crc >> 8 ^ tables[0][(crc ^ *data) & 0xff];
    return ~crc;
}

// Whether all bytes are the same; true if there are none.
inline bool is_uniform(const std::uint8_t* data, std::size_t size) {
    return size < 2 || std::memcmp(data, data + 1, size - 1) == 0;
}

}  // namespace inarow::quixo
