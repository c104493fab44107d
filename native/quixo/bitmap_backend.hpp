// Solves pairs as bitmaps on one set of instructions.
#pragma once

#include "bitmap_plies.hpp"
#include "bitmap_solver.hpp"
#include "instructions.hpp"

namespace inarow::quixo {

template <class Rows>
class BitmapBackendOf final : public BitmapBackend {
  public:
    explicit BitmapBackendOf(const Layout& layout) : layout_(layout) {}

    bool solve(Loops& loops, int a, int b, const PlaneAbove& above, std::span<SolvedPlane> planes,
               Interrupt& interrupt) override {
        const auto run = [&]<class Of>(Of solver) {
            for (int side = 0; side < 2; ++side) solver.seed(side, above(side));
            if (!solver.solve()) return false;
            for (std::size_t side = 0; side < planes.size() && !interrupt.asked(); ++side)
                solver.finish(static_cast<int>(side), planes[side]);
            return true;
        };
        if (!planes[0].plies) return run(BitmapSolver<Rows>(layout_, loops, a, b, interrupt));
        if (planes[0].width == 1) return run(BitmapPlies<Rows, std::uint8_t>(layout_, loops, a, b, planes, interrupt));
        return run(BitmapPlies<Rows, std::uint16_t>(layout_, loops, a, b, planes, interrupt));
    }

    std::size_t memory(int a, int b, bool plies) const override {
        return plies ? BitmapPlies<Rows, std::uint8_t>::memory(layout_, a, b)
                     : BitmapSolver<Rows>::memory(layout_, a, b);
    }

    void permute(const Row* from, Row* to, const Axes& axes) const override {
        using RowHere = typename Rows::Row;
        typename Rows::Permutation{axes}(reinterpret_cast<const RowHere*>(from), reinterpret_cast<RowHere*>(to));
    }

  private:
    const Layout& layout_;
};

}  // namespace inarow::quixo
