// Solves one pair of classes with plies, as bitmaps: what is decided in round i has i plies.
//
// As in bitmap_solver.hpp a block has a bitmap of the words won and one of those lost, and a move permutes a whole
// bitmap at once. But here rounds are strict: round i sees what was decided up to round i-1, and nothing of round i.
// Plane 1 is visited after plane 0 in a round, so what plane 0 decides is held back until plane 1 is done: an entry
// that is held back is marked in the bitmap of wins, at the word with its lowest bit flipped, which is not the place of
// an entry.
//
//   seed       lines on the board (0 plies). From the children that have a new mark: a lost one makes a win, due one
//   ply
//              after it; if all are won, a loss is possible, not before one ply after the last of them
//   round i    won if a child was lost in round i-1, or if a win is due; lost if every child is won by round i-1
//   the rest   drawn
//
// Until an entry is decided, its place in the array of plies holds the round in which its win is due, or before which
// it cannot be lost.
#pragma once

#include <chrono>
#include <span>
#include <utility>

#include "bitmap_blocks.hpp"
#include "lanes.hpp"
#include "plies_solver.hpp"

namespace inarow::quixo {

template <class Rows, class Plies>
class BitmapPlies : BitmapBlocks<Rows> {
    using Blocks = BitmapBlocks<Rows>;

  public:
    // `plies` has room for plane 0 and, unless a = b, plane 1.
    BitmapPlies(const Layout& layout, Loops& loops, int a, int b, Plies* const (&plies)[2], double seconds_to_follow,
                Interrupt& interrupt)
        : Blocks(layout, a, b, interrupt),
          loops_(loops),
          ranks_(board_.cells() - a, b),
          seconds_to_follow_(seconds_to_follow) {
        prepare(loops);
        if (a == b) mirrored_ = make_huge<Plies>(layout.plane_entries(a, b));
        planes_[0].plies = plies[0];
        planes_[1].plies = a == b ? mirrored_.get() : plies[1];
        for (int i = 0; i < loops.threads(); ++i) scratch_.push_back(std::make_unique<PliesScratch>(shape_.rows));
        std::uint32_t rank = 0;
        for (int word = 0; word < shape_.rows * 8; ++word) {
            first_rank_.push_back(rank);
            rank += std::popcount(words_of(members_)[word]);
        }
    }

    // Seeds the plane of one side, plane 0 first, from the plane that its new marks lead to.
    void seed(int side, const PliesPlane& more) {
        planes_[side].resize(blocks_.size(), shape_.rows);
        for_each_block([&](std::size_t i, PliesScratch&) { decide_over(side, i); });
        if (side == 1 && a_ == b_) {
            for_each_block([&](std::size_t i, PliesScratch& scratch) { mirror_seeds(i, scratch); });
        } else if (is_full()) {
            for_each_block([&](std::size_t i, PliesScratch& scratch) { seed_full(side, i, scratch); });
        } else {
            const auto [a, b] = side == 0 ? std::pair(a_ + 1, b_) : std::pair(a_, b_ + 1);
            const Ranks<std::uint16_t> ranks(board_.cells() - a, b);
            // One bitmap at a time: both would take more memory than the rest of the work.
            {
                const Solved solved = expand(loops_, a, b, more.outcomes, false, true);
                for_each_block([&](std::size_t i, PliesScratch& scratch) {
                    seed_wins(side, i, solved, more.plies, ranks, scratch);
                });
            }
            const Solved solved = expand(loops_, a, b, more.outcomes, true, false);
            for_each_block([&](std::size_t i, PliesScratch& scratch) {
                seed_losses(side, i, solved, more.plies, ranks, scratch);
            });
        }
    }

    // Returns false if there are more plies than can be held.
    bool solve() {
        for (int round = 1;; ++round) {
            if (std::max(round, last_due_.load()) > max_plies) return false;
            if (!follows_) {
                for_each_block([&](std::size_t i, PliesScratch& scratch) { visit(0, i, round, scratch); });
                for_each_block([&](std::size_t i, PliesScratch& scratch) { visit(1, i, round, scratch); });
                for_each_block([&](std::size_t i, PliesScratch&) { publish(i, round); });
            } else {
                follow(round);
            }
            if (interrupt_.asked() || (changed_.load() < round && round >= last_due_.load())) return true;
            if (follows_) continue;
            // What a round decided is listed if it is little, and the next one follows it if that takes less time.
            double seconds = 0;
            std::size_t decided = 0;
            for (auto& scratch : scratch_) {
                seconds += std::exchange(scratch->seconds, 0);
                decided += std::exchange(scratch->count, 0);
            }
            follows_ = lists_ && static_cast<double>(decided) * seconds_to_follow_ < seconds;
            lists_ = decided < most_listed;
            if (!follows_)
                for (auto& scratch : scratch_) scratch->decided.clear();
        }
    }

