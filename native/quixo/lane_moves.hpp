// What moves do to the blocks with a marks on the larger side. It does not depend on b, so many pairs share it.
//
// Where each step leads is computed once, for all blocks. How it permutes local words, and which words give B a line,
// is also kept for all blocks where that takes little memory; otherwise it is computed when a block is visited.
#pragma once

#include "instructions.hpp"

namespace inarow::quixo {

template <class Lanes>
class LaneMoves {
  public:
    using Part = typename Lanes::Part;
    using Word = typename Lanes::Word;
    using Permutation = typename Lanes::Permutation;

    // Local words that give B a line, then those that let B win by completing one in a move.
    struct LineWords {
        std::vector<Word> words;
        std::size_t lines = 0;
        bool clean = true;

        void clear() {
            words.clear();
            clean = true;
        }
    };

    struct Step {
        std::uint32_t block;  // where it leads
        std::uint8_t taken;   // local number of the taken cell, if it is free
        std::uint8_t move;
        std::uint8_t symmetry;  // which takes A to the A of that block
        bool lined;             // the larger side has a line there
    };

    bool keeps() const { return keeps_; }

    // Goes from block to block on one thread; `kept` is `keeps()`.
    template <bool kept>
    class alignas(64) Visitor {
      public:
        explicit Visitor(const LaneMoves& moves) : steps(static_cast<int>(moves.board_.moves().size())), moves_(moves) {
            if (!kept) words_made_ = std::make_unique_for_overwrite<Permutation[]>(std::size_t{2} * steps);
        }

        void go(std::size_t block) {
            block_ = block;
            const auto [first, own_steps] = moves_.facts_[block];
            own = own_steps;
            same = moves_.same_.get() + first;
            grown = moves_.grown_.get() + first;
            lined = moves_.lined_[0][block] != 0;
            if (kept) {
                same_words_ = moves_.same_words_.get() + first;
                grown_words_ = moves_.grown_words_.get() + first;
            } else {
                for (auto& made : made_) made.reset();
                words_.clear();
            }
        }

        // The steps of the block: `same` keep A's number of marks. First come the `own` steps that take one of A's
        // tiles (A moves), then those that take another (B moves, with its own tile or an empty one). `grown`, with the
        // same numbers, are A's moves with an empty tile.
        const Step *same = nullptr, *grown = nullptr;
        int own = 0;
        const int steps;
        bool lined = false;  // A has a line: nothing moves here

        // How a step permutes local words.
        const Permutation& same_word(int k) { return kept ? same_words_[k] : made(0, same, k); }
        const Permutation& grown_word(int k) { return kept ? grown_words_[k] : made(1, grown, k); }

        // Local words that give B a line, and those that let B win by completing one in a move.
        std::span<const Word> lines() {
            const LineWords& words = line_words();
            return std::span(words.words).first(words.lines);
        }
        std::span<const Word> wins() {
            const LineWords& words = line_words();
            return std::span(words.words).subspan(words.lines);
        }

      private:
        [[gnu::noinline]] const Permutation& made(int more, const Step* of, int k) {
            Permutation& permutation = words_made_[more * steps + k];
            if (!made_[more][k]) {
                moves_.permute(block_, of[k], more, permutation);
                made_[more][k] = true;
            }
            return permutation;
        }

        const auto& line_words() {
            if (kept) return moves_.line_words_[block_];
            if (words_.clean) moves_.find_lines(block_, words_, needed_);
            return words_;
        }

        const LaneMoves& moves_;
        std::size_t block_ = 0;
        const Permutation *same_words_ = nullptr, *grown_words_ = nullptr;
        std::bitset<max_moves> made_[2];             // [same or grown][step]
        std::unique_ptr<Permutation[]> words_made_;  // [same or grown][step]
        LineWords words_;
        std::vector<Mask> needed_;
    };

