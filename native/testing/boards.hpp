// Boards of m,n,k games for unit tests: lines as masks and symmetries as permutations, as searches and checkers take
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace inarow::testing {

using Words = std::array<std::uint64_t, 2>;  // cell c is bit c % 64 of word c / 64

inline Words words_of(const std::vector<int>& cells) {
    Words words{};
    for (const int cell : cells) words[cell / 64] |= std::uint64_t{1} << cell % 64;
    return words;
}

// All lines of `length` cells in a row, in a column or along a diagonal. Cell c of the board is cell `first` + c.
inline std::vector<Words> lines_of(int rows, int columns, int length, int first = 0) {
    std::vector<Words> lines;
    constexpr int kSteps[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (const auto& [down, right] : kSteps)
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column) {
                const int last_row = row + (length - 1) * down, last_column = column + (length - 1) * right;
                if (last_row >= rows || last_column >= columns || last_column < 0) continue;
                std::vector<int> cells;
                for (int i = 0; i < length; ++i)
                    cells.push_back(first + (row + i * down) * columns + column + i * right);
                lines.push_back(words_of(cells));
            }
    return lines;
}

// The symmetries of a square board: cell c goes to symmetry[c]. The identity is the first.
inline std::vector<std::vector<std::uint8_t>> symmetries_of_square(int side) {
    std::vector<std::vector<std::uint8_t>> symmetries;
    for (int s = 0; s < 8; ++s) {
        std::vector<std::uint8_t> to;
        for (int cell = 0; cell < side * side; ++cell) {
            int row = cell / side, column = cell % side;
            if (s & 4) std::swap(row, column);
            if (s & 1) row = side - 1 - row;
            if (s & 2) column = side - 1 - column;
            to.push_back(static_cast<std::uint8_t>(row * side + column));
        }
        symmetries.push_back(to);
    }
    return symmetries;
}

inline std::vector<std::vector<std::uint8_t>> identity(int cells) {
    std::vector<std::uint8_t> to;
    for (int cell = 0; cell < cells; ++cell) to.push_back(static_cast<std::uint8_t>(cell));
    return {to};
}

}  // namespace inarow::testing
