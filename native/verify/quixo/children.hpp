// Looks up the children of many entries of a block at once.
//
// A move permutes cells: every tile of its path goes to a fixed other cell, and the taken tile to the end of the path.
// All entries of a block share A. So for a given move they also share the A after it: its block, the symmetry that
// leads there, and the place to which each free cell goes are found once. What is left for each entry is to permute the
// bits of its local word, with two small tables, and to rank the result, with two more.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "verify/quixo/board.hpp"
#include "verify/quixo/layout.hpp"

namespace inarow::verify::quixo {

// A local word has a bit for each free cell of A: B as seen from the block. Its two halves are kept apart, 16 bits
// each, since every table is indexed by a half.
struct LocalWord {
    std::uint16_t low, high;

    std::uint32_t packed() const { return low | std::uint32_t{high} << 16; }
};

// The entries of a plane in memory, as codes of one byte or two. A code of two bytes is its value; values[c] is that of
// a code c of one byte.
template <class Code>
struct View {
    const Code* codes = nullptr;
    const std::uint16_t* values = nullptr;

    std::uint16_t at(std::uint64_t index) const {
        if constexpr (sizeof(Code) == 1) return values[codes[index]];
        return codes[index];
    }
};

// All local words of a pair in their order, and the tables that rank a word: that of one half plus that of the other.
class Ranks {
  public:
    Ranks(int m, int b) : low_bits_((m + 1) / 2), high_size_(std::size_t{1} << (m - low_bits_)) {
        for (std::uint32_t half = 0; half < 1u << low_bits_; ++half) low_.push_back(sum(half, 0, 0));
        for (const int count : {b, b + 1})
            for (std::uint32_t half = 0; half < high_size_; ++half) {
                const int above = std::popcount(half);
                high_.push_back(above > count ? std::uint16_t{0} : sum(half, low_bits_, count - above));
            }
        words_.reserve(kChoose[m][b]);
        for (std::uint32_t word = (1u << b) - 1; word < 1u << m;) {
            words_.push_back(
                {static_cast<std::uint16_t>(word & (low_.size() - 1)), static_cast<std::uint16_t>(word >> low_bits_)});
            if (b == 0) break;
            const std::uint32_t lowest = word & (0 - word), next = word + lowest;
            word = next | ((word ^ next) >> 2) / lowest;
        }
    }

    int low_bits() const { return low_bits_; }
    std::size_t high_size() const { return high_size_; }
    const std::vector<LocalWord>& words() const { return words_; }
    std::uint32_t whole(LocalWord word) const { return word.low | std::uint32_t{word.high} << low_bits_; }

    // The free cell of a bit, as a bit of a packed word.
    std::uint32_t place(int bit) const { return 1u << (bit < low_bits_ ? bit : bit - low_bits_ + 16); }

    // Of the half of words with b bits; of the high half, those of words with b + 1 bits follow.
    const std::uint16_t* low() const { return low_.data(); }
    const std::uint16_t* high() const { return high_.data(); }

  private:
    static std::uint16_t sum(std::uint32_t half, int first_cell, int nth) {
        std::uint32_t rank = 0;
        for (; half != 0; half &= half - 1) rank += kChoose[first_cell + std::countr_zero(half)][++nth];
        return static_cast<std::uint16_t>(rank);  // no block has as many as 2^16 entries
    }

    int low_bits_;
    std::size_t high_size_;
    std::vector<std::uint16_t> low_, high_;
    std::vector<LocalWord> words_;
};

// The moves as permutations of cells, each followed by each symmetry.
class MovedCells {
  public:
    MovedCells(const Game& game, const Layout& layout) : symmetries_(layout.symmetries()) {
        for (const Move& move : game.moves)
            for (int symmetry = 0; symmetry < symmetries_; ++symmetry) {
                auto& to = to_.emplace_back();
                for (int cell = 0; cell < layout.cells(); ++cell) {
                    int after = cell;
                    for (int i = 0; i < move.length; ++i)
                        if (move.path[i] == cell) after = move.path[i == 0 ? move.length - 1 : i - 1];
                    const Mask image = layout.image(symmetry, Mask{1} << after);
                    to[cell] = static_cast<std::uint8_t>(std::countr_zero(image));
                }
            }
    }