    // Packs the outcomes of a plane, clears the plies of its draws, and counts its positions by their entries of two
    // bytes.
    void finish(int side, std::uint8_t* outcomes, std::uint64_t* histogram) {
        Plane& plane = planes_[side];
        Blocks::pack(loops_, plane, outcomes);
        std::vector<std::vector<std::uint64_t>> counts(loops_.threads());
        for (auto& of_thread : counts) of_thread.resize(2 * (max_plies + 1) + 1);
        loops_.for_each(blocks_.size(), chunk(), [&](std::size_t i, int thread) {
            auto& mine = counts[thread];
            const auto weight = static_cast<std::uint64_t>(layout_.orbit(a_, static_cast<std::uint32_t>(i)));
            const auto *won = words_of(plane.won[i * shape_.rows]), *lost = words_of(plane.lost[i * shape_.rows]);
            Plies* plies = plane.plies + i * shape_.entries;
            for (int word = 0; word < shape_.rows * 8; ++word)
                for (std::uint64_t rest = words_of(members_)[word]; rest; rest &= rest - 1, ++plies) {
                    const int bit = std::countr_zero(rest);
                    if (lost[word] >> bit & 1) {
                        mine[2 * *plies] += weight;
                    } else if (won[word] >> bit & 1) {
                        mine[2 * *plies + 1] += weight;
                    } else {
                        *plies = 0;
                        mine.back() += weight;
                    }
                }
        });
        using V = Values<std::uint16_t>;
        for (const auto& of_thread : counts) {
            for (int plies = 0; plies <= max_plies; ++plies) {
                histogram[V::loss(plies)] += of_thread[2 * plies];
                histogram[V::win(plies)] += of_thread[2 * plies + 1];
            }
            histogram[V::draw] += of_thread.back();
        }
    }

    // The peak memory of solving a pair, in bytes, without the planes it reads and writes.
    static std::size_t memory(const Layout& layout, int a, int b) {
        const int cells = layout.board().cells();
        const auto bitmap = [&](int marks) {
            return layout.blocks(marks).size() * row_count(cells - marks) * sizeof(Row);
        };
        const std::size_t larger = a + b < cells ? bitmap(a + 1) : 0;
        const std::size_t smaller = a + b < cells && a > b ? bitmap(a) : 0;
        const std::size_t steps = layout.blocks(a).size() * (layout.board().moves().size() * 8 + 3 * Blocks::stride);
        const std::size_t mirrored = a == b ? layout.plane_entries(a, b) * sizeof(Plies) : 0;
        return 4 * bitmap(a) + std::max(larger, smaller) + steps + mirrored;
    }

  private:
    using Blocks::a_, Blocks::b_, Blocks::blocks_, Blocks::board_, Blocks::grown_, Blocks::interrupt_, Blocks::layout_,
        Blocks::members_, Blocks::moves_, Blocks::same_, Blocks::shape_;
    using Blocks::any, Blocks::axes, Blocks::chunk, Blocks::count, Blocks::expand, Blocks::few, Blocks::flipped,
        Blocks::free_of, Blocks::has, Blocks::image, Blocks::interrupted, Blocks::is_full, Blocks::is_step,
        Blocks::list, Blocks::prepare, Blocks::put, Blocks::rows_with, Blocks::taken, Blocks::takes_own,
        Blocks::words_of;
    using typename Blocks::Bitmaps, typename Blocks::Scratch, typename Blocks::Solved;

    static constexpr int max_plies = sizeof(Plies) == 1 ? 254 : 16000;
    static constexpr std::uint16_t never = 0xffff;  // in place of the round in which a block changed

    struct Plane : Bitmaps {
        Plies* plies = nullptr;
        std::vector<std::uint64_t> due_wins, due_losses;  // rounds, modulo 64, in which a seed falls due
        std::vector<std::uint8_t> held;                   // what a round decided that is not published yet

        void resize(std::size_t blocks, std::size_t rows) {
            Bitmaps::resize(blocks, rows);
            for (auto* stamps : {&this->won_at, &this->lost_at}) stamps->assign(blocks, never);
            for (auto* due : {&due_wins, &due_losses}) due->assign(blocks, 0);
            held.assign(blocks, 0);
        }
    };
    static constexpr std::uint8_t held_wins = 1, held_losses = 2;

    // Late rounds decide few entries, in many blocks. Rather than visit all blocks that lead there, they follow each
    // entry to those before it.
    struct Decided {
        std::uint32_t block, word;
        bool plane, won;
    };
    static constexpr std::size_t most_listed = 1 << 24;

