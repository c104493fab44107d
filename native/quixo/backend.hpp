// A backend for one kind of lanes: keeps what moves do to blocks between pairs with the same a.
#pragma once

#include <map>

#include "pair_solver.hpp"
#include "solver.hpp"

namespace inarow::quixo {

template <class Lanes>
class Backend final : public PairBackend<typename Lanes::Entry> {
  public:
    using Entry = typename Lanes::Entry;

    explicit Backend(const Layout& layout) : layout_(layout) {}

    void solve(Team& team, int a, int b, const Entry* more_larger, const Entry* more_smaller, Entry* out) override {
        auto& moves = moves_[a];
        if (!moves) moves = std::make_unique<BlockMoves<Lanes>>(layout_, a, team);
        PairSolver<Lanes>(layout_, *moves, a, b, more_larger, more_smaller, out).solve(team);
    }

  private:
    const Layout& layout_;
    std::map<int, std::unique_ptr<BlockMoves<Lanes>>> moves_;
};

}  // namespace inarow::quixo
