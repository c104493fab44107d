// The board of Quixo: lines, moves and symmetries as operations on bit masks.
//
// Cell k has bit k: bit 0 is the lower right corner, bit columns-1 the lower left, the highest bit the upper left.
//
//        5x5                  3x4
//   24 23 22 21 20
//   19 18 17 16 15       11 10  9  8
//   14 13 12 11 10        7  6  5  4
//    9  8  7  6  5        3  2  1  0
//    4  3  2  1  0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace inarow::quixo {

using Mask = std::uint32_t;

constexpr int max_cells = 25;
constexpr int max_moves = 68;  // on 2x12 and 12x2
constexpr int max_lines = 72;  // on 5x5, two in a row

struct Rules {
    int rows, columns;
    int line;               // marks needed in a row
    bool double_line_wins;  // a player whose move leaves lines of both marks wins, or (the official rule) loses

    int cells() const { return rows * columns; }
    bool is_square() const { return rows == columns; }
};

// A move is a cyclic permutation of the cells of a segment: the taken tile goes to `pushed`, and the tiles from there
// to the hole shift by one step toward the hole.
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

    Mask segment() const { return segment_; }
    int step() const { return step_; }

  private:
    int step_;          // from the hole toward the cell where the tile is pushed in
    Mask segment_ = 0;  // the cells whose tiles shift
    Mask fixed_ = 0;    // the cells that the move does not change
};

class Board {
  public:
    explicit Board(Rules rules) : rules_(rules) {
        check(rules);
        find_lines();
        find_moves();
        find_symmetries();
    }

    const Rules& rules() const { return rules_; }
    int cells() const { return rules_.cells(); }
    Mask full() const { return (Mask{1} << cells()) - 1; }
    const std::vector<Mask>& lines() const { return lines_; }
    const std::vector<Move>& moves() const { return moves_; }

    bool has_line(Mask mask) const {
        for (const Mask line : lines_)
            if ((mask & line) == line) return true;
        return false;
    }

    // A square has eight symmetries, another rectangle four. Symmetry g mirrors columns (1), mirrors rows (2), and then
    // transposes (4).
    int symmetries() const { return rules_.is_square() ? 8 : 4; }
    // Undone in the other order.
    static int inverse(int g) { return g & 4 ? (g & 4) | (g & 1) << 1 | (g & 2) >> 1 : g; }
    // Where symmetry g takes a cell, and a mask.
    int cell_image(int g, int cell) const { return symmetry_[g][cell]; }
    Mask image(int g, Mask mask) const {
        const auto& t = images_[g];
        return t[0][mask & 255] | t[1][mask >> 8 & 255] | t[2][mask >> 16 & 255] | t[3][mask >> 24];
    }

  private:
    static void check(const Rules& rules) {
        if (rules.rows < 2 || rules.columns < 2 || rules.cells() > max_cells)
            throw std::invalid_argument("a board has at least 2 rows and 2 columns, and at most 25 cells");
        if (rules.line < 2 || rules.line > std::max(rules.rows, rules.columns))
            throw std::invalid_argument("a line has at least 2 cells, and at most as many as the board is long");
    }

    // Rows, columns, and the diagonals of both directions, each from its lowest cell.
    void find_lines() {
        const auto [rows, columns, length, _] = rules_;
        constexpr int directions[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (const auto& [up, left] : directions)
            for (int cell = 0; cell < cells(); ++cell) {
                const int last_row = cell / columns + up * (length - 1);
                const int last_column = cell % columns + left * (length - 1);
                if (last_row >= rows || last_column >= columns || last_column < 0) continue;
                Mask line = 0;
                for (int i = 0; i < length; ++i) line |= Mask{1} << (cell + i * (up * columns + left));
                lines_.push_back(line);
            }
    }

    void find_moves() {
        const auto [rows, columns, length, _] = rules_;
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column) {
                const int cell = row * columns + column;
                const bool border = row == 0 || row == rows - 1 || column == 0 || column == columns - 1;
                if (!border) continue;
                if (column != 0) moves_.emplace_back(cell, row * columns, -1);
                if (column != columns - 1) moves_.emplace_back(cell, row * columns + columns - 1, 1);
                if (row != 0) moves_.emplace_back(cell, column, -columns);
                if (row != rows - 1) moves_.emplace_back(cell, (rows - 1) * columns + column, columns);
            }
    }

    void find_symmetries() {
        const auto [rows, columns, length, _] = rules_;
        for (int g = 0; g < symmetries(); ++g) {
            for (int cell = 0; cell < cells(); ++cell) {
                int row = cell / columns, column = cell % columns;
                if (g & 1) column = columns - 1 - column;
                if (g & 2) row = rows - 1 - row;
                if (g & 4) std::swap(row, column);
                symmetry_[g][cell] = static_cast<std::uint8_t>(row * columns + column);
            }
            for (int byte = 0; byte < 4; ++byte)
                for (int bits = 0; bits < 256; ++bits) {
                    Mask image = 0;
                    for (int i = 0; i < 8; ++i)
                        if (bits >> i & 1 && byte * 8 + i < cells()) image |= Mask{1} << symmetry_[g][byte * 8 + i];
                    images_[g][byte][bits] = image;
                }
        }
    }

    Rules rules_;
    std::vector<Mask> lines_;
    std::vector<Move> moves_;
    std::array<std::array<std::uint8_t, max_cells>, 8> symmetry_{};
    std::array<std::array<std::array<Mask, 256>, 4>, 8> images_{};
};

// Calls visit(mover, other) for every position after one move; for none if the game is over.
template <class Visit>
void each_successor(const Board& board, Mask mover, Mask other, Visit visit) {
    if (board.has_line(mover) || board.has_line(other)) return;
    for (const Move& move : board.moves())
        if (!(other >> move.taken & 1)) visit(move.apply(other), move.apply(mover | Mask{1} << move.taken));
}

}  // namespace inarow::quixo
