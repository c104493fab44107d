#include "verify/quixo/pieces.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string_view>

namespace inarow::verify::quixo {
namespace {

std::uint32_t crc_of(std::string_view text) {
    return crc32(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

TEST_CASE("CRC-32 as in zlib") {
    CHECK(crc_of("") == 0);
    CHECK(crc_of("123456789") == 0xCBF43926);
    CHECK(crc_of("The quick brown fox jumps over the lazy dog") == 0x414FA339);
}

TEST_CASE("frames get their magic number, and pieces of one byte and none are laid out") {
    const std::string_view content = "..abcz";  // pieces "abc", "z" and ""
    const std::int64_t begins[] = {2, 5, 6}, lengths[] = {3, 1, 0};
    std::uint32_t checksums[] = {crc_of("abc"), crc_of("z"), crc_of("")};
    const StoredPieces pieces{reinterpret_cast<const std::uint8_t*>(content.data()), begins, lengths, checksums, 3};
    const std::uint64_t sizes[] = {4, 2, 0};
    const Frames frames = frames_of(pieces, sizes);
    CHECK_FALSE(frames.wrong.has_value());
    CHECK_FALSE(frames.unexpected.has_value());
    CHECK(frames.bytes == std::vector<std::uint8_t>{0x28, 0xB5, 0x2F, 0xFD, 'a', 'b', 'c'});
    CHECK(frames.segments == std::vector<std::uint64_t>{0, 7});
    CHECK(frames.sizes == std::vector<std::uint64_t>{4});
    std::vector<std::uint8_t> target(6);
    lay_out(pieces, sizes, reinterpret_cast<const std::uint8_t*>("wxyz"), target.data());
    CHECK(target == std::vector<std::uint8_t>{'w', 'x', 'y', 'z', 'z', 'z'});

    const std::uint64_t expected_more[] = {4, 2, 1}, expected_less[] = {4, 0, 0};
    CHECK(frames_of(pieces, expected_more).unexpected == 2);
    CHECK(frames_of(pieces, expected_less).unexpected == 1);
    checksums[1] ^= 1;
    CHECK(frames_of(pieces, sizes).wrong == 1);
}

TEST_CASE("outcomes and plies of losses become codes") {
    std::mt19937 random(1);
    for (const int plies_width : {0, 1, 2})
        for (const int width : {1, 2})
            for (const std::uint64_t entries :
                 {std::uint64_t{5}, std::uint64_t{kPiece}, std::uint64_t{3 * kPiece + 6}}) {
                std::vector<std::uint8_t> outcomes((entries + 3) / 4), plies;
                std::vector<std::uint32_t> values, losses((entries + kPiece - 1) / kPiece);
                for (std::uint64_t i = 0; i < entries; ++i) {
                    const unsigned outcome = random() % 3;
                    outcomes[i / 4] |= static_cast<std::uint8_t>(outcome << i % 4 * 2);
                    values.push_back(outcome == 0 ? kLost : outcome == 1 ? kDraw : kWon);
                    if (outcome != 0) continue;
                    ++losses[i / kPiece];
                    if (plies_width == 0) continue;
                    values.back() = random() % 100 + (plies_width == 2 ? 300 : 0);
                    plies.push_back(static_cast<std::uint8_t>(values.back()));
                    if (plies_width == 2) plies.push_back(static_cast<std::uint8_t>(values.back() >> 8));
                }
                std::vector<std::uint32_t> counted(losses.size());
                count_losses(outcomes.data(), entries, counted.data(), 2);
                CHECK(counted == losses);
                const std::uint64_t begins[] = {0, 0, (entries - 1) / kPiece * kPiece / 4};
                const std::uint64_t places[] = {0, std::min<std::uint64_t>(entries, kPiece),
                                                (entries - 1) % kPiece + 1};
                std::uint32_t before[3];
                count_losses_before(outcomes.data(), begins, places, 3, before, 2);
                CHECK(before[0] == 0);
                CHECK(before[1] == losses.front());
                CHECK(before[2] == losses.back());

                Codes codes(plies_width == 0 ? Codes::Kind::outcomes : Codes::Kind::plies);
                std::vector<std::uint8_t> bytes((kPiece + entries) * width);
                const Plane plane{bytes.data(), width, &codes};
                decode(outcomes.data(), plies.data(), plies_width, entries, plane, kPiece, 2);
                bool same = true;
                for (std::uint64_t i = 0; i < entries; ++i) {
                    const std::uint64_t at = kPiece + i;
                    same &= values[i] == (width == 1 ? codes.values()[bytes[at]]
                                                     : reinterpret_cast<const std::uint16_t*>(bytes.data())[at]);
                }
                CHECK(same);
            }
}

}  // namespace
}  // namespace inarow::verify::quixo
