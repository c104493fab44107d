// Finds the positions that are reachable in a game from the empty board.
#pragma once

#include <functional>
#include <vector>

#include "layout.hpp"

namespace inarow::quixo {

class Reachable {
  public:
    // `poll` is called from time to time; it may throw to interrupt the work.
    Reachable(Rules rules, std::function<void()> poll) : layout_(Board(rules)), poll_(std::move(poll)) {
        const int cells = rules.cells();
        for (int a = 0; a <= cells; ++a)
            for (int b = 0; b <= a && a + b <= cells; ++b)
                planes_[a][b].resize(layout_.plane_entries(a, b) * (a == b ? 1 : 2));
        lined_.resize(std::size_t{layout_.full()} + 1);
        for (Mask mask = 0; mask <= layout_.full(); ++mask) lined_[mask] = layout_.board().has_line(mask);
        walk();
    }

    const Layout& layout() const { return layout_; }

    bool contains(Mask mover, Mask other) const {
        const bool mover_larger = std::popcount(mover) >= std::popcount(other);
        const Mask larger = mover_larger ? mover : other, smaller = mover_larger ? other : mover;
        const int a = std::popcount(larger), b = std::popcount(smaller);
        const std::size_t plane = mover_larger ? 0 : layout_.plane_entries(a, b);
        return planes_[a][b][plane + layout_.entry(larger, smaller)];
    }

  private:
    struct Position {
        Mask mover, other;
    };

    // A block with a symmetric A holds several images of the same position: all of them are marked.
    void mark(Position p) {
        const bool mover_larger = std::popcount(p.mover) >= std::popcount(p.other);
        const Mask larger = mover_larger ? p.mover : p.other, smaller = mover_larger ? p.other : p.mover;
        const int a = std::popcount(larger), b = std::popcount(smaller);
        const auto [block, canonical] = layout_.canonical(larger);
        const Mask home = layout_.board().image(canonical, larger);
        const std::size_t first =
            (mover_larger ? 0 : layout_.plane_entries(a, b)) + std::size_t{block} * layout_.block_entries(a, b);
        for (int g = 0; g < layout_.board().symmetries(); ++g) {
            if (layout_.board().image(g, larger) != home) continue;
            const Mask image = layout_.board().image(g, smaller);
            planes_[a][b][first + colex_rank(extract(image, layout_.full() & ~home))] = true;
        }
    }

    bool over(Position p) const { return lined_[p.mover] || lined_[p.other]; }

    void walk() {
        std::vector<Position> stack{{0, 0}};
        planes_[0][0][0] = true;
        for (std::uint64_t seen = 0; !stack.empty(); ++seen) {
            if (seen % 65536 == 0) poll_();
            const Position p = stack.back();
            stack.pop_back();
            if (over(p)) continue;
            for (const Move& move : layout_.board().moves()) {
                if (p.other >> move.taken & 1) continue;
                const Position child{move.apply(p.other), move.apply(p.mover | Mask{1} << move.taken)};
                if (contains(child.mover, child.other)) continue;
                mark(child);
                stack.push_back(child);
            }
        }
    }

    Layout layout_;
    std::function<void()> poll_;
    std::vector<bool> lined_;                                 // by mask
    std::vector<bool> planes_[max_cells + 1][max_cells + 1];  // by a and b
};

}  // namespace inarow::quixo
