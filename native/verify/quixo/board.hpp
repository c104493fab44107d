// The board and the rules of Quixo as the checker knows them.
//
// The checker is written from docs/tablebase-format.md and nothing else. It shares no code with what solves and stores
// tables, so that a mistake made there is not repeated here. It is meant to be trusted by reading: plain comes before
// fast.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace inarow::verify::quixo {

// Cell k is bit k: row k / columns from the bottom, column k % columns from the right.
using Mask = std::uint32_t;

inline constexpr int kMaxCells = 26;
inline constexpr int kMaxSide = kMaxCells / 2;

struct Position {
    Mask mover, other;
};

// The cells a move passes through: path[0] is the cell the tile is taken from, path[length - 1] the end where it is
// pushed in.
struct Move {
    std::array<int, kMaxSide> path;
    int length;
};

// Values as entries of two bytes, whatever the width of the file: p is Loss in p plies, 65535 - p is Win in p.
inline constexpr std::uint32_t kDraw = 32767;
inline constexpr std::uint32_t kNotAnEntry = 32768;  // would be Win in 32767: more plies than an entry can hold
inline constexpr std::uint32_t kWon = 65535, kLost = 0;
inline constexpr std::uint32_t kNoValue = 65536;  // no legal move, or more plies than an entry can hold

// What a position is worth to its mover once there are lines: of its own, of the other side, of both.
struct Ends {
    std::uint32_t mine, theirs, both;  // kWon, kLost or kDraw
};

// The rules: a board, the sets of cells that are lines, and what lines mean. The moves are the same on all boards of a
// shape. Throws std::invalid_argument for a board that does not exist, or lines that are not on it.
struct Game {
    Game(int rows, int columns, std::vector<Mask> lines, Ends ends);

    int cells() const { return rows * columns; }

    // What a position is worth to its mover if the game is over, otherwise kNoValue.
    std::uint32_t value_of_end(const Position& position) const {
        return value_of_end(has_line(position.mover), has_line(position.other));
    }

    // The same, given which side has a line.
    std::uint32_t value_of_end(bool mine, bool theirs) const {
        if (!mine && !theirs) return kNoValue;
        return mine && theirs ? ends.both : mine ? ends.mine : ends.theirs;
    }

    bool has_line(Mask marks) const;

    // Calls visit(position) for every position after a move.
    template <class Visit>
    void each_successor(const Position& position, Visit visit) const;

    int rows, columns;
    std::vector<Mask> lines;
    Ends ends;
    std::vector<Move> moves;
};

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

// Every tile on the path moves one cell toward the hole; the cell at the end becomes empty.
inline Mask slide(Mask marks, const Move& move) {
    for (int i = 0; i + 1 < move.length; ++i) {
        const Mask tile = marks >> move.path[i + 1] & 1;
        marks = (marks & ~(Mask{1} << move.path[i])) | tile << move.path[i];
    }
    return marks & ~(Mask{1} << move.path[move.length - 1]);
}

template <class Visit>
void Game::each_successor(const Position& position, Visit visit) const {
    for (const Move& move : moves) {
        if (position.other >> move.path[0] & 1) continue;
        const Mask pushed = Mask{1} << move.path[move.length - 1];
        visit(Position{slide(position.other, move), slide(position.mover, move) | pushed});
    }
}

}  // namespace inarow::verify::quixo
