// A policy: one move in every position that the side that succeeds can come into, whatever the other side plays.
//
// It is written down as a list of small numbers and nothing else. The positions need not be written: who walks through
// them in the same order finds them again. The order is by plies, and among positions of the same ply by their
// canonical essence (outlook.hpp), each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "ultimate/prove/board.hpp"
#include "ultimate/prove/outlook.hpp"
#include "ultimate/prove/prover.hpp"

namespace inarow::ultimate::prove {

// A list of numbers that is no policy: a move that is none, a claim that does not come true, too few or too many
// numbers.
struct NotAPolicy : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The moves of a position's canonical image, those first that leave the other side few spots; a policy gives ranks in
// it.
std::vector<int> ranked_moves(const Board& board);

// The policy of the side that succeeds, `success` being Wins for X and Fails for O. The claim must be true.
std::vector<std::uint8_t> write_policy(Prover& prover, const Board& root, const Question& question, Value success,
                                       const Prover::Progress& progress);

// A policy with its positions, for play.
class Policy {
  public:
    Policy(const Board& root, const Question& question, Value success, const std::vector<std::uint8_t>& ranks,
           const std::function<void()>& poll);

    // The policy's move; nothing where it has none: out of its reach, or where any move will do.
    std::optional<int> move(const Board& board) const;

    std::size_t size() const { return size_; }

  private:
    struct Answer {
        std::uint64_t key;
        std::uint8_t move;  // in the canonical image
    };

    Question question_;
    std::size_t size_ = 0;
    std::array<std::vector<Answer>, kMoves + 1> answers_;  // by ply, then in order of key
};

}  // namespace inarow::ultimate::prove
