// Values of entries, two bits each, four to a byte: as in the compact form of docs/tablebase-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace inarow::quixo {

namespace packed {
enum Value : std::uint8_t { loss = 0, draw = 1, win = 2 };
constexpr std::size_t bytes(std::size_t entries) { return (entries + 3) / 4; }
constexpr std::size_t blocks_together = 64;  // of a plane: however many entries they have, they fill whole bytes
}  // namespace packed

struct OutcomeCounts {  // positions, symmetric ones one by one
    std::uint64_t win = 0, loss = 0, draw = 0;

    void add(std::uint64_t weight, std::uint64_t won, std::uint64_t lost, std::uint64_t drawn) {
        win += weight * won;
        loss += weight * lost;
        draw += weight * drawn;
    }
};

inline OutcomeCounts sum(const std::vector<OutcomeCounts>& parts) {
    OutcomeCounts all;
    for (const OutcomeCounts& part : parts) all.add(1, part.win, part.loss, part.draw);
    return all;
}

}  // namespace inarow::quixo
