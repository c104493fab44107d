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

#include <algorithm>
#include <span>

#include "lanes.hpp"
#include "team.hpp"

namespace inarow::quixo {

// What moves do to the blocks with a marks on the larger side. Independent of b, so made once for many pairs.
template <class Lanes>
class BlockMoves {
  public:
    using Permutation = typename Lanes::Permutation;

    struct Step {
        std::uint32_t block;  // where it leads
        std::uint8_t taken;   // local number of the taken cell, if it is free
        std::uint8_t move;
        bool lined;  // the larger side has a line there
    };

    // The steps of one block: `same` keep A's number of marks, first the `own` steps that take one of A's tiles (A
    // moves), then those that take another (B moves, its own tile or an empty one). `grown`, of the same numbers, are
    // A's moves with an empty tile. How a step permutes local words stands apart, to keep the steps close together.
    struct Block {
        const Step *same, *grown;
        const Permutation *same_words, *grown_words;
        int own, steps;
        bool lined;  // A has a line: nothing moves here
        // Local words that give B a line, and those that let B complete one in a move.
        std::span<const SplitWord> lines, wins;
    };

    BlockMoves(const Layout& layout, int a, Team& team) : layout_(layout), board_(layout.board()), a_(a) {
        const std::size_t blocks = layout.blocks(a).size();
        facts_.resize(blocks);
        for (const Move& move : board_.moves())
            for (int g = 0; g < 8; ++g)
                for (int cell = 0; cell < board_.cells(); ++cell)
                    images_.push_back(static_cast<std::uint8_t>(board_.cell_image(g, move.image(cell))));
        for (int more = 0; more < 2 && a + more <= board_.cells(); ++more)
            for (const Mask larger : layout.blocks(a + more)) {
                lined_[more].push_back(board_.has_line(larger));
                std::uint8_t next = 0;
                for (int cell = 0; cell < board_.cells(); ++cell)
                    locals_[more].push_back(larger >> cell & 1 ? dropped : next++);
            }
        std::size_t steps = 0;
        for (std::size_t i = 0; i < blocks; ++i) {
            facts_[i].first = steps;
            if (!lined_[0][i]) steps += board_.moves().size();
        }
        // Left as they come: the threads that fill them are to touch them first.
        same_ = std::make_unique_for_overwrite<Step[]>(steps);
        grown_ = std::make_unique_for_overwrite<Step[]>(steps);
        same_words_ = std::make_unique_for_overwrite<Permutation[]>(steps);
        grown_words_ = std::make_unique_for_overwrite<Permutation[]>(steps);
        team.run([&](int) { team.for_each(blocks, 16, [&](std::size_t i) { fill_block(i); }); });
    }

    Block operator[](std::size_t i) const {
        const Facts& facts = facts_[i];
        const std::size_t first = facts.first;
        const std::span<const SplitWord> words(facts.words);
        return {same_.get() + first,
                grown_.get() + first,
                same_words_.get() + first,
                grown_words_.get() + first,
                facts.own,
                static_cast<int>(board_.moves().size()),
                lined_[0][i] != 0,
                words.first(facts.lines),
                words.subspan(facts.lines)};
    }

  private:
    struct Facts {
        std::size_t first = 0;         // of its steps; blocks with a line have none
        std::vector<SplitWord> words;  // lines, then wins
        std::uint16_t lines = 0;
        std::uint8_t own = 0;
    };

