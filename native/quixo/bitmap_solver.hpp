// Solves one pair of classes for its outcomes alone, without plies: win, draw or loss of every entry.
//
// Each block of a plane has two bitmaps over its local words (rows.hpp): the words that are won, and those lost. A move
// permutes a whole bitmap at once. What is known only grows, to a result that does not depend on the order: plane by
// plane, blocks are visited when a child's block has changed, until nothing changes. What is left is drawn.
//
//   seed       lines on the board; from the children that have a new mark: a lost one makes a win, and one that is not
//              won means that the entry cannot be lost
//   visit      won if a child is lost; lost if it can be, and every child is won
#pragma once

#include <stdexcept>

#include "bitmap_blocks.hpp"
#include "outcome_solver.hpp"

namespace inarow::quixo {

template <class Rows>
class BitmapSolver : BitmapBlocks<Rows> {
    using Blocks = BitmapBlocks<Rows>;

  public:
    // `more_larger` is plane 1 of {a+1, b}, `more_smaller` plane 0 of {a, b+1}, not needed if a = b. Either is null
    // where no such pair exists.
    BitmapSolver(const Layout& layout, int a, int b, const std::uint8_t* more_larger, const std::uint8_t* more_smaller,
                 Interrupt& interrupt)
        : Blocks(layout, a, b, interrupt), more_{more_larger, more_smaller} {}

    void solve(Loops& loops) {
        prepare(loops);
        scratch_.clear();
        for (int i = 0; i < loops.threads(); ++i) scratch_.push_back(std::make_unique<Scratch>(shape_.rows));
        for (Plane& plane : planes_) {
            plane.resize(blocks_.size(), shape_.rows);
            plane.seen.assign(blocks_.size(), 0);
        }
        seed(loops, 0);
        seed(loops, 1);
        rounds(loops);
    }

    // The peak memory of solving a pair, in bytes, without the packed planes it reads and writes.
    static std::size_t memory(const Layout& layout, int a, int b) {
        const int cells = layout.board().cells();
        const auto bitmaps = [&](int marks) {
            return layout.blocks(marks).size() * row_count(cells - marks) * sizeof(Row) * 2;
        };
        const std::size_t larger = a + b < cells ? bitmaps(a + 1) : 0;
        const std::size_t smaller = a + b < cells && a > b ? bitmaps(a) : 0;
        const std::size_t steps = layout.blocks(a).size() * (layout.board().moves().size() * 12 + 3 * Blocks::stride);
        return 2 * bitmaps(a) + std::max(larger, smaller) + steps;
    }

    OutcomeCounts pack(Loops& loops, int side, std::uint8_t* out) const {
        return Blocks::pack(loops, planes_[side], out);
    }

  private:
    using Blocks::a_, Blocks::b_, Blocks::blocks_, Blocks::board_, Blocks::interrupt_, Blocks::layout_,
        Blocks::members_, Blocks::moves_, Blocks::same_, Blocks::grown_, Blocks::shape_;
    using Blocks::any, Blocks::axes, Blocks::chunk, Blocks::count, Blocks::expand, Blocks::few, Blocks::find_losses,
        Blocks::flipped, Blocks::free_of, Blocks::has, Blocks::interrupted, Blocks::is_step, Blocks::list,
        Blocks::prefetch, Blocks::prepare, Blocks::put, Blocks::remove_leading, Blocks::rows_with, Blocks::step_axes,
        Blocks::taken, Blocks::takes_own, Blocks::words_of;
    using typename Blocks::Bitmaps, typename Blocks::Row, typename Blocks::Scratch, typename Blocks::Solved;

    struct Plane : Bitmaps {
        std::vector<std::uint16_t> seen;  // the pass in which a block was last visited
    };

    void seed(Loops& loops, int side) {
        Solved solved;
        if (side == 0 && more_[0]) solved = expand(loops, a_ + 1, b_, more_[0]);
        if (side == 1 && more_[1]) solved = expand(loops, a_, b_ + 1, more_[1]);
        loops.for_each(blocks_.size(), chunk(), [&](std::size_t i, int thread) {
            if (!interrupted()) seed_block(side, i, solved, *scratch_[thread]);
        });
    }

    void seed_block(int side, std::size_t i, const Solved& solved, Scratch& scratch) {
        Plane& plane = planes_[side];
        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows];
        Row *undecided = scratch.undecided[0], *may_lose = scratch.may_lose[0];
        const Row* members = members_;
        if (Blocks::decide_lines(side, i, won, lost)) {
            note(plane, i, 1);
            return;
        }
        for (int r = 0; r < shape_.rows; ++r) may_lose[r] = undecided[r] = members[r] & ~won[r] & ~lost[r];
        if (side == 1 && a_ == b_) {
            mirror_seeds(i, won, may_lose, scratch);
        } else if (!solved.has_loss.empty()) {
            seed_from(side, i, solved, won, undecided, may_lose, scratch.moved[0]);
        }
        bool open = false;
        for (int r = 0; r < shape_.rows; ++r) {
            const Row left = members[r] & ~won[r] & ~lost[r];
            open |= any(left);
            lost[r] |= flipped(left & may_lose[r]);
        }
        plane.open[i] = open;
        plane.due[i].store(open, std::memory_order_relaxed);
        note(plane, i, 1);
    }

