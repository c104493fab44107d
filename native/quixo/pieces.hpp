// What the pieces of a table need beside zstd: checksums, their index, and whether a piece is one byte over and over.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

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

// What the index of a file of pieces says (docs/tablebase-format.md): where they are, and their checksums.
class PieceIndex {
  public:
    static constexpr std::uint64_t header_bytes = 32, digest_bytes = 32, bytes_of_each = 8;

    // Where the index of so many pieces begins in a file of this size; nothing if it has no room for them.
    static std::optional<std::uint64_t> begin_of(std::uint64_t file_size, std::uint64_t pieces) {
        if (file_size < header_bytes + digest_bytes) return std::nullopt;
        const std::uint64_t most = file_size - header_bytes - digest_bytes;
        if (pieces > most / bytes_of_each) return std::nullopt;
        return file_size - digest_bytes - pieces * bytes_of_each;
    }

    // Nothing if the pieces do not end where the index begins.
    static std::optional<PieceIndex> read(std::span<const std::uint8_t> listed, std::uint64_t begin) {
        PieceIndex index;
        index.offsets_.assign(1, header_bytes);
        for (std::size_t at = 0; at + bytes_of_each <= listed.size(); at += bytes_of_each) {
            index.offsets_.push_back(index.offsets_.back() + number(listed, at));
            index.checksums_.push_back(number(listed, at + 4));
        }
        return index.offsets_.back() == begin ? std::optional(std::move(index)) : std::nullopt;
    }

    std::size_t size() const { return checksums_.size(); }
    std::uint64_t begin(std::size_t piece) const { return offsets_[piece]; }
    std::uint64_t end(std::size_t piece) const { return offsets_[piece + 1]; }
    std::uint64_t length(std::size_t piece) const { return end(piece) - begin(piece); }
    std::uint32_t checksum(std::size_t piece) const { return checksums_[piece]; }
    bool matches(std::size_t piece, std::span<const std::uint8_t> stored) const {
        return stored.size() == length(piece) && crc32(stored.data(), stored.size()) == checksums_[piece];
    }

    // The byte of a piece that is stored as one: its checksum tells it.
    std::optional<std::uint8_t> only_byte(std::size_t piece) const {
        for (int value = 0; value < 256; ++value) {
            const auto byte = static_cast<std::uint8_t>(value);
            if (matches(piece, {&byte, 1})) return byte;
        }
        return std::nullopt;
    }

  private:
    static std::uint32_t number(std::span<const std::uint8_t> bytes, std::size_t at) {
        return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | static_cast<std::uint32_t>(bytes[at + 3]) << 24;
    }

    std::vector<std::uint64_t> offsets_;  // with the end of the last piece
    std::vector<std::uint32_t> checksums_;
};

}  // namespace inarow::quixo