    struct alignas(64) PliesScratch : Scratch {
        explicit PliesScratch(std::size_t rows) : Scratch(rows), gained(rows) {}
        RowArray gained;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;  // rank and word
        std::vector<Decided> decided, found;                           // in the last round, and in this one
        std::size_t count = 0;                                         // of entries decided in this round
        double seconds = 0;                                            // that its visits took
        std::uint32_t images[3][1 << 9];
    };

    // Adds the seconds that it exists. The threads have other pairs too, so the time of a whole round says little.
    class Timer {
      public:
        explicit Timer(double& seconds) : seconds_(seconds) {}
        Timer(const Timer&) = delete;
        ~Timer() { seconds_ += std::chrono::duration<double>(Clock::now() - began_).count(); }

      private:
        using Clock = std::chrono::steady_clock;
        double& seconds_;
        const Clock::time_point began_ = Clock::now();
    };

    // Where a move takes the words of a block: a look-up for each nine bits of a word.
    class Images {
      public:
        Images(const Axes& how, int m, PliesScratch& scratch) : tables_(scratch.images) {
            for (int part = 0; part < 3 && (part == 0 || part * 9 < m); ++part) {
                std::uint32_t* table = tables_[part];
                table[0] = 0;
                for (int j = part * 9, known = 1; j < std::min(m, part * 9 + 9); ++j, known *= 2)
                    for (int i = 0; i < known; ++i) table[known + i] = table[i] | 1u << how.from[j];
            }
            if (m <= 9) tables_[1][0] = 0;
            if (m <= 18) tables_[2][0] = 0;
        }
        std::uint32_t operator()(std::uint32_t word) const {
            return tables_[0][word & 511] | tables_[1][word >> 9 & 511] | tables_[2][word >> 18];
        }

      private:
        std::uint32_t (*tables_)[1 << 9];
    };

    template <class Visit>
    void for_each_block(Visit visit) {
        loops_.for_each(blocks_.size(), chunk(), [&](std::size_t i, int thread) {
            if (!interrupted()) visit(i, *scratch_[thread]);
        });
    }

    static constexpr int most_in_word = 20;  // entries among 64 words: those with 3 of 6 bits

    // Which of the next entries fall due in a round, or have done so before.
    static std::uint32_t due_among(const Plies* plies, int round, bool or_before) {
        if constexpr (sizeof(Plies) == 1) {
            const auto value = static_cast<std::uint8_t>(round);
            return or_before ? Rows::at_most(plies, value) : Rows::equal(plies, value);
        } else {
            std::uint32_t found = 0;
            for (int n = 0; n < most_in_word; ++n)
                found |= std::uint32_t{or_before ? plies[n] <= round : plies[n] == round} << n;
            return found;
        }
    }

    void list_due(const Plane& plane, std::size_t i, int round, bool or_before, Row* to) const {
        constexpr std::size_t read = 32;  // at a time
        const auto* members = words_of(members_);
        auto* bits = words_of(to);
        const std::size_t first = i * shape_.entries, past = blocks_.size() * shape_.entries;
        for (int word = 0; word < shape_.rows * 8; ++word) {
            bits[word] = 0;
            if (!members[word]) continue;
            const std::size_t at = first + first_rank_[word];
            const Plies* plies = plane.plies + at;
            Plies last[read];
            if (past - at < read) {
                std::copy_n(plies, past - at, last);
                plies = last;
            }
            bits[word] = Rows::deposit(due_among(plies, round, or_before), members[word]);
        }
    }

    // Visits the entries of a set: their rank, and their word.
    template <class Visit>
    void each_entry(const Row* rows, Visit visit) const {
        const auto *bits = words_of(rows), *members = words_of(members_);
        for (int word = 0; word < shape_.rows * 8; ++word)
            for (std::uint64_t rest = bits[word]; rest; rest &= rest - 1) {
                const int bit = std::countr_zero(rest);
                const int below = std::popcount(members[word] & ((std::uint64_t{1} << bit) - 1));
                visit(first_rank_[word] + below, static_cast<std::uint32_t>(word * 64 + bit));
            }
    }

    void decide_over(int side, std::size_t i) {
        Plane& plane = planes_[side];
        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows];
        std::fill_n(plane.plies + i * shape_.entries, shape_.entries, Plies{0});
        const bool all = Blocks::decide_lines(side, i, won, lost);
        Row some_won{}, some_lost{};
        for (int r = 0; r < shape_.rows; ++r) {
            some_won |= won[r];
            some_lost |= lost[r];
        }
        if (any(some_won)) plane.won_at[i] = 0;
        if (any(some_lost)) plane.lost_at[i] = 0;
        if (all) return;
        Row some{};
        for (int r = 0; r < shape_.rows; ++r) {
            const Row undecided = members_[r] & ~won[r] & ~lost[r];
            lost[r] |= flipped(undecided);
            some |= undecided;
        }
        plane.open[i] = any(some);
        plane.due[i].store(plane.open[i], std::memory_order_relaxed);
    }

