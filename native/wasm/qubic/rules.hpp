// Positions of Qubic, their notation, and threats in them.
#pragma once

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "positional/qubic/board.hpp"
#include "positional/threats.hpp"
#include "wasm/module.hpp"
#include "wasm/text.hpp"

namespace inarow::wasm {

using qubic::bit;
using qubic::Cells;
using qubic::kCells;
using qubic::several;

inline std::vector<int> cells_of(Cells cells) {
    std::vector<int> found;
    for (; cells; cells &= cells - 1) found.push_back(qubic::lowest(cells));
    return found;
}

struct QubicPosition {
    Cells x = 0, o = 0;

    char turn() const { return std::popcount(x) == std::popcount(o) ? 'x' : 'o'; }

    // The cells of a side's lines.
    static Cells in_lines(Cells side) {
        Cells found = 0;
        for (const Cells line : qubic::kGeometry.line)
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

// What threatens where, in games that are not over.
inline positional::Threats<Cells>& threats() {
    static positional::Threats<Cells> found = [] {
        std::vector<Cells> lines(qubic::kGeometry.line.begin(), qubic::kGeometry.line.end());
        std::sort(lines.begin(), lines.end());
        return positional::Threats<Cells>(lines, kCells, false);
    }();
    return found;
}

}  // namespace inarow::wasm
