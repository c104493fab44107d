// Pieces of the compact form, between their files and the entries in memory. zstd itself is not here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "verify/quixo/checker.hpp"

namespace inarow::verify::quixo {

inline constexpr std::uint32_t kPiece = 16384;  // entries

// That of zlib and PNG.
std::uint32_t crc32(const std::uint8_t* bytes, std::size_t count);

// Some pieces as they are stored, each with where it begins in `content` and its length.
struct StoredPieces {
    const std::uint8_t* content;
    const std::int64_t* begins;
    const std::int64_t* lengths;
    const std::uint32_t* checksums;
    std::size_t count;
};

// Those of some pieces that zstd has to unpack, each with the magic number that the files leave out.
struct Frames {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint64_t> segments;    // for each, where it begins and how long it is
    std::vector<std::uint64_t> sizes;       // unpacked
    std::optional<std::size_t> wrong;       // the first piece with a wrong checksum
    std::optional<std::size_t> unexpected;  // the first that is empty though it has a size, or the other way round
};
Frames frames_of(const StoredPieces& pieces, const std::uint64_t* sizes);

// Lays the unpacked pieces out one after another, those of a single repeated byte included.
void lay_out(const StoredPieces& pieces, const std::uint64_t* sizes, const std::uint8_t* unpacked,
             std::uint8_t* target);

// How many of the outcomes of each piece are losses. A run of pieces is a run of entries of one plane.
void count_losses(const std::uint8_t* outcomes, std::uint64_t entries, std::uint32_t* losses, int threads);

// How many of the outcomes before each of some places are losses; counted from begins[i], in bytes of `outcomes`.
void count_losses_before(const std::uint8_t* outcomes, const std::uint64_t* begins, const std::uint64_t* places,
                         std::size_t count, std::uint32_t* losses, int threads);

// Writes the codes of a run of entries that begins with entry `first` of a plane, a multiple of kPiece. `plies` are
// those of its losses, of `width` bytes each; with width 0 there are none, and outcomes are their own codes.
void decode(const std::uint8_t* outcomes, const std::uint8_t* plies, int width, std::uint64_t entries,
            const Plane& plane, std::uint64_t first, int threads);

}  // namespace inarow::verify::quixo