    // Where each cell is after a move and a symmetry.
    const std::array<std::uint8_t, kMaxCells>& to(std::size_t move, int symmetry) const {
        return to_[move * symmetries_ + symmetry];
    }

  private:
    int symmetries_;
    std::vector<std::array<std::uint8_t, kMaxCells>> to_;
};

// Finds the least value among the children of entries of one plane.
//
// If A is to move (plane 0), a move with a tile of A leads to plane 1 of the same pair, one with an empty tile to plane
// 1 of {a + 1, b}. If B is to move (plane 1), it leads to plane 0 of the same pair, or of {a, b + 1}. For a = b, `same`
// is the plane the files do not have, in which B is to move.
template <class Code>
class Children {
  public:
    Children(const Game& game, int a, int b, int plane, const Ranks& ranks, const MovedCells& moved, View<Code> same,
             View<Code> above)
        : game_(game),
          layout_(Layout::of(game)),
          a_(a),
          b_(b),
          plane_(plane),
          ranks_(ranks),
          moved_(moved),
          same_(same),
          above_(above),
          to_low_(std::size_t{1} << ranks.low_bits()),
          to_high_(ranks.high_size()) {
        if (sizeof(Code) == 2) return;
        std::copy_n(same.values, 256, both_values_.begin());
        if (above.codes != nullptr) std::copy_n(above.values, 256, both_values_.begin() + 256);
    }

    // least[i] becomes the least value of a child of the entry with words[i] in a block; 65535 if it has none.
    void find_least(std::uint64_t block, const LocalWord* words, std::size_t count, std::uint16_t* least) {
        std::fill_n(least, count, std::uint16_t{65535});
        if (count == 0) return;
        const Mask larger = layout_.canonical(a_)[block];
        for (std::size_t i = 0; i < game_.moves.size(); ++i) {
            const Move& move = game_.moves[i];
            const Mask taken = Mask{1} << move.path[0];
            const bool takes_own = (larger & taken) != 0;
            if (plane_ == 1 && takes_own) continue;                              // a tile of the opponent
            if (plane_ == 0 && !takes_own && above_.codes == nullptr) continue;  // a full board
            Mask after = slide(larger, move);
            if (plane_ == 0) after |= Mask{1} << move.path[move.length - 1];
            const Form form = layout_.form(after);
            const std::uint32_t from = ranks_.place(std::popcount(~larger & (taken - 1)));
            const std::uint32_t pushed = find_places(larger, taken, i, form);
            if (plane_ == 0 && takes_own) {
                visit<Kind::all>(words, count, 0, 0, block_of(same_, form, a_, b_), nullptr, same_.values, least);
            } else if (plane_ == 0) {
                visit<Kind::without>(words, count, from, 0, block_of(above_, form, a_ + 1, b_), nullptr, above_.values,
                                     least);
            } else {
                visit<Kind::both>(words, count, from, pushed, block_of(same_, form, a_, b_),
                                  block_of(above_, form, a_, b_ + 1), both_values_.data(), least);
            }
        }
    }

  private:
    const Code* block_of(const View<Code>& view, Form form, int a, int b) const {
        return view.codes == nullptr ? nullptr : view.codes + form.block * std::uint64_t{layout_.ranks(a, b)};
    }

