// The essence of a position: what can still matter to whether X wins by a ply.
//
// Of a field, only this matters: which spots are taken, which lines either side can still complete to some effect, and
// which side owns it. Positions that agree in this are the same position to the prover, and a line that can only be
// completed too late does not count. The words are those of docs/ultimate-certificate.md.
#pragma once

#include <array>
#include <cstdint>

#include "ultimate/board.hpp"

namespace inarow::ultimate {

struct Question {
    int plies;  // does X win by this ply? It is odd, as X's plies are.

    int moves_left(int side, int ply) const { return (plies + 1 - side) / 2 - (ply + 1 - side) / 2; }
};

inline constexpr int kNever = 99;  // marks needed for what is no longer possible

// The fewest marks that a side still needs to own each field: 0 if it does, kNever if it cannot.
struct Needs {
    std::array<std::array<std::uint8_t, 9>, 2> of_side;

    static Needs of(const Board& board);
    void update(const Board& board, int field);  // after a move in the field

    // The fewest marks that the side needs to win the game: at least that many moves, wherever it is sent.
    int to_win(int side) const;
};

// For each field, how many marks a side can spend there and still win the game in time; -1 if the field is in no line
// of fields that it can complete in time.
struct Budgets {
    std::array<std::array<std::int8_t, 9>, 2> of_side;
    int x_spare;  // the moves that X can afford to waste; negative if X can no longer win in time

    Budgets(const Board& board, const Needs& needs, const Question& question);

    // Whether every move of X in the field is wasted: it does not bring X nearer to three fields in a row.
    bool useless_to_x(const Board& board, int field) const { return board.decided(field) || of_side[0][field] <= 0; }
};

// For each field
//
//     bits 0-8    taken spots
//     bits 9-16   X's lines that are not blocked and are useful to X, or would take a useful field from O
//     bits 17-24  O's lines, likewise
//     bits 25-26  the owner, if the field is useful to it
//
// and the active field at the end. Of the eight images of a position, the smallest essence is the canonical one.
using Essence = std::array<std::uint32_t, 10>;

struct Canonical {
    Essence essence;
    int symmetry;  // that maps the position to this image
};
Canonical canonical(const Board& board, const Budgets& budgets, const Question& question);

// A hash that positions with the same canonical essence share.
std::uint64_t key(const Board& board, const Budgets& budgets, const Question& question);

}  // namespace inarow::ultimate
