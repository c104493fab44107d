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

#include "bitmap_blocks.hpp"
#include "seed_codes.hpp"

namespace inarow::quixo {

template <class Rows, class Plies>
class BitmapPlies : BitmapBlocks<Rows> {
    using Blocks = BitmapBlocks<Rows>;

  public:
    // `planes` have room for the plies.
    BitmapPlies(const Layout& layout, Loops& loops, int a, int b, std::span<SolvedPlane> planes, Interrupt& interrupt)
        : Blocks(layout, loops, a, b, interrupt), ranks_(board_.cells() - a, b), words_(words(board_.cells() - a, b)) {
        if (a == b) mirrored_ = make_huge<Plies>(layout.plane_entries(a, b));
        for (int side = 0; side < 2; ++side)
            planes_[side].plies =
                side == 1 && a == b ? mirrored_.get() : reinterpret_cast<Plies*>(planes[side].plies.get());
        std::uint32_t rank = 0;
        for (int word = 0; word < shape_.rows * 8; ++word) {
            first_rank_.push_back(rank);
            rank += std::popcount(words_of(members_)[word]);
        }
    }

    // Seeds the plane of one side, plane 0 first, from the plane that its new marks lead to.
    void seed(int side, const StoredPlane& more) {
        planes_[side].resize(blocks_.size(), shape_.rows);
        for_each_block([&](std::size_t i, Scratch&) { decide_over(side, i); });
        if (side == 1 && a_ == b_) {
            for_each_block([&](std::size_t i, Scratch& scratch) { mirror_seeds(i, scratch); });
        } else if (is_full()) {
            for_each_block([&](std::size_t i, Scratch& scratch) { seed_full(side, i, scratch); });
        } else {
            seed_from(side, more);
        }
    }

    // Returns false if there are more plies than can be held.
    bool solve() {
        for (int round = 1;; ++round) {
            if (std::max(round, last_due_.load()) > max_plies) return false;
            for (auto& scratch : scratch_) scratch->listed[round & 1].clear();
            for_each_block([&](std::size_t i, Scratch& scratch) { visit(0, i, round, scratch); });
            for_each_block([&](std::size_t i, Scratch& scratch) { visit(1, i, round, scratch); });
            for_each_block([&](std::size_t i, Scratch&) { publish(i, round); });
            if (interrupt_.asked() || (changed_.load() < round && round >= last_due_.load())) return true;
        }
    }

    // Packs the outcomes of a plane, clears the plies of its draws, and counts its positions by their entries of two
    // bytes.
    void finish(int side, SolvedPlane& to) {
        Plane& plane = planes_[side];
        Blocks::pack(plane, to.outcomes.get());
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
        auto& histogram = to.histogram;
        histogram.assign(std::size_t{1} << 16, 0);
        for (const auto& of_thread : counts) {
            for (int plies = 0; plies <= max_plies; ++plies) {
                histogram[V::loss(plies)] += of_thread[2 * plies];
                histogram[V::win(plies)] += of_thread[2 * plies + 1];
            }
            histogram[V::draw] += of_thread.back();
        }
    }

    static std::size_t memory(const Layout& layout, int a, int b) {
        const std::size_t mirrored = a == b ? layout.plane_entries(a, b) * sizeof(Plies) : 0;
        const std::size_t lists =
            2 * (layout.blocks(a).size() * 2 * sizeof(List) + most_listed * sizeof(std::uint32_t));
        return Blocks::memory(layout, a, b, 1) + mirrored + lists;
    }

  private:
    using Blocks::a_, Blocks::b_, Blocks::blocks_, Blocks::board_, Blocks::interrupt_, Blocks::layout_, Blocks::loops_,
        Blocks::members_, Blocks::moves_, Blocks::same_, Blocks::scratch_, Blocks::shape_;
    using Blocks::any, Blocks::axes, Blocks::chunk, Blocks::count, Blocks::few, Blocks::flipped, Blocks::for_each_block,
        Blocks::free_of, Blocks::grown_axes, Blocks::grown_to, Blocks::has, Blocks::is_full, Blocks::is_step,
        Blocks::list, Blocks::prefetch, Blocks::put, Blocks::remove_leading, Blocks::rows_with, Blocks::steps_of,
        Blocks::taken, Blocks::takes_own, Blocks::words_of;
    using typename Blocks::Bitmaps, typename Blocks::Row, typename Blocks::RowArray, typename Blocks::Scratch,
        typename Blocks::Solved, typename Blocks::Words;

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
        std::vector<std::uint8_t> held;                   // news of a round that is not published yet
        std::vector<std::uint32_t> left, losable;         // undecided entries, and those of them that may be lost
        std::vector<List> lists[2];                       // of even and of odd rounds

