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
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "result.hpp"

namespace inarow::quixo {

using Mask = std::uint32_t;      // of a board that can be solved
using WideMask = std::uint64_t;  // of any board

constexpr int max_cells = 26;       // of a board that can be solved
constexpr int max_wide_cells = 64;  // of any board
constexpr int max_moves = 74;       // on 2x13 and 13x2
constexpr int max_lines = 100;      // on 5x5, four in a row around the edges

template <class Mask>
constexpr int most_cells = sizeof(Mask) == sizeof(WideMask) ? max_wide_cells : max_cells;
template <class Mask>
constexpr int most_moves = sizeof(Mask) == sizeof(WideMask) ? 188 : max_moves;  // 188 on 2x32

// What a finished game is worth to the side that moved last.
struct Ends {
    Outcome own, other;  // with lines of its own mark only, or of the other's only: a win or a loss
    Outcome both;        // with lines of both marks

    bool operator==(const Ends&) const = default;
};

// A game is over as soon as one side has all cells of a line. Every symmetry of the board takes lines to lines.
struct Rules {
    int rows, columns;
    std::vector<WideMask> lines;
    Ends ends;

    int cells() const { return rows * columns; }
    bool is_square() const { return rows == columns; }
};

// A move is a cyclic permutation of the cells of a segment: the taken tile goes to `pushed`, and the tiles from there
// to the hole shift by one step toward the hole.
template <class Mask>
struct BasicMove {
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

    BasicMove(int taken_cell, int pushed_cell, int step) : taken(taken_cell), pushed(pushed_cell), step_(step) {
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

template <class Mask>
class BasicBoard {
  public:
    using Move = BasicMove<Mask>;

    explicit BasicBoard(const Rules& rules) : rules_(rules) {
        const auto [rows, columns] = std::pair(rules.rows, rules.columns);
        if (rows < 2 || columns < 2 || rows > max_wide_cells || columns > max_wide_cells || cells() > most_cells<Mask>)
            throw std::invalid_argument("a board has at least 2 rows and 2 columns, and at most " +
                                        std::to_string(most_cells<Mask>) + " cells");
        if (rules.ends.own == Outcome::draw || rules.ends.other == Outcome::draw)
            throw std::invalid_argument("a line of one mark alone wins or loses");
        find_moves();
        find_symmetries();
        take_lines(rules.lines);
    }

    const Rules& rules() const { return rules_; }
    int cells() const { return rules_.cells(); }
    Mask full() const { return ~Mask{0} >> (8 * static_cast<int>(sizeof(Mask)) - cells()); }
    const std::vector<Mask>& lines() const { return lines_; }  // those of fewer cells first
    const std::vector<Move>& moves() const { return moves_; }
    const Ends& ends() const { return rules_.ends; }

    bool has_line(Mask mask) const {
        for (const Mask line : lines_)
            if ((mask & line) == line) return true;
        return false;
    }

    // What a position is worth to the side to move if the game is over, otherwise `missing`; the same, given which
    // side has a line.
    Outcome ended(Mask mover, Mask other) const { return ended(has_line(mover), has_line(other)); }
    Outcome ended(bool mover_has_line, bool other_has_line) const {
        if (!mover_has_line && !other_has_line) return Outcome::missing;
        const Ends& ends = rules_.ends;
        const Outcome of_other = !mover_has_line ? ends.own : !other_has_line ? ends.other : ends.both;
        return static_cast<Outcome>(-static_cast<int>(of_other));
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
        Mask found = t[0][mask & 255];
        for (std::size_t byte = 1; byte < sizeof(Mask); ++byte) found |= t[byte][mask >> 8 * byte & 255];
        return found;
    }

  private:
    void take_lines(const std::vector<WideMask>& lines) {
        if (lines.empty()) throw std::invalid_argument("a game has lines");
        if (sizeof(Mask) < sizeof(WideMask) && lines.size() > max_lines)
            throw std::invalid_argument("a game that can be solved has at most " + std::to_string(max_lines) +
                                        " lines");
        for (const WideMask line : lines) {
            if (line & ~WideMask{full()} || std::popcount(line) < 2)
                throw std::invalid_argument("a line is of two cells of the board at least");
            lines_.push_back(static_cast<Mask>(line));
        }
        std::vector<Mask> sorted = lines_;
        std::sort(sorted.begin(), sorted.end());
        for (int g = 0; g < symmetries(); ++g)
            for (const Mask line : lines_)
                if (!std::binary_search(sorted.begin(), sorted.end(), image(g, line)))
                    throw std::invalid_argument("the lines are not as symmetric as the board");
        std::stable_sort(lines_.begin(), lines_.end(),
                         [](Mask s, Mask t) { return std::popcount(s) < std::popcount(t); });
    }

    void find_moves() {
        const auto [rows, columns] = std::pair(rules_.rows, rules_.columns);
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
        const auto [rows, columns] = std::pair(rules_.rows, rules_.columns);
        for (int g = 0; g < symmetries(); ++g) {
            for (int cell = 0; cell < cells(); ++cell) {
                int row = cell / columns, column = cell % columns;
                if (g & 1) column = columns - 1 - column;
                if (g & 2) row = rows - 1 - row;
                if (g & 4) std::swap(row, column);
                symmetry_[g][cell] = static_cast<std::uint8_t>(row * columns + column);
            }
            for (int byte = 0; byte < static_cast<int>(sizeof(Mask)); ++byte)
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
    std::array<std::array<std::uint8_t, most_cells<Mask>>, 8> symmetry_{};
    std::array<std::array<std::array<Mask, 256>, sizeof(Mask)>, 8> images_{};
};

using Move = BasicMove<Mask>;
using Board = BasicBoard<Mask>;

// Rows, columns and diagonals of so many cells, each from its lowest cell; with `wrap` they go on at the opposite edge.
inline std::vector<WideMask> lines_in_a_row(int rows, int columns, int length, bool wrap = false,
                                            bool diagonals = true) {
    std::vector<WideMask> lines;
    if (rows < 2 || columns < 2 || rows * columns > max_wide_cells) return lines;
    constexpr int directions[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (const auto& [up, left] : std::span(directions).first(diagonals ? 4 : 2))
        for (int cell = 0; cell < rows * columns; ++cell) {
            WideMask line = 0;
            bool fits = true;
            for (int i = 0; i < length; ++i) {
                const int row = cell / columns + i * up, column = cell % columns + i * left + length * columns;
                fits &= wrap || (row < rows && column / columns == length);
                line |= WideMask{1} << (row % rows * columns + column % columns);
            }
            // One that goes on may come back to where it was, or have been found from another cell.
            if (fits && std::popcount(line) == length && std::ranges::find(lines, line) == lines.end())
                lines.push_back(line);
        }
    return lines;
}

// So many in a row win, and with lines of both marks the side that moved last wins or, under the official rule, loses.
inline Rules rules_in_a_row(int rows, int columns, int length, bool double_line_wins) {
    return {rows,
            columns,
            lines_in_a_row(rows, columns, length),
            {Outcome::win, Outcome::loss, double_line_wins ? Outcome::win : Outcome::loss}};
}

// Calls visit(mover, other) for every position after one move; for none if the game is over.
template <class Visit>
void each_successor(const Board& board, Mask mover, Mask other, Visit visit) {
    if (board.has_line(mover) || board.has_line(other)) return;
    for (const Move& move : board.moves())
        if (!(other >> move.taken & 1)) visit(move.apply(other), move.apply(mover | Mask{1} << move.taken));
}

}  // namespace inarow::quixo