    LaneMoves(const Layout& layout, int a, Loops& loops)
        : layout_(layout), board_(layout.board()), a_(a), keeps_(keeps(layout, a)) {
        const std::size_t blocks = layout.blocks(a).size();
        facts_.resize(blocks);
        for (const Move& move : board_.moves())
            for (int g = 0; g < board_.symmetries(); ++g)
                for (int cell = 0; cell < board_.cells(); ++cell)
                    images_.push_back(static_cast<std::uint8_t>(board_.cell_image(g, move.image(cell))));
        for (int more = 0; more < 2 && a + more <= board_.cells(); ++more) {
            lined_[more].reserve(layout.blocks(a + more).size());
            locals_[more].reserve(layout.blocks(a + more).size() * board_.cells());
            for (const Mask larger : layout.blocks(a + more)) {
                lined_[more].push_back(board_.has_line(larger));
                std::uint8_t next = 0;
                for (int cell = 0; cell < board_.cells(); ++cell)
                    locals_[more].push_back(larger >> cell & 1 ? dropped : next++);
            }
        }
        std::size_t steps = 0;
        for (std::size_t i = 0; i < blocks; ++i) {
            facts_[i].first = steps;
            if (!lined_[0][i]) steps += board_.moves().size();
        }
        // Left uninitialized: the threads that fill them should touch their pages first.
        same_ = make_huge<Step>(steps);
        grown_ = make_huge<Step>(steps);
        if (keeps_) {
            same_words_ = make_huge<Permutation>(steps);
            grown_words_ = make_huge<Permutation>(steps);
            line_words_.resize(blocks);
        }
        std::vector<std::vector<Mask>> needed(loops.threads());
        loops.for_each(blocks, 16, [&](std::size_t i, int thread) {
            find_steps(i);
            if (keeps_) keep(i, needed[thread]);
        });
    }

    // Whether everything is kept: if it is small, or if blocks are so small that computing it takes longer than using
    // it.
    static bool keeps(const Layout& layout, int a) {
        const bool small_blocks = layout.board().cells() - a <= 13;
        return is_small(layout, a) ||
               (small_blocks && max_steps(layout, a) * sizeof(Permutation) < std::size_t{1} << 31);
    }

    // Whether it is small enough to be kept for the next pair.
    static bool is_small(const Layout& layout, int a) {
        return max_steps(layout, a) * sizeof(Permutation) <= std::size_t{64} << 20;
    }

    // An upper bound on its bytes.
    static std::size_t bytes(const Layout& layout, int a) {
        const std::size_t cells = layout.board().cells(), blocks = layout.blocks(a).size();
        const std::size_t grown = static_cast<int>(cells) > a ? layout.blocks(a + 1).size() : 0;
        const std::size_t a_step = sizeof(Step) + (keeps(layout, a) ? sizeof(Permutation) : 0);
        return max_steps(layout, a) * a_step + blocks * sizeof(Facts) + (blocks + grown) * (cells + 1);
    }

  private:
    struct Facts {
        std::size_t first = 0;  // of its steps; blocks with a line have none
        int own = 0;
    };

    static std::size_t max_steps(const Layout& layout, int a) {
        return 2 * layout.blocks(a).size() * layout.board().moves().size();
    }

    void find_steps(std::size_t i) {
        if (lined_[0][i]) return;
        const Mask larger = layout_.blocks(a_)[i];
        Facts& facts = facts_[i];
        for (const Move& move : board_.moves()) {
            facts.own += larger >> move.taken & 1;
            layout_.prefetch(move.apply(larger));
            layout_.prefetch(move.apply(larger | Mask{1} << move.taken));
        }
        std::size_t next_own = facts.first, next_free = facts.first + facts.own;
        for (const Move& move : board_.moves()) {
            if (larger >> move.taken & 1) {
                same_[next_own++] = step(larger, larger, move);
                continue;
            }
            grown_[next_free] = step(larger, larger | Mask{1} << move.taken, move);
            same_[next_free] = step(larger, larger, move);
            ++next_free;
        }
    }

