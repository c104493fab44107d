#include "verify/quixo/pieces.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "verify/quixo/threads.hpp"

namespace inarow::verify::quixo {
namespace {

constexpr std::uint8_t kMagic[] = {0x28, 0xB5, 0x2F, 0xFD};
constexpr std::uint32_t kOutcomeBytes = kPiece / 4;

// remainders[i][byte]: what a byte followed by i zeros leaves.
constexpr auto remainders = [] {
    std::array<std::array<std::uint32_t, 256>, 8> found{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0xEDB88320u : 0);
        found[0][byte] = rest;
    }
    for (std::size_t i = 1; i < 8; ++i)
        for (std::size_t byte = 0; byte < 256; ++byte)
            found[i][byte] = found[i - 1][byte] >> 8 ^ found[0][found[i - 1][byte] & 255];
    return found;
}();

// How many outcomes in a byte are losses: pairs of bits that are both 0.
std::uint32_t losses_in(std::uint8_t byte) { return 4 - std::popcount((byte | byte >> 1) & 0x55u); }

std::uint32_t losses_in(const std::uint8_t* outcomes, std::uint64_t entries) {
    std::uint32_t found = 0;
    std::uint64_t bytes = 0;
    for (; bytes + 8 <= entries / 4; bytes += 8) {
        std::uint64_t word;
        std::memcpy(&word, outcomes + bytes, 8);
        found += 32 - std::popcount((word | word >> 1) & 0x5555555555555555u);
    }
    for (; bytes < entries / 4; ++bytes) found += losses_in(outcomes[bytes]);
    for (std::uint64_t i = entries / 4 * 4; i < entries; ++i) found += (outcomes[i / 4] >> i % 4 * 2 & 3) == 0;
    return found;
}

std::uint32_t entries_of_piece(std::uint64_t entries, std::uint64_t piece) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(kPiece, entries - piece * kPiece));
}

template <class Code>
void decode_piece(const std::uint8_t* outcomes, const std::uint8_t* plies, int width, std::uint32_t entries,
                  const Plane& plane, Code* target) {
    constexpr std::uint16_t values[4] = {kLost, kDraw, kWon, kNotAnEntry};
    std::array<std::int16_t, 256> codes;  // of plies of one byte, as they are met
    codes.fill(-1);
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::uint32_t outcome = outcomes[i / 4] >> i % 4 * 2 & 3;
        if (outcome != 0 || width == 0) {
            target[i] = sizeof(Code) == 1 ? static_cast<Code>(outcome) : static_cast<Code>(values[outcome]);
            continue;
        }
        std::uint16_t lost_in = *plies++;
        if (width == 2) lost_in = static_cast<std::uint16_t>(lost_in | *plies++ << 8);
        if constexpr (sizeof(Code) == 1) {
            if (lost_in < 256) {
                if (codes[lost_in] < 0) codes[lost_in] = plane.codes->code_of(lost_in);
                target[i] = static_cast<Code>(codes[lost_in]);
            } else {
                target[i] = plane.codes->code_of(lost_in);
            }
        } else {
            target[i] = lost_in;
        }
    }
}

}  // namespace

std::uint32_t crc32(const std::uint8_t* bytes, std::size_t count) {
    std::uint32_t rest = 0xFFFFFFFF;
    for (; count >= 8; bytes += 8, count -= 8) {
        const std::uint32_t low = rest ^ (bytes[0] | bytes[1] << 8 | bytes[2] << 16 | std::uint32_t{bytes[3]} << 24);
        rest = remainders[7][low & 255] ^ remainders[6][low >> 8 & 255] ^ remainders[5][low >> 16 & 255] ^
               remainders[4][low >> 24] ^ remainders[3][bytes[4]] ^ remainders[2][bytes[5]] ^ remainders[1][bytes[6]] ^
               remainders[0][bytes[7]];
    }
    for (; count > 0; ++bytes, --count) rest = rest >> 8 ^ remainders[0][(rest ^ *bytes) & 255];
    return ~rest;
}

