// The positions that need an answer after a quiet move of X.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "positional/qubic/threats.hpp"

namespace inarow::qubic {

enum class Judgement { Holds, TooMany, Lost };

// Judges moves of X by all replies of O. The player completes a line if possible, else blocks a line of O, else wins by
// threats; the remaining positions need an answer.
class Judge {
  public:
    explicit Judge(int table_bits) : threats_(table_bits) {}

    // Judges a move of X, who is to move. Holds: `remaining()` has the canonical positions that need an answer, each
    // once. TooMany: there are more than `most`. Lost: O gets two threats at once.
    Judgement judge(const Board& board, int move, std::size_t most) {
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
    Judgement replies(const Board& board) {
        const Cells threats = board.x_threats();
        if (several(threats)) return Judgement::Holds;
        // O's threats in another order lead to the same position.
        if (std::find(seen_.begin(), seen_.end(), board.position()) != seen_.end()) return Judgement::Holds;
        seen_.push_back(board.position());

        // The win that X would have if O passed: most replies do not stop it.
        if (threats == 0 && !wins_here(board) && threats_.find(board)) remember(threats_.win());
        Cells in_the_way = 0;
        if (!wins_.empty())
            for (int i = 0; i < wins_.back().count; ++i) in_the_way |= bit(wins_.back().moves[i]);
        const Cells cells = threats != 0 ? threats : board.empty();
        for (const Cells part : {cells & in_the_way, cells & ~in_the_way}) {  // bad moves fail early
            for (Cells rest = part; rest != 0; rest &= rest - 1) {
                const Judgement judgement = reply(board, lowest(rest));
                if (judgement != Judgement::Holds) return judgement;
            }
        }
        return Judgement::Holds;
    }

    Judgement reply(const Board& board, int cell) {
        Board next = board;
        next.play_o(cell);
        const Cells checks = next.o_threats(kGeometry.through[cell]);
        if (several(checks)) return Judgement::Lost;
        if (checks != 0) {
            next.play_x(lowest(checks));
            return replies(next);
        }
        if (wins_here(next)) return Judgement::Holds;
        if (threats_.find(next)) {
            remember(threats_.win());
            return Judgement::Holds;
        }
        const Position position = canonical(next.position());
        if (std::find(remaining_.begin(), remaining_.end(), position) == remaining_.end()) {
            if (remaining_.size() == most_) return Judgement::TooMany;
            remaining_.push_back(position);
        }
        return Judgement::Holds;
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
    std::vector<ForcedWin> wins_;  // in positions after the current move
    std::vector<Position> seen_;   // with O to move
};

}  // namespace inarow::qubic