    // The undecided entries of a block; those that may still be lost.
    Row undecided_in(const Plane& plane, std::size_t i, int r) const {
        return members_[r] & ~plane.won[i * shape_.rows][r] & ~plane.lost[i * shape_.rows][r];
    }
    Row losable_in(const Plane& plane, std::size_t i, int r) const {
        return undecided_in(plane, i, r) & flipped(plane.lost[i * shape_.rows][r]);
    }

    // Marks entries as not to be lost.
    void forbid_loss(Plane& plane, std::size_t i, int r, const Row& entries) const {
        plane.lost[i * shape_.rows][r] &= ~flipped(entries);
    }

    // Without children that have a new mark, a loss is possible from the first round on.
    void seed_full(int side, std::size_t i, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        if (!plane.open[i]) return;
        Plies* plies = plane.plies + i * shape_.entries;
        Row* losable = scratch.may_lose[0];
        for (int r = 0; r < shape_.rows; ++r) losable[r] = losable_in(plane, i, r);
        each_entry(losable, [&](std::uint32_t rank, std::uint32_t) { plies[rank] = 1; });
        note_due(plane.due_losses[i], 1);
    }

    void note_due(std::uint64_t& due, int round) {
        due |= std::uint64_t{1} << (round & 63);
        int known = last_due_.load(std::memory_order_relaxed);
        while (known < round && !last_due_.compare_exchange_weak(known, round, std::memory_order_relaxed)) {
        }
    }

    // How the words of a block that have no mark at the taken cell of move k get there, in the plane of the new mark.
    Axes new_mark_axes(int side, std::size_t i, int k, std::uint32_t to) const {
        Axes how = axes(i, k, to, side == 0);
        if (side == 1) how.flipped = taken(i, k);
        return how;
    }

    void seed_wins(int side, std::size_t i, const Solved& solved, const StoredPair& more,
                   const Ranks<std::uint16_t>& ranks, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        if (!plane.open[i]) return;
        Plies* plies = plane.plies + i * shape_.entries;
        Row *open = scratch.undecided[0], *moved = scratch.moved[0], *found = scratch.gained[0];
        // Those whose earliest possible win is not known yet.
        for (int r = 0; r < shape_.rows; ++r) open[r] = losable_in(plane, i, r);
        std::uint64_t due = 0;
        int latest = 0;
        for (int k = 0; k < moves_; ++k) {
            if (takes_own(i, k)) continue;
            const std::uint32_t to = side == 0 ? grown_[i * moves_ + k] : same_[i * moves_ + k];
            const std::size_t child = to >> 3;
            if (!solved.has_loss[child]) continue;
            const int cell = taken(i, k);
            const Axes how = new_mark_axes(side, i, k, to);
            typename Rows::Permutation{how}(solved.lost[child * solved.shape.rows], moved);
            int edges = 0;
            std::memset(found, 0, sizeof(Row) * shape_.rows);
            rows_with(shape_.rows, cell, false, [&](int r, const Row& places) {
                found[r] = moved[r] & open[r] & places;
                edges += count(found[r]);
            });
            if (edges == 0) continue;
            const std::size_t first = child * solved.shape.entries;
            const std::uint32_t added = side == 1 ? 1u << cell : 0;
            const auto follow = [&](const auto& image) {
                each_entry(found, [&](std::uint32_t rank, std::uint32_t word) {
                    const std::uint32_t there = image(word | added);
                    const int round = more[first + ranks.rank(split_word<std::uint16_t>(there, solved.shape.m))] + 1;
                    if (plies[rank] == 0 || round < plies[rank]) plies[rank] = clamped(round);
                    if (round == 1) words_of(open)[word / 64] &= ~(std::uint64_t{1} << word % 64);
                });
            };
            if (edges > few)
                follow(Images(how, shape_.m, scratch));
            else
                follow([&](std::uint32_t word) { return image(how, word); });
            // Whatever happens to it, it is no loss.
            for (int r = 0; r < shape_.rows; ++r) forbid_loss(plane, i, r, found[r]);
        }
        for (int r = 0; r < shape_.rows; ++r) found[r] = undecided_in(plane, i, r) & ~losable_in(plane, i, r);
        each_entry(found, [&](std::uint32_t rank, std::uint32_t) {
            due |= std::uint64_t{1} << (plies[rank] & 63);
            latest = std::max(latest, int{plies[rank]});
        });
        if (latest > 0) note_due(plane.due_wins[i], latest);
        plane.due_wins[i] |= due;
    }

