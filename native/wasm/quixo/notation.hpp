// Positions of Quixo and their notation, as people write it.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quixo/board.hpp"
#include "wasm/module.hpp"
#include "wasm/text.hpp"

namespace inarow::wasm {

using quixo::Board;
using quixo::Mask;

// What a question says of the rules, besides the board.
struct Variant {
    int line = 0;  // 0 for the longer side
    std::string_view double_line = "loses";
    bool misere = false, wrap = false, diagonals = true;
};

// With what they are called after.
struct Rules : quixo::Rules {
    Variant variant;
};

struct Position {
    Rules rules;
    Mask x = 0, o = 0;
    char turn = 'x';

    Mask mover() const { return turn == 'x' ? x : o; }
    Mask other() const { return turn == 'x' ? o : x; }
    int marks() const { return std::popcount(x) + std::popcount(o); }
    std::uint64_t word() const { return std::uint64_t{mover()} << 32 | other(); }

    std::string text() const {
        std::string cells;
        for (int cell = rules.cells(); cell-- > 0;) {
            cells += x >> cell & 1 ? 'x' : o >> cell & 1 ? 'o' : '.';
            if (cell && cell % rules.columns == 0) cells += '/';
        }
        return cells + ' ' + turn;
    }

    Position after(const quixo::Move& move) const {
        const Mask mine = move.apply(mover() | Mask{1} << move.taken), theirs = move.apply(other());
        const bool x_moved = turn == 'x';
        return {rules, x_moved ? mine : theirs, x_moved ? theirs : mine, x_moved ? 'o' : 'x'};
    }

