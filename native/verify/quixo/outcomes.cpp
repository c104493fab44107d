#include "verify/quixo/outcomes.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace inarow::verify::quixo {
namespace {

// Pairs of bits that are both 0.
std::int64_t losses_in(const std::uint8_t* outcomes, std::int64_t entries) {
    std::int64_t found = 0, bytes = 0;
    for (; bytes + 8 <= entries / 4; bytes += 8) {
        std::uint64_t word;
        std::memcpy(&word, outcomes + bytes, 8);
        found += 32 - std::popcount((word | word >> 1) & 0x5555555555555555u);
    }
    for (std::int64_t i = 4 * bytes; i < entries; ++i) found += (outcomes[i / 4] >> i % 4 * 2 & 3) == 0;
    return found;
}

template <class Code>
void decode_to(Code* target, const std::uint8_t* outcomes, std::uint64_t entries, const std::uint8_t* plies,
               const std::uint8_t* end_of_plies, int width, const Plane& plane) {
    std::array<std::int16_t, 256> codes;  // of plies of one byte, as they are met
    codes.fill(-1);
    for (std::uint64_t i = 0; i < entries; ++i) {
        const std::uint32_t outcome = outcomes[i / 4] >> i % 4 * 2 & 3;
        if (outcome != 0 || width == 0) {
            target[i] = static_cast<Code>(sizeof(Code) == 1 ? outcome : Codes::kOutcomes[outcome]);
            continue;
        }
        require(end_of_plies - plies >= width, "not as many plies as losses");
        const std::uint32_t lost_in = width == 1 ? plies[0] : plies[0] | plies[1] << 8;
        plies += width;
        if (sizeof(Code) == 2 || lost_in > 255) {
            target[i] = code_of<Code>(plane, lost_in);
        } else {
            if (codes[lost_in] < 0) codes[lost_in] = code_of<Code>(plane, lost_in);
            target[i] = static_cast<Code>(codes[lost_in]);
        }
    }
    require(plies == end_of_plies, "not as many plies as losses");
}

}  // namespace

void count_losses_before(const std::uint8_t* outcomes, const std::int64_t* begins, const std::int64_t* places,
                         std::size_t count, std::int64_t* losses) {
    // Places in the order of entries, as most are, are counted on from the one before.
    std::int64_t piece = -1, counted = 0, found = 0;  // whole bytes of the piece that begins there
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t bytes = places[i] / 4;
        if (begins[i] != piece || bytes < counted) piece = begins[i], counted = found = 0;
        found += losses_in(outcomes + piece + counted, 4 * (bytes - counted));
        counted = bytes;
        losses[i] = found + losses_in(outcomes + piece + counted, places[i] % 4);
    }
}

void decode(const std::uint8_t* outcomes, std::uint64_t entries, const std::uint8_t* plies, std::uint64_t plies_bytes,
            int width, const Plane& plane, std::uint64_t first) {
    const auto into = [&](auto* codes) {
        decode_to(codes + first, outcomes, entries, plies, plies + plies_bytes, width, plane);
    };
    if (plane.width == 1)
        into(static_cast<std::uint8_t*>(plane.data));
    else
        into(static_cast<std::uint16_t*>(plane.data));
}

}  // namespace inarow::verify::quixo
