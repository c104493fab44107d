#include "quixo/packed.hpp"

#include <doctest/doctest.h>

#include <random>

namespace inarow::quixo {
namespace {

TEST_CASE("four entries fit into a byte") {
    CHECK(packed::bytes(0) == 0);
    CHECK(packed::bytes(1) == 1);
    CHECK(packed::bytes(4) == 1);
    CHECK(packed::bytes(5) == 2);
}

TEST_CASE("losses are counted in any range") {
    std::mt19937 random(1);
    std::vector<std::uint8_t> bytes(3000);
    for (std::uint8_t& byte : bytes)
        for (int i = 0; i < 4; ++i) byte = static_cast<std::uint8_t>(byte << 2 | random() % 3);
    const auto entries = static_cast<std::uint32_t>(bytes.size() * 4);
    for (int i = 0; i < 300; ++i) {
        const std::uint32_t first = random() % entries / 4 * 4, last = first + random() % (entries - first + 1);
        std::uint32_t lost = 0;
        for (std::uint32_t e = first; e < last; ++e) lost += (bytes[e / 4] >> e % 4 * 2 & 3) == packed::loss;
        REQUIRE(count_lost(bytes.data(), first, last) == lost);
    }
    // A sum of many words in which no entry is a loss must not overflow.
    std::fill(bytes.begin(), bytes.end(), 0xaa);
    CHECK(count_lost(bytes.data(), 0, entries) == 0);
    std::fill(bytes.begin(), bytes.end(), 0);
    CHECK(count_lost(bytes.data(), 0, entries) == entries);
}

}  // namespace
}  // namespace inarow::quixo