    // ' ' if nobody has won.
    char winner(const Board& board) const {
        const quixo::Outcome over = board.ended(mover(), other());
        if (over != quixo::Outcome::win && over != quixo::Outcome::loss) return ' ';
        return (over == quixo::Outcome::win) == (turn == 'x') ? 'x' : 'o';
    }
};

inline std::string size_text(int rows, int columns) { return std::to_string(rows) + "×" + std::to_string(columns); }

inline std::string rules_name(const Rules& rules) {
    const Variant& its = rules.variant;
    return std::to_string(rules.rows) + "x" + std::to_string(rules.columns) + "-line" + std::to_string(its.line) + "-" +
           std::string(its.double_line) + (its.misere ? "-misere" : "") + (its.wrap ? "-wrap" : "") +
           (its.diagonals ? "" : "-no-diagonals");
}

// For people, as in "4×4, line 4, double line loses, misere".
inline std::string rules_text(const Rules& rules) {
    const Variant& its = rules.variant;
    return size_text(rules.rows, rules.columns) + ", line " + std::to_string(its.line) + ", double line " +
           std::string(its.double_line) + (its.misere ? ", misere" : "") + (its.wrap ? ", wrap" : "") +
           (its.diagonals ? "" : ", no diagonals");
}

inline std::string cell_text(const Rules& rules, int cell) {
    return std::string(1, static_cast<char>('a' + rules.columns - 1 - cell % rules.columns)) +
           std::to_string(cell / rules.columns + 1);
}

inline std::string move_text(const Rules& rules, const quixo::Move& move) {
    return cell_text(rules, move.taken) + cell_text(rules, move.pushed);
}

constexpr int max_side = quixo::max_cells / 2;

inline std::variant<Rules, Refused> rules_of(int rows, int columns, Variant variant) {
    for (const auto& [name, count] : {std::pair("rows", rows), std::pair("columns", columns)})
        if (count < 2 || count > max_side)
            return Refused{std::string(name) + " " + std::to_string(count) + ": must be 2 to " +
                           std::to_string(max_side)};
    if (rows * columns > quixo::max_cells)
        return Refused{"a board of " + size_text(rows, columns) + " has " + std::to_string(rows * columns) +
                       " cells: must be at most " + std::to_string(quixo::max_cells)};
    const int longest = std::max(rows, columns);
    int& line = variant.line;
    if (line == 0) line = longest;
    if (line < 2 || line > longest) {
        std::string lengths = "2";
        for (int length = 3; length <= longest; ++length)
            lengths += (length == longest ? " or " : ", ") + std::to_string(length);
        return Refused{"line " + std::to_string(line) + ": must be " + lengths + " on a board of " +
                       size_text(rows, columns)};
    }
    using quixo::Outcome;
    const std::string_view name = variant.double_line;
    // Names that last.
    variant.double_line = name == "wins" ? "wins" : name == "draws" ? "draws" : "loses";
    const Outcome both = name == "wins" ? Outcome::win : name == "draws" ? Outcome::draw : Outcome::loss;
    const Outcome own = variant.misere ? Outcome::loss : Outcome::win;
    return Rules{{rows,
                  columns,
                  quixo::lines_in_a_row(rows, columns, line, variant.wrap, variant.diagonals),
                  {own, variant.misere ? Outcome::win : Outcome::loss, both}},
                 variant};
}

// The position of a text like "x.../..../..../o... x", which shows the shape of its board.
inline std::variant<Position, Refused> parse_position(std::string_view utf8, const Variant& variant) {
    const std::u32string text = code_points(utf8);
    const auto refuse = [](std::string what, std::size_t at) { return Refused{std::move(what), static_cast<int>(at)}; };
    const std::size_t end = std::min(text.find_first_of(U" _"), text.size());
    std::vector<std::u32string> rows{U""};
    for (std::size_t place = 0; place < end; ++place) {
        if (std::u32string_view(U"xoXO./").find(text[place]) == std::u32string_view::npos)
            return refuse(quoted(text[place]) + " is not a cell; must be 'x', 'o' or '.'", place);
        if (text[place] == U'/')
            rows.emplace_back();
        else
            rows.back() += text[place];
    }
    // The length most rows have, so that one bad row is reported as such and not taken for the shape.
    std::map<std::size_t, int> lengths;
    for (const auto& row : rows) ++lengths[row.size()];
    std::size_t columns = rows[0].size();
    for (const auto& row : rows)
        if (lengths[row.size()] > lengths[columns]) columns = row.size();
    if (columns < 2 || columns > max_side)
        return refuse("a row of " + std::to_string(columns) + " cells; must be 2 to " + std::to_string(max_side),
                      rows[0].size());
    if (rows.size() < 2) return refuse("a board of one row; must be at least 2", end);
    const std::string size = size_text(static_cast<int>(rows.size()), static_cast<int>(columns));
    if (rows.size() * columns > quixo::max_cells)
        return refuse("a board of " + size + " has " + std::to_string(rows.size() * columns) +
                          " cells; must be at most " + std::to_string(quixo::max_cells),
                      end);
    std::size_t place = 0;
    for (const auto& row : rows) {
        const std::string has = "; a board of " + size + " has rows of " + std::to_string(columns);
        if (row.size() > columns) return refuse("row too long" + has, place + columns);
        if (row.size() < columns) return refuse("row too short" + has, place + row.size());
        place += row.size() + 1;
    }
    if (text.size() < end + 2)
        return refuse("the side to move is missing; must be ' x' or ' o' at the end", text.size());
    const char32_t side = lower(text[end + 1]);
    if (side != U'x' && side != U'o')
        return refuse(quoted(text[end + 1]) + " is not a side; must be 'x' or 'o'", end + 1);
    if (text.size() > end + 2) return refuse("the text continues after the side to move", end + 2);
    const auto rules = rules_of(static_cast<int>(rows.size()), static_cast<int>(columns), variant);
    if (const Refused* refused = std::get_if<Refused>(&rules)) return *refused;
    Position position{std::get<Rules>(rules), 0, 0, static_cast<char>(side)};
    for (const auto& row : rows)
        for (const char32_t cell : row) {
            position.x = position.x << 1 | (lower(cell) == U'x');
            position.o = position.o << 1 | (lower(cell) == U'o');
        }
    return position;
}

}  // namespace inarow::wasm
