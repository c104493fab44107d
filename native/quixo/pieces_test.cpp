#include "quixo/pieces.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace inarow::quixo {
namespace {

std::uint32_t crc_of(const std::string& text) {
    return crc32(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

TEST_CASE("the checksum is the CRC-32 of everybody") {
    CHECK(crc_of("") == 0);
    CHECK(crc_of("a") == 0xe8b7be43);
    CHECK(crc_of("123456789") == 0xcbf43926);  // the check value of the standard
    CHECK(crc_of("The quick brown fox jumps over the lazy dog") == 0x414fa339);
}

TEST_CASE("a piece is uniform if it is one byte over and over") {
    std::vector<std::uint8_t> piece(1000, 0x55);
    CHECK(is_uniform(piece.data(), 0));
    CHECK(is_uniform(piece.data(), 1));
    CHECK(is_uniform(piece.data(), piece.size()));
    for (std::size_t place : {std::size_t{0}, std::size_t{1}, std::size_t{500}, piece.size() - 1}) {
        piece[place] = 0x15;
        CHECK_FALSE(is_uniform(piece.data(), piece.size()));
        piece[place] = 0x55;
    }
}

}  // namespace
}  // namespace inarow::quixo
