// Solves one pair of classes, given the two pairs that a new mark leads to.
//
// Entries get their values in rounds: what is decided in round i has i plies. Entries of the larger side (plane 0) only
// read plane 1, and the other way round, so a round is two race-free sweeps.
//
//   seed       lines on the board (0 plies); moves that win by one (1 ply); for the rest, the least entry among the
//              children that have a new mark: a Loss there is a Win here, due one ply later; a Draw forbids a Loss; a
//              Win is a Loss here, not before one ply later
//   round i    Win if a child was lost in round i-1; Loss if every child is a Win by round i-1
//   the rest   Draw
//
// A block is visited in a round only if one of its children changed in the round before, or a seed falls due.
#pragma once

#include "instructions.hpp"
#include "lane_moves.hpp"

namespace inarow::quixo {

template <class Lanes>
class PairSolver {
  public:
    using Entry = typename Lanes::Entry;
    using Part = typename Lanes::Part;
    using V = Values<Entry>;

    // Entries needed in addition to those of the pair itself: plane 1 if it is not stored, and seeds.
    static std::size_t workspace_entries(const Layout& layout, int a, int b) {
        return layout.plane_entries(a, b) * ((a == b ? 1 : 0) + (V::hold_seeds ? 0 : 2));
    }
    // Bytes of the state of the blocks.
    static std::size_t state_bytes(const Layout& layout, int a) {
        return 2 * layout.blocks(a).size() * (sizeof(BlockState) + 1);
    }

    PairSolver(const Layout& layout, const LaneMoves<Lanes>& moves, const EntriesTask<Entry>& task, Entry* workspace,
               Interrupt& interrupt)
        : layout_(layout),
          board_(layout.board()),
          blocks_(layout.blocks(task.a)),
          moves_(moves),
          a_(task.a),
          b_(task.b),
          m_(board_.cells() - a_),
          ranks_(m_, b_),
          interrupt_(interrupt) {
        const std::size_t entries = layout.plane_entries(a_, b_);
        planes_[0].entries = task.out;
        planes_[1].entries = a_ == b_ ? std::exchange(workspace, workspace + entries) : task.out + entries;
        for (int side = 0; side < 2; ++side) {
            planes_[side].seeds = V::hold_seeds ? planes_[side].entries : workspace + side * entries;
            planes_[side].blocks.resize(blocks_.size());
            planes_[side].news.resize(blocks_.size());
        }
        if (task.larger.data) more_[0] = {task.larger, {m_ - 1, b_}};
        if (task.smaller.data) more_[1] = {task.smaller, {m_, b_ + 1}};
    }

    // Returns false if there are more plies than an entry can hold.
    bool solve(Loops& loops) {
        using Moves = LaneMoves<Lanes>;
        return moves_.keeps() ? rounds<typename Moves::template Visitor<true>>(loops)
                              : rounds<typename Moves::template Visitor<false>>(loops);
    }

  private:
    using Word = typename Lanes::Word;

    // What a round decided in a block, kept for the next round: bits for even rounds, and the same for odd ones. And
    // whether the block has undecided entries.
    static constexpr std::uint8_t new_wins = 1, new_losses = 2, open = 16;
    static constexpr std::uint8_t in_round(std::uint8_t news, int round) {
        return static_cast<std::uint8_t>(news << (round & 1) * 2);
    }

    struct BlockState {
        std::uint64_t due_wins = 0, due_losses = 0;  // rounds, modulo 64, in which a seed falls due
        std::uint8_t refuting = 0;                   // the step that last kept an entry from being lost
    };
    struct Plane {
        Entry *entries, *seeds;
        std::vector<BlockState> blocks;
        std::vector<std::uint8_t> news;
    };
    struct Solved {  // the plane that the children with a new mark are in
        StoredPair entries;
        Ranks<Part> ranks;
    };

    template <class Visitor>
    bool rounds(Loops& loops) {
        std::vector<Visitor> visitors;
        for (int i = 0; i < loops.threads(); ++i) visitors.emplace_back(moves_);
        const std::size_t chunk = std::max<std::size_t>(1, 2048 / std::max(1u, ranks_.entries));
        // Once interrupted, nothing changes any more, and the rounds end. Closed blocks without news are passed over.
        const auto for_each_block = [&](auto visit, const std::uint8_t* news = nullptr) {
            loops.for_each(blocks_.size(), chunk, [&](std::size_t i, int thread) {
                if (news && !news[i]) return;
                if (!interrupt_.asked(thread, ranks_.entries)) visit(i, visitors[thread]);
            });
        };
        for_each_block([&](std::size_t i, auto& block) { seed_larger(i, block); });
        for_each_block([&](std::size_t i, auto& block) { seed_smaller(i, block); });
        for (int round = 1;; ++round) {
            if (round > V::max_plies || last_due_.load(std::memory_order_relaxed) > V::max_plies) return false;
            for (int side = 0; side < 2; ++side)
                for_each_block([&](std::size_t i, auto& block) { visit(side, i, round, block); },
                               planes_[side].news.data());
            if (changed_.load(std::memory_order_relaxed) < round && round >= last_due_.load(std::memory_order_relaxed))
                break;
        }
        if constexpr (V::hold_seeds) for_each_block([&](std::size_t i, auto&) { settle(i); });
        return true;
    }

