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

#include "bitmap_blocks.hpp"

namespace inarow::quixo {

template <class Rows>
class BitmapSolver : BitmapBlocks<Rows> {
    using Blocks = BitmapBlocks<Rows>;

  public:
    BitmapSolver(const Layout& layout, Loops& loops, int a, int b, Interrupt& interrupt)
        : Blocks(layout, loops, a, b, interrupt) {
        for (Plane& plane : planes_) {
            plane.resize(blocks_.size(), shape_.rows);
            plane.seen.assign(blocks_.size(), 0);
        }
    }

    // Seeds the plane of one side, plane 0 first, from the plane that its new marks lead to.
    void seed(int side, const StoredPlane& more) {
        Solved solved;
        if (more.outcomes) {
            solved = side == 0 ? room_for(a_ + 1, b_, true) : room_for(a_, b_ + 1, true);
            fill(solved, more.outcomes);
        }
        for_each_block([&](std::size_t i, Scratch& scratch) { seed_block(side, i, solved, scratch); });
    }

    bool solve() {
        int quiet = 0;
        for (int pass = 2; quiet < 2 && !interrupt_.asked(); ++pass) {
            if (pass == 65535) return false;
            const int side = pass & 1;
            changed_.store(false, std::memory_order_relaxed);
            for_each_block([&](std::size_t i, Scratch& scratch) {
                auto& due = planes_[side].due[i];
                if (!due.load(std::memory_order_relaxed)) return;
                due.store(false, std::memory_order_relaxed);
                visit(side, i, static_cast<std::uint16_t>(pass), scratch);
            });
            quiet = changed_.load(std::memory_order_relaxed) ? 0 : quiet + 1;
        }
        return true;
    }

    void finish(int side, SolvedPlane& to) { to.histogram = Blocks::pack(planes_[side], to.outcomes.get()); }

    static std::size_t memory(const Layout& layout, int a, int b) { return Blocks::memory(layout, a, b, 2); }

  private:
    using Blocks::a_, Blocks::b_, Blocks::blocks_, Blocks::interrupt_, Blocks::members_, Blocks::moves_, Blocks::same_,
        Blocks::shape_;
    using Blocks::any, Blocks::count, Blocks::fill, Blocks::find_losses, Blocks::find_wins, Blocks::flipped,
        Blocks::for_each_block, Blocks::grown_axes, Blocks::grown_to, Blocks::has, Blocks::is_step, Blocks::list,
        Blocks::put, Blocks::room_for, Blocks::rows_with, Blocks::taken, Blocks::takes_own, Blocks::words_of;
    using typename Blocks::Bitmaps, typename Blocks::Row, typename Blocks::Scratch, typename Blocks::Solved;

    struct Plane : Bitmaps {
        std::vector<std::uint16_t> seen;  // the pass in which a block was last visited
    };

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
            const std::size_t child = grown_to(side, i, k) >> 3, at = child * solved.shape.rows;
            const bool lose = losable && !solved.all_won[child];
            if (!solved.has_loss[child] && !lose) continue;
            const int cell = taken(i, k);
            const Axes how = grown_axes(side, i, k);
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

    void mirror_seeds(std::size_t i, Row* won, Row* may_lose, Scratch& scratch) {
        list(may_lose, scratch.list);
        const Plane& other = planes_[0];
        const auto words = [&](const auto& bitmap, std::size_t block) { return bitmap[block * shape_.rows]; };
        const auto prefetch = [&](std::size_t block, std::uint32_t there) {
            __builtin_prefetch(words_of(words(other.won, block)) + there / 64);
            __builtin_prefetch(words_of(words(other.lost, block)) + there / 64);
        };
        Blocks::each_mirrored(i, scratch.list, prefetch,
                              [&](std::uint32_t word, std::size_t block, std::uint32_t there) {
                                  if (has(words(other.won, block), there)) put(won, word);
                                  if (!has(words(other.lost, block), there ^ 1))
                                      words_of(may_lose)[word / 64] &= ~(std::uint64_t{1} << word % 64);
                              });
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
        Row *undecided = scratch.undecided[0], *may_lose = scratch.may_lose[0];
        int left = 0;
        for (int r = 0; r < shape_.rows; ++r) {
            undecided[r] = members_[r] & ~won[r] & ~lost[r];
            left += count(undecided[r]);
        }
        const std::span moves(with_losses, static_cast<std::size_t>(losing));
        const int found = find_wins(side, i, moves, children, left, undecided, won, scratch);
        left -= found;
        const bool any_won = found > 0;
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
    alignas(64) std::atomic<bool> changed_{false};
};

}  // namespace inarow::quixo
