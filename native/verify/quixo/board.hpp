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

inline constexpr int kMaxCells = 25;
inline constexpr int kMaxSide = kMaxCells / 2;

enum class DoubleLine { loses, wins, draws };

struct Rules {
    int rows, columns;       // at least 2 each, at most kMaxCells cells
    int line;                // marks in a line: 2 up to the longer side
    DoubleLine double_line;  // what a move that leaves lines of both marks does; under the official rule it loses
    bool misere = false;     // a line loses for its owner
    bool wrap = false;       // lines go on at the opposite edge
    bool diagonals = true;   // are lines too

    int cells() const { return rows * columns; }
};

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

// The rules with their moves and lines. Throws std::invalid_argument for rules that do not exist.
class Game {
  public:
    explicit Game(const Rules& rules);

    const Rules& rules() const { return rules_; }
    const std::vector<Move>& moves() const { return moves_; }
    const std::vector<Mask>& lines() const { return lines_; }

    // What a position is worth to its mover if the game is over: kWon, kLost or kDraw; otherwise kNoValue.
    std::uint32_t value_of_end(const Position& position) const {
        return value_of_end(has_line(position.mover), has_line(position.other));
    }

    // The same, given which side has a line.
    std::uint32_t value_of_end(bool mine, bool theirs) const {
        if (!mine && !theirs) return kNoValue;
        if (mine && theirs)  // the opponent's move made both lines
            return rules_.double_line == DoubleLine::draws  ? kDraw
                   : rules_.double_line == DoubleLine::wins ? kLost
                                                            : kWon;
        return mine != rules_.misere ? kWon : kLost;
    }

    bool has_line(Mask marks) const;

    // Calls visit(position) for every position after a move.
    template <class Visit>
    void each_successor(const Position& position, Visit visit) const;

  private:
    Rules rules_;
    std::vector<Move> moves_;
    std::vector<Mask> lines_;
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
    for (const Move& move : moves_) {
        if (position.other >> move.path[0] & 1) continue;
        const Mask pushed = Mask{1} << move.path[move.length - 1];
        visit(Position{slide(position.other, move), slide(position.mover, move) | pushed});
    }
}

}  // namespace inarow::verify::quixo