    void seed_losses(int side, std::size_t i, const Solved& solved, const StoredPair& more,
                     const Ranks<std::uint16_t>& ranks, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        if (!plane.open[i]) return;
        Plies* plies = plane.plies + i * shape_.entries;
        Row *losable = scratch.may_lose[0], *moved = scratch.moved[0];
        int left = 0;
        for (int r = 0; r < shape_.rows; ++r) {
            losable[r] = losable_in(plane, i, r);
            left += count(losable[r]);
        }
        if (left == 0) return;
        for (int k = 0; k < moves_ && left > 0; ++k) {
            if (takes_own(i, k)) continue;
            const std::uint32_t to = side == 0 ? grown_[i * moves_ + k] : same_[i * moves_ + k];
            const std::size_t child = to >> 3;
            if (solved.all_won[child]) continue;
            typename Rows::Permutation{new_mark_axes(side, i, k, to)}(solved.won[child * solved.shape.rows], moved);
            rows_with(shape_.rows, taken(i, k), false,
                      [&](int r, const Row& places) { losable[r] &= moved[r] | ~places; });
            left = 0;
            for (int r = 0; r < shape_.rows; ++r) left += count(losable[r]);
        }
        for (int r = 0; r < shape_.rows; ++r) forbid_loss(plane, i, r, losable_in(plane, i, r) & ~losable[r]);
        if (left == 0) return;
        auto& entries = scratch.entries;
        entries.clear();
        each_entry(losable, [&](std::uint32_t rank, std::uint32_t word) {
            entries.push_back({rank, word});
            plies[rank] = 1;
        });
        for (int k = 0; k < moves_; ++k) {
            if (takes_own(i, k)) continue;
            const std::uint32_t to = side == 0 ? grown_[i * moves_ + k] : same_[i * moves_ + k];
            const std::size_t first = std::size_t{to >> 3} * solved.shape.entries;
            const int cell = taken(i, k);
            const std::uint32_t added = side == 1 ? 1u << cell : 0;
            const Axes how = axes(i, k, to, side == 0);
            const auto follow = [&](const auto& image) {
                for (const auto& [rank, word] : entries) {
                    if (word >> cell & 1) continue;
                    const std::uint32_t there = image(word | added);
                    const int round = more[first + ranks.rank(split_word<std::uint16_t>(there, solved.shape.m))] + 1;
                    if (round > plies[rank]) plies[rank] = clamped(round);
                }
            };
            if (entries.size() > few)
                follow(Images(how, shape_.m, scratch));
            else
                follow([&](std::uint32_t word) { return image(how, word); });
        }
        int latest = 0;
        std::uint64_t due = 0;
        for (const auto& [rank, word] : entries) {
            due |= std::uint64_t{1} << (plies[rank] & 63);
            latest = std::max(latest, int{plies[rank]});
        }
        note_due(plane.due_losses[i], latest);
        plane.due_losses[i] |= due;
    }

    // More plies than can be held stay that many: the solver then gives up.
    static Plies clamped(int round) { return static_cast<Plies>(std::min(round, max_plies + 1)); }

    // If both sides have the same number of marks, B to move is A to move with the marks exchanged.
    void mirror_seeds(std::size_t i, PliesScratch& scratch) {
        Plane& plane = planes_[1];
        if (!plane.open[i]) return;
        const Plane& other = planes_[0];
        Plies* plies = plane.plies + i * shape_.entries;
        Row *losable = scratch.undecided[0], *unlosable = scratch.may_lose[0];
        for (int r = 0; r < shape_.rows; ++r) losable[r] = undecided_in(plane, i, r);
        std::memset(unlosable, 0, sizeof(Row) * shape_.rows);
        const Mask free = free_of(i), larger = blocks_[i];
        struct At {
            std::uint32_t rank, word;
            Mask smaller;
            std::size_t block;
            std::uint32_t there;
        } batch[32];
        int size = 0, latest_win = 0, latest_loss = 0;
        std::uint64_t due_wins = 0, due_losses = 0;
        const auto look_up = [&] {
            for (At& at : std::span(batch, size)) {
                const auto [block, symmetry] = layout_.canonical(at.smaller);
                at.block = block;
                at.there = static_cast<std::uint32_t>(Rows::extract(board_.image(symmetry, larger), free_of(block)));
                __builtin_prefetch(words_of(other.lost[at.block * shape_.rows]) + at.there / 64);
            }
            for (const At& at : std::span(batch, size)) {
                const std::size_t rank = ranks_.rank(split_word<std::uint16_t>(at.there, shape_.m));
                const Plies seed = other.plies[at.block * shape_.entries + rank];
                plies[at.rank] = seed;
                const bool can_be_lost = has(other.lost[at.block * shape_.rows], at.there ^ 1);
                if (!can_be_lost) put(unlosable, at.word);
                if (seed == 0) continue;
                (can_be_lost ? due_losses : due_wins) |= std::uint64_t{1} << (seed & 63);
                int& latest = can_be_lost ? latest_loss : latest_win;
                latest = std::max(latest, int{seed});
            }
            size = 0;
        };
        each_entry(losable, [&](std::uint32_t rank, std::uint32_t word) {
            batch[size] = {rank, word, static_cast<Mask>(Rows::deposit(word, free)), 0, 0};
            layout_.prefetch(batch[size++].smaller);
            if (size == 32) look_up();
        });
        look_up();
        for (int r = 0; r < shape_.rows; ++r) forbid_loss(plane, i, r, unlosable[r]);
        if (latest_win > 0) note_due(plane.due_wins[i], latest_win);
        if (latest_loss > 0) note_due(plane.due_losses[i], latest_loss);
        plane.due_wins[i] |= due_wins;
        plane.due_losses[i] |= due_losses;
    }

