// The board of Quixo: lines, moves and symmetries as operations on bit masks.
//
// Cell k has bit k: bit 0 is the lower right corner, bit N-1 the lower left, bit N*N-1 the upper left.
//
//        5x5                  4x4
//   24 23 22 21 20       15 14 13 12
//   19 18 17 16 15       11 10  9  8
//   14 13 12 11 10        7  6  5  4
//    9  8  7  6  5        3  2  1  0
//    4  3  2  1  0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace inarow::quixo {

using Mask = std::uint32_t;

constexpr int max_cells = 25;

struct Rules {
    int size;
    int line;               // marks needed in a row
    bool double_line_wins;  // who completes lines of both marks in one move: wins, or (official) loses

    int cells() const { return size * size; }
};

// A move is one fixed cyclic permutation of the cells of a line segment: the taken tile goes to `pushed`,
// the tiles from there to the hole shift by one step toward the hole.
struct Move {
    int taken;
    int pushed;

    int image(int cell) const {
        if (cell == taken) return pushed;
        return (Mask{1} << cell & segment_) ? cell - step_ : cell;
    }

    Mask apply(Mask mask) const {
        const Mask shifted = mask & segment_;
        return (mask & fixed_) | (step_ > 0 ? shifted >> step_ : shifted << -step_) | ((mask >> taken & 1) << pushed);
    }

    Mask undo(Mask mask) const {
        const Mask home = step_ > 0 ? (mask << step_) : (mask >> -step_);
        return (mask & fixed_) | (home & segment_) | ((mask >> pushed & 1) << taken);
    }

    Move(int taken_cell, int pushed_cell, int step) : taken(taken_cell), pushed(pushed_cell), step_(step) {
        for (int cell = taken; cell != pushed; cell += step) segment_ |= Mask{1} << (cell + step);
        fixed_ = ~(segment_ | Mask{1} << taken);
    }

  private:
    int step_;          // from the hole toward the cell where the tile is pushed in
    Mask segment_ = 0;  // the cells that shift
    Mask fixed_ = 0;    // the cells that the move leaves alone
};

class Board {
  public:
    explicit Board(Rules rules) : rules_(rules) {
        const int n = rules.size, k = rules.line;
        if (n < 2 || n > 5) throw std::invalid_argument("board size must be 2 to 5");
        if (k > n || k < (n == 2 ? 2 : 3)) throw std::invalid_argument("line must be 3 to the board size, 2 on 2x2");
        constexpr int directions[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (const auto& [up, left] : directions)
            for (int row = 0; row < n; ++row)
                for (int column = 0; column < n; ++column) {
                    const int last_row = row + up * (k - 1), last_column = column + left * (k - 1);
                    if (last_row >= n || last_column >= n || last_column < 0) continue;
                    Mask line = 0;
                    for (int i = 0; i < k; ++i) line |= Mask{1} << ((row + up * i) * n + column + left * i);
                    lines_.push_back(line);
                }
        for (int row = 0; row < n; ++row)
            for (int column = 0; column < n; ++column) {
                const int cell = row * n + column;
                const bool border = row == 0 || row == n - 1 || column == 0 || column == n - 1;
                if (!border) continue;
                if (column != 0) moves_.emplace_back(cell, row * n, -1);
                if (column != n - 1) moves_.emplace_back(cell, row * n + n - 1, 1);
                if (row != 0) moves_.emplace_back(cell, column, -n);
                if (row != n - 1) moves_.emplace_back(cell, (n - 1) * n + column, n);
            }
        for (int g = 0; g < 8; ++g)
            for (int cell = 0; cell < n * n; ++cell) {
                int row = cell / n, column = cell % n;
                if (g & 1) column = n - 1 - column;
                if (g & 2) row = n - 1 - row;
                if (g & 4) std::swap(row, column);
                symmetry_[g][cell] = static_cast<std::uint8_t>(row * n + column);
            }
        for (int g = 0; g < 8; ++g)
            for (int byte = 0; byte < 4; ++byte)
                for (int bits = 0; bits < 256; ++bits) {
                    Mask image = 0;
                    for (int i = 0; i < 8; ++i)
                        if (bits >> i & 1 && byte * 8 + i < n * n) image |= Mask{1} << symmetry_[g][byte * 8 + i];
                    images_[g][byte][bits] = image;
                }
    }

    const Rules& rules() const { return rules_; }
    int cells() const { return rules_.cells(); }
    const std::vector<Mask>& lines() const { return lines_; }
    const std::vector<Move>& moves() const { return moves_; }

    bool has_line(Mask mask) const {
        for (const Mask line : lines_)
            if ((mask & line) == line) return true;
        return false;
    }

    // Where symmetry g in 0..7 takes a cell, and a mask.
    int cell_image(int g, int cell) const { return symmetry_[g][cell]; }
    Mask image(int g, Mask mask) const {
        const auto& t = images_[g];
        return t[0][mask & 255] | t[1][mask >> 8 & 255] | t[2][mask >> 16 & 255] | t[3][mask >> 24];
    }

  private:
    Rules rules_;
    std::vector<Mask> lines_;
    std::vector<Move> moves_;
    std::array<std::array<std::uint8_t, max_cells>, 8> symmetry_{};
    std::array<std::array<std::array<Mask, 256>, 4>, 8> images_{};
};

}  // namespace inarow::quixo
