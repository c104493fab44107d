// What remains to be answered after a quiet move of X's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "positional/qubic/threats.hpp"

namespace inarow::qubic {

enum class Outcome { Holds, TooMany, Lost };

// Judges moves of X's by all replies of O's, as a player does who completes a line if there is one to complete,
// else blocks a line of O's, else wins by threats: what is left are the positions that need an answer of their own.
class Judge {
  public:
    explicit Judge(int table_bits) : threats_(table_bits) {}

    // X, to move in the position, plays the move. If it holds and no more positions remain than `most`, they are those
    // of `remaining`, canonical, each once. Lost: O gets two threats at once.
    Outcome judge(const Board& board, int move, std::size_t most) {
        remaining_.clear();
        wins_.clear();
        seen_.clear();
        most_ = most;
        Board next = board;
        next.play_x(move);
        return replies(next);
    }

    const std::vector<Position>& remaining() const { return remaining_; }
    std::uint64_t threat_nodes() const { return threats_.nodes(); }

  private:
    static constexpr std::size_t kWins = 24;

    // O is to move and threatens nothing.
    Outcome replies(const Board& board) {
        const Cells threats = board.x_threats();
        if (several(threats)) return Outcome::Holds;
        // O's checks in another order come to the same position.
        if (std::find(seen_.begin(), seen_.end(), board.position()) != seen_.end()) return Outcome::Holds;
        seen_.push_back(board.position());

        // The win that X has if O passes: most replies do not stop it.
        if (threats == 0 && !wins_here(board) && threats_.find(board)) remember(threats_.win());
        Cells in_the_way = 0;
        if (!wins_.empty())
            for (int i = 0; i < wins_.back().count; ++i) in_the_way |= bit(wins_.back().moves[i]);
        const Cells cells = threats != 0 ? threats : board.empty();
        for (const Cells part : {cells & in_the_way, cells & ~in_the_way}) {  // what will not do is soon known
            for (Cells rest = part; rest != 0; rest &= rest - 1) {
                const Outcome outcome = reply(board, lowest(rest));
                if (outcome != Outcome::Holds) return outcome;
            }
        }
        return Outcome::Holds;
    }

    Outcome reply(const Board& board, int cell) {
        Board next = board;
        next.play_o(cell);
        const Cells checks = next.o_threats(kGeometry.through[cell]);
        if (several(checks)) return Outcome::Lost;
        if (checks != 0) {
            next.play_x(lowest(checks));
            return replies(next);
        }
        if (wins_here(next)) return Outcome::Holds;
        if (threats_.find(next)) {
            remember(threats_.win());
            return Outcome::Holds;
        }
        const Position position = canonical(next.position());
        if (std::find(remaining_.begin(), remaining_.end(), position) == remaining_.end()) {
            if (remaining_.size() == most_) return Outcome::TooMany;
            remaining_.push_back(position);
        }
        return Outcome::Holds;
    }

    bool wins_here(const Board& board) const {
        return std::any_of(wins_.rbegin(), wins_.rend(), [&](const ForcedWin& win) { return replay(board, win); });
    }

    void remember(const ForcedWin& win) {
        if (wins_.size() == kWins) wins_.erase(wins_.begin());
        wins_.push_back(win);
    }

    ThreatSearch threats_;
    std::vector<Position> remaining_;
    std::size_t most_ = 0;
    std::vector<ForcedWin> wins_;  // of positions after the move at hand
    std::vector<Position> seen_;   // with O to move
};

}  // namespace inarow::qubic
