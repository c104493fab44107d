#include "quixo/pair_pieces.hpp"

#include <doctest/doctest.h>

namespace inarow::quixo {
namespace {

// A file in memory.
struct File {
    std::vector<std::uint8_t> bytes;
    int reads = 0;

    std::vector<std::uint32_t> checksums(int width) const {
        std::vector<std::uint32_t> sums;
        const std::size_t size = PairPieces::kEntries * width;
        for (std::size_t at = 0; at < bytes.size(); at += size)
            sums.push_back(crc32(bytes.data() + at, std::min(size, bytes.size() - at)));
        return sums;
    }

    PairPieces::Read read() {
        return [this](std::uint64_t begin, std::span<std::uint8_t> into) {
            ++reads;
            const std::size_t there = begin < bytes.size() ? std::min(into.size(), bytes.size() - begin) : 0;
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), there, into.begin());
            return there;
        };
    }
};

File file_of(std::size_t size) {
    File file{std::vector<std::uint8_t>(size)};
    for (std::size_t i = 0; i < size; ++i) file.bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    return file;
}

TEST_CASE("entries of one and two bytes, each piece read once") {
    for (const int width : {1, 2}) {
        const std::size_t entries = 2 * PairPieces::kEntries + 10;
        File file = file_of(entries * width);
        std::atomic<std::size_t> held = 0;
        const PairPieces pair("file", width, entries, file.checksums(width), file.read(), held);
        CHECK(held == 0);
        for (std::size_t i = 0; i < entries; ++i) {
            const std::uint32_t expected = width == 1 ? file.bytes[i] : file.bytes[2 * i] | file.bytes[2 * i + 1] << 8;
            REQUIRE(pair[i] == expected);
        }
        CHECK(file.reads == 3);
        CHECK(held == entries * width);
        const std::uint32_t before = pair[5];
        file.bytes.clear();
        CHECK(pair[5] == before);  // kept
        pair.drop();
        CHECK(held == 0);
        CHECK_THROWS_AS(pair[5], DamagedPiece);
    }
}

TEST_CASE("a changed or missing byte is noticed in its piece alone") {
    const std::size_t entries = 3 * PairPieces::kEntries;
    File file = file_of(entries);
    std::atomic<std::size_t> held = 0;
    const PairPieces pair("file", 1, entries, file.checksums(1), file.read(), held);
    file.bytes[PairPieces::kEntries + 17] ^= 1;
    file.bytes.pop_back();
    CHECK(pair[0] == file.bytes[0]);
    CHECK_THROWS_WITH_AS(pair[PairPieces::kEntries], "file is damaged: piece 1 does not match its checksum",
                         DamagedPiece);
    CHECK_THROWS_WITH_AS(pair[entries - 2], "file is cut short", DamagedPiece);
    CHECK(held == PairPieces::kEntries);
    CHECK_THROWS_AS(PairPieces("file", 1, entries, {}, file.read(), held), std::invalid_argument);
}

}  // namespace
}  // namespace inarow::quixo
