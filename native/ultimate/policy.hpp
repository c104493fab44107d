// A policy: one move for every position that the side that succeeds can reach, whatever the other side plays.
//
// It is stored as a list of small numbers, without the positions: a walk through the game that follows the policy
// visits them in the same order again. They are ordered by ply and then by canonical essence (essence.hpp), each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "ultimate/board.hpp"
#include "ultimate/essence.hpp"
#include "ultimate/prover.hpp"

namespace inarow::ultimate {

// The numbers are not a policy: one is not a move, the side does not succeed, or there are too few or too many.
struct NotAPolicy : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The policy of the side that succeeds, which must be that of the root.
std::vector<std::uint8_t> make_policy(Prover& prover, const Board& root, const Question& question, bool x_succeeds,
                                      const Prover::Progress& progress);

// A policy with its positions, for play.
class Policy {
  public:
    // Called every so often with the number of positions that have been found, if it is not null.
    using Progress = std::function<void(std::size_t)>;

    Policy(const Board& root, const Question& question, bool x_succeeds, const std::vector<std::uint8_t>& ranks,
           const Progress& progress);

    // The policy's move, if it has one: not where the policy does not lead, nor where any move will do.
    std::optional<int> move(const Board& board) const;

    std::size_t size() const { return size_; }

  private:
    struct Answer {
        std::uint64_t key;
        std::uint8_t move;  // in the canonical image
    };

    Question question_;
    std::size_t size_ = 0;
    std::array<std::vector<Answer>, kMoves + 1> answers_;  // [ply], in order of key
};

}  // namespace inarow::ultimate
