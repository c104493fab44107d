// Threats on the board: lines that a side could complete with one move, and the moves that prevent it.
#pragma once

#include <algorithm>
#include <vector>

#include "quixo/names.hpp"

namespace inarow::quixo {

// A line, and the moves that complete it and win.
struct Threat {
    Mask line;
    std::vector<const Move*> moves;  // by the cell taken, then by the cell pushed in
};

struct Threats {
    std::vector<Threat> mover, other;  // what each side could complete if it were to move
    std::vector<const Move*> blocks;   // of the side to move: the other cannot complete a line at once after them
};

namespace threats {

inline std::vector<const Move*> legal_moves(const Board& board, Mask other) {
    std::vector<const Move*> found;
    for (const Move& move : board.moves())
        if (!(other >> move.taken & 1)) found.push_back(&move);
    sort_few(found, [](const Move* move) { return std::pair(move->taken, move->pushed); });
    return found;
}

inline std::vector<Threat> completions(const Board& board, Mask mover, Mask other) {
    std::vector<Threat> found;
    for (const Mask line : board.lines()) found.push_back({line, {}});
    for (const Move* move : legal_moves(board, other)) {
        const Mask mine = move->apply(mover | Mask{1} << move->taken), theirs = move->apply(other);
        if (board.ended(theirs, mine) != Outcome::loss) continue;
        const Mask winning = board.ends().own == Outcome::win ? mine : theirs;
        for (Threat& threat : found)
            if ((winning & threat.line) == threat.line) threat.moves.push_back(move);
    }
    std::erase_if(found, [](const Threat& threat) { return threat.moves.empty(); });
    return found;
}

}  // namespace threats

// Nothing if the game is over.
inline Threats threats_of(const Board& board, Mask mover, Mask other) {
    using namespace threats;
    if (board.has_line(mover) || board.has_line(other)) return {};
    Threats found{completions(board, mover, other), completions(board, other, mover), {}};
    if (found.other.empty()) return found;
    for (const Move* move : legal_moves(board, other)) {
        const Mask mine = move->apply(mover | Mask{1} << move->taken), theirs = move->apply(other);
        if (board.has_line(mine) || board.has_line(theirs)) continue;
        if (completions(board, theirs, mine).empty()) found.blocks.push_back(move);
    }
    return found;
}

}  // namespace inarow::quixo
