#include "verify/quixo/board.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace inarow::verify::quixo {
namespace {

std::vector<Move> moves_of(const Rules& rules) {
    const int rows = rules.rows, columns = rules.columns;
    std::vector<Move> moves;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const bool on_border = row == 0 || row == rows - 1 || column == 0 || column == columns - 1;
            if (!on_border) continue;
            // Toward each of the four ends of its row and column, unless it is there already.
            for (const auto& [up, left] : {std::pair{0, 1}, {0, -1}, {1, 0}, {-1, 0}}) {
                Move move{{}, 0};
                for (int r = row, c = column; r >= 0 && r < rows && c >= 0 && c < columns; r += up, c += left)
                    move.path[move.length++] = r * columns + c;
                if (move.length > 1) moves.push_back(move);
            }
        }
    }
    return moves;
}

std::vector<Mask> lines_of(const Rules& rules) {
    std::vector<Mask> lines;
    for (int row = 0; row < rules.rows; ++row) {
        for (int column = 0; column < rules.columns; ++column) {
            for (const auto& [up, left] : {std::pair{0, 1}, {1, 0}, {1, 1}, {1, -1}}) {
                if (up != 0 && left != 0 && !rules.diagonals) continue;
                const int last_row = row + up * (rules.line - 1), last_column = column + left * (rules.line - 1);
                const bool inside = last_row < rules.rows && last_column >= 0 && last_column < rules.columns;
                if (!inside && !rules.wrap) continue;
                Mask line = 0;
                for (int i = 0; i < rules.line; ++i) {
                    const int r = (row + up * i) % rules.rows;
                    const int c = (column + left * i + rules.line * rules.columns) % rules.columns;
                    line |= Mask{1} << (r * rules.columns + c);
                }
                // One that comes back to a cell before it is long enough is none; and the same cells are one line.
                const bool is_long_enough = std::popcount(line) == rules.line;
                if (is_long_enough && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
            }
        }
    }
    return lines;
}

}  // namespace

Game::Game(const Rules& rules) : rules_(rules) {
    const int shorter = std::min(rules.rows, rules.columns), longer = std::max(rules.rows, rules.columns);
    require(shorter >= 2 && longer <= kMaxSide && rules.cells() <= kMaxCells,
            "a board has at least 2 rows and 2 columns, and at most 25 cells");
    require(rules.line >= 2 && rules.line <= longer,
            "a line has at least 2 marks, and at most as many as the longer side of the board");
    moves_ = moves_of(rules);
    lines_ = lines_of(rules);
}

bool Game::has_line(Mask marks) const {
    return std::any_of(lines_.begin(), lines_.end(), [marks](Mask line) { return (marks & line) == line; });
}

}  // namespace inarow::verify::quixo
