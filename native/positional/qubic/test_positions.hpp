// Positions of Qubic for unit tests, and plain answers about them.
#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "positional/qubic/board.hpp"

namespace inarow::qubic {

// One character for each cell: x, o or a point.
inline Position parse(std::string_view text) {
    Position position{0, 0};
    for (int cell = 0; cell < kCells; ++cell) {
        if (text[cell] == 'x') position.x |= bit(cell);
        if (text[cell] == 'o') position.o |= bit(cell);
    }
    return position;
}

inline bool has_line(Cells cells) {
    for (const Cells line : kGeometry.line)
        if ((line & ~cells) == 0) return true;
    return false;
}

// The cells where one more mark completes a line.
inline Cells plain_threats(Cells mine, Cells theirs) {
    Cells found = 0;
    for (const Cells line : kGeometry.line)
        if ((line & theirs) == 0 && std::popcount(line & mine) == 3) found |= line & ~mine;
    return found;
}

// Neither side can complete a line at once.
inline bool is_quiet(const Position& position) {
    return plain_threats(position.x, position.o) == 0 && plain_threats(position.o, position.x) == 0;
}

// Positions without a line, with `marks` marks of each side.
inline std::vector<Position> random_positions(int count, int marks, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Position> found;
    while (static_cast<int>(found.size()) < count) {
        Position position{0, 0};
        for (int i = 0; i < 2 * marks;) {
            const Cells cell = bit(static_cast<int>(random() % kCells));
            if (((position.x | position.o) & cell) != 0) continue;
            (i++ % 2 == 0 ? position.x : position.o) |= cell;
        }
        if (!has_line(position.x) && !has_line(position.o)) found.push_back(position);
    }
    return found;
}

}  // namespace inarow::qubic
