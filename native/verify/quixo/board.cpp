#include "verify/quixo/board.hpp"

#include <algorithm>
#include <utility>

namespace inarow::verify::quixo {
namespace {

std::vector<Move> moves_on(int rows, int columns) {
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

}  // namespace

Game::Game(int rows, int columns, std::vector<Mask> lines, Ends ends)
    : rows(rows), columns(columns), lines(std::move(lines)), ends(ends) {
    require(std::min(rows, columns) >= 2 && std::max(rows, columns) <= kMaxSide && cells() <= kMaxCells,
            "a board has at least 2 rows and 2 columns, and at most 26 cells");
    for (const Mask line : this->lines) require(line != 0 && line >> cells() == 0, "a line is not on the board");
    moves = moves_on(rows, columns);
}

bool Game::has_line(Mask marks) const {
    return std::any_of(lines.begin(), lines.end(), [marks](Mask line) { return (marks & line) == line; });
}

}  // namespace inarow::verify::quixo
