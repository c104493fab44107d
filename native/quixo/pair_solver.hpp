// Solves one pair of classes, given the two pairs that a new mark leads to.
//
// Every entry of the pair gets its value in rounds: what is decided in round i is decided with i plies. Larger-side
// entries (plane 0) look only at plane 1 and the other way round, so a round is two race-free sweeps.
//
//   seed       lines on the board (0 plies); moves that complete one (1 ply); for the rest, the least entry among the
//              children that have a new mark: a Loss there is a Win here, due one ply later; a Draw forbids a Loss; a
//              Win is a Loss here, not before one ply later
//   round i    Win if a child was lost in round i-1; Loss if every child is a Win by round i-1
//   the rest   Draw
//
// A block is visited in a round only if one of its children changed in the round before, or a seed falls due.
#pragma once

#include <stdexcept>

#include "lanes.hpp"
#include "team.hpp"

namespace inarow::quixo {

struct PliesOverflow : std::overflow_error {
    PliesOverflow() : std::overflow_error("more plies than an entry of this width can hold") {}
};

// What moves do to the blocks with a marks on the larger side. Independent of b, so made once for many pairs.
template <class Lanes>
struct BlockMoves {
    struct Step {
        typename Lanes::Permutation permutation;
        std::uint32_t block;  // where it leads
        std::uint8_t taken;   // local number of the taken cell, if it is free
        std::uint8_t move;
        bool lined;  // the larger side has a line there
    };

    // Steps that keep A's number of marks: for each block first those that take one of A's tiles (A moves), then those
    // that take another (B moves, its own tile or an empty one). `grown` are A's moves with an empty tile.
    std::vector<Step> same, grown;
    std::vector<std::uint8_t> own;    // how many of a block's steps take A's tiles
    std::vector<std::uint8_t> lined;  // A has a line: nothing moves here

    BlockMoves(const Layout& layout, int a, Team& team) {
        const std::size_t blocks = layout.blocks(a).size(), steps = blocks * layout.board().moves().size();
        same.resize(steps);
        if (a < layout.board().cells()) grown.resize(steps);
        own.resize(blocks);
        lined.resize(blocks);
        team.run([&](Team& t) {
            t.for_each(blocks, 16, [&](std::size_t i) { fill_block(layout, i, layout.blocks(a)[i]); });
        });
    }

  private:
    void fill_block(const Layout& layout, std::size_t i, Mask larger) {
        const Board& board = layout.board();
        lined[i] = board.has_line(larger);
        if (lined[i]) return;
        const std::size_t first = i * board.moves().size();
        int mine = 0;
        for (const Move& move : board.moves()) mine += larger >> move.taken & 1;
        own[i] = static_cast<std::uint8_t>(mine);
        std::size_t next_own = first, next_free = first + mine;
        for (const Move& move : board.moves())
            if (larger >> move.taken & 1) {
                fill(same[next_own++], layout, larger, larger, move);
            } else {
                fill(grown[next_free], layout, larger, larger | Mask{1} << move.taken, move);
                fill(same[next_free++], layout, larger, larger, move);
            }
    }

    // From a block with A = `from` to where `move` takes `taken_along` (A, perhaps with the tile that turns its own).
    static void fill(Step& step, const Layout& layout, Mask from, Mask taken_along, const Move& move) {
        const Board& board = layout.board();
        const Mask after = move.apply(taken_along);
        const auto [block, g] = layout.canonical(after);
        const Mask there = board.image(g, after);
        const int m = board.cells() - std::popcount(from), m_there = board.cells() - std::popcount(after);
        std::uint8_t local[max_cells];
        for (int cell = 0, next = 0; cell < board.cells(); ++cell)
            local[cell] = static_cast<std::uint8_t>(there >> cell & 1 ? 0 : next++);
        step.block = block;
        step.move = static_cast<std::uint8_t>(&move - board.moves().data());
        step.lined = board.has_line(after);
        int j = 0;
        for (int cell = 0; cell < board.cells(); ++cell) {
            if (from >> cell & 1) continue;
            if (cell == move.taken) step.taken = static_cast<std::uint8_t>(j);
            if (!(taken_along >> cell & 1))
                step.permutation.send(split_word(Mask{1} << j, m),
                                      split_word(Mask{1} << local[board.cell_image(g, move.image(cell))], m_there));
            ++j;
        }
    }
};

template <class Lanes>
class PairSolver {
  public:
    using Entry = typename Lanes::Entry;
    using V = Values<Entry>;

