// Whether the first player of Ultimate Tic-Tac-Toe can force a win by a ply: a depth-first search of the full width.
//
// What makes it finite: positions are looked at up to what can still matter before that ply (outlook.hpp) and the eight
// symmetries, and X has failed as soon as it needs more marks than it has moves. What makes it quick is the order of
// O's replies: to send X where there are few free spots keeps X in few fields.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "ultimate/prove/board.hpp"
#include "ultimate/prove/outlook.hpp"
#include "ultimate/prove/table.hpp"

namespace inarow::ultimate::prove {

// What X's needs alone say: that X has won, or that X does not win in time any more. Sound, but not complete.
//
// X does not if it needs more marks than it has moves left; nor if it needs as many and must, or can be made to, waste
// a move in a field of no use to it.
Value judge(const Board& board, const Needs& needs, const Outlook& outlook);

class Prover {
  public:
    // Called now and then with the nodes so far and how full the table is, from 0 to 1; may throw to stop. What was
    // found until then is kept.
    using Progress = std::function<void(std::uint64_t nodes, double table_use)>;

    explicit Prover(std::uint64_t table_bytes) : table_(table_bytes) {}

    // Whether X, whoever is to move, can force a win by the ply.
    bool wins(const Board& board, const Question& question, const Progress& progress);

    // A move of the side to move that succeeds: wins for X, or holds off for O. There must be one.
    int succeeding_move(const Board& board, const Question& question, const Progress& progress);

    std::uint64_t nodes() const { return nodes_; }
    void report(const Progress& progress) const {
        if (progress) progress(nodes_, table_.use());
    }

  private:
    struct Child;

    Value search(const Board& board, const Needs& needs, std::uint64_t key);
    Value known(const Child& child) const;
    void look(Child& child, const Board& board, const Needs& needs, int move) const;

    Table table_;
    Question question_{};
    Progress progress_;
    std::uint64_t nodes_ = 0;
    // How often a move decided, by side and active field: what refuted a position often refutes its neighbours.
    std::array<std::array<std::array<std::uint32_t, kMoves>, 10>, 2> decided_{};
};

}  // namespace inarow::ultimate::prove
