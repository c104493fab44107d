// Finds the positions that are reachable in a game from the empty board.
#pragma once

#include <functional>
#include <vector>

#include "layout.hpp"

namespace inarow::quixo {

enum class Reach : std::uint8_t {
    no_predecessor,           // no move from an unfinished game leads here
    unreachable_predecessor,  // some moves do, but only from unreachable positions
    reachable,
};

class Reachable {
  public:
    // `poll` is called from time to time; it may throw to interrupt the work.
    Reachable(Rules rules, std::function<void()> poll) : layout_(Board(rules)), poll_(std::move(poll)) {
        const int cells = rules.cells();
        for (int a = 0; a <= cells; ++a)
            for (int b = 0; b <= a && a + b <= cells; ++b)
                planes_[a][b].assign(layout_.plane_entries(a, b) * (a == b ? 1 : 2), Reach::no_predecessor);
        lined_.resize(std::size_t{layout_.full()} + 1);
        for (Mask mask = 0; mask <= layout_.full(); ++mask) lined_[mask] = layout_.board().has_line(mask);
        walk();
        explain();
    }

    const Layout& layout() const { return layout_; }

    // The number of positions of each kind in a plane, symmetric ones counted separately.
    std::array<std::uint64_t, 3> counts(int a, int b, int plane) const {
        std::array<std::uint64_t, 3> count{};
        const std::uint32_t entries = layout_.block_entries(a, b);
        const Reach* reach = planes_[a][b].data() + plane * layout_.plane_entries(a, b);
        for (std::size_t block = 0; block < layout_.blocks(a).size(); ++block)
            for (std::uint32_t i = 0; i < entries; ++i)
                count[static_cast<int>(reach[block * entries + i])] += layout_.orbit(a, block);
        return count;
    }

    // The masks of the side to move and of the other in the first position of a kind; false if there is none.
    bool example(int a, int b, int plane, Reach kind, Mask& mover, Mask& other) const {
        const Reach* reach = planes_[a][b].data() + plane * layout_.plane_entries(a, b);
        bool found = false;
        each_position(a, b, [&](std::size_t i, Mask larger, Mask smaller) {
            if (found || reach[i] != kind) return;
            found = true;
            mover = plane == 0 ? larger : smaller;
            other = plane == 0 ? smaller : larger;
        });
        return found;
    }

    bool contains(Mask mover, Mask other) const {
        const bool mover_larger = std::popcount(mover) >= std::popcount(other);
        const Mask larger = mover_larger ? mover : other, smaller = mover_larger ? other : mover;
        const int a = std::popcount(larger), b = std::popcount(smaller);
        const std::size_t plane = mover_larger ? 0 : layout_.plane_entries(a, b);
        return planes_[a][b][plane + layout_.entry(larger, smaller)] == Reach::reachable;
    }

  private:
    struct Position {
        Mask mover, other;
    };

    // Where a position is stored: the block's first entry and the two sides, as the block sees them.
    struct Place {
        std::vector<Reach>& pair;
        std::size_t first;
        Mask larger, smaller, home;  // a symmetry takes `larger` to `home`
    };
    Place place(Position p) {
        const bool mover_larger = std::popcount(p.mover) >= std::popcount(p.other);
        const Mask larger = mover_larger ? p.mover : p.other, smaller = mover_larger ? p.other : p.mover;
        const int a = std::popcount(larger), b = std::popcount(smaller);
        const auto [block, g] = layout_.canonical(larger);
        const std::size_t plane = mover_larger ? 0 : layout_.plane_entries(a, b);
        return {planes_[a][b], plane + std::size_t{block} * layout_.block_entries(a, b), larger, smaller,
                layout_.board().image(g, larger)};
    }
    Reach& at(const Place& place, int g) {
        const Mask local = extract(layout_.board().image(g, place.smaller), layout_.full() & ~place.home);
        return place.pair[place.first + colex_rank(local)];
    }
    // A block with a symmetric A holds several images of the same position: all of them are marked.
    void mark(Position p) {
        const Place found = place(p);
        for (int g = 0; g < layout_.board().symmetries(); ++g)
            if (layout_.board().image(g, found.larger) == found.home) at(found, g) = Reach::reachable;
    }

    template <class Visit>
    void each_position(int a, int b, Visit visit) const {
        const std::vector<Mask> local = words(layout_.board().cells() - a, b);
        std::size_t i = 0;
        for (const Mask larger : layout_.blocks(a))
            for (const Mask word : local) visit(i++, larger, deposit(word, layout_.full() & ~larger));
    }

    bool over(Position p) const { return lined_[p.mover] || lined_[p.other]; }

    void walk() {
        std::vector<Position> stack{{0, 0}};
        planes_[0][0][0] = Reach::reachable;
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

    // In a predecessor, the pushed-in tile is back where it was taken, with its mark or blank.
    bool has_predecessor(Position p) const {
        for (const Move& move : layout_.board().moves()) {
            if (!(p.other >> move.pushed & 1)) continue;
            const Position marked{move.undo(p.other), move.undo(p.mover)};
            const Position blank{marked.mover & ~(Mask{1} << move.taken), marked.other};
            if (!over(marked) || !over(blank)) return true;
        }
        return false;
    }

    void explain() {
        const int cells = layout_.board().cells();
        for (int a = 0; a <= cells; ++a)
            for (int b = 0; b <= a && a + b <= cells; ++b) explain(a, b);
    }

    void explain(int a, int b) {
        poll_();
        auto& reach = planes_[a][b];
        const std::size_t entries = layout_.plane_entries(a, b);
        each_position(a, b, [&](std::size_t i, Mask larger, Mask smaller) {
            for (int plane = 0; plane < (a == b ? 1 : 2); ++plane) {
                Reach& r = reach[plane * entries + i];
                const Position p = plane == 0 ? Position{larger, smaller} : Position{smaller, larger};
                if (r != Reach::reachable && has_predecessor(p)) r = Reach::unreachable_predecessor;
            }
        });
    }

    Layout layout_;
    std::function<void()> poll_;
    std::vector<std::uint8_t> lined_;                          // by mask
    std::vector<Reach> planes_[max_cells + 1][max_cells + 1];  // by a and b
};

}  // namespace inarow::quixo