    // From a block with A = `from` to where `move` takes `moved`: A, perhaps with the tile that becomes its own.
    Step step(Mask from, Mask moved, const Move& move) const {
        const auto [block, g] = layout_.canonical(move.apply(moved));
        const Mask free_below = ~from & ((Mask{1} << move.taken) - 1);
        return {block, static_cast<std::uint8_t>(from >> move.taken & 1 ? 0 : std::popcount(free_below)),
                static_cast<std::uint8_t>(&move - board_.moves().data()), static_cast<std::uint8_t>(g),
                lined_[moved != from][block] != 0};
    }

    // How a step permutes the local words of block i; with one mark `more` on the larger side, the taken cell is
    // dropped.
    void permute(std::size_t i, const Step& step, int more, Permutation& permutation) const {
        const int cells = board_.cells();
        const std::uint8_t* image = &images_[(step.move * board_.symmetries() + step.symmetry) * cells];
        const std::uint8_t* local = &locals_[more][std::size_t{step.block} * cells];
        std::uint8_t places[max_cells];
        int m = 0;
        for (Mask rest = layout_.full() & ~layout_.blocks(a_)[i]; rest; rest &= rest - 1)
            places[m++] = local[image[std::countr_zero(rest)]];
        if (more) places[step.taken] = dropped;
        permutation = Permutation(places, m, cells - a_ - more);
    }

    void find_lines(std::size_t i, LineWords& found, std::vector<Mask>& needed) const {
        const Mask larger = layout_.blocks(a_)[i], free = layout_.full() & ~larger;
        const int m = board_.cells() - a_;
        found.clean = false;
        for (const Mask line : board_.lines())
            if (!(line & larger)) found.words.push_back(split_word<Part>(Lanes::extract(line, free), m));
        found.lines = found.words.size();
        if (lined_[0][i] || board_.ends().own != Outcome::win) return;
        needed.clear();
        for (std::size_t k = facts_[i].own; k < board_.moves().size(); ++k) {
            const Step& step = same_[facts_[i].first + k];
            if (step.lined && board_.ends().both != Outcome::win) continue;
            const Move& move = board_.moves()[step.move];
            for (const Mask line : board_.lines()) {
                const Mask before = move.undo(line) & ~(Mask{1} << move.taken);
                // If the move does not touch the line, it was there before, and the game was over.
                if (before != line && !(before & larger)) needed.push_back(Lanes::extract(before, free));
            }
        }
        // Small words first, and none that contains another: it would find nothing new.
        std::sort(needed.begin(), needed.end(), [](Mask a, Mask b) {
            const int bits_a = std::popcount(a), bits_b = std::popcount(b);
            return bits_a != bits_b ? bits_a < bits_b : a < b;
        });
        auto kept = needed.begin();
        for (const Mask word : needed)
            if (std::none_of(needed.begin(), kept, [=](Mask part) { return (word & part) == part; })) {
                *kept++ = word;
                found.words.push_back(split_word<Part>(word, m));
            }
    }

    void keep(std::size_t i, std::vector<Mask>& needed) {
        find_lines(i, line_words_[i], needed);
        if (lined_[0][i]) return;
        for (int k = 0; k < static_cast<int>(board_.moves().size()); ++k) {
            const std::size_t at = facts_[i].first + k;
            permute(i, same_[at], 0, same_words_[at]);
            if (k >= facts_[i].own) permute(i, grown_[at], 1, grown_words_[at]);
        }
    }

    const Layout& layout_;
    const Board& board_;
    const int a_;
    const bool keeps_;
    std::vector<std::uint8_t> images_;     // [move][symmetry][cell]
    std::vector<std::uint8_t> locals_[2];  // [block][cell]: the local number of a free cell, for a and for a + 1
    std::vector<std::uint8_t> lined_[2];   // [block], likewise: A has a line
    std::vector<Facts> facts_;
    HugeArray<Step> same_, grown_;
    // Only if kept:
    HugeArray<Permutation> same_words_, grown_words_;
    std::vector<LineWords> line_words_;
};

}  // namespace inarow::quixo
