// Positions of Qubic, their notation, and forced wins by threats. The answers are those of
// inarow/positional/search/threats.py, which explains them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "positional/qubic/board.hpp"
#include "wasm/module.hpp"
#include "wasm/text.hpp"

namespace inarow::wasm {

using qubic::bit;
using qubic::Cells;
using qubic::kCells;
using qubic::several;

// All lines, in ascending order of their masks; and those through each cell.
struct Lines {
    std::vector<Cells> all;
    std::vector<Cells> through[kCells];

    Lines() : all(qubic::kGeometry.line.begin(), qubic::kGeometry.line.end()) {
        std::sort(all.begin(), all.end());
        for (int cell = 0; cell < kCells; ++cell)
            for (const Cells line : all)
                if (line & bit(cell)) through[cell].push_back(line);
    }
};
inline const Lines& lines() {
    static const Lines found;
    return found;
}

inline std::vector<int> cells_of(Cells cells) {
    std::vector<int> found;
    for (; cells; cells &= cells - 1) found.push_back(qubic::lowest(cells));
    return found;
}

struct QubicPosition {
    Cells x = 0, o = 0;

    char turn() const { return std::popcount(x) == std::popcount(o) ? 'x' : 'o'; }
    Cells mine() const { return turn() == 'x' ? x : o; }
    Cells theirs() const { return turn() == 'x' ? o : x; }

    // The cells of a side's lines.
    static Cells in_lines(Cells side) {
        Cells found = 0;
        for (const Cells line : lines().all)
            if ((side & line) == line) found |= line;
        return found;
    }
    char winner() const { return in_lines(x) ? 'x' : in_lines(o) ? 'o' : ' '; }
    bool is_over() const { return winner() != ' ' || (x | o) == ~Cells{0}; }

    std::string text() const {
        std::string cells;
        for (int cell = 0; cell < kCells; ++cell) cells += x >> cell & 1 ? 'x' : o >> cell & 1 ? 'o' : '.';
        return cells;
    }

    static std::variant<QubicPosition, Refused> parse(std::string_view utf8);
    // Why a cell cannot be marked; empty if it can.
    std::string why_not(int cell) const;
    QubicPosition after(int cell) const {
        return turn() == 'x' ? QubicPosition{x | bit(cell), o} : QubicPosition{x, o | bit(cell)};
    }
};

inline std::variant<QubicPosition, Refused> QubicPosition::parse(std::string_view utf8) {
    const std::u32string text = code_points(utf8);
    QubicPosition position;
    int cell = 0;
    for (std::size_t place = 0; place < text.size(); ++place) {
        const char32_t c = text[place];
        const int at = static_cast<int>(place);
        if (c == U'/' || c == U' ' || (c >= U'\t' && c <= U'\r')) continue;
        if (c != U'x' && c != U'o' && c != U'.')
            return Refused{quoted(c) + " is not a cell; must be 'x', 'o' or '.'", at};
        if (cell == kCells) return Refused{"too long; the board has 64 cells", at};
        if (c == U'x') position.x |= bit(cell);
        if (c == U'o') position.o |= bit(cell);
        ++cell;
    }
    if (cell < kCells) return Refused{std::to_string(cell) + " cells; the board has 64", static_cast<int>(text.size())};
    const int xs = std::popcount(position.x), os = std::popcount(position.o);
    if (xs != os && xs != os + 1)
        return Refused{
            std::to_string(xs) + " Xs and " + std::to_string(os) + " Os: X begins, so there are as many or one X more",
            0};
    if (in_lines(position.x) && in_lines(position.o))
        return Refused{"both have a line; the game was over with the first", 0};
    return position;
}

inline std::string QubicPosition::why_not(int cell) const {
    if (cell < 0 || cell >= kCells) return "a move is the number of a cell, from 0 to 63";
    const std::string name = "cell " + std::to_string(cell);
    if ((x | o) & bit(cell)) return name + ": already has an " + (x & bit(cell) ? "x" : "o");
    if (is_over())
        return name + ": the game is over, " + (winner() == ' ' ? "drawn" : std::string(1, winner()) + " has won");
    return "";
}

// The cells where the side `mine` would complete one of the lines.
inline Cells threats(const std::vector<Cells>& among, Cells mine, Cells theirs) {
    Cells cells = 0;
    for (const Cells line : among) {
        const Cells needed = line & ~mine;
        if (!several(needed) && !(needed & theirs)) cells |= needed;
    }
    return cells;
}
inline Cells winning_cells(const QubicPosition& position) {
    return position.is_over() ? 0 : threats(lines().all, position.mine(), position.theirs());
}
inline Cells blocking_cells(const QubicPosition& position) {
    return position.is_over() ? 0 : threats(lines().all, position.theirs(), position.mine());
}

// A win of the side to move by threats, to the cell that completes a line; empty if there is none.
std::vector<int> forced_win(const QubicPosition& position);

// The cells that look best to the side to move in a game that is not over.
Cells promising_cells(const QubicPosition& position);

}  // namespace inarow::wasm