    // What is still undecided at the end is a draw.
    void settle(std::size_t i) {
        for (Plane& plane : planes_) {
            if (!(plane.news[i] & open)) continue;
            Entry* entries = plane.entries + i * ranks_.entries;
            for (std::uint32_t j = 0; j < ranks_.entries; ++j)
                if (V::undecided(entries[j])) entries[j] = V::draw;
        }
    }

    Mask free_of(std::size_t block) const { return layout_.full() & ~blocks_[block]; }

    // Lanes whose word has the taken cell of a step as a mark of B.
    Lanes64 marked(const auto& step, int g) const { return ranks_.with_bit[step.taken * ranks_.groups + g]; }

    Lanes64 containing_any(std::span<const Word> words, int g) const {
        Lanes64 found = 0;
        for (const Word word : words) {
            if (std::popcount(word.low) + std::popcount(word.high) > b_ || found == ranks_.lanes[g]) break;
            found |= Lanes::select_containing(ranks_, g, word);
        }
        return found & ranks_.lanes[g];
    }

    void seed_larger(std::size_t i, auto& block) {
        block.go(i);
        Plane& plane = planes_[0];
        std::uint8_t completing[max_moves];  // the steps that give A a line, if that wins
        int completions = 0;
        for (int k = 0; own_line_wins_ && !block.lined && k < (more_[0].entries.data ? block.steps : block.own); ++k) {
            completing[completions] = static_cast<std::uint8_t>(k);
            completions += (k < block.own ? block.same : block.grown)[k].lined;
        }
        for (int g = 0; g < ranks_.groups; ++g) {
            const Lanes64 all = ranks_.lanes[g], lines = containing_any(block.lines(), g);
            if (block.lined) {
                decide_over(plane, i, g, all & ~lines, board_.ended(true, false));
                decide_over(plane, i, g, lines, board_.ended(true, true));
                continue;
            }
            Lanes64 winning = 0;
            for (int j = 0; j < completions; ++j) {
                const bool own = completing[j] < block.own;
                const auto& step = (own ? block.same : block.grown)[completing[j]];
                winning |= (own ? all : all & ~marked(step, g)) & ~completes_smaller(i, step, g);
            }
            const Lanes64 undecided = decide_at_once(plane, i, g, lines, board_.ended(false, true), winning);
            if (!undecided) continue;
            typename Lanes::Group least(V::top);
            for (int k = block.own; more_[0].entries.data && k < block.steps; ++k) {
                const auto& step = block.grown[k];
                if (const Lanes64 lanes = undecided & ~marked(step, g))
                    lower(g, lanes, block.grown_word(k), {0, 0}, more_[0], step.block, least);
            }
            keep_seeds(plane, i, g, undecided, least);
        }
    }

    // Lanes where A's step, which completes a line of A's, also completes one of B's, unless that wins as well.
    Lanes64 completes_smaller(std::size_t i, const auto& step, int g) const {
        if (board_.ends().both == Outcome::win) return 0;
        const Move& move = board_.moves()[step.move];
        Lanes64 found = 0;
        for (const Mask line : board_.lines()) {
            if (std::popcount(line) > b_) break;  // so are those that follow
            const Mask before = move.undo(line);
            if (line >> move.pushed & 1 || before & blocks_[i]) continue;
            found |= Lanes::select_containing(ranks_, g, split_word<Part>(Lanes::extract(before, free_of(i)), m_));
        }
        return found;
    }