    void visit(int side, std::size_t i, int round, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        const bool due_wins = plane.due_wins[i] >> (round & 63) & 1,
                   due_losses = plane.due_losses[i] >> (round & 63) & 1;
        auto& due = plane.due[i];
        if (!plane.open[i] || (!due_wins && !due_losses && !due.load(std::memory_order_relaxed))) return;
        due.store(false, std::memory_order_relaxed);
        const Plane& children = planes_[1 - side];
        const std::uint32_t* same = &same_[i * moves_];
        std::uint8_t with_losses[max_moves];  // the moves to blocks with losses of the last round
        int losing = 0;
        bool wins = false;
        for (int k = 0; k < moves_; ++k) {
            if (!is_step(side, i, k)) continue;
            const std::size_t child = same[k] >> 3;
            with_losses[losing] = static_cast<std::uint8_t>(k);
            losing += children.lost_at[child] == round - 1;
            wins |= children.won_at[child] == round - 1;
        }
        if (losing == 0 && !wins && !due_wins && !due_losses) return;
        const Timer timer(scratch.seconds);

        Plies* plies = plane.plies + i * shape_.entries;
        Row *undecided = scratch.undecided[0], *may_lose = scratch.may_lose[0], *moved = scratch.moved[0];
        Row* gained = scratch.gained[0];
        int left = 0;
        for (int r = 0; r < shape_.rows; ++r) {
            undecided[r] = undecided_in(plane, i, r);
            left += count(undecided[r]);
        }
        const int before = left;
        std::memset(gained, 0, sizeof(Row) * shape_.rows);
        if (due_wins) {
            list_due(plane, i, round, false, moved);
            for (int r = 0; r < shape_.rows; ++r) {
                gained[r] = undecided[r] & moved[r] & ~flipped(plane.lost[i * shape_.rows][r]);
                undecided[r] &= ~gained[r];
                left -= count(gained[r]);
            }
        }
        for (int n = 0; n < losing && left > 0; ++n) {
            const int k = with_losses[n], cell = side == 0 ? -1 : taken(i, k);
            const Axes how = axes(i, k, same[k], false);
            const Row* there = children.lost[std::size_t{same[k] >> 3} * shape_.rows];
            if (left <= few) {
                list(undecided, scratch.list);
                for (const std::uint32_t word : scratch.list)
                    if ((cell < 0 || word >> cell & 1) && has(there, image(how, word))) {
                        put(gained, word);
                        words_of(undecided)[word / 64] &= ~(std::uint64_t{1} << word % 64);
                        --left;
                    }
            } else {
                typename Rows::Permutation{how}(there, moved);
                rows_with(shape_.rows, cell, true, [&](int r, const Row& places) {
                    const Row more = moved[r] & undecided[r] & places;
                    gained[r] |= more;
                    undecided[r] &= ~more;
                    left -= count(more);
                });
            }
        }
        const bool any_won = left < before;
        bool any_lost = false;
        if (left > 0 && (wins || due_losses)) {
            // Not before the children with a new mark are all won; and if no other child was won just now, then now.
            list_due(plane, i, round, wins, may_lose);
            for (int r = 0; r < shape_.rows; ++r) may_lose[r] &= undecided[r] & flipped(plane.lost[i * shape_.rows][r]);
            any_lost = Blocks::find_losses(side, i, plane, children, scratch);
            if (any_lost)
                for (int r = 0; r < shape_.rows; ++r) left -= count(may_lose[r]);
        }
        if (!any_won && !any_lost) return;
        plane.open[i] = left > 0;
        note_change(round);
        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows];
        scratch.count += static_cast<std::size_t>(before - left);
        const auto decide = [&](const Row* rows, bool is_win) {
            each_entry(rows, [&](std::uint32_t rank, std::uint32_t word) {
                plies[rank] = static_cast<Plies>(round);
                if (lists_) scratch.decided.push_back({static_cast<std::uint32_t>(i), word, side == 1, is_win});
            });
        };
        if (any_won) {
            decide(gained, true);
            for (int r = 0; r < shape_.rows; ++r) {
                forbid_loss(plane, i, r, gained[r]);
                won[r] |= side == 0 ? flipped(gained[r]) : gained[r];
            }
        }
        if (any_lost) {
            decide(may_lose, false);
            for (int r = 0; r < shape_.rows; ++r) {
                if (side == 0)
                    won[r] |= flipped(may_lose[r]);
                else
                    lost[r] |= may_lose[r];
            }
        }
        if (side == 0) {
            plane.held[i] = static_cast<std::uint8_t>((any_won ? held_wins : 0) | (any_lost ? held_losses : 0));
        } else {
            changed(1, i, any_won, any_lost, round);
        }
    }

    // Written once a round, so that threads do not take the cache line from each other.
    void note_change(int round) {
        if (changed_.load(std::memory_order_relaxed) != round) changed_.store(round, std::memory_order_relaxed);
    }

    // Lets plane 1 see what a round decided in plane 0.
    void publish(std::size_t i, int round) {
        Plane& plane = planes_[0];
        const std::uint8_t held = std::exchange(plane.held[i], std::uint8_t{0});
        if (!held) return;
        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows];
        for (int r = 0; r < shape_.rows; ++r) {
            const Row decided = flipped(won[r]) & members_[r], losses = decided & flipped(lost[r]);
            won[r] = (won[r] & members_[r]) | (decided & ~losses);
            lost[r] |= losses;
        }
        changed(0, i, held & held_wins, held & held_losses, round);
    }

    void changed(int side, std::size_t i, bool any_won, bool any_lost, int round) {
        Plane& plane = planes_[side];
        if (any_won) plane.won_at[i] = static_cast<std::uint16_t>(round);
        if (any_lost) plane.lost_at[i] = static_cast<std::uint16_t>(round);
        Blocks::call_parents(side, i, planes_[1 - side]);
    }

    // --- Late rounds ---

    void follow(int round) {
        std::vector<Decided> sources;
        for (auto& scratch : scratch_) {
            sources.insert(sources.end(), scratch->decided.begin(), scratch->decided.end());
            scratch->decided.clear();
        }
        // Everything is found before anything is decided, so that a round sees nothing of itself.
        for (int side = 0; side < 2; ++side)
            for_each_block([&](std::size_t i, PliesScratch& scratch) { find_due(side, i, round, scratch); });
        loops_.for_each(sources.size(), 64, [&](std::size_t n, int thread) {
            if (!interrupted()) find_before(sources[n], round, *scratch_[thread]);
        });
        if (interrupt_.asked()) return;
        loops_.for_each(scratch_.size(), 1, [&](std::size_t n, int) {
            PliesScratch& scratch = *scratch_[n];
            for (const Decided& entry : scratch.found)
                if (decide(entry, round)) scratch.decided.push_back(entry);
            scratch.found.clear();
        });
    }

    bool is_open(const Plane& plane, std::size_t block, std::uint32_t word) const {
        const std::size_t at = block * shape_.rows;
        return !has(plane.won[at], word) && !has(plane.lost[at], word);
    }

    Plies& plies_of(const Plane& plane, std::size_t block, std::uint32_t word) const {
        return plane.plies[block * shape_.entries + ranks_.rank(split_word<std::uint16_t>(word, shape_.m))];
    }

    // The entries of a block whose seeds fall due.
    void find_due(int side, std::size_t i, int round, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        const bool wins = plane.due_wins[i] >> (round & 63) & 1, losses = plane.due_losses[i] >> (round & 63) & 1;
        if (!plane.open[i] || (!wins && !losses)) return;
        Row *now = scratch.gained[0], *may_lose = scratch.may_lose[0];
        list_due(plane, i, round, false, now);
        for (int r = 0; r < shape_.rows; ++r) {
            now[r] &= undecided_in(plane, i, r);
            may_lose[r] = now[r] & flipped(plane.lost[i * shape_.rows][r]);
            now[r] &= ~may_lose[r];
        }
        const auto found = [&](const Row* rows, bool is_win) {
            each_entry(rows, [&](std::uint32_t, std::uint32_t word) {
                scratch.found.push_back({static_cast<std::uint32_t>(i), word, side == 1, is_win});
            });
        };
        found(now, true);
        if (Blocks::find_losses(side, i, plane, planes_[1 - side], scratch)) found(may_lose, false);
    }

    // The entries before one that was decided in the last round, if that decides them.
    void find_before(const Decided& source, int round, PliesScratch& scratch) const {
        const int side = source.plane ? 0 : 1;  // that moved last
        const Plane& plane = planes_[side];
        const Mask larger = blocks_[source.block];
        const auto smaller = static_cast<Mask>(Rows::deposit(source.word, free_of(source.block)));
        for (const Move& move : board_.moves()) {
            if (!((side == 0 ? larger : smaller) >> move.pushed & 1)) continue;
            const auto canonical = layout_.canonical(move.undo(larger));
            const std::uint32_t block = canonical.block;
            if (!plane.open[block]) continue;
            const Mask there = board_.image(canonical.symmetry, move.undo(smaller)), free = free_of(block);
            const auto word = static_cast<std::uint32_t>(Rows::extract(there, free));
            if (!is_open(plane, block, word)) continue;
            if (!source.won) {
                // A block that is symmetric itself has each position several times.
                each_image(block, there, [&](Mask image) {
                    scratch.found.push_back(
                        {block, static_cast<std::uint32_t>(Rows::extract(image, free)), side == 1, true});
                });
            } else if (has(plane.lost[std::size_t{block} * shape_.rows], word ^ 1) &&
                       plies_of(plane, block, word) <= round && all_won(side, block, word)) {
                each_image(block, there, [&](Mask image) {
                    scratch.found.push_back(
                        {block, static_cast<std::uint32_t>(Rows::extract(image, free)), side == 1, false});
                });
            }
        }
    }

    template <class Visit>
    void each_image(std::uint32_t block, Mask smaller, Visit visit) const {
        visit(smaller);
        if (layout_.orbit(a_, block) == board_.symmetries()) return;
        for (int g = 1; g < board_.symmetries(); ++g)
            if (board_.image(g, blocks_[block]) == blocks_[block]) visit(board_.image(g, smaller));
    }

    // Whether all positions after an entry, without a new mark, are won.
    bool all_won(int side, std::size_t i, std::uint32_t word) const {
        const Plane& children = planes_[1 - side];
        const int likely = planes_[side].refuting[i];
        for (int n = 0; n < moves_; ++n) {
            const int k = n == 0 ? likely : n <= likely ? n - 1 : n;
            if (!is_step(side, i, k) || (side == 1 && !(word >> taken(i, k) & 1))) continue;
            const std::uint32_t to = same_[i * moves_ + k];
            if (!has(children.won[std::size_t{to >> 3} * shape_.rows], image(axes(i, k, to, false), word)))
                return false;
        }
        return true;
    }

    // Decides an entry; false if it is decided already, as what was found twice is.
    bool decide(const Decided& entry, int round) {
        Plane& plane = planes_[entry.plane];
        Row* rows = (entry.won ? plane.won : plane.lost)[std::size_t{entry.block} * shape_.rows];
        const std::uint64_t bit = std::uint64_t{1} << entry.word % 64;
        if (std::atomic_ref(words_of(rows)[entry.word / 64]).fetch_or(bit, std::memory_order_relaxed) & bit)
            return false;
        plies_of(plane, entry.block, entry.word) = static_cast<Plies>(round);
        note_change(round);
        return true;
    }

    Loops& loops_;
    const Ranks<std::uint16_t> ranks_;
    const double seconds_to_follow_;
    std::vector<std::uint32_t> first_rank_;  // of the entries in each 64-bit word of a bitmap
    HugeArray<Plies> mirrored_;              // plane 1 of a pair that stores only plane 0
    Plane planes_[2];
    std::vector<std::unique_ptr<PliesScratch>> scratch_;
    bool lists_ = false, follows_ = false;
    alignas(64) std::atomic<int> changed_{0};  // the last round that decided something
    std::atomic<int> last_due_{0};
};

