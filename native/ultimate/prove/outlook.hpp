// What of a position can still matter before a ply.
//
// The question is always whether X wins by some ply. Of a field, only this matters to the answer: which spots are
// taken, which lines either side can still complete to some effect, and who owns it. So two positions that agree in
// this are one position to the prover, and a line that comes too late is no line.
#pragma once

#include <array>
#include <cstdint>

#include "ultimate/prove/board.hpp"

namespace inarow::ultimate::prove {

struct Question {
    int plies;  // does X win by this ply? It is odd, as X's plies are

    int x_moves_left(int ply) const { return (plies + 1) / 2 - (ply + 1) / 2; }
    int o_moves_left(int ply) const { return plies / 2 - ply / 2; }
};

inline constexpr int kNever = 99;  // marks needed for what cannot be had any more

// The fewest marks that a side still needs to own each field: 0 if it does, kNever if it cannot.
struct Needs {
    std::array<std::uint8_t, 9> x, o;

    static Needs of(const Board& board);
    void update(const Board& board, int field);  // after a move in the field
};

// The fewest marks a side needs to win the game: at least that many moves, wherever it is sent.
int marks_to_win(const std::array<std::uint8_t, 9>& needs);

struct Outlook {
    int slack;  // the moves that X can afford to waste; negative if X cannot win by the ply any more
    // For each field how many marks a side can spend there if it is to win the game in time; less than its need if the
    // field is of no use to it.
    std::array<std::int8_t, 9> x_budget, o_budget;

    Outlook(const Board& board, const Needs& needs, const Question& question);

    // Whether every move of X's in the field is wasted: it does not bring X nearer to three fields in a row.
    bool useless_to_x(const Board& board, int field) const {
        return board.owner[field] != kNobody || x_budget[field] <= 0;
    }
};

// A position up to what does not matter: for each field
//
//     bits 0-8    taken spots
//     bits 9-16   X's lines: not blocked, and of use to X in time; or that keep O from owning a field of use to O
//     bits 17-24  O's lines, likewise
//     bits 25-26  the owner, if it is of use to it
//
// and the active field at the end. The canonical one of its eight images is the smallest.
using Essence = std::array<std::uint32_t, 10>;

struct Canonical {
    Essence essence;
    int symmetry;  // that led there
};
Canonical canonical(const Board& board, const Outlook& outlook, const Question& question);

// A hash that positions with the same canonical essence share.
std::uint64_t key(const Board& board, const Outlook& outlook, const Question& question);

}  // namespace inarow::ultimate::prove