    void seed_smaller(std::size_t i, auto& block) {
        block.go(i);
        Plane& plane = planes_[1];
        for (int g = 0; g < ranks_.groups; ++g) {
            const Lanes64 all = ranks_.lanes[g], lines = containing_any(block.lines(), g);
            if (block.lined) {
                decide_over(plane, i, g, all & ~lines, board_.ended(false, true));
                decide_over(plane, i, g, lines, board_.ended(true, true));
                continue;
            }
            const Lanes64 undecided =
                decide_at_once(plane, i, g, lines, board_.ended(true, false), containing_any(block.wins(), g));
            if (!undecided) continue;
            if (a_ == b_) {
                mirror_seeds(plane, i, g, undecided);
                continue;
            }
            typename Lanes::Group least(V::top);
            for (int k = block.own; more_[1].entries.data && k < block.steps; ++k) {
                const auto& step = block.same[k];
                if (const Lanes64 lanes = undecided & ~marked(step, g))
                    lower(g, lanes, block.same_word(k), split_word<Part>(Mask{1} << step.taken, m_), more_[1],
                          step.block, least);
            }
            keep_seeds(plane, i, g, undecided, least);
        }
    }

    // Each lane of `least` becomes the entry of a child with a new mark, if that is smaller.
    void lower(int g, Lanes64 lanes, const typename Lanes::Permutation& to, Word added, const Solved& more,
               std::uint32_t block, typename Lanes::Group& least) const {
        const auto from = [&]<class Found>(const Found* entries) {
            const Target<Found, Part> target{entries + std::size_t{block} * more.ranks.entries, &more.ranks};
            Lanes::lower(ranks_, g, lanes, to, added, target, least);
        };
        if (sizeof(Entry) == 1 || more.entries.width == 1)
            from(static_cast<const std::uint8_t*>(more.entries.data));
        else if constexpr (sizeof(Entry) > 1)
            from(static_cast<const Entry*>(more.entries.data));
    }

    // If both sides have the same number of marks, B to move is A to move with the marks exchanged.
    void mirror_seeds(Plane& plane, std::size_t i, int g, Lanes64 undecided) {
        Entry* seeds = plane.seeds + i * ranks_.entries;
        each_lane(undecided, [&](int lane) {
            const Mask smaller = Lanes::deposit(ranks_.word(g * 64 + lane, m_), free_of(i));
            const auto [block, symmetry] = layout_.canonical(smaller);
            const Mask word = Lanes::extract(board_.image(symmetry, blocks_[i]), free_of(block));
            const std::size_t rank = ranks_.rank(split_word<Part>(word, m_));
            seeds[g * 64 + lane] = V::pending(planes_[0].seeds[std::size_t{block} * ranks_.entries + rank]);
        });
        note_due(plane, i, g, undecided);
    }

    void decide_over(Plane& plane, std::size_t i, int g, Lanes64 lanes, Outcome outcome) const {
        if (outcome != Outcome::draw)
            decide(plane, i, g, lanes, outcome == Outcome::win ? V::win(0) : V::loss(0));
        else if (lanes)  // only in blocks with a line of A's, which are not visited
            Lanes::assign(plane.entries + i * ranks_.entries + g * 64, lanes, V::draw);
    }

    void decide(Plane& plane, std::size_t i, int g, Lanes64 lanes, Entry value) const {
        if (!lanes) return;
        Lanes::assign(plane.entries + i * ranks_.entries + g * 64, lanes, value);
        const bool win = value > V::draw;
        plane.news[i] |= in_round(win ? new_wins : new_losses, win ? V::top - value : value);
    }

    // Writes what needs no look-up; returns the lanes that are still undecided.
    Lanes64 decide_at_once(Plane& plane, std::size_t i, int g, Lanes64 lines, Outcome of_lines, Lanes64 winning) const {
        const Lanes64 all = ranks_.lanes[g];
        decide_over(plane, i, g, lines, of_lines);
        decide(plane, i, g, winning & ~lines, V::win(1));
        if (!V::hold_seeds)
            Lanes::assign(plane.entries + i * ranks_.entries + g * 64, all & ~lines & ~winning, V::draw);
        return all & ~lines & ~winning;
    }

    void keep_seeds(Plane& plane, std::size_t i, int g, Lanes64 undecided, const typename Lanes::Group& least) {
        least.store(plane.seeds + i * ranks_.entries + g * 64, undecided);
        note_due(plane, i, g, undecided);
    }

    // Records when seeds fall due, and turns them into pending ones.
    void note_due(Plane& plane, std::size_t i, int g, Lanes64 undecided) {
        Entry* seeds = plane.seeds + i * ranks_.entries + g * 64;
        BlockState& state = plane.blocks[i];
        plane.news[i] |= open;
        int latest = 0;
        while (undecided) {
            const Entry seed = seeds[std::countr_zero(undecided)];
            const Lanes64 equal = Lanes::select_equal(seeds, undecided, seed);
            undecided &= ~equal;
            if (seed == V::draw) continue;
            if (V::hold_seeds) Lanes::assign(seeds, equal, V::pending(seed));
            const int due = seed < V::draw ? seed + 1 : V::top - seed + 1;
            (seed < V::draw ? state.due_wins : state.due_losses) |= std::uint64_t{1} << (due & 63);
            latest = std::max(latest, due);
        }
        int known = last_due_.load(std::memory_order_relaxed);
        while (known < latest && !last_due_.compare_exchange_weak(known, latest, std::memory_order_relaxed)) {
        }
    }