template <class Rows>
class BitmapPliesBackendOf final : public BitmapPliesBackend {
  public:
    explicit BitmapPliesBackendOf(const Layout& layout) : layout_(layout) {}

    bool solve(Loops& loops, PliesTask<std::uint8_t>& task, Interrupt& interrupt) override {
        return run(loops, task, interrupt);
    }
    bool solve(Loops& loops, PliesTask<std::uint16_t>& task, Interrupt& interrupt) override {
        return run(loops, task, interrupt);
    }
    std::size_t memory(int a, int b, int width) const override {
        return width == 1 ? BitmapPlies<Rows, std::uint8_t>::memory(layout_, a, b)
                          : BitmapPlies<Rows, std::uint16_t>::memory(layout_, a, b);
    }

  private:
    template <class Plies>
    bool run(Loops& loops, PliesTask<Plies>& task, Interrupt& interrupt) {
        BitmapPlies<Rows, Plies> solver(layout_, loops, task.a, task.b, task.plies, task.seconds_to_follow, interrupt);
        for (int side = 0; side < 2; ++side) solver.seed(side, task.more(side));
        if (!solver.solve()) return false;
        if (interrupt.asked()) return true;
        for (int plane = 0; plane < task.plane_count(); ++plane) {
            task.histograms[plane].assign(std::size_t{1} << 16, 0);
            solver.finish(plane, task.outcomes[plane], task.histograms[plane].data());
        }
        return true;
    }

    const Layout& layout_;
};

}  // namespace inarow::quixo