        void resize(std::size_t blocks, std::size_t rows) {
            Bitmaps::resize(blocks, rows);
            for (auto* stamps : {&this->won_at, &this->lost_at}) stamps->assign(blocks, never);
            for (auto* due : {&due_wins, &due_losses}) due->assign(blocks, 0);
            held.assign(blocks, 0);
            for (auto* counts : {&left, &losable}) counts->assign(blocks, 0);
            for (auto& of_rounds : lists) of_rounds.resize(blocks);
            // Nobody has listed the lines on the board.
            for (List& list : lists[0]) list.wins = list.losses = not_listed;
        }
    };
    // What a round may decide in a block. For losses wait all undecided entries of the blocks before it, for wins those
    // that may be lost.
    static constexpr std::uint8_t new_losses = 1, new_wins = 2;

    static constexpr std::uint32_t read_together = 32;  // entries; 64 words have at most 20, those with 3 of 6 bits

    // Which of the next entries have a round in place of their plies, or at most that. Those past the end have none.
    std::uint32_t due_from(const Plane& plane, std::size_t at, int round, bool or_before) const {
        const std::size_t count = std::min<std::size_t>(read_together, blocks_.size() * shape_.entries - at);
        const Plies* plies = plane.plies + at;
        if constexpr (sizeof(Plies) == 1) {
            std::uint8_t last[read_together] = {};
            if (count < read_together) plies = std::copy_n(plies, count, last) - count;
            const auto value = static_cast<std::uint8_t>(round);
            return or_before ? Rows::at_most(plies, value) : Rows::equal(plies, value);
        } else {
            std::uint32_t found = 0;
            for (std::uint32_t n = 0; n < count; ++n)
                found |= std::uint32_t{or_before ? plies[n] <= round : plies[n] == round} << n;
            return found;
        }
    }

    // Leaves in a set the entries that fall due in a round; or that are due by then and may be lost.
    void keep_due(const Plane& plane, std::size_t i, int round, bool or_before, Row* entries) const {
        const auto* members = words_of(members_);
        auto* bits = words_of(entries);
        for (int r = 0; r < shape_.rows; ++r) {
            if (!any(entries[r])) continue;
            for (int word = r * 8; word < r * 8 + 8; ++word) {
                if (!bits[word]) continue;
                const std::size_t at = i * shape_.entries + first_rank_[word];
                std::uint32_t due = due_from(plane, at, round, or_before);
                if (or_before) due |= ~due_from(plane, at, first_move - 1, true);
                bits[word] &= Rows::deposit(due, members[word]);
            }
        }
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
        plane.losable[i] = plane.left[i];
        note_open(plane, i);
        plane.due[i].store(plane.open[i], std::memory_order_relaxed);
    }