Frames frames_of(const StoredPieces& pieces, const std::uint64_t* sizes) {
    Frames frames;
    std::size_t bytes = sizeof(kMagic) * pieces.count;
    for (std::size_t i = 0; i < pieces.count; ++i) bytes += static_cast<std::size_t>(pieces.lengths[i]);
    frames.bytes.reserve(bytes);
    for (std::size_t i = 0; i < pieces.count; ++i) {
        const std::uint8_t* stored = pieces.content + pieces.begins[i];
        const auto length = static_cast<std::size_t>(pieces.lengths[i]);
        if (crc32(stored, length) != pieces.checksums[i]) {
            frames.wrong = i;
            return frames;
        }
        if ((length == 0) != (sizes[i] == 0)) {
            frames.unexpected = i;
            return frames;
        }
        if (length <= 1) continue;
        frames.segments.push_back(frames.bytes.size());
        frames.segments.push_back(length + sizeof(kMagic));
        frames.sizes.push_back(sizes[i]);
        frames.bytes.insert(frames.bytes.end(), std::begin(kMagic), std::end(kMagic));
        frames.bytes.insert(frames.bytes.end(), stored, stored + length);
    }
    return frames;
}

void lay_out(const StoredPieces& pieces, const std::uint64_t* sizes, const std::uint8_t* unpacked,
             std::uint8_t* target) {
    for (std::size_t i = 0; i < pieces.count; ++i) {
        const auto length = static_cast<std::size_t>(pieces.lengths[i]);
        if (length == 1) {
            std::memset(target, pieces.content[pieces.begins[i]], sizes[i]);
        } else if (length > 1) {
            std::memcpy(target, unpacked, sizes[i]);
            unpacked += sizes[i];
        }
        target += sizes[i];
    }
}

void count_losses(const std::uint8_t* outcomes, std::uint64_t entries, std::uint32_t* losses, int threads) {
    each_run(0, (entries + kPiece - 1) / kPiece, 16, threads, [&] {
        return [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t piece = begin; piece < end; ++piece)
                losses[piece] = losses_in(outcomes + piece * kOutcomeBytes, entries_of_piece(entries, piece));
            return true;
        };
    });
}

void count_losses_before(const std::uint8_t* outcomes, const std::uint64_t* begins, const std::uint64_t* places,
                         std::size_t count, std::uint32_t* losses, int threads) {
    each_run(0, count, 256, threads, [&] {
        return [&](std::uint64_t begin, std::uint64_t end) {
            // Places in the order of entries, as most are, are counted on from the one before.
            std::uint64_t piece = 0, counted = 0;  // whole bytes of the piece that begins there
            std::uint32_t found = 0;
            for (std::uint64_t i = begin; i < end; ++i) {
                if (i == begin || begins[i] != piece || places[i] / 4 < counted)
                    piece = begins[i], counted = 0, found = 0;
                found += losses_in(outcomes + piece + counted, (places[i] / 4 - counted) * 4);
                counted = places[i] / 4;
                losses[i] = found;
                if (places[i] % 4 != 0) losses[i] += losses_in(outcomes + piece + counted, places[i] % 4);
            }
            return true;
        };
    });
}

void decode(const std::uint8_t* outcomes, const std::uint8_t* plies, int width, std::uint64_t entries,
            const Plane& plane, std::uint64_t first, int threads) {
    require(first % kPiece == 0, "a run begins with a piece");
    const std::uint64_t pieces = (entries + kPiece - 1) / kPiece;
    std::vector<std::uint32_t> losses(pieces);
    if (width != 0) count_losses(outcomes, entries, losses.data(), threads);
    std::vector<std::uint64_t> begins;
    std::uint64_t begin_of_plies = 0;
    for (const std::uint32_t count : losses) {
        begins.push_back(begin_of_plies);
        begin_of_plies += std::uint64_t{count} * width;
    }
    each_run(0, pieces, 16, threads, [&] {
        return [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t piece = begin; piece < end; ++piece) {
                const auto decode_to = [&](auto* codes) {
                    decode_piece(outcomes + piece * kOutcomeBytes, plies + begins[piece], width,
                                 entries_of_piece(entries, piece), plane, codes + first + piece * kPiece);
                };
                if (plane.width == 1)
                    decode_to(static_cast<std::uint8_t*>(plane.data));
                else
                    decode_to(static_cast<std::uint16_t*>(plane.data));
            }
            return true;
        };
    });
}

}  // namespace inarow::verify::quixo
