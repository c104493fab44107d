// Players of Quixo. They choose as inarow/quixo/player.py does, which explains them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "wasm/quixo/prober.hpp"
#include "wasm/random.hpp"

namespace inarow::wasm {

enum class Kind { best, trap, level, weaker };

// How many plies the player of each level sees.
inline constexpr std::array<int, 6> levels = {1, 2, 3, 4, 6, 8};

class Player {
  public:
    // With a seed the choice depends on seed and position. The level is from 1 on, mistakes are in percent.
    Player(Prober& prober, Kind kind, int level, int mistakes, std::optional<std::uint64_t> seed)
        : prober_(prober),
          kind_(kind),
          level_(std::clamp(level, 1, static_cast<int>(levels.size()))),
          mistakes_(kind == Kind::weaker ? mistakes : 0),
          seed_(seed),
          search_(prober.board().rules(), prober.facts(), false) {}

    // A move of a game that is not over; nothing while files are needed.
    std::optional<MoveProbe> choose(const Position& position, Random& random);
    std::string describe() const;

  private:
    int plies_seen() const { return levels[static_cast<std::size_t>(level_ - 1)]; }
    MoveProbe see(const std::vector<MoveProbe>& moves, Random& random);
    MoveProbe set_trap(const Probe& probe, Random& random);
    std::int64_t winning_replies(const Position& position);
    MoveProbe most_losing_replies(const Probe& probe, Random& random);
    MoveProbe make_progress(const Probe& probe, Random& random);
    MoveProbe resist(const Probe& probe, Random& random);
    const MoveProbe& one_of(const std::vector<const MoveProbe*>& equals, Random& random) const {
        return *equals[seed_ ? random.below(equals.size()) : 0];
    }

    Prober& prober_;
    Kind kind_;
    int level_, mistakes_;
    std::optional<std::uint64_t> seed_;
    quixo::Search search_;  // keeps the proofs of wins, which are followed to their end
};

}  // namespace inarow::wasm