    // Fills the tables that permute words. Returns the bit of the tile that is pushed in, if that is B's.
    std::uint32_t find_places(Mask larger, Mask taken, std::size_t move, Form form) {
        const auto& to = moved_.to(move, form.symmetry);
        const int cells = layout_.cells();
        const Mask canonical = layout_.canonical(a_ + (plane_ == 0 && !(larger & taken)))[form.block];
        std::array<std::uint8_t, kMaxCells> local;
        for (int cell = 0, free = 0; cell < cells; ++cell) {
            local[cell] = static_cast<std::uint8_t>(free);
            free += !(canonical >> cell & 1);
        }
        std::uint32_t pushed = 0;
        int bit = 0;
        std::uint32_t places[kMaxCells];
        for (int cell = 0; cell < cells; ++cell) {
            if (larger >> cell & 1) continue;
            std::uint32_t place = ranks_.place(local[to[cell]]);
            if (taken >> cell & 1) {
                if (plane_ == 0) place = 0;  // the tile becomes A's
                pushed = place;
            }
            places[bit++] = place;
        }
        const int low_bits = ranks_.low_bits();
        fill(to_low_.data(), places, low_bits);
        fill(to_high_.data(), places + low_bits, bit - low_bits);
        return pushed;
    }

    static void fill(std::uint32_t* table, const std::uint32_t* places, int bits) {
        table[0] = 0;
        for (int bit = 0; bit < bits; ++bit) {
            const std::size_t half = std::size_t{1} << bit;
            for (std::size_t i = 0; i < half; ++i) table[half + i] = table[i] | places[bit];
        }
    }

    enum class Kind {
        all,      // entries have the move whatever their word is
        without,  // only those whose word does not have the bit `from`
        both      // those with the bit stay in the pair, the others get a mark more
    };

    // Without branches: whether a word has a bit is as good as random.
    template <Kind kind>
    void visit(const LocalWord* words, std::size_t count, std::uint32_t from, std::uint32_t pushed, const Code* codes,
               const Code* above, const std::uint16_t* values, std::uint16_t* least) const {
        const std::uint32_t *to_low = to_low_.data(), *to_high = to_high_.data();
        const std::uint16_t *low = ranks_.low(), *high = ranks_.high();
        const std::size_t next_high = ranks_.high_size();
        const std::ptrdiff_t distance =
            kind == Kind::both && above != nullptr
                ? reinterpret_cast<const char*>(above) - reinterpret_cast<const char*>(codes)
                : 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t word = to_low[words[i].low] | to_high[words[i].high] | pushed;
            const std::uint32_t low_half = word & 0xFFFF, high_half = word >> 16;
            if constexpr (kind == Kind::both) {
                const std::size_t more = (words[i].packed() & from) == 0, mask = 0 - more;
                const std::uint32_t rank = std::uint32_t{low[low_half]} + high[high_half + (next_high & mask)];
                const auto* here = reinterpret_cast<const Code*>(reinterpret_cast<const char*>(codes) +
                                                                 (distance & static_cast<std::ptrdiff_t>(mask)));
                least[i] = std::min(least[i], value(here, values + (256 & mask), rank));
            } else if constexpr (kind == Kind::without) {
                const std::uint32_t none = 0 - static_cast<std::uint32_t>((words[i].packed() & from) != 0);
                const std::uint32_t rank = (std::uint32_t{low[low_half]} + high[high_half]) & ~none;
                least[i] = std::min(least[i], static_cast<std::uint16_t>(value(codes, values, rank) | none));
            } else {
                const std::uint32_t rank = std::uint32_t{low[low_half]} + high[high_half];
                least[i] = std::min(least[i], value(codes, values, rank));
            }
        }
    }

    static std::uint16_t value(const Code* codes, const std::uint16_t* values, std::uint32_t rank) {
        if constexpr (sizeof(Code) == 1) return values[codes[rank]];
        return codes[rank];
    }

    const Game& game_;
    const Layout& layout_;
    int a_, b_, plane_;
    const Ranks& ranks_;
    const MovedCells& moved_;
    View<Code> same_, above_;
    std::array<std::uint16_t, 512> both_values_{};  // of codes of one byte: of the same pair, then of that above
    std::vector<std::uint32_t> to_low_, to_high_;   // where the bits of each half of a word go, packed
};

}  // namespace inarow::verify::quixo