    // `more_larger` is plane 1 of {a+1, b}; `more_smaller` is plane 0 of {a, b+1}, or plane 1 of {a+1, a} if a = b.
    // Either is null where no such pair exists. `out` gets plane 0 and, unless a = b, plane 1.
    PairSolver(const Layout& layout, const BlockMoves<Lanes>& moves, int a, int b, const Entry* more_larger,
               const Entry* more_smaller, Entry* out)
        : layout_(layout),
          board_(layout.board()),
          blocks_(layout.blocks(a)),
          steps_(moves),
          a_(a),
          b_(b),
          m_(board_.cells() - a),
          more_larger_(more_larger),
          more_smaller_(more_smaller),
          ranks_(m_, b) {
        if (m_ > max_local_bits) throw std::invalid_argument("blocks of more than 16 free cells are not supported");
        const std::size_t entries = layout.plane_entries(a, b);
        if (a == b) scratch_.resize(entries);
        planes_[0].entries = out;
        planes_[1].entries = a == b ? scratch_.data() : out + entries;
        for (Plane& plane : planes_) {
            plane.seeds.resize(entries);
            plane.state.resize(blocks_.size());
        }
        if (more_larger_) ranks_more_larger_ = Ranks(m_ - 1, b);
        if (more_smaller_) ranks_more_smaller_ = Ranks(m_, b + 1);
        for (const Move& move : board_.moves()) {
            auto& needs = needs_.emplace_back();
            for (const Mask line : board_.lines()) {
                const Mask before = move.undo(line);
                const bool untouched = before == line && !(line >> move.pushed & 1);
                if (!untouched) needs.push_back({before & ~(Mask{1} << move.taken), line});
            }
        }
    }

    void solve(Team& team) {
        team.run([this](Team& t) { rounds(t); });
        if (overflow_.load()) throw PliesOverflow();
    }

  private:
    struct Changes {  // the last two rounds in which something changed
        std::int32_t last = -1, before = -1;
        void add(int round) {
            if (last == round) return;
            before = last;
            last = round;
        }
        bool in(int round) const { return last == round || before == round; }
    };
    struct BlockState {
        Changes wins, losses;
        std::uint64_t due = 0;  // rounds, modulo 64, in which a seed falls due
        bool open = false;      // has undecided entries
        std::uint8_t witness = 0;
    };
    struct Plane {
        Entry* entries;
        std::vector<Entry> seeds;
        std::vector<BlockState> state;
    };
    struct Need {
        Mask tiles;  // if the mover has these, apart from the one it takes, the move completes `line`
        Mask line;
    };

    void rounds(Team& team) {
        const std::size_t chunk = std::max<std::size_t>(1, 2048 / std::max(1u, ranks_.entries));
        team.for_each(blocks_.size(), chunk, [this](std::size_t i) { seed_larger(i); });
        team.for_each(blocks_.size(), chunk, [this](std::size_t i) { seed_smaller(i); });
        for (int round = 1;; ++round) {
            if (round > V::max_plies) {
                overflow_.store(true);
                return;
            }
            for (int side = 0; side < 2; ++side)
                team.for_each(blocks_.size(), chunk, [&](std::size_t i) { visit(side, i, round); });
            if (changed_.load(std::memory_order_relaxed) < round && round >= last_due_.load(std::memory_order_relaxed))
                return;
        }
    }

