// Players of Quixo. They choose as inarow/quixo/player.py does, which explains them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wasm/quixo/prober.hpp"
#include "wasm/random.hpp"

namespace inarow::wasm {

class Player {
  public:
    // Chooses so many percent of its moves at random. With a seed the choice depends on seed and position.
    Player(Prober& prober, int mistakes, std::optional<std::uint64_t> seed)
        : prober_(prober), mistakes_(mistakes), seed_(seed), search_(prober.board().rules(), prober.facts()) {}

    // A move of a game that is not over; nothing while files are needed.
    std::optional<MoveProbe> choose(const Position& position, Random& random);
    std::string describe(bool weaker) const;

  private:
    MoveProbe most_losing_replies(const Probe& probe, Random& random);
    MoveProbe make_progress(const Probe& probe, Random& random);
    MoveProbe resist(const Probe& probe, Random& random);
    const MoveProbe& one_of(const std::vector<const MoveProbe*>& equals, Random& random) const {
        return *equals[seed_ ? random.below(equals.size()) : 0];
    }

    Prober& prober_;
    int mistakes_;
    std::optional<std::uint64_t> seed_;
    quixo::Search search_;  // keeps the proofs of wins, which are followed to their end
};

}  // namespace inarow::wasm