    void fill_block(std::size_t i) {
        const Mask larger = layout_.blocks(a_)[i], free = layout_.full() & ~larger;
        Facts& facts = facts_[i];
        const int m = board_.cells() - a_;
        for (const Mask line : board_.lines())
            if (!(line & larger)) facts.words.push_back(split_word(Lanes::extract(line, free), m));
        facts.lines = static_cast<std::uint16_t>(facts.words.size());
        if (lined_[0][i]) return;
        for (const Move& move : board_.moves()) facts.own += larger >> move.taken & 1;
        std::size_t next_own = facts.first, next_free = facts.first + facts.own;
        std::vector<Mask> needed;
        for (const Move& move : board_.moves()) {
            if (larger >> move.taken & 1) {
                fill(same_[next_own], same_words_[next_own], larger, larger, move);
                ++next_own;
                continue;
            }
            fill(grown_[next_free], grown_words_[next_free], larger, larger | Mask{1} << move.taken, move);
            fill(same_[next_free], same_words_[next_free], larger, larger, move);
            if (board_.rules().double_line_wins || !same_[next_free].lined)
                for (const Mask line : board_.lines()) {
                    const Mask before = move.undo(line) & ~(Mask{1} << move.taken);
                    // Unless the move touches the line, it was there before, and the game over.
                    if (before != line && !(before & larger)) needed.push_back(Lanes::extract(before, free));
                }
            ++next_free;
        }
        // Small words first, and none that contains another: what it finds is found already.
        std::sort(needed.begin(), needed.end(), [](Mask a, Mask b) {
            const int bits_a = std::popcount(a), bits_b = std::popcount(b);
            return bits_a != bits_b ? bits_a < bits_b : a < b;
        });
        auto kept = needed.begin();
        for (const Mask word : needed)
            if (std::none_of(needed.begin(), kept, [=](Mask part) { return (word & part) == part; })) {
                *kept++ = word;
                facts.words.push_back(split_word(word, m));
            }
    }

    // From a block with A = `from` to where `move` takes `moved` (A, perhaps with the tile that turns its own).
    void fill(Step& step, Permutation& permutation, Mask from, Mask moved, const Move& move) const {
        const int number = static_cast<int>(&move - board_.moves().data());
        const Mask after = move.apply(moved);
        const auto [block, g] = layout_.canonical(after);
        const int there = std::popcount(after), cells = board_.cells();
        const std::uint8_t* image = &images_[(number * 8 + g) * cells];
        const std::uint8_t* local = &locals_[there - a_][std::size_t{block} * cells];
        step = {block, 0, static_cast<std::uint8_t>(number), lined_[there - a_][block] != 0};
        std::uint8_t places[max_cells];
        int m = 0;
        for (Mask rest = layout_.full() & ~from; rest; rest &= rest - 1, ++m) {
            const int cell = std::countr_zero(rest);
            places[m] = local[image[cell]];
            if (cell != move.taken) continue;
            step.taken = static_cast<std::uint8_t>(m);
            if (moved != from) places[m] = dropped;
        }
        permutation = Permutation(places, m, cells - there);
    }

    const Layout& layout_;
    const Board& board_;
    const int a_;
    std::vector<std::uint8_t> images_;     // [move][symmetry][cell]
    std::vector<std::uint8_t> locals_[2];  // [block][cell]: the local number of a free cell, for a and for a + 1
    std::vector<std::uint8_t> lined_[2];   // [block], likewise: A has a line
    std::unique_ptr<Step[]> same_, grown_;
    std::unique_ptr<Permutation[]> same_words_, grown_words_;
    std::vector<Facts> facts_;
};

template <class Lanes>
class PairSolver {
  public:
    using Entry = typename Lanes::Entry;
    using V = Values<Entry>;

    // `more_larger` is plane 1 of {a+1, b}; `more_smaller` is plane 0 of {a, b+1}, not needed if a = b. Either is null
    // where no such pair exists. `out` gets plane 0 and, unless a = b, plane 1. `workspace` may be used for many pairs,
    // one after the other.
    PairSolver(const Layout& layout, const BlockMoves<Lanes>& moves, int a, int b, const Entry* more_larger,
               const Entry* more_smaller, Entry* out, std::vector<Entry>& workspace)
        : layout_(layout),
          board_(layout.board()),
          blocks_(layout.blocks(a)),
          moves_(moves),
          a_(a),
          b_(b),
          m_(board_.cells() - a),
          ranks_(m_, b) {
        if (m_ > max_local_bits) throw std::invalid_argument("blocks of more than 16 free cells are not supported");
        const std::size_t entries = layout.plane_entries(a, b);
        if (workspace.size() < 3 * entries) workspace.resize(3 * entries);
        planes_[0].entries = out;
        planes_[1].entries = a == b ? workspace.data() + 2 * entries : out + entries;
        for (int side = 0; side < 2; ++side) {
            planes_[side].seeds = workspace.data() + side * entries;
            planes_[side].blocks.resize(blocks_.size());
            planes_[side].news.resize(blocks_.size());
        }
        if (more_larger) more_[0] = {more_larger, Ranks(m_ - 1, b)};
        if (more_smaller) more_[1] = {more_smaller, Ranks(m_, b + 1)};
    }

