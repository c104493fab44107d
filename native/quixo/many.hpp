// Many positions at once, each a 64-bit word with the marks of the side to move above those of the other: by number in
// their class, drawn at random, in their canonical form, and read from text.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "layout.hpp"
#include "names.hpp"

namespace inarow::quixo {

constexpr std::uint64_t word_of(Mask mover, Mask other) { return std::uint64_t{mover} << 32 | other; }

inline bool is_position(const Board& board, std::uint64_t word) {
    const Mask mover = static_cast<Mask>(word >> 32), other = static_cast<Mask>(word);
    return !(mover & other) && !((mover | other) & ~board.full());
}

// All moves of a board by taken and then by pushed cell: a move's number is its place among them.
template <class Mask>
std::vector<BasicMove<Mask>> numbered_moves(const BasicBoard<Mask>& board) {
    auto moves = board.moves();
    sort_few(moves, [](const auto& move) { return std::pair(move.taken, move.pushed); });
    return moves;
}

// Calls visit(number, after) for every legal move, with the position after it; for none if the game is over.
template <class Mask, class Visit>
void each_numbered_move(const BasicBoard<Mask>& board, const std::vector<BasicMove<Mask>>& numbered,
                        const typename Names<Mask>::Word& word, Visit visit) {
    const Mask mover = Names<Mask>::mover(word), other = Names<Mask>::other(word);
    if (board.ended(mover, other) != Outcome::missing) return;
    for (std::size_t number = 0; number < numbered.size(); ++number) {
        const BasicMove<Mask>& move = numbered[number];
        if (other >> move.taken & 1) continue;
        visit(static_cast<int>(number),
              Names<Mask>::word(move.apply(other), move.apply(mover | Mask{1} << move.taken)));
    }
}

// The mask with so many bits and this rank among the masks that have as many: the inverse of colex_rank.
constexpr Mask colex_mask(int bits, std::uint32_t rank) {
    Mask mask = 0;
    int place = max_cells;
    for (; bits > 0; --bits) {
        while (binomial(place, bits) > rank) --place;
        rank -= binomial(place, bits);
        mask |= Mask{1} << place--;
    }
    return mask;
}

// The positions with x marks of the side to move and o of the other on a board of so many cells. Their numbers are
// those of the article (equation 1): by the rank of the mover's marks, then by that of the other's on the cells left.
class PositionClass {
  public:
    PositionClass(int cells, int x, int o) : cells_(cells), x_(x), o_(o) {
        if (x < 0 || o < 0 || x + o > cells) throw std::invalid_argument("no such class");
        others_ = binomial(cells - x, o);
    }

    std::uint64_t size() const { return std::uint64_t{binomial(cells_, x_)} * others_; }

    std::uint64_t word(std::uint64_t number) const {
        const Mask mover = colex_mask(x_, static_cast<std::uint32_t>(number / others_));
        return word_of(mover, deposit(colex_mask(o_, static_cast<std::uint32_t>(number % others_)), free(mover)));
    }

    // Calls visit(word) for so many positions, from that with the number `first` on.
    template <class Visit>
    void each(std::uint64_t first, std::uint64_t count, Visit visit) const {
        if (first > size() || count > size() - first) throw std::out_of_range("no such position in the class");
        if (count == 0) return;
        Mask mover = colex_mask(x_, static_cast<std::uint32_t>(first / others_));
        auto rank = static_cast<std::uint32_t>(first % others_);
        Mask squeezed = colex_mask(o_, rank);
        for (; count > 0; --count) {
            visit(word_of(mover, deposit(squeezed, free(mover))));
            if (++rank < others_) {
                squeezed = next(squeezed);
            } else if (count > 1) {
                rank = 0, squeezed = (Mask{1} << o_) - 1, mover = next(mover);
            }
        }
    }

  private:
    Mask free(Mask mover) const { return ((Mask{1} << cells_) - 1) & ~mover; }

    // The next larger mask with as many bits.
    static Mask next(Mask mask) {
        const Mask low = mask & -mask, carried = mask + low;
        return carried | ((mask ^ carried) >> 2) / low;
    }

    int cells_, x_, o_;
    std::uint32_t others_;  // ways to place the other's marks
};

// SplitMix64: the same numbers from a seed on every machine.
class UniformNumbers {
  public:
    explicit UniformNumbers(std::uint64_t seed) : state_(seed) {}

    // One of 0 to bound - 1, each as likely; bound > 0.
    std::uint64_t below(std::uint64_t bound) {
        const int unused = std::countl_zero((bound - 1) | 1);
        for (;;)
            if (const std::uint64_t number = next() >> unused; number < bound) return number;
    }

  private:
    std::uint64_t next() {
        std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        return mixed ^ mixed >> 31;
    }

    std::uint64_t state_;
};

// The smallest word among the images of a position.
inline std::uint64_t canonical_word(const Board& board, std::uint64_t word) {
    const Mask mover = static_cast<Mask>(word >> 32), other = static_cast<Mask>(word);
    for (int g = 1; g < board.symmetries(); ++g)
        word = std::min(word, word_of(board.image(g, mover), board.image(g, other)));
    return word;
}

// The position of a text like "x.../..../..../o... x"; nothing if it is not one of a board of this shape.
inline std::optional<std::uint64_t> parse_word(const Rules& rules, std::string_view text) {
    const auto cells = static_cast<std::size_t>(rules.cells()), columns = static_cast<std::size_t>(rules.columns);
    const std::size_t board = cells + cells / columns - 1;
    if (text.size() != board + 2 || (text[board] != ' ' && text[board] != '_')) return std::nullopt;
    Mask x = 0, o = 0;
    for (std::size_t place = 0; place < board; ++place) {
        const char cell = text[place];
        if (place % (columns + 1) == columns) {
            if (cell != '/') return std::nullopt;
            continue;
        }
        const bool is_x = cell == 'x' || cell == 'X', is_o = cell == 'o' || cell == 'O';
        if (!is_x && !is_o && cell != '.') return std::nullopt;
        x = x << 1 | is_x, o = o << 1 | is_o;
    }
    switch (text.back()) {
        case 'x':
        case 'X':
            return word_of(x, o);
        case 'o':
        case 'O':
            return word_of(o, x);
        default:
            return std::nullopt;
    }
}

}  // namespace inarow::quixo