    const typename BlockMoves<Lanes>::Step* steps_of(const auto& steps, std::size_t block) const {
        return steps.data() + block * board_.moves().size();
    }
    Mask free_of(std::size_t block) const { return layout_.full() & ~blocks_[block]; }
    SplitWord local(Mask mask, std::size_t block) const { return split_word(extract(mask, free_of(block)), m_); }
    SplitWord taken_bit(const auto& step) const { return split_word(Mask{1} << step.taken, m_); }

    // For each group, the lanes where the smaller side has a line.
    void smaller_lines(std::size_t block, Lanes64* lines) const {
        std::fill_n(lines, ranks_.groups, 0);
        if (b_ < board_.rules().line) return;
        for (const Mask line : board_.lines()) {
            if (line & blocks_[block]) continue;
            const SplitWord bits = local(line, block);
            for (int g = 0; g < ranks_.groups; ++g) lines[g] |= Lanes::select_containing(ranks_, g, bits);
        }
    }

    static constexpr int max_groups = (12870 + 63) / 64;

    void seed_larger(std::size_t block) {
        Plane& plane = planes_[0];
        BlockState& state = plane.state[block];
        Entry* entries = plane.entries + block * ranks_.entries;
        const bool wins = board_.rules().double_line_wins;
        Lanes64 lines[max_groups], winning[max_groups];
        std::fill_n(winning, ranks_.groups, 0);
        smaller_lines(block, lines);
        if (steps_.lined[block]) {
            for (int g = 0; g < ranks_.groups; ++g) {
                const Lanes64 all = ranks_.lanes(g), lost = wins ? lines[g] & all : 0;
                Lanes::assign(entries + g * 64, all, V::win(0));
                Lanes::assign(entries + g * 64, lost, V::loss(0));
                if (lost) state.losses.add(0);
            }
            state.wins.add(0);
            return;
        }
        const int own = steps_.own[block], all_steps = static_cast<int>(board_.moves().size());
        const auto* same = steps_of(steps_.same, block);
        const auto* grown = more_larger_ ? steps_of(steps_.grown, block) : nullptr;
        for (int k = 0; k < (grown ? all_steps : own); ++k) {
            const auto& step = k < own ? same[k] : grown[k];
            if (!step.lined) continue;
            Lanes64 excluded[max_groups];
            std::fill_n(excluded, ranks_.groups, 0);
            if (!wins && b_ >= board_.rules().line)
                for (const Need& need : needs_[step.move]) {
                    if (need.line >> board_.moves()[step.move].pushed & 1 || need.tiles & blocks_[block]) continue;
                    const SplitWord bits = local(need.tiles, block);
                    for (int g = 0; g < ranks_.groups; ++g) excluded[g] |= Lanes::select_containing(ranks_, g, bits);
                }
            for (int g = 0; g < ranks_.groups; ++g) winning[g] |= legal(k < own, step, g, false) & ~excluded[g];
        }
        for (int g = 0; g < ranks_.groups; ++g) {
            const Lanes64 undecided = decide_at_once(state, entries, g, lines[g], V::loss(0), winning[g]);
            if (!undecided) continue;
            alignas(64) Entry least[64];
            std::fill_n(least, 64, V::top);
            for (int k = own; grown && k < all_steps; ++k) {
                const Lanes64 lanes = undecided & legal(false, grown[k], g, false);
                const Target<Entry> target{more_larger_ + std::size_t{grown[k].block} * ranks_more_larger_.entries,
                                           &ranks_more_larger_};
                if (lanes) Lanes::lower(ranks_, g, lanes, grown[k].permutation, {0, 0}, target, least);
            }
            keep_seeds(plane, block, g, undecided, least);
        }
    }