    // Returns false if there are more plies than an entry can hold.
    bool solve(Team& team) {
        team.run([&](int) { rounds(team); });
        return !overflow_.load();
    }

  private:
    using Block = typename BlockMoves<Lanes>::Block;

    // What a round decided in a block, kept for the next round: bits for even rounds, and the same for odd ones.
    static constexpr std::uint8_t new_wins = 1, new_losses = 2;
    static constexpr std::uint8_t in_round(std::uint8_t news, int round) {
        return static_cast<std::uint8_t>(news << (round & 1) * 2);
    }

    struct BlockState {
        std::uint64_t due_wins = 0, due_losses = 0;  // rounds, modulo 64, in which a seed falls due
        bool open = false;                           // has undecided entries
    };
    struct Plane {
        Entry *entries, *seeds;
        std::vector<BlockState> blocks;
        std::vector<std::uint8_t> news;
    };
    struct Solved {  // the plane that the children with a new mark are in
        const Entry* entries = nullptr;
        Ranks ranks;
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

    Mask free_of(std::size_t block) const { return layout_.full() & ~blocks_[block]; }

    // Lanes whose word has the taken cell of a step as a mark of B.
    Lanes64 marked(const auto& step, int g) const { return ranks_.with_bit[step.taken * ranks_.groups + g]; }

    Lanes64 containing_any(std::span<const SplitWord> words, int g) const {
        Lanes64 found = 0;
        for (const SplitWord word : words) {
            if (std::popcount(word.low) + std::popcount(word.high) > b_ || found == ranks_.lanes[g]) break;
            found |= Lanes::select_containing(ranks_, g, word);
        }
        return found & ranks_.lanes[g];
    }

    void seed_larger(std::size_t i) {
        const Block block = moves_[i];
        Plane& plane = planes_[0];
        const bool double_line_wins = board_.rules().double_line_wins;
        for (int g = 0; g < ranks_.groups; ++g) {
            const Lanes64 all = ranks_.lanes[g], lines = containing_any(block.lines, g);
            if (block.lined) {
                const Lanes64 lost = double_line_wins ? lines : 0;
                decide(plane, i, g, all & ~lost, V::win(0));
                decide(plane, i, g, lost, V::loss(0));
                continue;
            }
            Lanes64 winning = 0;
            for (int k = 0; k < (more_[0].entries ? block.steps : block.own); ++k) {
                const bool own = k < block.own;
                const auto& step = own ? block.same[k] : block.grown[k];
                if (step.lined) winning |= (own ? all : all & ~marked(step, g)) & ~completes_smaller(i, step, g);
            }
            const Lanes64 undecided = decide_at_once(plane, i, g, lines, V::loss(0), winning);
            if (!undecided) continue;
            typename Lanes::Group least(V::top);
            for (int k = block.own; more_[0].entries && k < block.steps; ++k) {
                const auto& step = block.grown[k];
                if (const Lanes64 lanes = undecided & ~marked(step, g))
                    Lanes::lower(ranks_, g, lanes, block.grown_words[k], {0, 0}, target(more_[0], step.block), least);
            }
            keep_seeds(plane, i, g, undecided, least);
        }
    }

    // Lanes where A's step, which completes a line of A's, completes one of B's too and so loses.
    Lanes64 completes_smaller(std::size_t i, const auto& step, int g) const {
        if (board_.rules().double_line_wins || b_ < board_.rules().line) return 0;
        const Move& move = board_.moves()[step.move];
        Lanes64 found = 0;
        for (const Mask line : board_.lines()) {
            const Mask before = move.undo(line);
            if (line >> move.pushed & 1 || before & blocks_[i]) continue;
            found |= Lanes::select_containing(ranks_, g, split_word(Lanes::extract(before, free_of(i)), m_));
        }
        return found;
    }