    // Records, after seeding, what a block has.
    void note(Plane& plane, std::size_t i, std::uint16_t pass) {
        Row all_won{}, all_lost{};
        for (int r = 0; r < shape_.rows; ++r) {
            all_won |= plane.won[i * shape_.rows][r];
            all_lost |= plane.lost[i * shape_.rows][r] & members_[r];
        }
        if (any(all_won)) plane.won_at[i] = pass;
        if (any(all_lost)) plane.lost_at[i] = pass;
    }

    void seed_from(int side, std::size_t i, const Solved& solved, Row* won, Row* undecided, Row* may_lose, Row* moved) {
        bool losable = true;
        for (int k = 0; k < moves_; ++k) {
            if (takes_own(i, k)) continue;
            const std::uint32_t to = side == 0 ? grown_[i * moves_ + k] : same_[i * moves_ + k];
            const std::size_t child = to >> 3, at = child * solved.shape.rows;
            const bool lose = losable && !solved.all_won[child];
            if (!solved.has_loss[child] && !lose) continue;
            // A word without the taken cell; the smaller side's then gets it.
            const int cell = taken(i, k);
            Axes how = axes(i, k, to, side == 0);
            if (side == 1) how.flipped = cell;
            const typename Rows::Permutation permute(how);
            if (solved.has_loss[child]) {
                permute(solved.lost[at], moved);
                Row left{};
                rows_with(shape_.rows, cell, false, [&](int r, const Row& places) {
                    const Row found = moved[r] & undecided[r] & places;
                    won[r] |= found;
                    undecided[r] &= ~found;
                });
                for (int r = 0; r < shape_.rows; ++r) left |= undecided[r];
                if (!any(left)) return;
            }
            if (lose) {
                permute(solved.won[at], moved);
                Row left{};
                rows_with(shape_.rows, cell, false,
                          [&](int r, const Row& places) { may_lose[r] &= moved[r] | ~places; });
                for (int r = 0; r < shape_.rows; ++r) left |= may_lose[r] & undecided[r];
                losable = any(left);
            }
        }
    }

    // If both sides have the same number of marks, B to move is A to move with the marks exchanged.
    void mirror_seeds(std::size_t i, Row* won, Row* may_lose, Scratch& scratch) {
        list(may_lose, scratch.list);
        const Mask free = free_of(i), larger = blocks_[i];
        struct At {
            std::uint32_t word;
            std::size_t block;
            Mask smaller;
            std::uint32_t there;
        } batch[32];
        for (std::size_t first = 0; first < scratch.list.size(); first += 32) {
            const std::size_t size = std::min<std::size_t>(32, scratch.list.size() - first);
            for (std::size_t n = 0; n < size; ++n) {
                batch[n].word = scratch.list[first + n];
                batch[n].smaller = static_cast<Mask>(Rows::deposit(batch[n].word, free));
                layout_.prefetch(batch[n].smaller);
            }
            for (std::size_t n = 0; n < size; ++n) {
                const auto [block, symmetry] = layout_.canonical(batch[n].smaller);
                batch[n].there =
                    static_cast<std::uint32_t>(Rows::extract(board_.image(symmetry, larger), free_of(block)));
                batch[n].block = std::size_t{block} * shape_.rows;
                __builtin_prefetch(words_of(planes_[0].won[batch[n].block]) + batch[n].there / 64);
                __builtin_prefetch(words_of(planes_[0].lost[batch[n].block]) + batch[n].there / 64);
            }
            for (std::size_t n = 0; n < size; ++n) {
                if (has(planes_[0].won[batch[n].block], batch[n].there)) put(won, batch[n].word);
                if (!has(planes_[0].lost[batch[n].block], batch[n].there ^ 1))
                    words_of(may_lose)[batch[n].word / 64] &= ~(std::uint64_t{1} << batch[n].word % 64);
            }
        }
    }

    void rounds(Loops& loops) {
        int quiet = 0;
        for (int pass = 2; quiet < 2 && !interrupt_.asked(); ++pass) {
            if (pass == 65535) throw std::runtime_error("a pair takes too many rounds");
            const int side = pass & 1;
            changed_.store(false, std::memory_order_relaxed);
            loops.for_each(blocks_.size(), chunk(), [&](std::size_t i, int thread) {
                auto& due = planes_[side].due[i];
                if (!due.load(std::memory_order_relaxed) || interrupted()) return;
                due.store(false, std::memory_order_relaxed);
                visit(side, i, static_cast<std::uint16_t>(pass), *scratch_[thread]);
            });
            quiet = changed_.load(std::memory_order_relaxed) ? 0 : quiet + 1;
        }
    }