    void seed_smaller(std::size_t block) {
        Plane& plane = planes_[1];
        BlockState& state = plane.state[block];
        Entry* entries = plane.entries + block * ranks_.entries;
        const bool wins = board_.rules().double_line_wins;
        Lanes64 lines[max_groups], winning[max_groups];
        std::fill_n(winning, ranks_.groups, 0);
        smaller_lines(block, lines);
        if (steps_.lined[block]) {
            for (int g = 0; g < ranks_.groups; ++g) {
                const Lanes64 all = ranks_.lanes(g), won = wins ? 0 : lines[g] & all;
                Lanes::assign(entries + g * 64, all, V::loss(0));
                Lanes::assign(entries + g * 64, won, V::win(0));
                if (won) state.wins.add(0);
            }
            state.losses.add(0);
            return;
        }
        const int own = steps_.own[block], all_steps = static_cast<int>(board_.moves().size());
        const auto* same = steps_of(steps_.same, block);
        if (b_ + 1 >= board_.rules().line)
            for (int k = own; k < all_steps; ++k) {
                if (same[k].lined && !wins) continue;
                for (const Need& need : needs_[same[k].move]) {
                    if (need.tiles & blocks_[block]) continue;
                    const SplitWord bits = local(need.tiles, block);
                    for (int g = 0; g < ranks_.groups; ++g) winning[g] |= Lanes::select_containing(ranks_, g, bits);
                }
            }
        for (int g = 0; g < ranks_.groups; ++g) {
            const Lanes64 undecided = decide_at_once(state, entries, g, lines[g], V::win(0), winning[g]);
            if (!undecided) continue;
            alignas(64) Entry least[64];
            std::fill_n(least, 64, V::top);
            if (a_ == b_)
                PortableLanes<Entry>::each(undecided, [&](int i) { least[i] = mirrored_seed(block, g * 64 + i); });
            else
                for (int k = own; k < all_steps; ++k) {
                    const Lanes64 lanes = undecided & legal(false, same[k], g, false);
                    const Target<Entry> target{more_smaller_ + std::size_t{same[k].block} * ranks_more_smaller_.entries,
                                               &ranks_more_smaller_};
                    if (lanes) Lanes::lower(ranks_, g, lanes, same[k].permutation, taken_bit(same[k]), target, least);
                }
            keep_seeds(plane, block, g, undecided, least);
        }
    }

    // With as many marks on both sides, B to move is A to move with the marks exchanged.
    Entry mirrored_seed(std::size_t block, std::uint32_t rank) const {
        const Mask word = ranks_.low[rank] | Mask{ranks_.high[rank]} << low_bits(m_);
        Mask smaller = 0, free = free_of(block);
        for (int j = 0; free; ++j, free &= free - 1)
            if (word >> j & 1) smaller |= free & -free;
        return planes_[0].seeds[layout_.entry(smaller, blocks_[block])];
    }

    // Lanes for which the step is legal: A takes its own tile always; a free tile is taken as B's or as an empty one.
    Lanes64 legal(bool takes_own_of_larger, const auto& step, int g, bool marked) const {
        const Lanes64 all = ranks_.lanes(g);
        if (takes_own_of_larger) return all;
        const Lanes64 with_mark = Lanes::select_containing(ranks_, g, taken_bit(step));
        return all & (marked ? with_mark : ~with_mark);
    }

    // Writes what needs no look-up; returns the lanes left.
    Lanes64 decide_at_once(BlockState& state, Entry* entries, int g, Lanes64 lines, Entry line_value, Lanes64 winning) {
        const Lanes64 all = ranks_.lanes(g);
        lines &= all;
        winning &= all & ~lines;
        Lanes::assign(entries + g * 64, all, V::draw);
        Lanes::assign(entries + g * 64, lines, line_value);
        Lanes::assign(entries + g * 64, winning, V::win(1));
        if (lines) (line_value == V::win(0) ? state.wins : state.losses).add(0);
        if (winning) state.wins.add(1);
        return all & ~lines & ~winning;
    }
    void keep_seeds(Plane& plane, std::size_t block, int g, Lanes64 undecided, const Entry* least) {
        Entry* seeds = plane.seeds.data() + block * ranks_.entries + g * 64;
        BlockState& state = plane.state[block];
        state.open = true;
        int latest = 0;
        PortableLanes<Entry>::each(undecided, [&](int i) {
            seeds[i] = least[i];
            if (least[i] == V::draw) return;
            const int due = least[i] < V::draw ? least[i] + 1 : V::top - least[i] + 1;
            state.due |= std::uint64_t{1} << (due & 63);
            latest = std::max(latest, due);
        });
        int known = last_due_.load(std::memory_order_relaxed);
        while (known < latest && !last_due_.compare_exchange_weak(known, latest, std::memory_order_relaxed)) {
        }
    }