    void seed_smaller(std::size_t i) {
        const Block block = moves_[i];
        Plane& plane = planes_[1];
        for (int g = 0; g < ranks_.groups; ++g) {
            const Lanes64 all = ranks_.lanes[g], lines = containing_any(block.lines, g);
            if (block.lined) {
                const Lanes64 won = board_.rules().double_line_wins ? 0 : lines;
                decide(plane, i, g, all & ~won, V::loss(0));
                decide(plane, i, g, won, V::win(0));
                continue;
            }
            const Lanes64 undecided = decide_at_once(plane, i, g, lines, V::win(0), containing_any(block.wins, g));
            if (!undecided) continue;
            if (a_ == b_) {
                mirror_seeds(plane, i, g, undecided);
                continue;
            }
            typename Lanes::Group least(V::top);
            for (int k = block.own; more_[1].entries && k < block.steps; ++k) {
                const auto& step = block.same[k];
                if (const Lanes64 lanes = undecided & ~marked(step, g))
                    Lanes::lower(ranks_, g, lanes, block.same_words[k], split_word(Mask{1} << step.taken, m_),
                                 target(more_[1], step.block), least);
            }
            keep_seeds(plane, i, g, undecided, least);
        }
    }

    static Target<Entry> target(const Solved& solved, std::uint32_t block) {
        return {solved.entries + std::size_t{block} * solved.ranks.entries, &solved.ranks};
    }

    // With as many marks on both sides, B to move is A to move with the marks exchanged.
    void mirror_seeds(Plane& plane, std::size_t i, int g, Lanes64 undecided) {
        Entry* seeds = plane.seeds + i * ranks_.entries;
        PortableLanes<Entry>::each(undecided, [&](int lane) {
            const Mask smaller = Lanes::deposit(ranks_.word(g * 64 + lane, m_), free_of(i));
            const auto [block, symmetry] = layout_.canonical(smaller);
            const Mask word = Lanes::extract(board_.image(symmetry, blocks_[i]), free_of(block));
            seeds[g * 64 + lane] =
                planes_[0].seeds[std::size_t{block} * ranks_.entries + ranks_.rank(split_word(word, m_))];
        });
        note_due(plane, i, g, undecided);
    }

    void decide(Plane& plane, std::size_t i, int g, Lanes64 lanes, Entry value) const {
        if (!lanes) return;
        Lanes::assign(plane.entries + i * ranks_.entries + g * 64, lanes, value);
        const bool win = value > V::draw;
        plane.news[i] |= in_round(win ? new_wins : new_losses, win ? V::top - value : value);
    }

    // Writes what needs no look-up; returns the lanes left.
    Lanes64 decide_at_once(Plane& plane, std::size_t i, int g, Lanes64 lines, Entry line_value, Lanes64 winning) const {
        const Lanes64 all = ranks_.lanes[g];
        decide(plane, i, g, lines, line_value);
        decide(plane, i, g, winning & ~lines, V::win(1));
        Lanes::assign(plane.entries + i * ranks_.entries + g * 64, all & ~lines & ~winning, V::draw);
        return all & ~lines & ~winning;
    }

    void keep_seeds(Plane& plane, std::size_t i, int g, Lanes64 undecided, const typename Lanes::Group& least) {
        least.store(plane.seeds + i * ranks_.entries + g * 64, undecided);
        note_due(plane, i, g, undecided);
    }

    void note_due(Plane& plane, std::size_t i, int g, Lanes64 undecided) {
        const Entry* seeds = plane.seeds + i * ranks_.entries + g * 64;
        BlockState& state = plane.blocks[i];
        state.open = true;
        int latest = 0;
        while (undecided) {
            const Entry seed = seeds[std::countr_zero(undecided)];
            undecided &= ~Lanes::select_equal(seeds, undecided, seed);
            if (seed == V::draw) continue;
            const int due = seed < V::draw ? seed + 1 : V::top - seed + 1;
            (seed < V::draw ? state.due_wins : state.due_losses) |= std::uint64_t{1} << (due & 63);
            latest = std::max(latest, due);
        }
        int known = last_due_.load(std::memory_order_relaxed);
        while (known < latest && !last_due_.compare_exchange_weak(known, latest, std::memory_order_relaxed)) {
        }
    }

