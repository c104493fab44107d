#include "wasm/quixo/lzma2.hpp"

#include <doctest/doctest.h>

#include <string>

namespace inarow::wasm {

namespace {

// What liblzma made of `original`, as books are packed.
const std::vector<std::uint8_t> packed{
    0xe0, 0x04, 0x37, 0x00, 0x4b, 0x04, 0x00, 0x00, 0x68, 0xbe, 0x9a, 0x4c, 0x31, 0x81, 0xd7, 0x38, 0xa8,
    0xe6, 0x98, 0x25, 0xf6, 0x89, 0x0d, 0x1f, 0x78, 0xec, 0xff, 0xb3, 0x1c, 0x17, 0xb3, 0x39, 0xfe, 0x02,
    0xbf, 0x9b, 0xb7, 0xfe, 0xb2, 0x1a, 0xf3, 0xe8, 0x9b, 0xf4, 0xaa, 0xba, 0xf1, 0xa2, 0xd6, 0x68, 0x07,
    0x7e, 0x11, 0x31, 0x0d, 0x16, 0xe2, 0xfc, 0x17, 0x20, 0x46, 0x20, 0x80, 0xf8, 0xe3, 0xef, 0x9f, 0x39,
    0x37, 0x6d, 0x23, 0xaa, 0x58, 0x7a, 0xdf, 0x4f, 0x08, 0x5c, 0x27, 0xe0, 0x20, 0x00, 0x00};

std::vector<std::uint8_t> original() {
    std::vector<std::uint8_t> bytes;
    for (int i = 0; i < 600; ++i) bytes.push_back(static_cast<std::uint8_t>(i * i / 7 % 11));
    bytes.resize(900);
    for (int i = 0; i < 20; ++i)
        for (const char c : std::string("abcabcabd")) bytes.push_back(static_cast<std::uint8_t>(c));
    return bytes;
}

}  // namespace

TEST_CASE("LZMA2 is unpacked") {
    std::vector<std::uint8_t> out(original().size());
    REQUIRE(Lzma2::unpack(packed, out));
    CHECK(out == original());
}

TEST_CASE("LZMA2 of another length is refused") {
    for (const int more : {-1, 1}) {
        std::vector<std::uint8_t> out(original().size() + static_cast<std::size_t>(more));
        CHECK_FALSE(Lzma2::unpack(packed, out));
    }
    std::vector<std::uint8_t> out(original().size());
    for (std::size_t length = 0; length < packed.size(); ++length)
        CHECK_FALSE(Lzma2::unpack(std::span(packed).first(length), out));
}

TEST_CASE("changed LZMA2 stays in its buffers") {
    std::vector<std::uint8_t> out(original().size());
    for (std::size_t at = 0; at < packed.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::vector<std::uint8_t> changed = packed;
            changed[at] = static_cast<std::uint8_t>(changed[at] ^ 1 << bit);
            if (Lzma2::unpack(changed, out)) CHECK(out.size() == original().size());
        }
}

}  // namespace inarow::wasm
