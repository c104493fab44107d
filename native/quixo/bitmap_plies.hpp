// Solves one pair of classes with plies, as bitmaps: what is decided in round i has i plies.
//
// As in bitmap_solver.hpp a block has a bitmap of the words won and one of those lost, and a move permutes a whole
// bitmap at once. But here rounds are strict: round i sees what was decided up to round i-1, and nothing of round i.
// Plane 1 is visited after plane 0 in a round, so what plane 0 decides is held back until plane 1 is done: an entry
// that is held back is marked in the bitmap of wins, at the word with its lowest bit flipped, which is not the place of
// an entry.
//
//   seed       lines on the board (0 plies). From the children that have a new mark: a lost one makes a win, due a ply
//              after it; if all are won, a loss is possible, not before a ply after the last of them
//   round i    won if a child was lost in round i-1, or if a win is due; lost if every child is won by round i-1
//   the rest   drawn
//
// A block is visited in a round if the last one decided something in a block that it leads to. Where that was little,
// it is listed, and only the entries before it are looked at: rounds are many, and most decide little.
//
// Until an entry is decided, its place in the array of plies holds the round in which its win is due, or before which
// it cannot be lost; then perhaps the move that keeps it from being lost.
#pragma once

#include <optional>
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
    BitmapPlies(const Layout& layout, Loops& loops, int a, int b, Plies* const (&plies)[2], Interrupt& interrupt)
        : Blocks(layout, a, b, interrupt),
          loops_(loops),
          ranks_(board_.cells() - a, b),
          words_(words(board_.cells() - a, b)) {
        prepare(loops);
        if (a == b) mirrored_ = make_huge<Plies>(layout.plane_entries(a, b));
        planes_[0].plies = plies[0];
        planes_[1].plies = a == b ? mirrored_.get() : plies[1];
        for (int i = 0; i < loops.threads(); ++i) {
            scratch_.push_back(std::make_unique<PliesScratch>(shape_.rows));
            scratch_.back()->thread = static_cast<std::uint32_t>(i);
        }
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
            seed_from(side, more);
        }
    }

    // Returns false if there are more plies than can be held.
    bool solve() {
        for (int round = 1;; ++round) {
            if (std::max(round, last_due_.load()) > max_plies) return false;
            for (auto& scratch : scratch_) scratch->listed[round & 1].clear();
            for_each_block([&](std::size_t i, PliesScratch& scratch) { visit(0, i, round, scratch); });
            for_each_block([&](std::size_t i, PliesScratch& scratch) { visit(1, i, round, scratch); });
            for_each_block([&](std::size_t i, PliesScratch&) { publish(i, round); });
            if (interrupt_.asked() || (changed_.load() < round && round >= last_due_.load())) return true;
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
        const std::size_t steps = layout.blocks(a).size() * (layout.board().moves().size() * 12 + 3 * Blocks::stride);
        const std::size_t mirrored = a == b ? layout.plane_entries(a, b) * sizeof(Plies) : 0;
        const std::size_t lists =
            2 * (layout.blocks(a).size() * 2 * sizeof(List) + most_listed * sizeof(std::uint32_t));
        return 4 * bitmap(a) + std::max(larger, smaller) + steps + mirrored + lists;
    }

  private:
    using Blocks::a_, Blocks::b_, Blocks::before_, Blocks::blocks_, Blocks::board_, Blocks::grown_, Blocks::interrupt_,
        Blocks::layout_, Blocks::members_, Blocks::moves_, Blocks::same_, Blocks::shape_;
    using Blocks::any, Blocks::axes, Blocks::chunk, Blocks::count, Blocks::few, Blocks::fill, Blocks::flipped,
        Blocks::free_of, Blocks::has, Blocks::image, Blocks::interrupted, Blocks::is_full, Blocks::is_step,
        Blocks::list, Blocks::prepare, Blocks::put, Blocks::remove_leading, Blocks::room_for, Blocks::rows_with,
        Blocks::taken, Blocks::takes_own, Blocks::words_of;
    using typename Blocks::Bitmaps, typename Blocks::Scratch, typename Blocks::Solved, typename Blocks::Words;

    static constexpr int max_plies = sizeof(Plies) == 1 ? 254 - max_moves : 16000;
    // From here on, in place of plies: the number of a move, see `find_losses`. One less means more than can be held.
    static constexpr int first_move = max_plies + 2;
    static constexpr std::uint16_t never = 0xffff;  // in place of the round in which a block changed

    // What a round decided in a block, if it is little: wins, then losses, in the list of the thread that found them.
    struct List {
        std::uint32_t thread = 0, first = 0, wins = 0, losses = 0;
    };
    static constexpr std::uint32_t not_listed = 1 << 24;  // in place of a number of words
    static constexpr std::size_t most_listed = 1 << 26;   // words in the lists of all threads

    struct Plane : Bitmaps {
        Plies* plies = nullptr;
        std::vector<std::uint64_t> due_wins, due_losses;  // rounds, modulo 64, in which a seed falls due
        std::vector<std::uint8_t> held;                   // what a round decided that is not published yet
        std::vector<std::uint32_t> left;                  // undecided entries
        std::vector<std::uint32_t> unseeded;              // while seeding: those that may be lost, from some round on
        std::vector<List> lists[2];                       // of even and of odd rounds

        void resize(std::size_t blocks, std::size_t rows) {
            Bitmaps::resize(blocks, rows);
            for (auto* stamps : {&this->won_at, &this->lost_at}) stamps->assign(blocks, never);
            for (auto* due : {&due_wins, &due_losses}) due->assign(blocks, 0);
            held.assign(blocks, 0);
            left.assign(blocks, 0);
            unseeded.assign(blocks, 0);
            for (auto& of_rounds : lists) of_rounds.resize(blocks);
            // Nobody has listed the lines on the board.
            for (List& list : lists[0]) list.wins = list.losses = not_listed;
        }
    };
    static constexpr std::uint8_t held_wins = 1, held_losses = 2;

    struct alignas(64) PliesScratch : Scratch {
        explicit PliesScratch(std::size_t rows) : Scratch(rows), gained(rows) {}
        RowArray gained;
        std::uint32_t thread = 0;
        std::vector<std::uint32_t> wins, losses;  // of a block, in a round
        std::vector<std::uint32_t> listed[2];     // words that even and odd rounds decided
        std::uint32_t images[3][1 << 9];
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

    static constexpr int rows_for_tables = 4;           // where a block has so many, tables of images pay
    static constexpr std::uint32_t read_together = 32;  // entries; 64 words have at most 20, those with 3 of 6 bits

    // Which of the next entries have so many plies, or at most so many. Those past the end have none.
    static std::uint32_t with_plies(const StoredPair& all, std::size_t at, std::size_t past, int plies, bool or_fewer) {
        const std::size_t count = std::min<std::size_t>(read_together, past - at);
        if (all.width == 1) {
            const auto* bytes = static_cast<const std::uint8_t*>(all.data) + at;
            std::uint8_t last[read_together] = {};
            if (count < read_together) bytes = std::copy_n(bytes, count, last) - count;
            const auto value = static_cast<std::uint8_t>(plies);
            return or_fewer ? Rows::at_most(bytes, value) : Rows::equal(bytes, value);
        }
        std::uint32_t found = 0;
        for (std::uint32_t n = 0; n < count; ++n) {
            const auto its = static_cast<int>(all[at + n]);
            found |= std::uint32_t{or_fewer ? its <= plies : its == plies} << n;
        }
        return found;
    }

    std::uint32_t due_from(const Plane& plane, std::size_t at, int round, bool or_before) const {
        return with_plies({plane.plies, sizeof(Plies)}, at, blocks_.size() * shape_.entries, round, or_before);
    }

    // Visits the words of the entries of a block whose seeds fall due.
    template <class Visit>
    void each_due(const Plane& plane, std::size_t i, int round, Visit visit) const {
        const std::size_t first = i * shape_.entries;
        for (std::uint32_t rank = 0; rank < shape_.entries; rank += read_together)
            for (std::uint32_t rest = due_from(plane, first + rank, round, false); rest; rest &= rest - 1) {
                const auto due = rank + static_cast<std::uint32_t>(std::countr_zero(rest));
                if (due < shape_.entries) visit(words_[due]);
            }
    }

    // Leaves in a set the entries that fall due in a round, or have done so before.
    void keep_due(const Plane& plane, std::size_t i, int round, bool or_before, Row* entries) const {
        const auto* members = words_of(members_);
        auto* bits = words_of(entries);
        for (int r = 0; r < shape_.rows; ++r) {
            if (!any(entries[r])) continue;
            for (int word = r * 8; word < r * 8 + 8; ++word)
                if (bits[word])
                    bits[word] &= Rows::deposit(
                        due_from(plane, i * shape_.entries + first_rank_[word], round, or_before), members[word]);
        }
    }

    // At least as many as fall due in a round.
    std::size_t count_due(const Plane& plane, std::size_t i, int round) const {
        std::size_t found = 0;
        for (std::uint32_t rank = 0; rank < shape_.entries; rank += read_together)
            found += static_cast<std::size_t>(std::popcount(due_from(plane, i * shape_.entries + rank, round, false)));
        return found;
    }

    // Visits the entries of a set: their rank, and their word.
    template <class Visit>
    void each_entry(const Row* rows, Visit visit) const {
        for (int r = 0; r < shape_.rows; ++r)
            if (any(rows[r])) each_entry_of_row(r, rows[r], visit);
    }
    template <class Visit>
    void each_entry_of_row(int r, const Row& row, Visit visit) const {
        const auto* members = words_of(members_);
        for (int n = 0; n < 8; ++n) {
            const int word = r * 8 + n;
            for (std::uint64_t rest = row[n]; rest; rest &= rest - 1) {
                const int bit = std::countr_zero(rest);
                const int below = std::popcount(members[word] & ((std::uint64_t{1} << bit) - 1));
                visit(first_rank_[word] + below, static_cast<std::uint32_t>(word * 64 + bit));
            }
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
        for (int r = 0; r < shape_.rows; ++r) {
            const Row undecided = members_[r] & ~won[r] & ~lost[r];
            lost[r] |= flipped(undecided);
            plane.left[i] += static_cast<std::uint32_t>(count(undecided));
        }
        plane.open[i] = plane.left[i] > 0;
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

    // From the children with a new mark: a win is due after the least plies of those that are lost, a loss not before
    // the most of those that are won. Plies that many of them have are looked at as bitmaps, the decisive ones first;
    // others are followed one by one. One bitmap at a time: more would take more memory than the rest of the work.
    void seed_from(int side, const PliesPlane& more) {
        const auto [a, b] = side == 0 ? std::pair(a_ + 1, b_) : std::pair(a_, b_ + 1);
        const Ranks<std::uint16_t> ranks(board_.cells() - a, b);
        const std::size_t past = layout_.plane_entries(a, b);
        const auto [most_lost, most_won] = common_plies(more, past);
        const auto fill_with = [&](Solved& solved, int plies) {
            fill(loops_, solved, more.outcomes,
                 [&](std::size_t at) { return with_plies(more.plies, at, past, plies, false); });
        };
        const auto fill_above = [&](Solved& solved, int plies) {
            fill(loops_, solved, more.outcomes,
                 [&](std::size_t at) { return plies < 0 ? ~0u : ~with_plies(more.plies, at, past, plies, true); });
        };
        {
            Solved solved = room_for(a, b, false, true);
            for (int plies = 0; plies <= most_lost; ++plies) {
                fill_with(solved, plies);
                for_each_block(
                    [&](std::size_t i, PliesScratch& scratch) { seed_wins_in(side, i, plies + 1, solved, scratch); });
            }
            fill_above(solved, most_lost);
            for_each_block(
                [&](std::size_t i, PliesScratch& scratch) { seed_wins(side, i, solved, more.plies, ranks, scratch); });
        }
        Solved solved = room_for(a, b, true, false);
        fill(loops_, solved, more.outcomes, Blocks::every_entry);
        for_each_block([&](std::size_t i, PliesScratch& scratch) { find_losable(side, i, solved, scratch); });
        fill_above(solved, most_won);
        for_each_block(
            [&](std::size_t i, PliesScratch& scratch) { seed_losses(side, i, solved, more.plies, ranks, scratch); });
        for (int plies = most_won; plies >= 0; --plies) {
            if (plies > 0) fill_with(solved, plies);
            for_each_block(
                [&](std::size_t i, PliesScratch& scratch) { seed_losses_in(side, i, plies + 1, solved, scratch); });
        }
    }

    // The most plies of a loss, and of a win, that so many entries of a plane have that a bitmap of them pays. -1 if no
    // losses have, but 0 if no wins have.
    std::pair<int, int> common_plies(const PliesPlane& plane, std::size_t entries) const {
        constexpr std::size_t runs = 2048, run = 1024;  // of entries that are looked at
        std::vector<std::size_t> counts[4];
        for (auto& of_outcome : counts) of_outcome.resize(max_plies + 2);
        const std::size_t step = std::max(run, entries / runs);
        std::size_t seen = 0;
        for (std::size_t first = 0; first < entries; first += step)
            for (std::size_t at = first; at < std::min(entries, first + run); ++at, ++seen)
                ++counts[plane.outcomes[at / 4] >> at % 4 * 2 & 3][std::min<std::size_t>(plane.plies[at], max_plies)];
        // To permute the bitmaps of a block, and to follow the moves of its entries one by one.
        const double permuting = moves_ * (12.0 + shape_.rows), following = 24.0 * shape_.entries;
        const auto most = [&](packed::Value outcome) {
            int plies = max_plies;
            while (plies >= 0 && counts[outcome][plies] * following < permuting * seen) --plies;
            return plies;
        };
        return {most(packed::loss), std::max(0, most(packed::win))};
    }

    // How the words of a block that have no mark at the taken cell of move k get there, in the plane of the new mark.
    Axes new_mark_axes(int side, std::size_t i, int k, std::uint32_t to) const {
        Axes how = axes(i, k, to, side == 0);
        if (side == 1) how.flipped = taken(i, k);
        return how;
    }

    // Moves from one set of entries to another those that a new mark leads from to a win, or to a loss, that `solved`
    // has. Returns how many are left.
    int take_leading(int side, std::size_t i, const Solved& solved, bool to_wins, Row* open, Row* found, int left,
                     PliesScratch& scratch) const {
        const auto& has_any = to_wins ? solved.has_win : solved.has_loss;
        const RowArray& set = to_wins ? solved.won : solved.lost;
        Row* moved = scratch.moved[0];
        for (int k = 0; k < moves_ && left > 0; ++k) {
            if (takes_own(i, k)) continue;
            const std::uint32_t to = side == 0 ? grown_[i * moves_ + k] : same_[i * moves_ + k];
            const std::size_t child = to >> 3;
            if (!has_any[child]) continue;
            typename Rows::Permutation{new_mark_axes(side, i, k, to)}(set[child * solved.shape.rows], moved);
            rows_with(shape_.rows, taken(i, k), false, [&](int r, const Row& places) {
                const Row more = moved[r] & open[r] & places;
                if (!any(more)) return;
                found[r] |= more;
                open[r] ^= more;
                left -= count(more);
            });
        }
        return left;
    }

    // Wins by the children that `solved` has, all of which are lost in as many plies.
    void seed_wins_in(int side, std::size_t i, int round, const Solved& solved, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        if (!plane.open[i]) return;
        Row *open = scratch.undecided[0], *found = scratch.gained[0];
        int left = 0;
        for (int r = 0; r < shape_.rows; ++r) {
            open[r] = losable_in(plane, i, r);
            found[r] = Row{};
            left += count(open[r]);
        }
        if (take_leading(side, i, solved, false, open, found, left, scratch) == left) return;
        for (int r = 0; r < shape_.rows; ++r) forbid_loss(plane, i, r, found[r]);
        set_plies(plane, i, round, found, nullptr);
        note_due(plane.due_wins[i], round);
    }

    // Wins by the children that are lost in more plies than many are: those that `solved` has.
    void seed_wins(int side, std::size_t i, const Solved& solved, const StoredPair& more,
                   const Ranks<std::uint16_t>& ranks, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        if (!plane.open[i]) return;
        Plies* plies = plane.plies + i * shape_.entries;
        Row *open = scratch.undecided[0], *seeded = scratch.gained[0];
        // Those whose earliest possible win is not known yet.
        for (int r = 0; r < shape_.rows; ++r) open[r] = seeded[r] = losable_in(plane, i, r);
        follow_new_marks(
            side, i, solved, false, open, more, ranks, scratch,
            // Whatever happens to them, they are no losses.
            [&](int r, const Row& found) { forbid_loss(plane, i, r, found); },
            [&](std::uint32_t rank, std::uint32_t word, int round) {
                if (plies[rank] == 0 || round < plies[rank]) plies[rank] = clamped(round);
                if (round == 1) words_of(open)[word / 64] &= ~(std::uint64_t{1} << word % 64);
            });
        for (int r = 0; r < shape_.rows; ++r) seeded[r] &= ~losable_in(plane, i, r);
        note_seeds(plane.due_wins[i], plies, seeded);
    }

    // Leaves as losable the entries all of whose children with a new mark are won.
    void find_losable(int side, std::size_t i, const Solved& solved, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        if (!plane.open[i]) return;
        Row *losable = scratch.may_lose[0], *moved = scratch.moved[0];
        int left = 0;
        for (int r = 0; r < shape_.rows; ++r) {
            losable[r] = losable_in(plane, i, r);
            left += count(losable[r]);
        }
        for (int k = 0; k < moves_ && left > 0; ++k) {
            if (takes_own(i, k)) continue;
            const std::uint32_t to = side == 0 ? grown_[i * moves_ + k] : same_[i * moves_ + k];
            const std::size_t child = to >> 3;
            if (solved.all_won[child]) continue;
            typename Rows::Permutation{new_mark_axes(side, i, k, to)}(solved.won[child * solved.shape.rows], moved);
            rows_with(shape_.rows, taken(i, k), false, [&](int r, const Row& places) {
                const Row not_won = losable[r] & ~moved[r] & places;
                if (!any(not_won)) return;
                losable[r] ^= not_won;
                left -= count(not_won);
            });
        }
        for (int r = 0; r < shape_.rows; ++r) forbid_loss(plane, i, r, losable_in(plane, i, r) & ~losable[r]);
        plane.unseeded[i] = static_cast<std::uint32_t>(left);
    }

    // The losable entries of which it is not known yet from which round on they may be lost.
    void list_unseeded(const Plane& plane, std::size_t i, Row* to) const {
        for (int r = 0; r < shape_.rows; ++r) to[r] = losable_in(plane, i, r);
        keep_due(plane, i, 0, true, to);
    }

    // Losses from a round on, by the children that `solved` has, all of which are won in as many plies; in round 1
    // without looking: by children that are won already, or without any.
    void seed_losses_in(int side, std::size_t i, int round, const Solved& solved, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        if (!plane.open[i] || plane.unseeded[i] == 0) return;
        Row *open = scratch.may_lose[0], *found = scratch.gained[0];
        list_unseeded(plane, i, open);
        if (round > 1) {
            std::memset(found, 0, sizeof(Row) * shape_.rows);
            const auto before = static_cast<int>(plane.unseeded[i]);
            const int left = take_leading(side, i, solved, true, open, found, before, scratch);
            if (left == before) return;
            plane.unseeded[i] = static_cast<std::uint32_t>(left);
        }
        set_plies(plane, i, round, round > 1 ? found : open, nullptr);
        note_due(plane.due_losses[i], round);
    }

    // Losses from the children that are won in more plies than many are: those that `solved` has.
    void seed_losses(int side, std::size_t i, const Solved& solved, const StoredPair& more,
                     const Ranks<std::uint16_t>& ranks, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        if (!plane.open[i] || plane.unseeded[i] == 0) return;
        Plies* plies = plane.plies + i * shape_.entries;
        Row *open = scratch.undecided[0], *seeded = scratch.gained[0];
        for (int r = 0; r < shape_.rows; ++r) {
            open[r] = losable_in(plane, i, r);
            seeded[r] = Row{};
        }
        follow_new_marks(
            side, i, solved, true, open, more, ranks, scratch, [&](int r, const Row& found) { seeded[r] |= found; },
            [&](std::uint32_t rank, std::uint32_t, int round) {
                if (round > plies[rank]) plies[rank] = clamped(round);
            });
        note_seeds(plane.due_losses[i], plies, seeded);
        for (int r = 0; r < shape_.rows; ++r) plane.unseeded[i] -= static_cast<std::uint32_t>(count(seeded[r]));
    }

    // Visits the entries of a set that a new mark leads from to a win, or to a loss, that `solved` has: by rows, and
    // then one by one with the round that this is a seed for.
    template <class VisitRow, class Visit>
    void follow_new_marks(int side, std::size_t i, const Solved& solved, bool to_wins, const Row* open,
                          const StoredPair& more, const Ranks<std::uint16_t>& ranks, PliesScratch& scratch,
                          VisitRow visit_row, Visit visit) const {
        const auto& has_any = to_wins ? solved.has_win : solved.has_loss;
        const RowArray& set = to_wins ? solved.won : solved.lost;
        Row* moved = scratch.moved[0];
        for (int k = 0; k < moves_; ++k) {
            if (takes_own(i, k)) continue;
            const std::uint32_t to = side == 0 ? grown_[i * moves_ + k] : same_[i * moves_ + k];
            const std::size_t child = to >> 3;
            if (!has_any[child]) continue;
            const int cell = taken(i, k);
            const Axes how = new_mark_axes(side, i, k, to);
            typename Rows::Permutation{how}(set[child * solved.shape.rows], moved);
            const std::size_t first = child * solved.shape.entries;
            const std::uint32_t added = side == 1 ? 1u << cell : 0;
            const auto follow = [&](const auto& image, int r, const Row& found) {
                visit_row(r, found);
                each_entry_of_row(r, found, [&](std::uint32_t rank, std::uint32_t word) {
                    const std::uint32_t there = image(word | added);
                    const auto entry = first + ranks.rank(split_word<std::uint16_t>(there, solved.shape.m));
                    visit(rank, word, static_cast<int>(more[entry]) + 1);
                });
            };
            std::optional<Images> images;
            rows_with(shape_.rows, cell, false, [&](int r, const Row& places) {
                const Row found = moved[r] & open[r] & places;
                if (!any(found)) return;
                if (shape_.rows < rows_for_tables)
                    return follow([&](std::uint32_t word) { return image(how, word); }, r, found);
                if (!images) images.emplace(how, shape_.m, scratch);
                follow(*images, r, found);
            });
        }
    }

    // Notes when the seeds of a set of entries fall due.
    void note_seeds(std::uint64_t& due, const Plies* plies, const Row* seeded) {
        int latest = 0;
        std::uint64_t rounds = 0;
        each_entry(seeded, [&](std::uint32_t rank, std::uint32_t) {
            rounds |= std::uint64_t{1} << (plies[rank] & 63);
            latest = std::max(latest, int{plies[rank]});
        });
        if (latest > 0) note_due(due, latest);
        due |= rounds;
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
            std::size_t block, entry;
            std::uint32_t there;
        } batch[32];
        int size = 0, latest_win = 0, latest_loss = 0;
        std::uint64_t due_wins = 0, due_losses = 0;
        const auto look_up = [&] {
            for (At& at : std::span(batch, size)) {
                const auto [block, symmetry] = layout_.canonical(at.smaller);
                at.block = block;
                at.there = static_cast<std::uint32_t>(Rows::extract(board_.image(symmetry, larger), free_of(block)));
                at.entry = block * shape_.entries + ranks_.rank(split_word<std::uint16_t>(at.there, shape_.m));
                __builtin_prefetch(words_of(other.lost[at.block * shape_.rows]) + at.there / 64);
                __builtin_prefetch(other.plies + at.entry);
            }
            for (const At& at : std::span(batch, size)) {
                const Plies seed = other.plies[at.entry];
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
            batch[size] = {rank, word, static_cast<Mask>(Rows::deposit(word, free)), 0, 0, 0};
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

    // The moves of a block to blocks in which the last round decided something.
    struct Steps {
        std::uint8_t to_losses[max_moves], to_wins[max_moves];
        int losing = 0, winning = 0;
        std::size_t won = 0;  // words that the last round decided as wins there
    };

    void visit(int side, std::size_t i, int round, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        const bool due_wins = plane.due_wins[i] >> (round & 63) & 1,
                   due_losses = plane.due_losses[i] >> (round & 63) & 1;
        auto& due = plane.due[i];
        if (!plane.open[i] || (!due_wins && !due_losses && !due.load(std::memory_order_relaxed))) return;
        due.store(false, std::memory_order_relaxed);
        const Plane& children = planes_[1 - side];
        const std::vector<List>& lists = children.lists[(round - 1) & 1];
        Steps steps;
        for (int k = 0; k < moves_; ++k) {
            if (!is_step(side, i, k)) continue;
            const std::size_t child = same_[i * moves_ + k] >> 3;
            const bool lost = children.lost_at[child] == round - 1, won = children.won_at[child] == round - 1;
            if (!lost && !won) continue;
            const List& list = lists[child];
            __builtin_prefetch(scratch_[list.thread]->listed[(round - 1) & 1].data() + list.first);
            if (lost) steps.to_losses[steps.losing++] = static_cast<std::uint8_t>(k);
            if (won) {
                steps.to_wins[steps.winning++] = static_cast<std::uint8_t>(k);
                steps.won += list.wins;
            }
        }
        scratch.wins.clear();
        scratch.losses.clear();
        std::size_t wins = 0, losses = 0;
        if (steps.losing > 0 || due_wins) wins = find_wins(side, i, round, steps, due_wins, scratch);
        if (wins < plane.left[i] && (steps.winning > 0 || due_losses))
            losses = find_losses(side, i, round, steps, due_losses, scratch);
        if (wins + losses > 0) decided(side, i, round, wins, losses, scratch);
    }

    // To permute a bitmap takes about as long as to follow so many words.
    std::size_t few_words() const { return 16 + 3 * static_cast<std::size_t>(shape_.rows) / 2; }

    // What a block has decided in a round is listed for its parents if it is no more than this.
    std::size_t little() const { return 64 + 4 * static_cast<std::size_t>(shape_.rows); }

    // Decides entries that a move leads from to a loss of the last round, or whose win is due. Returns how many.
    std::size_t find_wins(int side, std::size_t i, int round, const Steps& steps, bool due, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        const Plane& children = planes_[1 - side];
        const std::vector<List>& lists = children.lists[(round - 1) & 1];
        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows];
        auto& wins = scratch.wins;
        const auto win = [&](std::uint32_t word) {
            if (!is_open(plane, i, word)) return;
            put(won, side == 0 ? word ^ 1 : word);
            words_of(lost)[word / 64] &= ~(std::uint64_t{1} << (word ^ 1) % 64);
            plies_of(plane, i, word) = static_cast<Plies>(round);
            wins.push_back(word);
        };
        std::size_t unlisted = 0;
        if (due && count_due(plane, i, round) <= little()) {
            each_due(plane, i, round, [&](std::uint32_t word) {
                if (!can_be_lost(plane, i, word)) win(word);
            });
        } else if (due) {
            // Their plies are this round already.
            Row* now = scratch.gained[0];
            for (int r = 0; r < shape_.rows; ++r) now[r] = undecided_in(plane, i, r) & ~flipped(lost[r]);
            keep_due(plane, i, round, false, now);
            for (int r = 0; r < shape_.rows; ++r) {
                unlisted += static_cast<std::size_t>(count(now[r]));
                won[r] |= side == 0 ? flipped(now[r]) : now[r];
            }
            if (unlisted <= little()) {
                list(now, wins);
                unlisted = 0;
            }
        }
        // Where little was lost, the words before it are looked at; to follow one takes as long as to look at some that
        // are listed.
        const std::size_t follow = std::min<std::size_t>(few_words(), 8 + plane.left[i] / 2);
        std::uint8_t dense[max_moves];
        int dense_moves = 0;
        for (int n = 0; n < steps.losing; ++n) {
            const int k = steps.to_losses[n];
            if (lists[same_[i * moves_ + k] >> 3].losses <= follow)
                each_before(side, i, k, round, false, win);
            else
                dense[dense_moves++] = static_cast<std::uint8_t>(k);
        }
        const std::size_t so_far = wins.size() + unlisted;
        int left = static_cast<int>(plane.left[i] - so_far);
        if (dense_moves == 0 || left == 0) return so_far;

        Row *undecided = scratch.undecided[0], *moved = scratch.moved[0], *gained = scratch.gained[0];
        for (int r = 0; r < shape_.rows; ++r) {
            undecided[r] = undecided_in(plane, i, r);
            if (side == 0) undecided[r] &= ~flipped(won[r]);
        }
        std::memset(gained, 0, sizeof(Row) * shape_.rows);
        const int before = left;
        bool listed = false;
        for (int n = 0; n < dense_moves && left > 0; ++n) {
            const int k = dense[n], cell = side == 0 ? -1 : taken(i, k);
            const std::uint32_t to = same_[i * moves_ + k];
            const Axes how = axes(i, k, to, false);
            const Row* there = children.lost[std::size_t{to >> 3} * shape_.rows];
            if (left <= few()) {
                if (!listed) list(undecided, scratch.list);
                listed = true;
                remove_leading(scratch.list, how, cell, there, true, [&](std::uint32_t word) { put(gained, word); });
                left = static_cast<int>(scratch.list.size());
            } else {
                typename Rows::Permutation{how}(there, moved);
                rows_with(shape_.rows, cell, true, [&](int r, const Row& places) {
                    const Row more = moved[r] & undecided[r] & places;
                    if (!any(more)) return;
                    gained[r] |= more;
                    undecided[r] ^= more;
                    left -= count(more);
                });
            }
        }
        if (left == before) return so_far;
        const std::size_t all = so_far + static_cast<std::size_t>(before - left);
        set_plies(plane, i, round, gained, all <= little() ? &wins : nullptr);
        for (int r = 0; r < shape_.rows; ++r) {
            forbid_loss(plane, i, r, gained[r]);
            won[r] |= side == 0 ? flipped(gained[r]) : gained[r];
        }
        return all;
    }

    // Decides entries all of whose children are won by the last round, and due to be lost. Returns how many.
    std::size_t find_losses(int side, std::size_t i, int round, const Steps& steps, bool due, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows];
        auto& losses = scratch.losses;
        // The words before a win are looked at with all their moves, until one refutes them; of those that fall due
        // few are refuted.
        const std::size_t words = steps.won + (due ? 2 * count_due(plane, i, round) : 0);
        if (words <= 4 * few_words()) {
            // A move that refutes an entry is kept in place of its plies, once it is due: it is looked at again when
            // the position after that move is won, and not after any other.
            const auto lose = [&](std::uint32_t word, int made) {
                if (!is_open(plane, i, word) || !can_be_lost(plane, i, word)) return;
                Plies& plies = plies_of(plane, i, word);
                if (plies < first_move ? plies > round : plies != first_move + made) return;
                if (const int refuting = refuting_move(side, i, word); refuting >= 0) {
                    plies = static_cast<Plies>(first_move + refuting);
                    return;
                }
                put(side == 0 ? won : lost, side == 0 ? word ^ 1 : word);
                plies = static_cast<Plies>(round);
                losses.push_back(word);
            };
            if (due) each_due(plane, i, round, [&](std::uint32_t word) { lose(word, -1); });
            for (int n = 0; n < steps.winning; ++n) {
                const int k = steps.to_wins[n];
                each_before(side, i, k, round, true, [&](std::uint32_t word) { lose(word, k); });
            }
            return losses.size();
        }
        // All are looked at, whatever refuted them before.
        const std::span<Plies> plies(plane.plies + i * shape_.entries, shape_.entries);
        for (Plies& its : plies) its = its < first_move ? its : Plies{1};
        Row* may_lose = scratch.may_lose[0];
        for (int r = 0; r < shape_.rows; ++r) may_lose[r] = losable_in(plane, i, r);
        keep_due(plane, i, round, true, may_lose);
        if (!Blocks::find_losses(side, i, plane, planes_[1 - side], scratch)) return 0;
        std::size_t all = 0;
        for (int r = 0; r < shape_.rows; ++r) all += static_cast<std::size_t>(count(may_lose[r]));
        set_plies(plane, i, round, may_lose, all <= little() ? &losses : nullptr);
        for (int r = 0; r < shape_.rows; ++r) {
            if (side == 0)
                won[r] |= flipped(may_lose[r]);
            else
                lost[r] |= may_lose[r];
        }
        return all;
    }

    // Sets the plies of a set of entries, and lists their words, if there is a list.
    void set_plies(Plane& plane, std::size_t i, int round, const Row* rows, std::vector<std::uint32_t>* words) const {
        Plies* plies = plane.plies + i * shape_.entries;
        each_entry(rows, [&](std::uint32_t rank, std::uint32_t word) {
            plies[rank] = static_cast<Plies>(round);
            if (words) words->push_back(word);
        });
    }

    // Visits the words before those that the last round decided in the block that move k leads to.
    template <class Visit>
    void each_before(int side, std::size_t i, int k, int round, bool won, Visit visit) const {
        const std::uint32_t to = same_[i * moves_ + k];
        const List& list = planes_[1 - side].lists[(round - 1) & 1][to >> 3];
        const std::uint32_t* words = scratch_[list.thread]->listed[(round - 1) & 1].data() + list.first;
        if (!won) words += list.wins;
        const std::size_t count = won ? list.wins : list.losses;
        const Axes how = axes(i, k, to, false);
        const int cell = side == 0 ? -1 : taken(i, k);
        constexpr std::size_t batch = sizeof(Words) / sizeof(std::uint32_t);
        for (std::size_t first = 0; first < count; first += batch) {
            const std::size_t size = std::min(batch, count - first);
            Words there{}, before{};
            std::memcpy(&there, words + first, size * sizeof(std::uint32_t));
            for (int j = 0; j < shape_.m; ++j) before |= (there >> how.from[j] & 1) << j;
            for (std::size_t n = 0; n < size; ++n)
                if (cell < 0 || before[n] >> cell & 1) visit(before[n]);
        }
    }

    // Notes what a round decided in a block, and lists it if it is little and the thread has not listed much already.
    void decided(int side, std::size_t i, int round, std::size_t wins, std::size_t losses, PliesScratch& scratch) {
        Plane& plane = planes_[side];
        plane.left[i] -= static_cast<std::uint32_t>(wins + losses);
        plane.open[i] = plane.left[i] > 0;
        note_change(round);
        if (side == 0)
            plane.held[i] = static_cast<std::uint8_t>((wins ? held_wins : 0) | (losses ? held_losses : 0));
        else
            changed(1, i, wins > 0, losses > 0, round);
        auto& listed = scratch.listed[round & 1];
        List& list = plane.lists[round & 1][i];
        list = {scratch.thread, static_cast<std::uint32_t>(listed.size()), not_listed, not_listed};
        if (std::max(wins, losses) > little() || listed.size() + wins + losses > most_listed / scratch_.size()) return;
        list.wins = static_cast<std::uint32_t>(wins);
        list.losses = static_cast<std::uint32_t>(losses);
        for (const auto* words : {&scratch.wins, &scratch.losses})
            listed.insert(listed.end(), words->begin(), words->end());
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

    // Neither decided nor, in plane 0, held back.
    bool is_open(const Plane& plane, std::size_t block, std::uint32_t word) const {
        const std::size_t at = block * shape_.rows;
        return !has(plane.won[at], word) && !has(plane.lost[at], word) && !has(plane.won[at], word ^ 1);
    }

    bool can_be_lost(const Plane& plane, std::size_t block, std::uint32_t word) const {
        return has(plane.lost[block * shape_.rows], word ^ 1);
    }

    Plies& plies_of(const Plane& plane, std::size_t block, std::uint32_t word) const {
        return plane.plies[block * shape_.entries + ranks_.rank(split_word<std::uint16_t>(word, shape_.m))];
    }

    // A move without a new mark after which an entry is not won; -1 if there is none.
    int refuting_move(int side, std::size_t i, std::uint32_t word) const {
        const Plane& children = planes_[1 - side];
        const auto smaller = static_cast<Mask>(Rows::deposit(word, free_of(i)));
        const Mask mover = side == 0 ? blocks_[i] : smaller;
        const int likely = planes_[side].refuting[i];
        for (int n = 0; n < moves_; ++n) {
            const int k = n == 0 ? likely : n <= likely ? n - 1 : n;
            const Move& move = board_.moves()[k];
            if (!(mover >> move.taken & 1)) continue;
            const std::uint32_t to = same_[i * moves_ + k];
            const Mask there = board_.image(static_cast<int>(to & 7), move.apply(smaller));
            const auto child = static_cast<std::uint32_t>(Rows::extract(there, free_of(to >> 3)));
            if (!has(children.won[std::size_t{to >> 3} * shape_.rows], child)) return k;
        }
        return -1;
    }

    Loops& loops_;
    const Ranks<std::uint16_t> ranks_;
    const std::vector<Mask> words_;          // by rank
    std::vector<std::uint32_t> first_rank_;  // of the entries in each 64-bit word of a bitmap
    HugeArray<Plies> mirrored_;              // plane 1 of a pair that stores only plane 0
    Plane planes_[2];
    std::vector<std::unique_ptr<PliesScratch>> scratch_;
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
        BitmapPlies<Rows, Plies> solver(layout_, loops, task.a, task.b, task.plies, interrupt);
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