    void visit(int side, std::size_t i, int round) {
        Plane& plane = planes_[side];
        const Plane& children = planes_[1 - side];
        // Seeding decided rounds 0 and 1; its news are for rounds 1 and 2.
        if (round > 1 && plane.news[i] & in_round(new_wins | new_losses, round))
            plane.news[i] &= static_cast<std::uint8_t>(~in_round(new_wins | new_losses, round));
        BlockState& state = plane.blocks[i];
        if (!state.open) return;
        const Block block = moves_[i];
        const int first = side == 0 ? 0 : block.own, last = side == 0 ? block.own : block.steps;
        std::uint8_t news = 0;
        std::uint64_t with_losses = 0;
        for (int k = first; k < last; ++k) {
            const std::uint8_t child = children.news[block.same[k].block];
            news |= child;
            with_losses |= std::uint64_t{(child & in_round(new_losses, round - 1)) != 0} << k;
        }
        // Moves that complete a line were found when seeding.
        if (round == 1) with_losses = 0;
        const bool due_wins = state.due_wins >> (round & 63) & 1;
        const bool may_lose = state.due_losses >> (round & 63) & 1 || news & in_round(new_wins, round - 1);
        if (!due_wins && !may_lose && !with_losses) return;

        const auto child = [&](int k) {
            return Target<Entry>{children.entries + std::size_t{block.same[k].block} * ranks_.entries, &ranks_};
        };
        // A's own tile can be taken whatever B has; B's only where B has it.
        const auto legal = [&](int k, int g) { return side == 0 ? ~Lanes64{0} : marked(block.same[k], g); };
        const Entry lost_before = V::loss(round - 1), won_before = V::win(round - 1);
        bool open = false, changed = false;
        for (int g = 0; g < ranks_.groups; ++g) {
            const Entry* entries = plane.entries + i * ranks_.entries + g * 64;
            const Entry* seeds = plane.seeds + i * ranks_.entries + g * 64;
            const Lanes64 undecided = Lanes::select_equal(entries, ranks_.lanes[g], V::draw);
            if (!undecided) continue;
            Lanes64 won = due_wins ? Lanes::select_equal(seeds, undecided, lost_before) : 0;
            for (std::uint64_t rest = with_losses; rest; rest &= rest - 1) {
                const int k = std::countr_zero(rest);
                if (const Lanes64 lanes = undecided & ~won & legal(k, g))
                    won |= Lanes::select_equal(ranks_, g, lanes, block.same_words[k], child(k), lost_before);
            }
            Lanes64 lost = may_lose ? Lanes::select_at_least(seeds, undecided & ~won, won_before) : 0;
            for (int k = first; lost && k < last; ++k)
                if (const Lanes64 lanes = lost & legal(k, g))
                    lost &=
                        ~lanes | Lanes::select_at_least(ranks_, g, lanes, block.same_words[k], child(k), won_before);
            decide(plane, i, g, won, V::win(round));
            decide(plane, i, g, lost, V::loss(round));
            changed |= won || lost;
            open |= undecided != (won | lost);
        }
        state.open = open;
        if (changed) changed_.store(round, std::memory_order_relaxed);
    }

    const Layout& layout_;
    const Board& board_;
    const std::vector<Mask>& blocks_;
    const BlockMoves<Lanes>& moves_;
    const int a_, b_, m_;
    Ranks ranks_;
    Solved more_[2];  // for the larger and for the smaller side
    Plane planes_[2];
    std::atomic<int> changed_{1};  // the last round that decided something; seeding decides rounds 0 and 1
    std::atomic<int> last_due_{0};
    std::atomic<bool> overflow_{false};
};

}  // namespace inarow::quixo