    void visit(int side, std::size_t i, int round, auto& block) {
        Plane& plane = planes_[side];
        const Plane& children = planes_[1 - side];
        // Seeding decided rounds 0 and 1; its news is for rounds 1 and 2.
        if (round > 1 && plane.news[i] & in_round(new_wins | new_losses, round))
            plane.news[i] &= static_cast<std::uint8_t>(~in_round(new_wins | new_losses, round));
        if (!(plane.news[i] & open)) return;
        BlockState& state = plane.blocks[i];
        block.go(i);
        const int first = side == 0 ? 0 : block.own, last = side == 0 ? block.own : block.steps;
        std::uint8_t news = 0;
        std::uint8_t with_losses[max_moves];  // the steps to blocks with new losses
        int losing = 0;
        for (int k = first; k < last; ++k) {
            const std::uint8_t child = children.news[block.same[k].block];
            news |= child;
            with_losses[losing] = static_cast<std::uint8_t>(k);
            losing += (child & in_round(new_losses, round - 1)) != 0;
        }
        // Moves that win at once were found when seeding.
        if (round == 1 && own_line_wins_ && board_.ends().other != Outcome::win) losing = 0;
        const bool due_wins = state.due_wins >> (round & 63) & 1;
        const bool may_lose = state.due_losses >> (round & 63) & 1 || news & in_round(new_wins, round - 1);
        if (!due_wins && !may_lose && losing == 0) return;

        const auto child = [&](int k) {
            return Target<Entry, Part>{children.entries + std::size_t{block.same[k].block} * ranks_.entries, &ranks_};
        };
        // A's own tile can be taken whatever B has; B's only where B has it.
        const auto legal = [&](int k, int g) { return side == 0 ? ~Lanes64{0} : marked(block.same[k], g); };
        const Entry lost_before = V::loss(round - 1), won_before = V::win(round - 1);
        bool left = false, changed = false;
        for (int g = 0; g < ranks_.groups; ++g) {
            const Entry* entries = plane.entries + i * ranks_.entries + g * 64;
            const Entry* seeds = plane.seeds + i * ranks_.entries + g * 64;
            const Lanes64 undecided = Lanes::select_undecided(entries, ranks_.lanes[g]);
            if (!undecided) continue;
            Lanes64 won = due_wins ? Lanes::select_equal(seeds, undecided, V::pending(lost_before)) : 0;
            for (int j = 0; j < losing; ++j) {
                const int k = with_losses[j];
                if (const Lanes64 lanes = undecided & ~won & legal(k, g))
                    won |= Lanes::select_equal(ranks_, g, lanes, block.same_word(k), child(k), lost_before);
            }
            Lanes64 lost = may_lose ? Lanes::select_at_least(seeds, undecided & ~won, V::pending(won_before)) : 0;
            // The step that last kept entries from being lost is likely to do so again: try it first.
            const int likely = std::max(first, int{state.refuting});
            for (int j = first; lost && j < last; ++j) {
                const int k = j == first ? likely : j == likely ? first : j;
                const Lanes64 lanes = lost & legal(k, g);
                if (!lanes) continue;
                const Lanes64 refuted =
                    lanes & ~Lanes::select_at_least(ranks_, g, lanes, block.same_word(k), child(k), won_before);
                lost &= ~refuted;
                if (refuted) state.refuting = static_cast<std::uint8_t>(k);
            }
            decide(plane, i, g, won, V::win(round));
            decide(plane, i, g, lost, V::loss(round));
            changed |= won || lost;
            left |= undecided != (won | lost);
        }
        if (!left) plane.news[i] &= static_cast<std::uint8_t>(~open);
        if (changed) changed_.store(round, std::memory_order_relaxed);
    }

    const Layout& layout_;
    const Board& board_;
    const std::vector<Mask>& blocks_;
    const LaneMoves<Lanes>& moves_;
    const int a_, b_, m_;
    Ranks<Part> ranks_;
    Solved more_[2];  // for the larger and for the smaller side
    Plane planes_[2];
    const bool own_line_wins_ = board_.ends().own == Outcome::win;
    Interrupt& interrupt_;
    std::atomic<int> changed_{1};  // the last round that decided something; seeding decides rounds 0 and 1
    std::atomic<int> last_due_{0};
};

}  // namespace inarow::quixo
