// Whether the first player of Ultimate Tic-Tac-Toe can force a win by a ply: a depth-first search that tries every
// move.
//
// It is feasible because positions with the same essence (essence.hpp) are searched once, and X has failed as soon as
// it needs more marks than it has moves. It is fast because O's replies that send X to a field with few free spots come
// first: they keep X in few fields.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "ultimate/board.hpp"
#include "ultimate/essence.hpp"
#include "ultimate/transposition_table.hpp"

namespace inarow::ultimate {

// The value of a position that is settled by what the sides still need, Unknown if it is not.
//
// X fails if it needs more marks than it has moves left, or as many and must, or can be made to, waste a move in a
// field that is useless to it.
Value settled(const Board& board, const Needs& needs, const Budgets& budgets);

class Prover {
  public:
    // Called now and then with the nodes so far and how full the table is, from 0 to 1; may throw to stop. Results
    // found so far are kept.
    using Progress = std::function<void(std::uint64_t nodes, double table_use)>;

    explicit Prover(std::uint64_t table_bytes) : table_(table_bytes) {}

    // Whether X can force a win by the ply; either side may be to move.
    bool wins(const Board& board, const Question& question, const Progress& progress);

    // A move that succeeds for the side to move: X wins in time, or O keeps X from it. There must be one.
    int succeeding_move(const Board& board, const Question& question, const Progress& progress);

    std::uint64_t nodes() const { return nodes_; }
    void report(const Progress& progress) const {
        if (progress) progress(nodes_, table_.use());
    }

  private:
    struct Child;

    Value search(const Board& board, const Needs& needs, std::uint64_t key);
    Value known(const Child& child) const;
    void fill(Child& child, const Board& board, const Needs& needs, int move) const;

    TranspositionTable table_;
    Question question_{};
    Progress progress_;
    std::uint64_t nodes_ = 0;
    // How often a move decided a position, by side and active field: it is likely to decide similar ones.
    std::array<std::array<std::array<std::uint32_t, kMoves>, 10>, 2> decided_{};
};

}  // namespace inarow::ultimate
