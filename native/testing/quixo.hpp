// Quixo from its rules and nothing else: slow and plain, for unit tests to compare with.
//
// Cell k is in row k / columns and column k % columns; a position has the marks of the side to move and of the other
// side as masks, cell k being bit k.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace inarow::testing {

struct QuixoPosition {
    std::uint32_t mover, other;

    auto operator<=>(const QuixoPosition&) const = default;
};

inline std::uint64_t word_of(const QuixoPosition& at) { return std::uint64_t{at.mover} << 32 | at.other; }

// For the side to move.
struct QuixoValue {
    int outcome = 0;  // 1 a win, 0 a draw, -1 a loss
    int plies = -1;   // to the end; -1 for a draw

    bool operator==(const QuixoValue&) const = default;

    // As it is stored, if the largest entry is `top`.
    std::uint32_t entry(std::uint32_t top) const {
        const auto plies_to_end = static_cast<std::uint32_t>(plies);
        return outcome == 0 ? top / 2 : outcome < 0 ? plies_to_end : top - plies_to_end;
    }
};

struct PlainQuixo {
    struct Push {
        std::vector<int> cells;  // of the row or column, the one that the tile is pushed into first
        int taken;               // place of the tile among them
    };

    int rows, columns, line;
    bool double_line_wins;
    std::vector<std::uint32_t> lines;  // every run of `line` cells
    std::vector<Push> pushes;          // all ways to take a tile, whatever its mark

    PlainQuixo(int rows, int columns, int line, bool double_line_wins)
        : rows(rows), columns(columns), line(line), double_line_wins(double_line_wins) {
        find_lines();
        find_pushes();
    }

    int cells() const { return rows * columns; }
    std::uint32_t full() const { return (std::uint32_t{1} << cells()) - 1; }

    bool has_line(std::uint32_t marks) const {
        for (const std::uint32_t run : lines)
            if ((run & ~marks) == 0) return true;
        return false;
    }

    // 1 or -1 if the game is over and the side to move has won or lost; otherwise 0.
    int ended(const QuixoPosition& at) const {
        const bool mine = has_line(at.mover), theirs = has_line(at.other);
        if (mine && theirs) return double_line_wins ? -1 : 1;
        return mine - theirs;
    }

    // The marks after a push, the pushed tile having kept the mark it had.
    static std::uint32_t pushed(std::uint32_t marks, const Push& push) {
        bool tile = marks >> push.cells[push.taken] & 1;
        for (int place = 0; place <= push.taken; ++place) {
            const int cell = push.cells[place];
            const bool next = marks >> cell & 1;
            marks &= ~(std::uint32_t{1} << cell);
            marks |= std::uint32_t{tile} << cell;
            tile = next;
        }
        return marks;
    }

    // Sorted; positions that several moves lead to are there several times.
    std::vector<QuixoPosition> successors(const QuixoPosition& at) const {
        std::vector<QuixoPosition> found;
        for (const Push& push : pushes) {
            const std::uint32_t taken = std::uint32_t{1} << push.cells[push.taken];
            if ((at.other & taken) == 0) found.push_back({pushed(at.other, push), pushed(at.mover | taken, push)});
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    // Calls visit(position) for all positions, reachable or not.
    template <class Visit>
    void each_position(Visit visit) const {
        for (std::uint32_t mover = 0; mover <= full(); ++mover)
            for (std::uint32_t rest = full() & ~mover, other = rest;; other = (other - 1) & rest) {
                visit(QuixoPosition{mover, other});
                if (other == 0) break;
            }
    }

    std::size_t number(const QuixoPosition& at) const { return std::size_t{at.mover} << cells() | at.other; }

    // The value of every position, by its number; found once for all tests of a program.
    const std::vector<QuixoValue>& solve() const {
        static std::map<std::tuple<int, int, int, bool>, std::vector<QuixoValue>> known;
        std::vector<QuixoValue>& values = known[{rows, columns, line, double_line_wins}];
        if (values.empty()) values = find_values();
        return values;
    }

  private:
    void find_lines() {
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column)
                for (const auto& [down, right] : {std::pair{0, 1}, {1, 0}, {1, 1}, {1, -1}}) {
                    std::uint32_t run = 0;
                    for (int i = 0; i < line; ++i) {
                        const int r = row + i * down, c = column + i * right;
                        if (r < rows && c >= 0 && c < columns) run |= std::uint32_t{1} << (r * columns + c);
                    }
                    if (std::popcount(run) == line) lines.push_back(run);
                }
    }

    void find_pushes() {
        for (int cell = 0; cell < cells(); ++cell) {
            const int row = cell / columns, column = cell % columns;
            if (row != 0 && row != rows - 1 && column != 0 && column != columns - 1) continue;
            std::vector<int> along_row, along_column;
            for (int c = 0; c < columns; ++c) along_row.push_back(row * columns + c);
            for (int r = 0; r < rows; ++r) along_column.push_back(r * columns + column);
            for (std::vector<int> along : {along_row, along_column})
                for (int end = 0; end < 2; ++end, std::reverse(along.begin(), along.end())) {
                    const auto place = std::find(along.begin(), along.end(), cell) - along.begin();
                    if (place != 0) pushes.push_back({along, static_cast<int>(place)});
                }
        }
    }

    // First those decided in 0 plies, then in 1, and so on.
    std::vector<QuixoValue> find_values() const {
        std::vector<QuixoValue> values(std::size_t{1} << 2 * cells());
        struct Open {
            std::size_t number;
            std::vector<std::size_t> successors;
        };
        std::vector<Open> open;
        each_position([&](const QuixoPosition& at) {
            if (const int outcome = ended(at)) {
                values[number(at)] = {outcome, 0};
                return;
            }
            open.push_back({number(at), {}});
            for (const QuixoPosition& after : successors(at)) open.back().successors.push_back(number(after));
        });
        for (int plies = 1;; ++plies) {
            std::vector<std::pair<std::size_t, int>> decided;
            for (const Open& at : open) {
                bool wins = false, loses = true;
                for (const std::size_t after : at.successors) {
                    wins |= values[after] == QuixoValue{-1, plies - 1};
                    loses &= values[after].outcome == 1;
                }
                if (wins || loses) decided.emplace_back(at.number, wins ? 1 : -1);
            }
            if (decided.empty()) return values;
            for (const auto& [number, outcome] : decided) values[number] = {outcome, plies};
            std::erase_if(open, [&](const Open& at) { return values[at.number].plies >= 0; });
        }
    }
};

inline QuixoPosition random_quixo_position(std::mt19937& random, int cells) {
    QuixoPosition position{0, 0};
    for (int cell = 0; cell < cells; ++cell) {
        const auto tile = random() % 3;
        if (tile == 1) position.mover |= std::uint32_t{1} << cell;
        if (tile == 2) position.other |= std::uint32_t{1} << cell;
    }
    return position;
}

// Calls visit(rules) for every line and both rules on every board of at most so many cells.
template <class Visit>
void each_quixo(int most_cells, Visit visit) {
    for (int rows = 2; 2 * rows <= most_cells; ++rows)
        for (int columns = 2; rows * columns <= most_cells; ++columns)
            for (int line = 2; line <= std::max(rows, columns); ++line)
                for (const bool double_line_wins : {false, true})
                    visit(PlainQuixo{rows, columns, line, double_line_wins});
}

}  // namespace inarow::testing