    void visit(int side, std::size_t i, std::uint16_t pass, Scratch& scratch) {
        Plane& plane = planes_[side];
        const Plane& children = planes_[1 - side];
        const std::uint32_t* same = &same_[i * moves_];
        const std::uint16_t seen = plane.seen[i];
        std::uint8_t with_losses[max_moves];  // the moves to blocks with new losses
        int losing = 0;
        bool wins = false;
        for (int k = 0; k < moves_; ++k) {
            if (!is_step(side, i, k)) continue;
            const std::size_t child = same[k] >> 3;
            with_losses[losing] = static_cast<std::uint8_t>(k);
            losing += children.lost_at[child] > seen;
            wins |= children.won_at[child] > seen;
        }
        plane.seen[i] = pass;
        // The first visit looks even if there is nothing new: a position without moves is lost.
        if (losing == 0 && !wins && seen) return;

        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows];
        Row *undecided = scratch.undecided[0], *may_lose = scratch.may_lose[0], *moved = scratch.moved[0];
        int left = 0;
        for (int r = 0; r < shape_.rows; ++r) {
            undecided[r] = members_[r] & ~won[r] & ~lost[r];
            left += count(undecided[r]);
        }
        bool any_won = false, listed = false;
        for (int n = 0; n < losing && left > 0; ++n) {
            const int k = with_losses[n], cell = side == 0 ? -1 : taken(i, k);
            const Axes how = step_axes(i, k, cell);
            const Row* there = children.lost[std::size_t{same[k] >> 3} * shape_.rows];
            if (n + 1 < losing) prefetch(children.lost[std::size_t{same[with_losses[n + 1]] >> 3} * shape_.rows], left);
            int found = 0;
            if (left <= few()) {
                if (!listed) list(undecided, scratch.list);
                listed = true;
                remove_leading(scratch.list, how, cell, there, true, [&](std::uint32_t word) {
                    put(won, word);
                    words_of(undecided)[word / 64] &= ~(std::uint64_t{1} << word % 64);
                    ++found;
                });
            } else {
                typename Rows::Permutation{how}(there, moved);
                rows_with(shape_.rows, cell, true, [&](int r, const Row& places) {
                    const Row more = moved[r] & undecided[r] & places;
                    won[r] |= more;
                    undecided[r] &= ~more;
                    found += count(more);
                });
            }
            left -= found;
            any_won |= found > 0;
        }
        bool any_lost = false;
        if (left > 0 && (wins || !seen)) {
            for (int r = 0; r < shape_.rows; ++r) may_lose[r] = undecided[r] & flipped(lost[r]);
            any_lost = find_losses(side, i, plane, children, scratch, [](auto&&...) {});
        }
        if (any_lost)
            for (int r = 0; r < shape_.rows; ++r) {
                lost[r] |= may_lose[r];
                left -= count(may_lose[r]);
            }
        if (any_won) plane.won_at[i] = pass;
        if (any_lost) plane.lost_at[i] = pass;
        plane.open[i] = left > 0;
        if (any_won || any_lost) {
            if (!changed_.load(std::memory_order_relaxed)) changed_.store(true, std::memory_order_relaxed);
            Blocks::call_parents(side, i, planes_[1 - side]);
        }
    }

    Plane planes_[2];
    std::vector<std::unique_ptr<Scratch>> scratch_;
    alignas(64) std::atomic<bool> changed_{false};
    const std::uint8_t* more_[2];  // for the larger and for the smaller side
};

template <class Rows>
class BitmapBackendOf final : public BitmapBackend {
  public:
    explicit BitmapBackendOf(const Layout& layout) : layout_(layout) {}

    void solve(Loops& loops, OutcomeTask& task, Interrupt& interrupt) override {
        BitmapSolver<Rows> solver(layout_, task.a, task.b, task.more_larger, task.more_smaller, interrupt);
        solver.solve(loops);
        if (interrupt.asked()) return;
        for (int plane = 0; plane < task.plane_count(); ++plane)
            task.counts[plane] = solver.pack(loops, plane, task.planes[plane]);
    }

    std::size_t memory(int a, int b) const override { return BitmapSolver<Rows>::memory(layout_, a, b); }

    void permute(const Row* from, Row* to, const Axes& axes) const override {
        using RowHere = typename Rows::Row;
        typename Rows::Permutation{axes}(reinterpret_cast<const RowHere*>(from), reinterpret_cast<RowHere*>(to));
    }

  private:
    const Layout& layout_;
};

}  // namespace inarow::quixo