    void visit(int side, std::size_t block, int round) {
        Plane& plane = planes_[side];
        const Plane& children = planes_[1 - side];
        BlockState& state = plane.state[block];
        if (!state.open) return;
        const auto* steps = steps_of(steps_.same, block);
        const int own = steps_.own[block];
        const int first = side == 0 ? 0 : own, last = side == 0 ? own : static_cast<int>(board_.moves().size());
        const bool due = state.due >> (round & 63) & 1;
        bool new_wins = false;
        std::uint64_t with_losses = 0;
        for (int k = first; k < last; ++k) {
            const BlockState& child = children.state[steps[k].block];
            new_wins |= child.wins.in(round - 1);
            with_losses |= std::uint64_t{round > 1 && child.losses.in(round - 1)} << k;
        }
        if (!due && !new_wins && !with_losses) return;

        const auto target = [&](int k) {
            return Target<Entry>{children.entries + std::size_t{steps[k].block} * ranks_.entries, &ranks_};
        };
        bool open = false, changed = false;
        for (int g = 0; g < ranks_.groups; ++g) {
            Entry* entries = plane.entries + block * ranks_.entries + g * 64;
            const Entry* seeds = plane.seeds.data() + block * ranks_.entries + g * 64;
            const Lanes64 undecided = Lanes::select_equal(entries, ranks_.lanes(g), V::draw);
            if (!undecided) continue;
            Lanes64 won = due ? Lanes::select_equal(seeds, undecided, V::loss(round - 1)) : 0;
            for (std::uint64_t rest = with_losses; rest; rest &= rest - 1) {
                const int k = std::countr_zero(rest);
                const Lanes64 lanes = undecided & ~won & legal(side == 0, steps[k], g, true);
                if (lanes)
                    won |= Lanes::select_equal(ranks_, g, lanes, steps[k].permutation, target(k), V::loss(round - 1));
            }
            Lanes64 lost = 0;
            if (due || new_wins) {
                constexpr auto won_by = [](int r) { return V::win(r - 1); };
                lost = Lanes::select_at_least(seeds, undecided & ~won, won_by(round));
                // The move that ended the search last time is the likeliest to do so again.
                for (int n = 0, k = first + state.witness; lost && n < last - first; ++n, ++k) {
                    if (k >= last) k = first;
                    const Lanes64 lanes = lost & legal(side == 0, steps[k], g, true);
                    if (!lanes) continue;
                    lost &= ~lanes |
                            Lanes::select_at_least(ranks_, g, lanes, steps[k].permutation, target(k), won_by(round));
                    if (!lost) state.witness = static_cast<std::uint8_t>(k - first);
                }
            }
            if (won) {
                Lanes::assign(entries, won, V::win(round));
                state.wins.add(round);
            }
            if (lost) {
                Lanes::assign(entries, lost, V::loss(round));
                state.losses.add(round);
            }
            changed |= won || lost;
            open |= undecided != (won | lost);
        }
        state.open = open;
        if (changed) changed_.store(round, std::memory_order_relaxed);
    }

    const Layout& layout_;
    const Board& board_;
    const std::vector<Mask>& blocks_;
    const BlockMoves<Lanes>& steps_;
    const int a_, b_, m_;
    const Entry *more_larger_, *more_smaller_;
    Ranks ranks_, ranks_more_larger_, ranks_more_smaller_;
    std::vector<std::vector<Need>> needs_;
    std::vector<Entry> scratch_;
    Plane planes_[2];
    std::atomic<int> changed_{1};  // the last round that decided something; seeding decides rounds 0 and 1
    std::atomic<int> last_due_{0};
    std::atomic<bool> overflow_{false};
};

}  // namespace inarow::quixo