    static void note_open(Plane& plane, std::size_t i) {
        plane.open[i] =
            static_cast<std::uint8_t>((plane.left[i] > 0 ? new_losses : 0) | (plane.losable[i] > 0 ? new_wins : 0));
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
    void seed_full(int side, std::size_t i, Scratch& scratch) {
        Plane& plane = planes_[side];
        if (!plane.open[i]) return;
        Plies* plies = plane.plies + i * shape_.entries;
        Row* losable = scratch.may_lose[0];
        for (int r = 0; r < shape_.rows; ++r) losable[r] = losable_in(plane, i, r);
        each_entry(losable, [&](std::uint32_t rank, std::uint32_t) { plies[rank] = 1; });
        plane.due_losses[i] = 2;  // a bit for round 1
        note_last(1);
    }

    void note_last(int round) {
        int known = last_due_.load(std::memory_order_relaxed);
        while (known < round && !last_due_.compare_exchange_weak(known, round, std::memory_order_relaxed)) {
        }
    }

    // From the children with a new mark: a win is due after the least plies of those that are lost, a loss not before
    // the most of those that are won. That is the least of their codes (seed_codes.hpp), which are permuted as bitmaps
    // are, with eight bits for a word instead of one.
    void seed_from(int side, const StoredPlane& more) {
        const auto [a, b] = side == 0 ? std::pair(a_ + 1, b_) : std::pair(a_, b_ + 1);
        const std::size_t past = layout_.plane_entries(a, b);
        Solved solved = Blocks::room_for(a, b, false);
        const Shape& children = solved.shape;
        const std::vector<Mask> child_words = words(children.m, b);
        Blocks::fill(solved, more.outcomes);
        for_each_block([&](std::size_t i, Scratch& scratch) { find_losable(side, i, solved, scratch); });
        solved.won = RowArray();
        for (auto& scratch : scratch_) {
            scratch->codes = RowArray((children.entries + read_together) / sizeof(Row) + 1);
            scratch->placed = RowArray(row_count(children.m + byte_axes));
            for (RowArray* bytes : {&scratch->shifted, &scratch->least})
                *bytes = RowArray(row_count(shape_.m + byte_axes));
        }
        constexpr std::size_t part = std::size_t{1} << 20;
        std::vector<PliesSeen<Rows>> seen(loops_.threads());
        loops_.for_each((past + part - 1) / part, 1, [&](std::size_t i, int thread) {
            if (!Blocks::interrupted(thread, shape_)) seen[thread].add(more, i * part, std::min(past, (i + 1) * part));
        });
        for (const auto& other : seen) seen[0].add(other);
        for (const auto& codes : SeedCodes<Rows>::passes(seen[0])) {
            Seed seeds[256];
            for (int code = 0; code < 256; ++code) seeds[code] = codes.seed(static_cast<std::uint8_t>(code));
            for_each_block([&](std::size_t i, Scratch& scratch) {
                if (!find_least_codes(side, i, codes, more, solved, child_words, scratch)) return;
                keep_seeds(side, i, seeds, scratch);
            });
        }
        for (auto& scratch : scratch_)
            for (RowArray* bytes : {&scratch->codes, &scratch->placed, &scratch->shifted, &scratch->least})
                *bytes = RowArray();
        for (std::size_t i = 0; i < blocks_.size(); ++i) note_open(planes_[side], i);
    }

    static constexpr int byte_axes = 3;  // of the bits in a byte, before those of local words

    // Leaves as losable the entries all of whose children with a new mark are won.
    void find_losable(int side, std::size_t i, const Solved& solved, Scratch& scratch) {
        Plane& plane = planes_[side];
        if (!plane.open[i]) return;
        Row *losable = scratch.may_lose[0], *moved = scratch.moved[0];
        for (int r = 0; r < shape_.rows; ++r) losable[r] = losable_in(plane, i, r);
        auto left = static_cast<int>(plane.losable[i]);
        for (int k = 0; k < moves_ && left > 0; ++k) {
            if (takes_own(i, k)) continue;
            const std::size_t child = grown_to(side, i, k) >> 3;
            if (solved.all_won[child]) continue;
            const Axes how = grown_axes(side, i, k);
            typename Rows::Permutation{how}(solved.won[child * solved.shape.rows], moved);
            rows_with(shape_.rows, taken(i, k), false, [&](int r, const Row& places) {
                const Row not_won = losable[r] & ~moved[r] & places;
                if (!any(not_won)) return;
                losable[r] ^= not_won;
                left -= count(not_won);
            });
        }
        for (int r = 0; r < shape_.rows; ++r) forbid_loss(plane, i, r, losable_in(plane, i, r) & ~losable[r]);
        plane.losable[i] = static_cast<std::uint32_t>(left);
    }

    // The least code among the children of each word that have a new mark, if that matters to any: a block where
    // nothing may be lost needs only children that are. Returns whether it does.
    bool find_least_codes(int side, std::size_t i, const SeedCodes<Rows>& codes, const StoredPlane& more,
                          const Solved& solved, const std::vector<Mask>& child_words, Scratch& scratch) const {
        const Shape& children = solved.shape;
        const std::size_t past = solved.has_loss.size() * children.entries;
        if (!planes_[side].open[i]) return false;
        const bool may_lose = planes_[side].losable[i] > 0;
        const int rows = row_count(shape_.m + byte_axes);
        auto* code = reinterpret_cast<std::uint8_t*>(scratch.codes[0]);
        auto* placed = reinterpret_cast<std::uint8_t*>(scratch.placed[0]);
        Row *shifted = scratch.shifted[0], *least = scratch.least[0];
        std::uint8_t marking[max_moves];
        int count = 0;
        for (int k = 0; k < moves_; ++k) {
            marking[count] = static_cast<std::uint8_t>(k);
            count += !takes_own(i, k) && (may_lose || solved.has_loss[grown_to(side, i, k) >> 3]);
        }
        std::memset(least, 255, rows * sizeof(Row));
        for (int n = 0; n < count; ++n) {
            const int k = marking[n];
            if (n + 1 < count) prefetch_entries(more, grown_to(side, i, marking[n + 1]) >> 3, children.entries);
            const std::size_t child = grown_to(side, i, k) >> 3;
            codes.encode(more, child * children.entries, children.entries, past, code);
            Rows::spread(code, children, child_words, placed);
            const int cell = taken(i, k);
            typename Rows::Permutation{axes_of_bytes(side, i, k, children.m)}(scratch.placed[0], shifted);
            // A word that has the taken cell already has no such child.
            if (const int axis = cell + byte_axes; axis < row_axes)
                for (int r = 0; r < rows; ++r) fill_axis(shifted[r], axis);
            rows_with(rows, cell + byte_axes, false, [&](int r, const Row&) { Rows::lower(least[r], shifted[r]); });
        }
        return count > 0 || may_lose;
    }

    // Hints that a block of a solved plane will be needed soon.
    static void prefetch_entries(const StoredPlane& plane, std::size_t block, std::uint32_t entries) {
        constexpr std::size_t line = 64;
        const std::size_t first = block * entries * plane.plies.width, size = entries * plane.plies.width;
        const auto* plies = static_cast<const std::uint8_t*>(plane.plies.data) + first;
        for (std::size_t at = 0; at < size; at += line) __builtin_prefetch(plies + at, 0, 2);
        const std::uint8_t* outcomes = plane.outcomes + block * entries / 4;
        for (std::size_t at = 0; at < entries / 4; at += line) __builtin_prefetch(outcomes + at, 0, 2);
    }

    // Sets the bytes of a row whose words have the bit of an axis.
    static void fill_axis(Row& row, int axis) {
        auto* words = words_of(&row);
        for (int n = 0; n < 8; ++n) words[n] |= axis_words[axis][n];
    }

    // How move k takes bytes of the children with a new mark to the local words of block i.
    Axes axes_of_bytes(int side, std::size_t i, int k, int child_cells) const {
        const Axes words = grown_axes(side, i, k);
        Axes bytes = words;
        bytes.count = std::max(shape_.m + byte_axes, row_axes);
        bytes.source_rows = row_count(child_cells + byte_axes);
        for (int axis = 0; axis < bytes.count; ++axis)
            bytes.from[axis] = static_cast<std::uint8_t>(
                axis < byte_axes || axis >= shape_.m + byte_axes ? axis : words.from[axis - byte_axes] + byte_axes);
        for (int* axis : {&bytes.chosen, &bytes.flipped})
            if (*axis >= 0) *axis += byte_axes;
        return bytes;
    }

    // Keeps the seeds of the entries that have none yet.
    void keep_seeds(int side, std::size_t i, const Seed (&seeds)[256], Scratch& scratch) {
        Plane& plane = planes_[side];
        Plies* plies = plane.plies + i * shape_.entries;
        const auto* least = reinterpret_cast<const std::uint8_t*>(scratch.least[0]);
        Row* undecided = scratch.undecided[0];
        for (int r = 0; r < shape_.rows; ++r) undecided[r] = undecided_in(plane, i, r);
        int latest = 0;
        std::uint64_t due[2] = {};
        each_entry(undecided, [&](std::uint32_t rank, std::uint32_t word) {
            const auto [kind, round] = seeds[least[word]];
            if (kind != SeedKind::win && (kind != SeedKind::loss || !can_be_lost(plane, i, word))) return;
            if (plies[rank] > 0) return;
            plies[rank] = clamped(round);
            due[kind == SeedKind::loss] |= std::uint64_t{1} << (round & 63);
            latest = std::max(latest, round);
        });
        plane.due_wins[i] |= due[0];
        plane.due_losses[i] |= due[1];
        note_last(latest);
    }

    // More plies than can be held stay that many: the solver then gives up.
    static Plies clamped(int round) { return static_cast<Plies>(std::min(round, max_plies + 1)); }

    void mirror_seeds(std::size_t i, Scratch& scratch) {
        Plane& plane = planes_[1];
        if (!plane.open[i]) return;
        const Plane& other = planes_[0];
        Row *undecided = scratch.undecided[0], *unlosable = scratch.may_lose[0];
        for (int r = 0; r < shape_.rows; ++r) undecided[r] = undecided_in(plane, i, r);
        list(undecided, scratch.list);
        std::memset(unlosable, 0, sizeof(Row) * shape_.rows);
        int latest = 0;
        const auto prefetch = [&](std::size_t block, std::uint32_t there) {
            __builtin_prefetch(words_of(other.lost[block * shape_.rows]) + there / 64);
            __builtin_prefetch(&plies_of(other, block, there));
        };
        Blocks::each_mirrored(i, scratch.list, prefetch,
                              [&](std::uint32_t word, std::size_t block, std::uint32_t there) {
                                  const Plies seed = plies_of(other, block, there);
                                  plies_of(plane, i, word) = seed;
                                  const bool losable = can_be_lost(other, block, there);
                                  if (!losable) {
                                      put(unlosable, word);
                                      --plane.losable[i];
                                  }
                                  if (seed == 0) return;
                                  (losable ? plane.due_losses : plane.due_wins)[i] |= std::uint64_t{1} << (seed & 63);
                                  latest = std::max(latest, int{seed});
                              });
        for (int r = 0; r < shape_.rows; ++r) forbid_loss(plane, i, r, unlosable[r]);
        note_last(latest);
        note_open(plane, i);
    }

    // The moves of a block to blocks in which the last round decided something.
    struct Steps {
        std::uint8_t to_losses[max_moves];
        int losing = 0;
        std::uint64_t to_wins = 0;  // a bit for each, modulo 64: to look at more entries than needed does no harm
    };

    void visit(int side, std::size_t i, int round, Scratch& scratch) {
        Plane& plane = planes_[side];
        const bool due_wins = plane.due_wins[i] >> (round & 63) & 1,
                   due_losses = plane.due_losses[i] >> (round & 63) & 1;
        auto& due = plane.due[i];
        if (!plane.open[i] || (!due_wins && !due_losses && !due.load(std::memory_order_relaxed))) return;
        due.store(false, std::memory_order_relaxed);
        const Plane& children = planes_[1 - side];
        const std::vector<List>& lists = children.lists[(round - 1) & 1];
        const bool may_lose = plane.open[i] & new_wins;
        Steps steps;
        for (int k = 0; k < moves_; ++k) {
            if (!is_step(side, i, k)) continue;
            const std::size_t child = same_[i * moves_ + k] >> 3;
            const bool lost = children.lost_at[child] == round - 1;
            const bool won = may_lose && children.won_at[child] == round - 1;
            if (!lost && !won) continue;
            const List& list = lists[child];
            __builtin_prefetch(scratch_[list.thread]->listed[(round - 1) & 1].data() + list.first);
            if (lost) steps.to_losses[steps.losing++] = static_cast<std::uint8_t>(k);
            if (won) steps.to_wins |= std::uint64_t{1} << (k & 63);
        }
        scratch.wins.clear();
        scratch.losses.clear();
        std::size_t wins = 0, losses = 0;
        scratch.due.clear();
        scratch.candidates.clear();
        const int due_in = due_wins || due_losses ? round : 0;
        const bool many = (due_in || steps.to_wins) && !find_due(plane, i, due_in, steps.to_wins, scratch);
        if (many) scratch.due.clear();
        if (steps.losing > 0 || due_in) wins = find_wins(side, i, round, steps, many && due_wins, scratch);
        if (plane.losable[i] > 0 && (steps.to_wins || due_losses))
            losses = many ? find_many_losses(side, i, round, scratch) : find_losses(side, i, round, scratch);
        if (wins + losses > 0) decided(side, i, round, wins, losses, scratch);
    }

    // To permute a bitmap takes about as long as to follow so many words.
    std::size_t few_words() const { return 16 + 3 * static_cast<std::size_t>(shape_.rows) / 2; }

    // What a block has decided in a round is listed for its parents if it is no more than this.
    std::size_t little() const { return 64 + 4 * static_cast<std::size_t>(shape_.rows); }

    // Lists the entries of a block whose seeds fall due in a round, if it is not 0, and those that one of these moves
    // keeps from being lost. Returns false if they are too many.
    bool find_due(const Plane& plane, std::size_t i, int round, std::uint64_t moves, Scratch& scratch) const {
        const Plies* plies = plane.plies + i * shape_.entries;
        std::size_t all = 0;
        for (std::uint32_t first = 0; first < shape_.entries; first += read_together) {
            const std::size_t at = i * shape_.entries + first;
            std::uint32_t found = moves ? ~due_from(plane, at, first_move - 1, true) : 0;
            if (round > 0) found |= due_from(plane, at, round, false);
            all += static_cast<std::size_t>(std::popcount(found));
            if (all > little()) return false;
            for (; found; found &= found - 1) {
                const std::uint32_t rank = first + static_cast<std::uint32_t>(std::countr_zero(found));
                if (rank >= shape_.entries) break;
                if (plies[rank] < first_move)
                    scratch.due.push_back(rank);
                else if (moves >> ((plies[rank] - first_move) & 63) & 1)
                    scratch.candidates.push_back(rank);
            }
        }
        return true;
    }

    // Decides entries that a move leads from to a loss of the last round, or whose win is due. Returns how many.
    std::size_t find_wins(int side, std::size_t i, int round, const Steps& steps, bool many_due, Scratch& scratch) {
        Plane& plane = planes_[side];
        const Plane& children = planes_[1 - side];
        const std::vector<List>& lists = children.lists[(round - 1) & 1];
        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows];
        auto& wins = scratch.wins;
        const auto win = [&](std::uint32_t word) {
            if (!is_open(plane, i, word)) return;
            put(won, side == 0 ? word ^ 1 : word);
            if (can_be_lost(plane, i, word)) {
                words_of(lost)[word / 64] &= ~(std::uint64_t{1} << (word ^ 1) % 64);
                --plane.losable[i];
            }
            plies_of(plane, i, word) = static_cast<Plies>(round);
            wins.push_back(word);
        };
        // What falls due has this round as its plies already.
        std::size_t unlisted = 0;
        if (many_due) {
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
        for (const std::uint32_t rank : scratch.due) {
            const std::uint32_t word = words_[rank];
            if (can_be_lost(plane, i, word)) {
                scratch.candidates.push_back(rank);
            } else {
                put(won, side == 0 ? word ^ 1 : word);
                wins.push_back(word);
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
                each_before(side, i, k, round, win);
            else
                dense[dense_moves++] = static_cast<std::uint8_t>(k);
        }
        const std::size_t so_far = wins.size() + unlisted;
        const int left = static_cast<int>(plane.left[i] - so_far);
        if (dense_moves == 0 || left == 0) return so_far;

        Row *undecided = scratch.undecided[0], *gained = scratch.gained[0];
        for (int r = 0; r < shape_.rows; ++r) {
            undecided[r] = undecided_in(plane, i, r);
            if (side == 0) undecided[r] &= ~flipped(won[r]);
        }
        std::memset(gained, 0, sizeof(Row) * shape_.rows);
        const std::span moves(dense, static_cast<std::size_t>(dense_moves));
        const int found = Blocks::find_wins(side, i, moves, children, left, undecided, gained, scratch);
        if (found == 0) return so_far;
        const std::size_t all = so_far + static_cast<std::size_t>(found);
        set_plies(plane, i, round, gained, all <= little() ? &wins : nullptr);
        for (int r = 0; r < shape_.rows; ++r) {
            plane.losable[i] -= static_cast<std::uint32_t>(count(gained[r] & flipped(lost[r])));
            forbid_loss(plane, i, r, gained[r]);
            won[r] |= side == 0 ? flipped(gained[r]) : gained[r];
        }
        return all;
    }

    // Decides candidates all of whose children are won by the last round. Returns how many.
    //
    // Once it is due, an entry that is not lost keeps in place of its plies a move that refutes it. It is looked at
    // again when the position after that move is won, and not after any other.
    std::size_t find_losses(int side, std::size_t i, int round, Scratch& scratch) {
        Plane& plane = planes_[side];
        const Plane& children = planes_[1 - side];
        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows];
        Plies* plies = plane.plies + i * shape_.entries;
        auto& losses = scratch.losses;
        auto& left = scratch.list;
        left.clear();
        const auto keep = [&](std::uint32_t rank, int k) { plies[rank] = static_cast<Plies>(first_move + k); };
        // Many are refuted by the same move as before.
        struct At {
            std::uint32_t word, there;
            const Row* won;
        } batch[32];
        for (std::size_t first = 0; first < scratch.candidates.size(); first += 32) {
            int size = 0;
            for (std::size_t n = first; n < std::min(scratch.candidates.size(), first + 32); ++n) {
                const std::uint32_t rank = scratch.candidates[n], word = words_[rank];
                if (plies[rank] >= first_move) {
                    batch[size] = {word, 0, nullptr};
                    child(i, word, plies[rank] - first_move, children, batch[size].won, batch[size].there);
                    __builtin_prefetch(words_of(batch[size].won) + batch[size].there / 64);
                    ++size;
                } else if (is_open(plane, i, word)) {
                    left.push_back(word);
                }
            }
            for (const At& at : std::span(batch, size))
                if (has(at.won, at.there)) left.push_back(at.word);
        }
        if (left.empty()) return 0;
        if (left.size() <= static_cast<std::size_t>(few())) {
            std::uint8_t steps[max_moves];
            const int count = steps_of(side, i, plane.refuting[i], steps);
            const auto won_after = [&](int n) {
                return children.won[std::size_t{same_[i * moves_ + steps[n]] >> 3} * shape_.rows];
            };
            for (int n = 0; n < count && !left.empty(); ++n) {
                const int k = steps[n];
                if (n + 1 < count) prefetch(won_after(n + 1), static_cast<int>(left.size()));
                remove_leading(left, axes(i, k, same_[i * moves_ + k], false), side == 0 ? -1 : taken(i, k),
                               won_after(n), false, [&](std::uint32_t word) { keep(rank_of(word), k); });
            }
            for (const std::uint32_t word : left) {
                put(side == 0 ? won : lost, side == 0 ? word ^ 1 : word);
                plies_of(plane, i, word) = static_cast<Plies>(round);
            }
            losses = left;
            plane.losable[i] -= static_cast<std::uint32_t>(losses.size());
            return losses.size();
        }
        Row* may_lose = scratch.may_lose[0];
        std::memset(may_lose, 0, sizeof(Row) * shape_.rows);
        for (const std::uint32_t word : left) put(may_lose, word);
        return lose(side, i, round, scratch);
    }

    // The same where they are many: all that are due, whatever refuted them before.
    std::size_t find_many_losses(int side, std::size_t i, int round, Scratch& scratch) {
        Plane& plane = planes_[side];
        Row* may_lose = scratch.may_lose[0];
        for (int r = 0; r < shape_.rows; ++r) {
            may_lose[r] = losable_in(plane, i, r);
            if (side == 0) may_lose[r] &= ~flipped(plane.won[i * shape_.rows][r]);
        }
        keep_due(plane, i, round, true, may_lose);
        return lose(side, i, round, scratch);
    }

    // Decides those of a set, `may_lose`, all of whose children are won. Returns how many.
    std::size_t lose(int side, std::size_t i, int round, Scratch& scratch) {
        Plane& plane = planes_[side];
        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows], *may_lose = scratch.may_lose[0];
        Plies* plies = plane.plies + i * shape_.entries;
        const auto keep = [&](std::uint32_t rank, int k) { plies[rank] = static_cast<Plies>(first_move + k); };
        const bool any_lost =
            Blocks::find_losses(side, i, plane, planes_[1 - side], scratch, [&]<class... At>(int k, const At&... at) {
                if constexpr (sizeof...(At) == 1)
                    (keep(rank_of(at), k), ...);
                else
                    each_entry_of_row(at..., [&](std::uint32_t rank, std::uint32_t) { keep(rank, k); });
            });
        if (!any_lost) return 0;
        std::size_t all = 0;
        for (int r = 0; r < shape_.rows; ++r) all += static_cast<std::size_t>(count(may_lose[r]));
        plane.losable[i] -= static_cast<std::uint32_t>(all);
        set_plies(plane, i, round, may_lose, all <= little() ? &scratch.losses : nullptr);
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

    // Visits the words before those that the last round lost in the block that move k leads to.
    template <class Visit>
    void each_before(int side, std::size_t i, int k, int round, Visit visit) const {
        const std::uint32_t to = same_[i * moves_ + k];
        const List& list = planes_[1 - side].lists[(round - 1) & 1][to >> 3];
        const std::uint32_t* words = scratch_[list.thread]->listed[(round - 1) & 1].data() + list.first + list.wins;
        const std::size_t count = list.losses;
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
    void decided(int side, std::size_t i, int round, std::size_t wins, std::size_t losses, Scratch& scratch) {
        Plane& plane = planes_[side];
        plane.left[i] -= static_cast<std::uint32_t>(wins + losses);
        note_open(plane, i);
        note_change(round);
        const auto news = static_cast<std::uint8_t>((losses ? new_losses : 0) | (wins ? new_wins : 0));
        if (side == 0)
            plane.held[i] = news;
        else
            changed(1, i, news, round);
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
        const std::uint8_t news = std::exchange(plane.held[i], std::uint8_t{0});
        if (!news) return;
        Row *won = plane.won[i * shape_.rows], *lost = plane.lost[i * shape_.rows];
        if (const List& list = plane.lists[round & 1][i]; list.wins != not_listed) {
            const std::uint32_t* words = scratch_[list.thread]->listed[round & 1].data() + list.first;
            for (std::uint32_t n = 0; n < list.wins + list.losses; ++n) {
                words_of(won)[words[n] / 64] &= ~(std::uint64_t{1} << (words[n] ^ 1) % 64);
                put(n < list.wins ? won : lost, words[n]);
            }
        } else {
            for (int r = 0; r < shape_.rows; ++r) {
                const Row decided = flipped(won[r]) & members_[r], losses = decided & flipped(lost[r]);
                won[r] = (won[r] & members_[r]) | (decided & ~losses);
                lost[r] |= losses;
            }
        }
        changed(0, i, news, round);
    }

    void changed(int side, std::size_t i, std::uint8_t news, int round) {
        Plane& plane = planes_[side];
        if (news & new_wins) plane.won_at[i] = static_cast<std::uint16_t>(round);
        if (news & new_losses) plane.lost_at[i] = static_cast<std::uint16_t>(round);
        Blocks::call_parents(side, i, planes_[1 - side], news);
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
        return plane.plies[block * shape_.entries + rank_of(word)];
    }
    std::uint32_t rank_of(std::uint32_t word) const { return ranks_.rank(split_word<std::uint16_t>(word, shape_.m)); }

    // Where an entry is after a move without a new mark: the wins of the block, and the word.
    void child(std::size_t i, std::uint32_t word, int k, const Plane& children, const Row*& won,
               std::uint32_t& there) const {
        const auto smaller = static_cast<Mask>(Rows::deposit(word, free_of(i)));
        const std::uint32_t to = same_[i * moves_ + k];
        const Mask moved = board_.image(static_cast<int>(to & 7), board_.moves()[k].apply(smaller));
        there = static_cast<std::uint32_t>(Rows::extract(moved, free_of(to >> 3)));
        won = children.won[std::size_t{to >> 3} * shape_.rows];
    }

    const Ranks<std::uint16_t> ranks_;
    const std::vector<Mask> words_;          // by rank
    std::vector<std::uint32_t> first_rank_;  // of the entries in each 64-bit word of a bitmap
    HugeArray<Plies> mirrored_;              // plane 1 of a pair that stores only plane 0
    Plane planes_[2];
    alignas(64) std::atomic<int> changed_{0};  // the last round that decided something
    std::atomic<int> last_due_{0};
};

}  // namespace inarow::quixo
